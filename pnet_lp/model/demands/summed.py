"""Demands of a rule with listed ones beside them: all-to-all and a ring, say, of as many endpoints as a cluster has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.demands.grouped import Grouped
from pnet_lp.model.demands.pairs import LISTED_PAIRS, Demands, Index, Pairs, Rule, added
from pnet_lp.model.demands.product import Product


@brief("count", "total")
@dataclass(frozen=True, eq=False, repr=False)
class Summed(Rule):
    """The sum of a rule and of listed demands, none of them from an endpoint to itself.

    Attributes:
        rule: most of the demands.
        beside: those that are added, each pair once, sorted by source, then destination.
    """

    rule: Product | Grouped
    beside: Pairs

    @classmethod
    def of(cls, one: Demands, other: Demands, endpoints: int) -> Demands | None:
        """Return the sum with the rule of most demands as a rule, and all else listed; None for two lists.

        Raises:
            TrafficError: what is listed does not fit into memory.
        """
        parts = sorted([*one.parts, *other.parts], key=lambda part: part.count)
        rules = [part for part in parts if isinstance(part, Product | Grouped)]
        if not rules:
            return None
        rule, lists = rules[-1], []
        for part in parts:
            if part is rules[-1]:
                continue
            both = Grouped.summed(rule, part, endpoints)
            if both is None:
                lists.append(part.listed("a term of the sum"))
            else:
                rule = both
        if not lists:
            return rule
        src, dst = (np.concatenate([getattr(each, end) for each in lists]) for end in ("src", "dst"))
        return cls(rule, added(src, dst, floats(np.concatenate([each.demand for each in lists]))))

    @property
    def parts(self) -> tuple[Demands, ...]:
        """The rule and the list."""
        return self.rule, self.beside

    @property
    def groups(self) -> tuple[FloatArray, FloatArray, IntArray, IntArray, float] | None:
        """Those of the rule; see :attr:`Demands.groups`."""
        return self.rule.groups

    def on_graph(self, endpoints: int, *, apart: bool) -> Summed:
        """Return the demands of a graph with servers; see :meth:`Grouped.apart` for endpoints that are ``apart``."""
        rule, beside = Grouped.of(self.rule, endpoints), self.beside
        assert rule is not None  # a product, or groups already
        if not apart:
            return Summed(rule, beside)
        return Summed(rule.apart(), Pairs(beside.src, ints(beside.dst + endpoints), beside.demand))

    @property
    def count(self) -> int:
        """Number of demands above 0."""
        return self.rule.count + int(np.count_nonzero(self._at_list == 0))

    @property
    def _at_list(self) -> FloatArray:
        return self.rule.between(self.beside.src, self.beside.dst)

    @property
    def total(self) -> float:
        """Sum of all demands."""
        return self.rule.total + self.beside.total

    @property
    def range(self) -> FloatArray:
        """A selection of the rule's, and those with a listed part."""
        return np.concatenate([self.rule.range, self._at_list + self.beside.demand])

    @property
    def complete(self) -> bool:
        """Endpoints that are one accelerator send each other nothing."""
        return False

    def between(self, src: IntArray, dst: IntArray) -> FloatArray:
        """Return the demand of each of some pairs of different endpoints."""
        key, wide = self.beside.src.astype(np.int64), 1 + int(max(dst.max(initial=0), self.beside.dst.max(initial=0)))
        key, sought = key * wide + self.beside.dst, src.astype(np.int64) * wide + dst
        at = np.minimum(np.searchsorted(key, sought), len(key) - 1)
        return floats(self.rule.between(src, dst) + np.where(key[at] == sought, self.beside.demand[at], 0.0))

    def _written_out(self) -> Pairs:
        rule = self.rule.listed("the matrix")
        src, dst = (np.concatenate(ends) for ends in ((rule.src, self.beside.src), (rule.dst, self.beside.dst)))
        return added(src, dst, floats(np.concatenate([rule.demand, self.beside.demand])))

    def scaled(self, factor: float) -> Summed:
        """Return both parts ``factor`` times as large."""
        return Summed(self.rule.scaled(factor), self.beside.scaled(factor))

    def named(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints send or receive anything."""
        return self.rule.named(endpoints) | self.beside.named(endpoints)

    def received(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints are destinations."""
        return self.rule.received(endpoints) | self.beside.received(endpoints)

    def totals(self, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to all others, and receives."""
        return floats(self.rule.totals(endpoints) + self.beside.totals(endpoints))

    def leaving(self, inside: npt.NDArray[np.bool_]) -> float:
        """Return the sum of the demands from endpoints ``inside`` to others."""
        return self.rule.leaving(inside) + self.beside.leaving(inside)

    def weights(self, endpoints: int) -> FloatArray:
        """Return a number for each endpoint: no two are taken to be equivalent by their weights."""
        return self.beside.weights(endpoints)

    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to an equivalent one."""
        found = self.rule.sent_to(endpoint, endpoints) + self.beside.sent_to(endpoint, endpoints)
        found[endpoint] = 0.0
        return floats(found)

    def merged(self, classes: Index, size: Index, member: Index) -> Demands:
        """Return the demands between classes: both parts where each endpoint is a class of its own."""
        if np.any(size > 1):
            return self.listed("the matrix").merged(classes, size, member)
        rule = self.rule.merged(classes, size, member)
        assert isinstance(rule, Product | Grouped)
        return Summed(rule, self.beside.merged(classes, size, member))

    def core(self, endpoints: int) -> _core.Demands:
        """Return the core's representation."""
        beside = self.beside
        return self.rule.core(endpoints).beside(beside.src, beside.dst, beside.demand)

    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return the pairs, or where these are too many what the rule is taken of, and the listed ones."""
        if self.count > LISTED_PAIRS:
            return [*self.rule.identity(head), *self.beside.identity(f"beside {head}")]
        return self._listed.identity(head)
