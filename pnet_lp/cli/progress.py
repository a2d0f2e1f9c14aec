"""What is shown on stderr while something runs; nothing, if stderr is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from pnet_lp.errors import printable

if TYPE_CHECKING:
    from rich.status import Status

    from pnet_lp.questions.base import ProgressReport

_SILENT_S = 1.0
"""Nothing is shown for what takes less than this."""


def note(text: str) -> None:
    """Print a line to stderr if that is a terminal."""
    if sys.stderr.isatty():
        click.echo(printable(text), err=True)


class ProgressLine:
    """A line on a terminal that says how far something is, cleared at the end of the block; nothing anywhere else.

    Used as a context manager whose value is an ``on_progress``.

    Args:
        label: what is being answered, where there are several.
    """

    def __init__(self, label: str = "") -> None:
        self._head = f"{label}: " if label else ""
        self._status: Status | None = None

    def __call__(self, progress: ProgressReport) -> None:
        """Show ``progress``, if that has not been too short for anybody to wonder."""
        if not sys.stderr.isatty() or progress.seconds < _SILENT_S:
            return
        from rich.console import Console  # noqa: PLC0415 - not where stderr is no terminal
        from rich.markup import escape  # noqa: PLC0415

        line = escape(printable(f"{self._head}{progress}"))
        if self._status is None:
            self._status = Console(stderr=True).status(line)
            self._status.start()
        self._status.update(line)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the line."""
        if self._status is not None:
            self._status.stop()
