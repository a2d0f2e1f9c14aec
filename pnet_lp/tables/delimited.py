"""CSV: a header and a line per row; texts that a spreadsheet would run have an apostrophe before them."""

from pathlib import Path

from pnet_lp.formats import Format
from pnet_lp.layouts import write_csv
from pnet_lp.tables import TABLE_FORMATS, Columns, chunks


def _write(columns: Columns, temporary: Path) -> None:
    with temporary.open("w", encoding="utf-8", newline="") as file:
        write_csv(file, [columns])
        for rows in chunks(columns):
            write_csv(file, rows)


TABLE_FORMATS.add(Format("csv", (".csv",), _write), summary="a header, then a line per row")
