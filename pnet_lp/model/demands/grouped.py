"""Demands inside groups of endpoints: all-to-all among the accelerators of servers, or among those of each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.components import components
from pnet_lp.model.demands.pairs import LISTED_PAIRS, Demands, Index, Pairs, Rule
from pnet_lp.model.demands.product import Product


@brief("count", "total")
@dataclass(frozen=True, eq=False, repr=False)
class Grouped(Rule):
    """From every endpoint to every other of its group a product of two weights, but not to those of its own owner.

    In a graph in layers (:mod:`pnet_lp.model.servers`) an accelerator owns two endpoints: where it sends, and where it
    receives.

    Attributes:
        sends, receives: float64 ``[endpoints]``, weights >= 0 as a source and as a destination.
        group: int32 ``[endpoints]``, the group of each, below their number.
        owner: int32 ``[endpoints]``, the owner of each, below their number; endpoints of one owner are in one group.
    """

    sends: FloatArray
    receives: FloatArray
    group: IntArray
    owner: IntArray

    @classmethod
    def of(cls, demands: Demands, endpoints: int) -> Grouped | None:
        """Return the same demands as a rule; None for listed ones but all-to-all in groups, equal inside each."""
        number = ints(np.arange(endpoints))
        if isinstance(demands, Product):
            return cls(demands.sends, demands.receives, ints(np.zeros(endpoints)), number)
        pairs = demands.listed("the matrix")
        group = components(endpoints, pairs.src, pairs.dst)
        sends = np.zeros(endpoints)
        sends[group[pairs.src]] = pairs.demand
        sends = sends[group]
        if not np.array_equal(sends[pairs.src], pairs.demand):
            return None
        size = np.bincount(group)
        # No pair is listed twice, so that groups with as many pairs as they can have are complete.
        if int(size @ (size - 1)) != pairs.count:
            return None
        return cls(floats(sends), floats((size > 1)[group]), group, number)

    def apart(self) -> Grouped:
        """Return the demands where each endpoint only sends, and one that receives for it comes after all others."""
        nothing = np.zeros(len(self.sends))
        return Grouped(
            floats(np.concatenate([self.sends, nothing])),
            floats(np.concatenate([nothing, self.receives])),
            ints(np.tile(self.group, 2)),
            ints(np.tile(self.owner, 2)),
        )

    @property
    def groups(self) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
        """See :attr:`Demands.groups`."""
        return self.sends, self.receives, self.group, self.owner

    def _over(self, sends: FloatArray, receives: FloatArray) -> float:
        """Return the sum over all pairs of what their ends have, one times the other."""
        everyone, own = (
            np.bincount(of, sends) @ np.bincount(of, receives, minlength=int(of.max(initial=-1)) + 1)
            for of in (self.group, self.owner)
        )
        return float(everyone - own)

    @property
    def count(self) -> int:
        """Number of demands above 0."""
        return int(self._over(floats(self.sends > 0), floats(self.receives > 0)))

    @property
    def total(self) -> float:
        """Sum of all demands."""
        return self._over(self.sends, self.receives)

    @property
    def range(self) -> FloatArray:
        """The products of the smallest and of the largest weights above 0."""
        sends, receives = self.sends[self.sends > 0], self.receives[self.receives > 0]
        if not (len(sends) and len(receives)):
            return floats([])
        return floats([max(sends.min() * receives.min(), 5e-324), sends.max() * receives.max()])

    @property
    def complete(self) -> bool:
        """Endpoints of one owner send each other nothing."""
        return False

    def _written_out(self) -> Pairs:
        src, dst = [], []
        order = np.argsort(self.group, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(self.group[order])) + 1):
            sources, targets = (members[weights[members] > 0] for weights in (self.sends, self.receives))
            pairs = self.owner[sources][:, None] != self.owner[targets]
            src.append(np.broadcast_to(sources[:, None], pairs.shape)[pairs])
            dst.append(np.broadcast_to(targets, pairs.shape)[pairs])
        s, t = np.concatenate(src), np.concatenate(dst)
        order = np.argsort(s, kind="stable")
        s, t = s[order], t[order]
        return Pairs(ints(s), ints(t), floats(self.sends[s] * self.receives[t]))

    def scaled(self, factor: float) -> Grouped:
        """Return the rule with weights of sources ``factor`` times as large."""
        return Grouped(floats(self.sends * factor), self.receives, self.group, self.owner)

    def named(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints send or receive anything."""
        del endpoints
        return (self.sends > 0) | (self.receives > 0)

    def received(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints are destinations."""
        del endpoints
        return self.receives > 0

    def totals(self, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to the others of its group, and receives."""
        del endpoints
        found = []
        for own, other in ((self.sends, self.receives), (self.receives, self.sends)):
            sums = [np.bincount(of, other)[of] for of in (self.group, self.owner)]
            found.append(own * (sums[0] - sums[1]))
        return floats(np.stack(found))

    def leaving(self, inside: npt.NDArray[np.bool_]) -> float:
        """Return the sum of the demands from endpoints ``inside`` to others."""
        return self._over(floats(self.sends * inside), floats(self.receives * ~inside))

    def weights(self, endpoints: int) -> FloatArray:
        """Return a number for each endpoint: no two are taken to be equivalent by their weights."""
        return np.arange(endpoints, dtype=np.float64)[None, :]

    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to an equivalent one."""
        del endpoints
        some = (self.group == self.group[endpoint]) & (self.owner != self.owner[endpoint])
        return floats(np.where(some, self.sends * self.receives[endpoint], 0.0))

    def sent_to_itself(self, endpoint: int) -> float:
        """Return what an endpoint sends to itself: nothing."""
        del endpoint
        return 0.0

    def refined(self, classes: Index, used: Index) -> Index:
        """Split classes until the members of each send to, and receive from, every class the same."""
        if int(classes.max(initial=-1)) + 1 == len(classes):
            return classes
        return self.listed("the matrix").refined(classes, used)

    def merged(self, classes: Index, size: Index, member: Index) -> Demands:
        """Return the demands between classes: the rule where each endpoint is a class of its own."""
        if np.any(size > 1):
            return self.listed("the matrix").merged(classes, size, member)
        group, owner = (ints(np.unique(of[member], return_inverse=True)[1].ravel()) for of in (self.group, self.owner))
        return Grouped(floats(self.sends[member]), floats(self.receives[member]), group, owner)

    def core(self, endpoints: int) -> _core.Demands:
        """Return the core's representation."""
        del endpoints
        return _core.Demands.groups(self.sends, self.receives, self.group, self.owner)

    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return the pairs, or the rule where these are too many."""
        if self.count > LISTED_PAIRS:
            return [f"traffic-groups/1 {head}", self.sends, self.receives, self.group, self.owner]
        return self._listed.identity(head)
