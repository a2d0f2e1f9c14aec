"""Who sends how much to whom: a list of pairs, or a rule from which the list follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from pnet_lp.errors import TrafficError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief

BYTES_PER_PAIR = 120
"""Measured peak of writing pairs out and of their flow problem: 86 to 91 bytes each, up to 115 where they are drawn."""


def check_pairs(count: int, what: str) -> None:
    """Raise TrafficError where ``what`` with ``count`` pairs, and the problem made of it, need too much memory."""
    check_fits(
        count * BYTES_PER_PAIR,
        what,
        TrafficError,
        allowed="level=rack, sparser traffic, or a smaller network",
    )


@brief("count", "total")
@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Demands one by one.

    Attributes:
        src, dst: int32 ``[j]``, endpoints.
        demand: float64 ``[j]``, > 0.
    """

    src: IntArray
    dst: IntArray
    demand: FloatArray

    @property
    def count(self) -> int:
        """Number of demands."""
        return len(self.demand)

    @property
    def total(self) -> float:
        """Sum of all demands."""
        return float(self.demand.sum())

    def listed(self, what: str) -> Pairs:
        """Return the pairs themselves."""
        del what
        return self


@brief("count", "total")
@dataclass(frozen=True, eq=False, repr=False)
class Product:
    """From every endpoint to every other a weight of the one times a weight of the other.

    Attributes:
        sends, receives: float64 ``[endpoints]``, weights >= 0 as a source and as a destination.
        own: float64 ``[endpoints]``, what each sends to itself: 0, or where endpoints are classes of hosts what these
            send to each other.
    """

    sends: FloatArray
    receives: FloatArray
    own: FloatArray = field(default_factory=lambda: floats([]))

    def __post_init__(self) -> None:
        """Let no endpoint send to itself unless it is said to."""
        if len(self.own) != len(self.sends):
            object.__setattr__(self, "own", floats(np.zeros(len(self.sends))))

    @property
    def count(self) -> int:
        """Number of demands above 0."""
        sends, receives = self.sends > 0, self.receives > 0
        both = np.count_nonzero(sends & receives)
        pairs = np.count_nonzero(sends) * np.count_nonzero(receives) - both
        return int(pairs + np.count_nonzero(self.own))

    @property
    def total(self) -> float:
        """Sum of all demands."""
        others = self.receives.sum() - self.receives
        return float(self.sends @ others + self.own.sum())

    @property
    def range(self) -> FloatArray:
        """float64: the smallest and the largest product of weights above 0, and demands of endpoints to themselves."""
        sends, receives = self.sends[self.sends > 0], self.receives[self.receives > 0]
        ends = [sends.min() * receives.min(), sends.max() * receives.max()] if self.count else []
        return np.concatenate([ends, self.own[self.own > 0]])

    def listed(self, what: str) -> Pairs:
        """Return the demands one by one, sorted by source, then destination.

        Raises:
            TrafficError: they do not fit into memory; the message begins with ``what``.
        """
        check_pairs(self.count, what)
        return self._listed

    @cached_property
    def _listed(self) -> Pairs:
        some = np.outer(self.sends > 0, self.receives > 0)
        np.fill_diagonal(some, self.own > 0)
        src, dst = np.nonzero(some)
        demand = np.where(src == dst, self.own[src], self.sends[src] * self.receives[dst])
        return Pairs(ints(src), ints(dst), floats(demand))


Demands: TypeAlias = Pairs | Product
