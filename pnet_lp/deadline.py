"""The deadline of an answer: made where a time limit is given, and passed down to all that takes time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pnet_lp import _core
from pnet_lp.errors import SpecError, TimeLimitError

GRACE_S = 1.0
"""Seconds past the limit for what has to be done before there is anything to bound."""


class Deadline:
    """A moment, some seconds after it was made.

    Attributes:
        limit_s: these seconds, possibly infinite.
        before: what has to come about before them, in the error where it does not.

    Raises:
        SpecError: not a number of seconds > 0.
    """

    def __init__(self, limit_s: float = math.inf, before: str = "there was a bound to report") -> None:
        if limit_s <= 0 or math.isnan(limit_s):
            raise SpecError("out of range", where="time_limit_s", found=limit_s, allowed="seconds > 0")
        self.limit_s, self.before = limit_s, before
        self._moment = time.monotonic() + limit_s

    def left_s(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(self._moment - time.monotonic(), 0.0)

    def reserving(self, seconds: float) -> Deadline:
        """Return an earlier deadline, after which first bounds, which take so many ``seconds``, end with the grace.

        Raises:
            TimeLimitError: they cannot, not even with twice the grace.
        """
        if seconds > self.left_s() + 2 * GRACE_S:
            raise TimeLimitError(
                f"first bounds alone take about {seconds:.0f} s",
                where="time_limit_s",
                found=self.limit_s,
                allowed="more seconds, or none",
            )
        return self._ending(self._moment - max(seconds - GRACE_S, 0.0))

    def parts(self, count: int) -> Deadline:
        """Return the deadline of the first of ``count`` equal parts of what is left."""
        return self if math.isinf(self.limit_s) else self._ending(self._moment - self.left_s() * (1 - 1 / count))

    def _ending(self, moment: float) -> Deadline:
        found = Deadline(self.limit_s, self.before)
        found._moment = moment
        return found

    def over(self, doing: str) -> TimeLimitError:
        """Return the error for time that ended in the middle of something, before there was anything to report."""
        return TimeLimitError(
            f"{self.limit_s:g} s ran out while {doing}, before {self.before}",
            where="time_limit_s",
            allowed="more seconds, or none",
        )

    @contextmanager
    def doing(self, what: str, *, grace: bool = True) -> Iterator[float]:
        """Yield the seconds left for a block, with ``grace``, as where there is nothing to bound yet, some more.

        Where they are over, ``what`` it does is named.

        Raises:
            TimeLimitError: they are, at the beginning or in the middle.
        """
        left = max(self._moment + (GRACE_S if grace else 0.0) - time.monotonic(), 0.0)
        if left == 0:
            raise self.over(what)
        try:
            yield left
        except _core.LateError:
            raise self.over(what) from None


NEVER = Deadline()
"""No limit."""

OVER = Deadline(5e-324)
"""No time at all."""
