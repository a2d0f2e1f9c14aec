"""How many threads and processes may be started."""

from __future__ import annotations

from numbers import Integral

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
