"""Demands that are products of weights: all-to-all, gravity and the like."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray, IntArray, equal_columns, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.demands.pairs import LISTED_PAIRS, Index, Pairs, Rule


@brief("count", "total")
@dataclass(frozen=True, eq=False, repr=False)
class Product(Rule):
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
        """Default ``own`` to no demand from an endpoint to itself."""
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
        """The smallest and the largest product of weights above 0, and demands of endpoints to themselves."""
        sends, receives = self.sends[self.sends > 0], self.receives[self.receives > 0]
        # Where a product vanishes, what is left of it is a number that is too small.
        ends = [max(sends.min() * receives.min(), 5e-324), sends.max() * receives.max()] if self.count else []
        return np.concatenate([ends, self.own[self.own > 0]])

    @property
    def factors(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See :attr:`Demands.factors`."""
        return self.sends, self.receives, self.own

    @property
    def complete(self) -> bool:
        """No weight is 0."""
        return bool((self.sends > 0).all() and (self.receives > 0).all())

    def between(self, src: IntArray, dst: IntArray) -> FloatArray:
        """Return the demand of each of some pairs of different endpoints."""
        return floats(self.sends[src] * self.receives[dst])

    def _written_out(self) -> Pairs:
        some = np.outer(self.sends > 0, self.receives > 0)
        np.fill_diagonal(some, self.own > 0)
        demand = np.outer(self.sends, self.receives)
        np.fill_diagonal(demand, self.own)
        number = ints(np.arange(len(some)))
        dst = np.broadcast_to(number, some.shape)[some]
        return Pairs(ints(np.repeat(number, some.sum(axis=1))), ints(dst), floats(demand[some]))

    def scaled(self, factor: float) -> Product:
        """Return the rule with weights of sources ``factor`` times as large."""
        return Product(floats(self.sends * factor), self.receives, floats(self.own * factor))

    def named(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints send or receive anything."""
        del endpoints
        return (self.sends > 0) | (self.receives > 0)

    def received(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints are destinations."""
        del endpoints
        return (self.receives > 0) | (self.own > 0)

    def totals(self, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to all others and to itself, and receives."""
        del endpoints
        sent = self.sends * (self.receives.sum() - self.receives) + self.own
        return floats(np.stack([sent, self.receives * (self.sends.sum() - self.sends) + self.own]))

    def leaving(self, inside: npt.NDArray[np.bool_]) -> float:
        """Return the sum of the demands from endpoints ``inside`` to others: of the one weights times of the other."""
        return float(self.sends[inside].sum() * self.receives[~inside].sum())

    def weights(self, endpoints: int) -> FloatArray:
        """Return the weights and what endpoints send to themselves."""
        del endpoints
        return np.stack([self.sends, self.receives, self.own])

    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to an equivalent one."""
        del endpoints
        return np.asarray(self.sends * self.receives[endpoint])

    def sent_to_itself(self, endpoint: int) -> float:
        """Return what an endpoint sends to itself."""
        return float(self.own[endpoint])

    def refined(self, classes: Index, used: Index) -> Index:
        """Split classes by weights."""
        return equal_columns(np.vstack([classes, self.weights(len(classes))[:, used]]))

    def merged(self, classes: Index, size: Index, member: Index) -> Product:
        """Return the demands between classes."""
        del classes
        sends, receives = self.sends[member], self.receives[member]
        own = size * (size - 1) * sends * receives
        return Product(floats(size * sends), floats(size * receives), floats(own))

    def core(self, endpoints: int) -> _core.Demands:
        """Return the core's representation."""
        del endpoints
        return _core.Demands.product(self.sends, self.receives, self.own)

    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return the pairs, or the weights where these are too many."""
        if self.count > LISTED_PAIRS:
            return [f"traffic-rule/1 {head}", self.sends, self.receives]
        return self._listed.identity(head)
