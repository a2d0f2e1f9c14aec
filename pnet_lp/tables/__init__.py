"""Tables in files: one format per module, chosen by suffix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pnet_lp.errors import SpecError
from pnet_lp.formats import Formats

if TYPE_CHECKING:
    import numpy.typing as npt

Columns: TypeAlias = "Mapping[str, Sequence[object] | npt.NDArray[Any]]"
"""A table by columns, all of one length."""

TABLE_FORMATS: Formats[Columns] = Formats(
    "table", SpecError, package="pnet_lp.tables", group="pnet_lp.table_formats"
)
"""``write(columns, path)``."""

_ROWS = 1 << 16


def write_table(columns: Columns, path: str | Path) -> None:
    """Write a table in the format of the suffix.

    Raises:
        SpecError: an unknown suffix.
        OutputError: the file cannot be written.
    """
    TABLE_FORMATS.save(columns, path)


def chunks(columns: Columns) -> Iterator[Iterator[tuple[object, ...]]]:
    """Yield all rows, so many at a time that what they are in Python takes little memory."""
    count = max(map(len, columns.values()), default=0)
    for begin in range(0, count, _ROWS):
        yield zip(*(_plain(column[begin : begin + _ROWS]) for column in columns.values()), strict=True)


def _plain(column: Sequence[object] | npt.NDArray[Any]) -> Iterable[object]:
    """Return the entries of a column of Arrow's or NumPy's as Python's own, None where there is none."""
    for method in ("to_pylist", "tolist"):
        if convert := getattr(column, method, None):
            return convert()  # type: ignore[no-any-return]
    return column
