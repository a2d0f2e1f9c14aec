"""Hop counts between racks, for all pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.model import Plane

_GATHER_BYTES = 1 << 26  # memory of one step of the search


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


def count_hops(plane: Plane) -> HopCounts:
    """Return the exact hop counts between all racks of ``plane``; links of capacity 0 lead nowhere.

    A breadth-first search from up to thousands of racks at once: each switch holds one bit per rack that has reached
    it, and a step combines the bits of each switch's neighbours.
    """
    n, racks = plane.switch_count, plane.rack_switch
    tail, head, capacity = plane.arcs
    links = np.unique(np.column_stack([head, tail])[capacity > 0], axis=0)
    heads, first = np.unique(links[:, 0], return_index=True)
    tails = links[:, 1]
    is_rack = np.isin(heads, racks)
    words = max(1, min(_GATHER_BYTES // (8 * max(len(links), 1)), -(-len(racks) // 64)))

    pairs = [0]
    for start in range(0, len(racks), 64 * words):
        sources = racks[start : start + 64 * words]
        reached = np.zeros((n, words), dtype=np.uint64)
        bit = np.arange(len(sources))
        reached[sources, bit // 64] = np.uint64(1) << (bit % 64).astype(np.uint64)
        for hops in range(1, n if len(links) else 1):
            new = np.bitwise_or.reduceat(reached[tails], first, axis=0) & ~reached[heads]
            if not new.any():
                break
            reached[heads] |= new
            pairs += [0] * (hops + 1 - len(pairs))
            pairs[hops] += int(np.bitwise_count(new[is_rack]).sum(dtype=np.int64))
    while pairs[-1] == 0 and len(pairs) > 1:
        pairs.pop()
    return HopCounts(tuple(pairs), len(racks) * (len(racks) - 1) - sum(pairs))
