"""``--time-limit`` for what does not look at the clock: building networks and matrices, and reading files."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from pnet_lp.deadline import Deadline

_AGAIN_S = 0.25
"""Code that cannot raise drops an error; it is raised again until the block has ended."""


@contextmanager
def ending_at(deadline: Deadline, doing: str) -> Iterator[None]:
    """End the block when the time is over: by an alarm, which the core hears of as of any signal.

    Where there are no alarms, on Windows, time that is over is noticed at the beginning of the next block.

    Raises:
        TimeLimitError: the time is over while ``doing`` what the block does.
    """
    with deadline.doing(doing) as left_s:
        if math.isinf(left_s) or not hasattr(signal, "setitimer"):
            yield
            return

        ended = False

        def end(_signal: int, _frame: FrameType | None) -> None:
            if not ended:
                # Later where the machine was busy with other work.
                more = deadline.to_end_s()
                signal.setitimer(signal.ITIMER_REAL, more or _AGAIN_S)
                if not more:
                    raise deadline.over(doing)

        before = signal.signal(signal.SIGALRM, end)
        try:
            try:
                # In here, since it may ring before the next line.
                signal.setitimer(signal.ITIMER_REAL, left_s)
                yield
            finally:
                ended = True
        finally:
            # Once more, in case that it rang just before; it will not soon again.
            ended = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
