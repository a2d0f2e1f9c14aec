"""Where commands write: documents and tables to stdout, files to where the user said."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pnet_lp.errors import OutputError
from pnet_lp.files import json_text
from pnet_lp.formats import Formats
from pnet_lp.stdout import writer
from pnet_lp.tables import WIDTH, Columns, printed, write_table
from pnet_lp.writing import check_folder, check_output, naming_output

if TYPE_CHECKING:
    from rich.console import RenderableType


class OutputFile(click.Path):
    """A file to be written, checked before any work is done.

    Args:
        formats: of which it has to be one; default: any.
        suffixes: the allowed ones where there is no registry of formats.
    """

    def __init__(self, formats: Formats[Any] | None = None, *, suffixes: tuple[str, ...] = ()) -> None:
        super().__init__(path_type=Path)
        self.formats, self._suffixes = formats, suffixes

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The allowed suffixes."""
        return self._suffixes if self.formats is None else self.formats.suffixes()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path, or fail where its folder is missing or the suffix names no format.

        Raises:
            OutputError: it cannot be written.
            PnetError: what writes it is not installed.
        """
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if self.suffixes and path.suffix.lower() not in self.suffixes:
            self.fail(
                f"{path}: unknown file format, found {path.suffix!r}; allowed: {', '.join(self.suffixes)}", param, ctx
            )
        if not path.parent.is_dir():
            self.fail(f"{path}: there is no folder {str(path.parent)!r}", param, ctx)
        check_output(path)
        if self.formats is not None:
            self.formats.chosen(path)
        return path


class OutputFolder(click.Path):
    """A folder to put files into, checked before any work is done; one that is missing is made."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path, or fail where none is named.

        Raises:
            OutputError: nothing can be put there.
        """
        if not os.fspath(value):
            self.fail("no folder is named", param, ctx)
        path = Path(os.fsdecode(value))
        check_folder(path)
        return path


@dataclass(frozen=True)
class Output:
    """``--json`` and ``--out``: what becomes of a command's answer."""

    as_json: bool
    out: Path | None = None

    def emit(
        self,
        document: object,
        report: Callable[[], Iterable[RenderableType]],
        *,
        table: Callable[[], Columns] = dict,
        files: Iterable[tuple[Path | None, Callable[[Path], object]]] = (),
        code: int = 0,
    ) -> None:
        """Write the answer's files, print it, and leave with the exit code for what is not whole, if it is not.

        It is printed also where a file cannot be written: it may have taken hours.

        Args:
            document: what ``--json`` prints.
            report: returns what is printed otherwise.
            table: returns what ``--out`` writes.
            files: others, None where one was not requested, and what writes them.
            code: to leave with; not 0 where a run ended early, or bounds have not met.

        Raises:
            OutputError: a file cannot be written.
        """
        fault: OutputError | None = None
        for path, write in (*files, (self.out, lambda path: write_table(table(), path))):
            if path is not None:
                try:
                    write(path)
                except OutputError as error:
                    fault = error
        if self.as_json:
            print_json(document)
        else:
            print_report(*report())
        if fault is not None:
            raise fault
        if code:
            click.get_current_context().exit(code)


def print_json(document: object) -> None:
    """Print one JSON document to stdout."""
    _print(json_text(document))


def _print(text: str) -> None:
    out = writer()
    # Through click, so that a closed pipe is noticed here and not when the interpreter ends.
    if out is not None:
        with naming_output("standard output"):
            click.echo(text, out, nl=False)


def print_report(*parts: RenderableType) -> None:
    """Print ``parts`` to stdout, tables coloured on a terminal; a name with brackets is no markup."""
    out = writer()
    terminal = out is not None and out.isatty()
    buffer = io.StringIO()
    printed(parts, file=buffer, force_terminal=terminal, width=None if terminal else WIDTH)
    lines = buffer.getvalue() if terminal else re.sub(" +$", "", buffer.getvalue(), flags=re.MULTILINE)
    # A narrow encoding (cp1252, ASCII) gets question marks for what it lacks, not an error.
    encoding = getattr(out, "encoding", None) or "utf-8"
    lines = lines.encode(encoding, "replace").decode(encoding)
    _print(lines)
