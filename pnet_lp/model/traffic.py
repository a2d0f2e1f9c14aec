"""A traffic matrix: demands between racks or between hosts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.extras import frame
from pnet_lp.model.arrays import checked_array, fingerprint, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.demands import LISTED_PAIRS, Demands, Grouped, Listed, Pairs, Product, Summed
from pnet_lp.model.network import Level, Network
from pnet_lp.units import AMOUNTS, are_amounts

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array


@brief("label", "level", "endpoints", "demand_count", "total")
@dataclass(frozen=True, eq=False, repr=False)
class TrafficMatrix(Listed):
    """Demands between ``endpoints`` racks or hosts.

    Build one with :meth:`from_entries` or :meth:`from_weights`.  A matrix that is a rule stays one until its pairs
    are needed.

    Attributes:
        level: ``rack`` or ``host``.
        endpoints: number of racks or hosts of the network it is for.
        demands: the pairs, or the rule that they follow; none is from an endpoint to itself.
        label: the expression or file it came from.
    """

    level: Level
    endpoints: int
    demands: Demands
    label: str = ""

    @classmethod
    def from_entries(
        cls,
        level: Level,
        endpoints: int,
        src: npt.ArrayLike,
        dst: npt.ArrayLike,
        demand: npt.ArrayLike = 1.0,
        *,
        label: str = "",
    ) -> TrafficMatrix:
        """Return a checked matrix; entries of one pair are added up and zero entries dropped.

        Raises:
            TrafficError: an index out of range, a demand from an endpoint to itself, a demand that is neither 0 nor
                within the range of :mod:`pnet_lp.units`, arrays of different lengths.
        """
        where = label or "traffic"
        s, t = (checked_array(ends, TrafficError, where, whole=True).ravel() for ends in (src, dst))
        d = checked_array(demand, TrafficError, where).astype(np.float64, copy=False)
        if s.shape != t.shape:
            raise TrafficError(f"{len(s)} sources and {len(t)} destinations", where=where)
        if d.ndim > 0 and d.shape != s.shape:
            raise TrafficError(f"{len(s)} pairs have {d.size} demands", where=where)
        d = np.broadcast_to(d, s.shape)
        for index in (s, t):
            if np.any(bad := (index < 0) | (index >= endpoints)):
                raise TrafficError(
                    f"no such {level}", where=where, found=int(index[bad][0]), allowed=f"0 to {endpoints - 1}"
                )
        if np.any(bad := ~are_amounts(d)):
            raise TrafficError("invalid demand", where=where, found=float(d[bad][0]), allowed=AMOUNTS)
        kept = d > 0
        s, t, d = s[kept], t[kept], d[kept]
        if np.any(loops := s == t):
            raise TrafficError(f"{level} {int(s[loops][0])} has a demand to itself", where=where)
        if np.all(np.diff(s * endpoints + t) > 0):
            return cls(level, endpoints, Pairs(ints(s), ints(t), floats(d)), label)
        from scipy.sparse import coo_array, csr_array  # noqa: PLC0415 - slow to load

        matrix = csr_array(coo_array((d, (s, t)), shape=(endpoints, endpoints)))
        matrix.sum_duplicates()
        coo = matrix.tocoo()
        if np.any(bad := ~are_amounts(coo.data)):
            raise TrafficError(
                "the demands of a pair add up to too much", where=where, found=float(coo.data[bad][0]), allowed=AMOUNTS
            )
        return cls(level, endpoints, Pairs(ints(coo.row), ints(coo.col), floats(coo.data)), label)

    @classmethod
    def from_weights(
        cls, level: Level, sends: npt.ArrayLike, receives: npt.ArrayLike, *, label: str = ""
    ) -> TrafficMatrix:
        """Return the matrix whose demand from s to t is ``sends[s] * receives[t]``, and 0 where s is t.

        Raises:
            TrafficError: weights of different numbers of endpoints, or a product of two that is not a demand.
        """
        rule = Product(
            *(floats(checked_array(weights, TrafficError, label or "traffic")) for weights in (sends, receives))
        )
        if rule.sends.shape != rule.receives.shape or rule.sends.ndim != 1:
            raise TrafficError(
                f"{rule.sends.size} weights of sources and {rule.receives.size} of destinations",
                where=label or "traffic",
            )
        weights = np.concatenate([rule.sends, rule.receives])
        found = rule.range if np.all(np.isfinite(weights) & (weights >= 0)) else weights
        if np.any(bad := ~are_amounts(found)):
            raise TrafficError("invalid demand", where=label or "traffic", found=float(found[bad][0]), allowed=AMOUNTS)
        return cls(level, len(rule.sends), rule, label)

    def in_groups(self, group: npt.ArrayLike, outside: float) -> TrafficMatrix:
        """Return a matrix of weights where demands between groups are ``outside`` times as large.

        Raises:
            TrafficError: group numbers that are not from 0 to the number of endpoints, or a demand that gets too small.
        """
        of, rule = checked_array(group, TrafficError, self.label, whole=True), self.demands
        if not isinstance(rule, Product) or of.shape != rule.sends.shape or np.any((of < 0) | (of >= self.endpoints)):
            raise TrafficError(
                "invalid groups", where=self.label, allowed=f"0 to {self.endpoints - 1} for each endpoint"
            )
        number = ints(np.arange(self.endpoints))
        found = Grouped(rule.sends, rule.receives, ints(of), number, outside)
        if np.any(bad := ~are_amounts(found.range)):
            raise TrafficError("invalid demand", where=self.label, found=float(found.range[bad][0]), allowed=AMOUNTS)
        return replace(self, demands=found)

    @classmethod
    def from_dense(cls, level: Level, matrix: npt.ArrayLike, *, label: str = "") -> TrafficMatrix:
        """Return the matrix whose entry ``[s, t]`` is the demand from s to t; the diagonal must be zero."""
        dense = checked_array(matrix, TrafficError, label or "traffic").astype(np.float64, copy=False)
        if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
            raise TrafficError("a dense traffic matrix is square", where=label or "traffic", found=dense.shape)
        if not np.all(np.isfinite(dense)):
            raise TrafficError("a demand is not finite", where=label or "traffic", allowed=AMOUNTS)
        s, t = np.nonzero(dense)
        return cls.from_entries(level, len(dense), s, t, dense[s, t], label=label)

    def scaled(self, factor: float) -> TrafficMatrix:
        """Return the matrix with every demand ``factor`` times as large.

        Raises:
            TrafficError: a negative, NaN or infinite factor, or one that makes a demand too large or too small.
        """
        label = f"{factor:g}*{self.label}"
        if not are_amounts(factor):
            raise TrafficError("invalid factor", where=label, found=float(factor), allowed=AMOUNTS)
        rule = self.demands.scaled(factor)
        if np.any(bad := ~are_amounts(rule.range)):
            raise TrafficError("invalid demand", where=label, found=float(rule.range[bad][0]), allowed=AMOUNTS)
        return TrafficMatrix(self.level, self.endpoints, rule, label)

    def __add__(self, other: TrafficMatrix) -> TrafficMatrix:
        """Return the sum of two matrices of one network and level.

        Raises:
            TrafficError: the matrices are for different levels or numbers of endpoints.
        """
        label = f"{self.label}+{other.label}"
        if (self.level, self.endpoints) != (other.level, other.endpoints):
            raise TrafficError(
                f"matrices between {self.endpoints} {self.level}s and between {other.endpoints} {other.level}s "
                "cannot be added: different endpoints",
                where=label,
            )
        if max(self.demands.count, other.demands.count) > LISTED_PAIRS:
            rule = Summed.of(self.demands, other.demands, self.endpoints)
            if rule is not None:
                if np.any(bad := ~are_amounts(rule.range)):
                    raise TrafficError(
                        "the demands of a pair add up to too much",
                        where=label,
                        found=float(rule.range[bad][0]),
                        allowed=AMOUNTS,
                    )
                return TrafficMatrix(self.level, self.endpoints, rule, label)
        src, dst = np.concatenate([self.src, other.src]), np.concatenate([self.dst, other.dst])
        demand = np.concatenate([self.demand, other.demand])
        return self.from_entries(self.level, self.endpoints, src, dst, demand, label=label)

    @property
    def total(self) -> float:
        """Sum of all demands."""
        return self.demands.total

    @property
    def _words(self) -> str:
        name = self.label or "traffic"
        return f"{name} with {self.demand_count:,} demands between {self.endpoints:,} {self.level}s"

    def to_frame(self, network: Network) -> pd.DataFrame:
        """Return a row per demand: ``src`` and ``dst``, names of the network that the matrix is for, and ``demand``.

        Raises:
            TrafficError: the network has another number of endpoints.
        """
        names = np.array(network.endpoint_names(self.level), dtype=object)
        if len(names) != self.endpoints:
            raise TrafficError(
                f"the matrix is for {self.endpoints} {self.level}s, the network has {len(names)}", where=self.label
            )
        return frame({"src": names[self.src], "dst": names[self.dst], "demand": self.demand})

    def check_endpoints(self, network: Network) -> None:
        """Check that the demands mean something on a network.

        Raises:
            TopologyError: demands of their level do not.
            TrafficError: the matrix is for another number of endpoints.
        """
        network.check_level(self.level)
        count = len(network.endpoint_names(self.level))
        if self.endpoints != count:
            raise TrafficError(
                f"the matrix is for {self.endpoints} {self.level}s, the network has {count}",
                where=self.label or "traffic",
            )

    def on_graph(self, network: Network) -> TrafficMatrix:
        """Return the demands between the endpoints of ``network.graph``, which a network with servers is solved as.

        Errors as of :meth:`check_endpoints`.
        """
        self.check_endpoints(network)
        if network.servers is None:
            # What is of a graph already has groups beside a list.
            return self.without_sum() if self.demands.groups is None else self
        # A rule stays one: its pairs may be more than fit into memory.
        if isinstance(self.demands, Summed):
            copies = 2 if network.servers.layered else 1
            demands = self.demands.on_graph(self.endpoints, apart=network.servers.layered)
            return replace(self, endpoints=copies * self.endpoints, demands=demands)
        joined = network.graph.plane_count == 1 and not network.servers.layered
        rule = None if self.demands.complete and joined else Grouped.of(self.demands, self.endpoints)
        if not network.servers.layered:
            return self if rule is None else replace(self, demands=rule)
        if rule is not None:
            return replace(self, endpoints=2 * self.endpoints, demands=rule.apart())
        pairs = self.pairs
        to = ints(pairs.dst + self.endpoints)
        return TrafficMatrix(self.level, 2 * self.endpoints, Pairs(pairs.src, to, pairs.demand), self.label)

    def without_sum(self) -> TrafficMatrix:
        """Return the matrix with a list in place of the sum of a rule and a list, as networks without servers need it.

        Raises:
            TrafficError: the list does not fit into memory.
        """
        return replace(self, demands=self.pairs) if isinstance(self.demands, Summed) else self

    def to_csr(self) -> csr_array:
        """Return the matrix as a SciPy CSR array, ``[endpoints, endpoints]``."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to load

        shape = (self.endpoints, self.endpoints)
        return csr_array((self.demand, (self.src, self.dst)), shape=shape)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over level, size and pairs, or over the rule where that gives too many; the label does not enter."""
        return fingerprint(self.demands.identity(f"{self.level} {self.endpoints}"))
