"""How many threads and processes may be started, and the time they take."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from numbers import Integral
from pathlib import Path

from pnet_lp.errors import SpecError

MOST_THREADS = 1024
"""Threads, or processes, that are started."""


def check_threads(threads: object, jobs: object = 1) -> None:
    """Raise SpecError where ``threads`` (0 for all cores) or ``jobs`` is no number of those that are started."""
    for where, count, least in (("threads", threads, 0), ("jobs", jobs, 1)):
        number = isinstance(count, Integral) and not isinstance(count, bool)
        if not (number and least <= count <= MOST_THREADS):  # type: ignore[operator]
            raise SpecError(
                "out of range", where=where, found=count, allowed=f"whole numbers, {least} to {MOST_THREADS}"
            )


def threads_each(threads: int, jobs: int) -> int:
    """Return the threads of each of ``jobs`` processes: the requested number, or for 0 its share of all cores."""
    if jobs == 1:
        return threads
    return threads or max(1, (os.cpu_count() or 1) // jobs)


def processor_seconds(root: Path = Path("/")) -> float:
    """Return the processor time of this process and of its children, in seconds.

    Children that are still running, as the processes of some solvers are, count only where there is ``/proc``.

    Args:
        root: where ``proc`` is mounted.
    """
    ticks = 0
    for listed in (root / "proc/self/task").glob("*/children"):
        with suppress(OSError):  # gone meanwhile
            for pid in listed.read_text().split():
                with suppress(OSError):
                    # After the name: user and system time, then those of its own children.
                    fields = (root / "proc" / pid / "stat").read_text().rpartition(")")[2].split()
                    ticks += sum(map(int, fields[11:15]))
    # Small draws take less than a tick, in which the system counts other processes.
    others = ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0
    return time.process_time() + sum(os.times()[2:4]) + others
