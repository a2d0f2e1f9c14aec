"""Tables to read, and tables by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pnet_lp.tables import Columns, write_table

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Columns", "fact_grid", "from_rows", "text_table", "write_table"]


def text_table(**style: Any) -> Table:
    """Return an empty table to read, without lines; ``style`` is as of :class:`rich.table.Table`."""
    from rich.table import Table  # noqa: PLC0415 - not for JSON

    return Table(**{"box": None, "pad_edge": False, **style})


def fact_grid() -> Table:
    """Return an empty table of facts to read: in bold what each is called, and what it is."""
    grid = text_table(padding=(0, 2), collapse_padding=True, show_header=False, show_edge=False)
    grid.add_column(style="bold")
    grid.add_column()
    return grid


def from_rows(rows: Sequence[Mapping[str, object]]) -> Columns:
    """Return the table of ``rows``, which all have the keys of the first."""
    return {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
