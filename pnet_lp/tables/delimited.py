"""CSV: a header and a line per row."""

import csv
from pathlib import Path

from pnet_lp.formats import Format
from pnet_lp.tables import TABLE_FORMATS, Columns, chunks


def _write(columns: Columns, temporary: Path) -> None:
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for rows in chunks(columns):
            writer.writerows(rows)


TABLE_FORMATS.add(Format("csv", (".csv",), _write), summary="a header, then a line per row")
