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
    """From every endpoint to every other of its group a product of two weights, and less or nothing to all others.

    There is no demand to endpoints of its own owner.

    In a graph in layers (:mod:`pnet_lp.model.servers`) an accelerator owns two endpoints: where it sends, and where it
    receives.

    Attributes:
        sends, receives: float64 ``[endpoints]``, weights >= 0 as a source and as a destination.
        group: int32 ``[endpoints]``, the group of each, below their number.
        owner: int32 ``[endpoints]``, the owner of each, below their number; endpoints of one owner are in one group.
        outside: what a demand to an endpoint of another group is, in products of weights: 0, or where all-to-all is
            added to that inside groups, the part that it is of both.
    """

    sends: FloatArray
    receives: FloatArray
    group: IntArray
    owner: IntArray
    outside: float = 0.0

    @classmethod
    def of(cls, demands: Demands, endpoints: int) -> Grouped | None:
        """Return the same demands as a rule; None for listed ones but all-to-all in groups, equal inside each."""
        number = ints(np.arange(endpoints))
        if isinstance(demands, cls):
            return demands
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

    @classmethod
    def summed(cls, one: Demands, other: Demands, endpoints: int) -> Grouped | None:
        """Return all-to-all beside all-to-all in groups, each equal everywhere, as one rule; None for anything else."""
        whole, rest = (one, other) if isinstance(one, Product) else (other, one)
        if not (isinstance(whole, Product) and whole.complete) or isinstance(rest, Rule):
            return None
        grouped = cls.of(rest, endpoints)
        sides = [whole.sends, whole.receives, *([] if grouped is None else [grouped.sends, grouped.receives])]
        if grouped is None or whole.own.any() or any(np.ptp(side) for side in sides):
            return None
        everywhere = float(whole.sends[0] * whole.receives[0])
        inside = everywhere + float(grouped.sends[0] * grouped.receives[0])
        ones = np.ones(endpoints)
        return cls(floats(ones * inside), floats(ones), grouped.group, grouped.owner, everywhere / inside)

    def apart(self) -> Grouped:
        """Return the demands where each endpoint only sends, and one that receives for it comes after all others."""
        nothing = np.zeros(len(self.sends))
        return Grouped(
            floats(np.concatenate([self.sends, nothing])),
            floats(np.concatenate([nothing, self.receives])),
            ints(np.tile(self.group, 2)),
            ints(np.tile(self.owner, 2)),
            self.outside,
        )

    @property
    def groups(self) -> tuple[FloatArray, FloatArray, IntArray, IntArray, float]:
        """See :attr:`Demands.groups`."""
        return self.sends, self.receives, self.group, self.owner, self.outside

    def _over(self, sends: FloatArray, receives: FloatArray, outside: float) -> float:
        """Return the sum over pairs of what their ends have, one times the other; between groups, ``outside`` times."""
        inside, own = (
            np.bincount(of, sends) @ np.bincount(of, receives, minlength=int(of.max(initial=-1)) + 1)
            for of in (self.group, self.owner)
        )
        others = sends.sum() * receives.sum() - inside if outside else 0.0
        return float(inside - own + outside * others)

    @property
    def count(self) -> int:
        """Number of demands above 0."""
        return int(self._over(floats(self.sends > 0), floats(self.receives > 0), float(self.outside > 0)))

    @property
    def total(self) -> float:
        """Sum of all demands."""
        return self._over(self.sends, self.receives, self.outside)

    @property
    def range(self) -> FloatArray:
        """The products of the smallest and of the largest weights above 0."""
        sends, receives = self.sends[self.sends > 0], self.receives[self.receives > 0]
        if not (len(sends) and len(receives)):
            return floats([])
        least = sends.min() * receives.min() * (self.outside or 1.0)
        return floats([max(least, 5e-324), sends.max() * receives.max()])

    @property
    def complete(self) -> bool:
        """Endpoints of one owner send each other nothing."""
        return False

    def between(self, src: IntArray, dst: IntArray) -> FloatArray:
        """Return the demand of each of some pairs of different endpoints."""
        part = np.where(self.group[src] == self.group[dst], 1.0, self.outside)
        part[self.owner[src] == self.owner[dst]] = 0.0
        return floats(self.sends[src] * self.receives[dst] * part)

    def _written_out(self) -> Pairs:
        if self.outside:
            s, t = np.nonzero(np.outer(self.sends > 0, self.receives > 0) & (self.owner[:, None] != self.owner))
            return Pairs(ints(s), ints(t), self.between(ints(s), ints(t)))
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
        return Grouped(floats(self.sends * factor), self.receives, self.group, self.owner, self.outside)

    def named(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints send or receive anything."""
        del endpoints
        return (self.sends > 0) | (self.receives > 0)

    def received(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints are destinations."""
        del endpoints
        return self.receives > 0

    def totals(self, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to all others, and receives."""
        del endpoints
        found = []
        for own, other in ((self.sends, self.receives), (self.receives, self.sends)):
            group, owner = (np.bincount(of, other)[of] for of in (self.group, self.owner))
            found.append(own * (group - owner + self.outside * (other.sum() - group)))
        return floats(np.stack(found))

    def leaving(self, inside: npt.NDArray[np.bool_]) -> float:
        """Return the sum of the demands from endpoints ``inside`` to others."""
        return self._over(floats(self.sends * inside), floats(self.receives * ~inside), self.outside)

    def weights(self, endpoints: int) -> FloatArray:
        """Return a number for each endpoint: no two are taken to be equivalent by their weights."""
        return np.arange(endpoints, dtype=np.float64)[None, :]

    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to an equivalent one."""
        del endpoints
        part = np.where(self.group == self.group[endpoint], 1.0, self.outside)
        part[self.owner == self.owner[endpoint]] = 0.0
        return floats(part * self.sends * self.receives[endpoint])

    def merged(self, classes: Index, size: Index, member: Index) -> Demands:
        """Return the demands between classes: the rule where each endpoint is a class of its own."""
        if np.any(size > 1):
            return self.listed("the matrix").merged(classes, size, member)
        group, owner = (ints(np.unique(of[member], return_inverse=True)[1].ravel()) for of in (self.group, self.owner))
        return Grouped(floats(self.sends[member]), floats(self.receives[member]), group, owner, self.outside)

    def core(self, endpoints: int) -> _core.Demands:
        """Return the core's representation."""
        del endpoints
        return _core.Demands.groups(self.sends, self.receives, self.group, self.owner, self.outside)

    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return the pairs, or the rule where these are too many."""
        if self.count > LISTED_PAIRS:
            both = f" and {self.outside!r} outside" if self.outside else ""
            return [f"traffic-groups/1 {head}{both}", self.sends, self.receives, self.group, self.owner]
        return self._listed.identity(head)
