"""JSON: a list with an object per row."""

from pathlib import Path

from pnet_lp.files import json_text
from pnet_lp.formats import Format
from pnet_lp.tables import TABLE_FORMATS, Columns, chunks


def _write(columns: Columns, temporary: Path) -> None:
    """Write what :func:`json_text` makes of the list of all rows, without holding it."""
    with temporary.open("w", encoding="utf-8", newline="") as file:
        before = "["
        for rows in chunks(columns):
            text = json_text([dict(zip(columns, row, strict=True)) for row in rows])
            file.write(before + text.removeprefix("[").removesuffix("\n]\n"))
            before = ","
        file.write("\n]\n" if before == "," else "[]\n")


TABLE_FORMATS.add(Format("json", (".json",), _write), summary="a list with an object per row")
