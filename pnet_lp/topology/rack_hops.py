"""Hop counts between racks, for all pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.model import Plane
from pnet_lp.model.distances import search


@dataclass(frozen=True)
class HopCounts:
    """How far apart the racks of a plane are, in switch-to-switch links.

    Attributes:
        pairs: ``pairs[i]`` is the number of ordered pairs of distinct racks at ``i`` hops.
        disconnected: ordered pairs without a path.
    """

    pairs: tuple[int, ...]
    disconnected: int

    @property
    def diameter(self) -> int | None:
        """Most hops between two racks; None where there is no pair, or one without a path."""
        return None if self.disconnected or not any(self.pairs) else len(self.pairs) - 1

    @property
    def mean(self) -> float | None:
        """Mean hops over ordered pairs of distinct racks; None where :attr:`diameter` is."""
        if self.diameter is None:
            return None
        return sum(hops * count for hops, count in enumerate(self.pairs)) / sum(self.pairs)


def count_rack_hops(plane: Plane) -> HopCounts:
    """Return the exact hop counts between all racks of ``plane``; links of capacity 0 lead nowhere."""
    racks = len(plane.rack_switch)
    pairs = [0]
    for step in search(plane, plane.rack_switch):
        pairs += [0] * (step.hops + 1 - len(pairs))
        pairs[step.hops] += int(np.bitwise_count(step.new).sum(dtype=np.int64))
    while pairs[-1] == 0 and len(pairs) > 1:
        pairs.pop()
    return HopCounts(tuple(pairs), racks * (racks - 1) - sum(pairs))
