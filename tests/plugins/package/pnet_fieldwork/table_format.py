"""Tables with tabs between their columns."""

import csv
from pathlib import Path

from pnet_lp.formats import Format
from pnet_lp.tables import TABLE_FORMATS, Columns, chunks


def write(columns: Columns, temporary: Path) -> None:
    """Write a header and a line per row."""
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, dialect="excel-tab", lineterminator="\n")
        writer.writerow(columns)
        for rows in chunks(columns):
            writer.writerows(rows)


TABLE_FORMATS.add(Format("tsv", (".tsv",), write), summary="a header and lines, tabs between columns")
