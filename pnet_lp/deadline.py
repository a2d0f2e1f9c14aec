"""The deadline of an answer: made where a time limit is given, and passed down to all that takes time."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeAlias

from pnet_lp import _core
from pnet_lp.errors import SpecError, TimeLimitError

GRACE_S = 0.8
"""Seconds past the limit for what has to be done before there is anything to bound."""

MOST_WAITING_S = 60.0
"""Seconds of waiting for a processor, at most, that are not counted against it."""


class Deadline:
    """A moment, some seconds after it was made.

    Attributes:
        limit_s: these seconds, possibly infinite.
        before: what has to come about before them, in the error where it does not.
        grace_s: seconds past the moment for what has to be done all the same.

    Raises:
        SpecError: not a number of seconds > 0.
    """

    def __init__(self, limit_s: float = math.inf, before: str = "there was a bound to report") -> None:
        if limit_s <= 0 or math.isnan(limit_s):
            raise SpecError("out of range", where="time_limit_s", found=limit_s, allowed="seconds > 0")
        self.limit_s, self.before, self.grace_s = limit_s, before, GRACE_S
        self._begun, self._used = time.monotonic(), time.process_time()
        self._moment = self._begun + limit_s
        self._waits: dict[str, int] = {}
        self._waited = 0.0 if math.isinf(limit_s) else self._waited_s()

    def left_s(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(self._moment - time.monotonic(), 0.0)

    def to_end_s(self, more_s: float = 0.0) -> float:
        """Return the seconds until what has to be done, too, is to be ended: a grace later, and ``more_s``.

        That the machine is busy with other work does not count against it: the seconds are added in which nothing was
        done because no processor was free.
        """
        left = self._moment + self.grace_s + more_s - time.monotonic()
        if math.isinf(self.limit_s) or left > self.grace_s + more_s:
            return left
        return max(left + self._lost_s(), 0.0)

    def reserving(self, seconds: float) -> Deadline:
        """Return an earlier deadline, after which first bounds, which take so many ``seconds``, end with the grace."""
        return self._ending(self._moment - max(seconds - self.grace_s, 0.0), self.grace_s)

    def parts(self, count: int) -> Deadline:
        """Return the deadline of the first of ``count`` equal parts of what is left, and of the grace."""
        if math.isinf(self.limit_s):
            return self
        return self._ending(self._moment - self.left_s() * (1 - 1 / count), self.grace_s / count)

    def _ending(self, moment: float, grace_s: float) -> Deadline:
        found = copy.copy(self)
        found._moment, found.grace_s = moment, grace_s
        return found

    def __getstate__(self) -> dict[str, Any]:
        # Another machine counts its seconds from another moment.
        return {**self.__dict__, "_clock": time.time() - time.monotonic()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ahead = state.pop("_clock") - (time.time() - time.monotonic())
        self.__dict__.update(state, _moment=state["_moment"] + ahead, _begun=state["_begun"] + ahead)

    def _lost_s(self) -> float:
        """Return for how many seconds nothing was done since the beginning because no processor was free."""
        elapsed = time.monotonic() - self._begun
        idle = elapsed - (time.process_time() - self._used)
        return max(min(self._waited_s() - self._waited, idle, MOST_WAITING_S, 0.99 * elapsed), 0.0)

    def _waited_s(self) -> float:
        """Return for how long threads of this process, as often as seen, have waited for a processor; 0 if unknown."""
        for task in Path("/proc/self/task").glob("*/schedstat"):
            with suppress(OSError):  # it has ended meanwhile
                self._waits[task.parent.name] = int(task.read_text().split()[1])
        return sum(self._waits.values()) * 1e-9

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
        left = self.to_end_s() if grace else self.left_s()
        if left == 0:
            raise self.over(what)
        if grace and not math.isinf(left):
            # The machine will be as busy as it was so far.  What was lost is part of a time that is read after it.
            lost = self._lost_s()
            elapsed = max(time.monotonic() - self._begun, 1e-9)
            left *= elapsed / (elapsed - lost)
        try:
            yield left
        except _core.LateError:
            raise self.over(what) from None


NEVER = Deadline()
"""No limit."""

OVER = Deadline(5e-324)
"""No time at all."""


Ending: TypeAlias = Callable[[Deadline, str], AbstractContextManager[Any]]
"""Returns the context of a block that ends with a deadline, by what it does."""


def going_on(deadline: Deadline, doing: str) -> AbstractContextManager[Any]:
    """Return a context in which what does not look at the clock goes on when the time is over."""
    del deadline, doing
    return nullcontext()
