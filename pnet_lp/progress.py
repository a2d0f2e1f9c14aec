"""How many of several equal parts of a computation are done, at what rate, and how long the others will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

R = TypeVar("R")


@dataclass(frozen=True)
class Count:
    """How many parts are done.

    Attributes:
        done, total: parts.
        parts: what they are: ``draws done``.
        seconds: since the first began.
    """

    done: int
    total: int
    parts: str
    seconds: float

    def __str__(self) -> str:
        text = f"{self.done:,} of {self.total:,} {self.parts}"
        if not self.done or self.seconds <= 0:
            return text
        rate = self.done / self.seconds
        left = "" if self.done == self.total else f", about {(self.total - self.done) / rate:,.0f} s left"
        return f"{text}, {rate:.3g}/s, {self.seconds:,.0f} s{left}"


def counted(
    found: Iterable[R], total: int, parts: str, on_progress: Callable[[Any], None] | None = None
) -> Iterator[R]:
    """Yield what is found, and report a :class:`Count` of ``total`` parts after each."""
    began = time.monotonic()
    for done, one in enumerate(found, 1):
        if on_progress is not None:
            on_progress(Count(done, total, parts, time.monotonic() - began))
        yield one
