"""Tables to read, and tables in files: one format per module, chosen by suffix."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pnet_lp.errors import SpecError, printable
from pnet_lp.formats import Formats
from pnet_lp.wording import fill

if TYPE_CHECKING:
    import numpy.typing as npt
    from rich.console import Console, RenderableType
    from rich.table import Table

Columns: TypeAlias = "Mapping[str, Sequence[object] | npt.NDArray[Any]]"
"""A table by columns, all of one length."""

Document: TypeAlias = Mapping[str, Any]
"""The JSON document of an answer."""

Report: TypeAlias = "list[RenderableType]"
"""What is printed of it, one part below the other."""

Cell: TypeAlias = str | Callable[[Any], str]
"""What is to be read of a row: a template, ``"{hops:,}"``, that :func:`~pnet_lp.wording.fill` fills, or a function."""

Fact: TypeAlias = tuple[str, str | Sequence[str] | Callable[[Any], str | Sequence[str]]]
"""What a fact about a document is called, and a template; or finished texts, one or more, or a function that makes
them of the document."""

TABLE_FORMATS: Formats[Columns] = Formats("table", SpecError, package="pnet_lp.tables", group="pnet_lp.table_formats")
"""``write(columns, path)``."""

_ROWS = 1 << 16

WIDTH = 120
"""Columns of what is printed to no terminal: wide enough that no table of ours is cut."""


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


def text_table(**style: Any) -> Table:
    """Return an empty table to read, without lines; ``style`` is as of :class:`rich.table.Table`."""
    from rich.table import Table  # noqa: PLC0415 - not for JSON

    return Table(**{"box": None, "pad_edge": False, **style})


def table_of(rows: Iterable[Any], *columns: tuple[str, Cell], texts: Collection[str] = (), **style: Any) -> Table:
    """Return a table to read, of columns by name; those in ``texts`` are aligned left and folded."""
    table = text_table(**style)
    for name, _ in columns:
        if name in texts:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(fill(cell, row) if isinstance(cell, str) else cell(row) for _, cell in columns))
    return table


def fact_grid(rows: Iterable[tuple[str, str]] = ()) -> Table:
    """Return a table of facts to read: in bold what each is called, and what it is."""
    grid = text_table(padding=(0, 2), collapse_padding=True, show_header=False, show_edge=False)
    grid.add_column(style="bold")
    grid.add_column()
    for row in rows:
        grid.add_row(*row)
    return grid


def facts(document: Document, *known: Fact) -> Table:
    """Return facts about a document to read, without those whose text is empty."""
    rows: list[tuple[str, str]] = []
    for label, text in known:
        found = fill(text, document) if isinstance(text, str) else text(document) if callable(text) else text
        rows += [(label, one) for one in ([found] if isinstance(found, str) else found) if one]
    return fact_grid(rows)


def lines(document: Document, *templates: str) -> list[str]:
    """Return sentences about a document, without those that are empty."""
    return list(filter(None, (fill(template, document) for template in templates)))


NETWORK_FACT = "{network[planes]:plane} ({network[variant]}), {network[switches]:switch}, {network[hosts]:host}"
"""The network of a document."""

WARNINGS: Fact = ("warning", lambda document: document["warnings"])
"""The warnings of a document."""


def from_rows(rows: Sequence[Mapping[str, object]]) -> Columns:
    """Return the table of ``rows``, which all have the keys of the first."""
    return {key: [row[key] for row in rows] for key in rows[0]} if rows else {}


def attributes(value: object, *names: str) -> dict[str, Any]:
    """Return some attributes of a value by name, as a part of a document."""
    return {name: getattr(value, name) for name in names}


def union(rows: Sequence[Mapping[str, object]]) -> Columns:
    """Return the table of ``rows``, with a column for every key of any, None where a row lacks it."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def printed(parts: Iterable[RenderableType], **options: Any) -> Console:
    """Print the parts of a report, of which nothing is markup, and return the console, made with ``options``."""
    from rich.console import Console  # noqa: PLC0415 - not for JSON
    from rich.text import Text  # noqa: PLC0415

    class SafeConsole(Console):
        def render_str(self, text: str, **style: Any) -> Text:
            return super().render_str(printable(text), **style)

    console = SafeConsole(markup=False, highlight=False, **options)
    for part in parts:
        # Sentences are left to the terminal to break, so that whoever reads them line by line gets them whole.
        console.print(part, soft_wrap=isinstance(part, str))
    return console
