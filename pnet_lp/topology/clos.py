"""What folded Clos networks have in common: cables distributed between two tiers."""

from __future__ import annotations

import numpy as np

from pnet_lp.model.arrays import IntArray, ints


def deal(cables: int, lower: int, upper: int) -> tuple[IntArray, IntArray]:
    """Return the lower and the upper end of each cable, int32 ``[cables]``, as a pack of cards is dealt.

    The lower switches follow each other, each with its share of the cables, and the cables go to the upper switches
    in turn.  So two lower switches differ by at most one in their cables, two upper ones likewise, and so do two
    pairs of a lower and an upper switch that have the same lower one.  Where everything divides, each pair has
    ``cables / (lower * upper)``.
    """
    cable = np.arange(cables)
    return ints(cable * lower // cables), ints(cable % upper)
