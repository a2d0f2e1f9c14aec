"""What is shown on stderr while something runs; nothing, if stderr is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.status import Status

    from pnet_lp.sim import Progress as SimulationProgress
    from pnet_lp.throughput import Progress

_SILENT_S = 1.0
"""Nothing is shown for what takes less than this."""


def _new_status(line: str) -> Status:
    """Return a line on stderr, not yet shown."""
    from rich.console import Console  # noqa: PLC0415 - not where stderr is no terminal

    return Console(stderr=True).status(line)


def _escaped(text: str) -> str:
    from rich.markup import escape  # noqa: PLC0415

    return escape(text)


def note(text: str) -> None:
    """Print a line to stderr if that is a terminal."""
    if sys.stderr.isatty():
        click.echo(text, err=True)


class BoundsLine:
    """Shows the current bounds of a solve on a terminal, and nothing anywhere else.

    Used as a context manager whose value is the solve's ``on_progress``.

    Args:
        label: what is being solved, where there are several.
    """

    def __init__(self, label: str = "") -> None:
        self._head = f"{label}: " if label else ""
        self._status: Status | None = None

    def __call__(self, progress: Progress) -> None:
        """Show ``progress``."""
        if not sys.stderr.isatty() or progress.seconds < _SILENT_S:
            return
        line = _escaped(
            f"{self._head}{format_gbps(progress.lower)} <= K <= {format_gbps(progress.upper)} Gb/s, "
            f"{progress.solver}, {progress.iterations:,} iterations, {progress.seconds:.0f} s"
        )
        if self._status is None:
            self._status = _new_status(line)
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


class CountLine:
    """Shows on a terminal how many of several things are done, and nothing anywhere else.

    Used as a context manager whose value is called with what has just been done.

    Args:
        total: how many there are.
        what: what they are, in the plural.
    """

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what, self._done = total, what, 0
        self._status = _new_status(f"0 of {total:,} {what} done") if sys.stderr.isatty() else None

    def __call__(self, name: str) -> None:
        """Count one more."""
        self._done += 1
        if self._status is not None:
            self._status.update(_escaped(f"{self._done:,} of {self._total:,} {self._what} done: {name}"))

    def __enter__(self) -> Self:
        """Show the line."""
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the line."""
        if self._status is not None:
            self._status.stop()


class SimulationLine:
    """Shows on a terminal how far a simulation is, and nothing anywhere else.

    Used as a context manager whose value gives the ``on_progress`` of each run.

    Args:
        total: how many runs there are.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._status: Status | None = None

    def of(self, run: int) -> Callable[[SimulationProgress], None]:
        """Return what is called during a run, given its number."""
        head = f"run {run + 1} of {self._total}: " if self._total > 1 else ""

        def show(progress: SimulationProgress) -> None:
            if sys.stderr.isatty() and progress.seconds >= _SILENT_S:
                self._show(f"{head}{simulation_line(progress)}")

        return show

    def _show(self, line: str) -> None:
        if self._status is None:
            self._status = _new_status(line)
            self._status.start()
        self._status.update(_escaped(line))

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the line."""
        if self._status is not None:
            self._status.stop()


def simulation_line(progress: SimulationProgress) -> str:
    """Return the state of a simulation in words: simulated time, flows, events per second, what is left."""
    left = progress.seconds_left
    rest = "" if left is None else f", about {left:.0f} s left"
    return (
        f"{progress.time_ps / 1e9:,.4g} ms simulated, {progress.completed:,} of {progress.flows:,} flows complete, "
        f"{progress.events / max(progress.seconds, 1e-9) / 1e6:.3g} M events/s, {progress.seconds:.0f} s{rest}"
    )
