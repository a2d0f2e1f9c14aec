"""What is shown on stderr while something runs; nothing, if stderr is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from pnet_lp.report.throughput import bounds_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.status import Status

    from pnet_lp.sim import SimulationProgress
    from pnet_lp.throughput import Progress

_SILENT_S = 1.0
"""Nothing is shown for what takes less than this."""


def note(text: str) -> None:
    """Print a line to stderr if that is a terminal."""
    if sys.stderr.isatty():
        click.echo(text, err=True)


class StatusLine:
    """A line on a terminal that says how far something is, cleared at the end of the block; nothing anywhere else."""

    def __init__(self) -> None:
        self._status: Status | None = None

    def show(self, text: str, seconds: float = _SILENT_S) -> None:
        """Show ``text`` about what has taken ``seconds`` so far, if that is not too short for anybody to wonder."""
        if not sys.stderr.isatty() or seconds < _SILENT_S:
            return
        from rich.console import Console  # noqa: PLC0415 - not where stderr is no terminal
        from rich.markup import escape  # noqa: PLC0415

        line = escape(text)
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


class BoundsLine(StatusLine):
    """Shows the current bounds of a solve.

    Used as a context manager whose value is the solve's ``on_progress``.

    Args:
        label: what is being solved, where there are several.
    """

    def __init__(self, label: str = "") -> None:
        super().__init__()
        self._head = f"{label}: " if label else ""

    def __call__(self, progress: Progress) -> None:
        """Show ``progress``."""
        self.show(f"{self._head}{bounds_in_words(progress)}", progress.seconds)


class CountLine(StatusLine):
    """Shows how many of several things are done.

    Used as a context manager whose value is called with what has just been done.

    Args:
        total: how many there are.
        what: what they are, in the plural.
    """

    def __init__(self, total: int, what: str) -> None:
        super().__init__()
        self._total, self._what, self._done = total, what, 0

    def __call__(self, name: str) -> None:
        """Count one more."""
        self._done += 1
        self.show(f"{self._done:,} of {self._total:,} {self._what} done: {name}")

    def __enter__(self) -> Self:
        """Show the line."""
        self.show(f"0 of {self._total:,} {self._what} done")
        return self


class SimulationLine(StatusLine):
    """Shows how far simulations are.

    Used as a context manager whose value gives the ``on_progress`` of each run.

    Args:
        total: how many runs there are.
    """

    def __init__(self, total: int) -> None:
        super().__init__()
        self._total = total

    def of(self, run: int) -> Callable[[SimulationProgress], None]:
        """Return what is called during a run, given its number."""
        return self.named(f"run {run + 1} of {self._total}" if self._total > 1 else "")

    def named(self, name: str) -> Callable[[SimulationProgress], None]:
        """Return what is called during a run, given what it is called."""
        head = f"{name}: " if name else ""
        return lambda progress: self.show(f"{head}{simulation_line(progress)}", progress.seconds)


def simulation_line(progress: SimulationProgress) -> str:
    """Return the state of a simulation in words: simulated time, flows, events per second, what is left."""
    left = progress.seconds_left
    rest = "" if left is None else f", about {left:.0f} s left"
    return (
        f"{progress.time_ps / 1e9:,.4g} ms simulated, {progress.completed:,} of {progress.flows:,} flows complete, "
        f"{progress.events / max(progress.seconds, 1e-9) / 1e6:.3g} M events/s, {progress.seconds:.0f} s{rest}"
    )
