"""What is shown on stderr while something runs; nothing, if stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

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


@contextmanager
def progress_line(label: str = "") -> Iterator[Callable[[ProgressReport], None]]:
    """Yield an ``on_progress`` that shows a line on a terminal, cleared at the end of the block; nothing anywhere else.

    Args:
        label: what is being answered, where there are several.
    """
    head = f"{label}: " if label else ""
    status: Status | None = None

    def show(progress: ProgressReport) -> None:
        nonlocal status
        if not sys.stderr.isatty() or progress.seconds < _SILENT_S:
            return
        from rich.console import Console  # noqa: PLC0415 - not where stderr is no terminal
        from rich.markup import escape  # noqa: PLC0415

        line = escape(printable(f"{head}{progress}"))
        if status is None:
            status = Console(stderr=True).status(line)
            status.start()
        status.update(line)

    try:
        yield show
    finally:
        if status is not None:
            status.stop()
