"""What is shown on stderr while something runs: a line redrawn in place, lines below each other, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from pnet_lp.cli.command import Option
from pnet_lp.errors import printable
from pnet_lp.flags import RUNNING

if TYPE_CHECKING:
    from rich.status import Status

    from pnet_lp.questions.base import ProgressReport

_SILENT_S = 1.0
"""Nothing is shown for what takes less than this."""

_LINES_EVERY_S = 10.0
"""A log gets at most one line in this time, and the last state."""

_KEY = "pnet_lp.progress"


def _is_terminal() -> bool:
    """Whether stderr is open, and a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def _remember(ctx: click.Context, _: click.Parameter, value: str) -> None:
    if value == "bar" and not _is_terminal():
        raise click.BadParameter("found bar, and stderr is not a terminal; allowed: auto, lines, off")
    ctx.meta[_KEY] = value


progress_option = click.option(
    "--progress",
    cls=Option,
    heading=RUNNING,
    type=click.Choice(["auto", "bar", "lines", "off"]),
    default="auto",
    show_default=True,
    expose_value=False,
    callback=_remember,
    help="How to show on stderr what is done: a line redrawn in place, lines for a log (one in ten seconds), or "
    "nothing; auto is bar on a terminal and off elsewhere.",
)
"""The option of every command that may take long; what shows progress asks the context for its value."""


def _shown_as() -> str:
    """Return ``bar``, ``lines`` or ``off``."""
    ctx = click.get_current_context(silent=True)
    mode: str = "auto" if ctx is None else ctx.meta.get(_KEY, "auto")
    return mode if mode != "auto" else "bar" if _is_terminal() else "off"


@contextmanager
def progress_line(label: str = "") -> Iterator[Callable[[ProgressReport], None]]:
    """Yield an ``on_progress`` that shows how much is done as ``--progress`` says.

    Args:
        label: what is being answered, where there are several.
    """
    head = f"{label}: " if label else ""
    display = {"bar": _Bar, "lines": _Lines, "off": _Nothing}[_shown_as()]()

    def show(progress: ProgressReport) -> None:
        if progress.seconds >= _SILENT_S:
            display.show(head, progress)

    try:
        yield show
    finally:
        display.close()


class _Nothing:
    """Shows nothing."""

    def show(self, head: str, progress: Any) -> None:
        """Show the state of a run."""

    def close(self) -> None:
        """Leave the display as it is to be read later."""


class _Bar(_Nothing):
    """A line that is redrawn in place, and cleared at the end."""

    def __init__(self) -> None:
        self.status: Status | None = None

    def show(self, head: str, progress: Any) -> None:
        """See the base class."""
        from rich.console import Console  # noqa: PLC0415 - not where nothing is shown
        from rich.markup import escape  # noqa: PLC0415

        line = escape(printable(f"{head}{progress}"))
        if self.status is None:
            self.status = Console(stderr=True).status(line)
            self.status.start()
        self.status.update(line)

    def close(self) -> None:
        """See the base class."""
        if self.status is not None:
            self.status.stop()


class _Lines(_Nothing):
    """Lines below each other, the last state among them."""

    def __init__(self) -> None:
        self.due = 0.0
        self.pending = ""

    def show(self, head: str, progress: Any) -> None:
        """See the base class."""
        if time.monotonic() >= self.due:
            self.pending = ""
            self.due = time.monotonic() + _LINES_EVERY_S
            click.echo(printable(f"{head}{progress}"), err=True)
        else:
            self.pending = f"{head}{progress}"

    def close(self) -> None:
        """See the base class."""
        if self.pending:
            click.echo(printable(self.pending), err=True)
