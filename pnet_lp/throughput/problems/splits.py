"""The problem in which the routing fixes how a demand is split, and only how much it gets is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from pnet_lp.model import Interval, LoadCertificate, Network, PathCertificate
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.network import Level
from pnet_lp.model.paths import OffsetArray
from pnet_lp.routing import Routing
from pnet_lp.throughput.problems.base import ColumnProblem, joined
from pnet_lp.throughput.problems.column_form import ColumnForm
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.problems.proof import Certified

if TYPE_CHECKING:
    import scipy.sparse as sp


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class SplitProblem(ColumnProblem[LoadCertificate]):
    """Demands with a fixed split each: ``N = J``.

    Attributes:
        flow: links and demands.
        arc_load: float64 ``[A]``, Gb/s on each arc at K = 1.
        share: float64 ``[P, J]``, the part of each demand that is sent into each plane.
        find_usage: returns float64 ``[A, J]``, the part of each demand on each arc: a search for each demand, for
            objectives that rate demands one by one.
    """

    fixed = True

    flow: FlowProblem
    arc_load: FloatArray
    share: FloatArray
    find_usage: Callable[[], sp.csc_array]

    @classmethod
    def of(cls, flow: FlowProblem, network: Network, level: Level, routing: Routing, threads: int = 0) -> Self:
        """Return what each demand of ``flow`` puts on the links of ``network``."""
        ends = flow.member[flow.src], flow.member[flow.dst]
        found = routing.loads(network, level, *ends, flow.demand, threads=threads)
        return cls(
            flow,
            floats(found.arc_load),
            floats(found.share),
            lambda: routing.usage(network, level, *ends, threads=threads),
        )

    @property
    def flow_variables(self) -> int:
        """Number of demands, J."""
        return self.demand_count

    @property
    def proof_bytes(self) -> int:
        """See :attr:`Problem.proof_bytes`."""
        return 8 * (self.arc_load.size + self.share.size)

    @property
    def disconnected(self) -> IntArray:
        """int32: the demands that are sent into no plane."""
        return ints(np.flatnonzero(~np.any(self.share > 0, axis=0)))

    @property
    def demand_of_column(self) -> OffsetArray:
        """int64 ``[J]``: each demand has one column."""
        return np.arange(self.demand_count)

    @cached_property
    def usage(self) -> sp.csc_array:
        """float64 ``[L, J]``: the part of each demand on each link.

        Raises:
            RoutingError: there are too many demands for that.
        """
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        flow, (planes, endpoints) = self.flow, self.flow.attach.shape
        plane, demand = np.nonzero(self.share > 0)
        part = self.share[plane, demand]
        blocks = [self.find_usage()]
        for end, access in ((flow.src, flow.access_up), (flow.dst, flow.access_down)):
            limited = np.isfinite(access[plane, end[demand]])
            link = plane * endpoints + end[demand]
            entries = (part[limited], (link[limited], demand[limited]))
            blocks.append(sp.csc_array(entries, shape=(planes * endpoints, self.demand_count)))
        return sp.csc_array(sp.vstack(blocks))

    @property
    def most_entries(self) -> int:
        """See :attr:`ColumnProblem.most_entries`."""
        return int(self.usage.nnz)

    def formulate(self, goal: ProgramGoal | None = None) -> ColumnForm:
        """See :meth:`Problem.formulate`."""
        return ColumnForm(self, goal)

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`."""
        return floats(self.usage.T @ joined(lengths))

    def bounds(self, proof: PathCertificate) -> tuple[float, float]:
        """Return the lower bound on K, which is K, and the upper one that the proof's lengths give."""
        load, capacity = self.usage @ self.flow.demand, self.flow.link_capacity
        used = load > 0
        lower = float((capacity[used] / load[used]).min(initial=np.inf))
        lengths = joined(proof.lengths)
        long = lengths > 0
        carried = float(lengths @ load)
        return lower, float(capacity[long] @ lengths[long]) / carried if carried > 0 else np.inf

    def certificate(self, weight: FloatArray, load: FloatArray, lengths: Lengths) -> LoadCertificate:
        """See :meth:`ColumnProblem.certificate`."""
        del weight
        length, up, down = map(floats, lengths)
        return LoadCertificate(length, up, down, load, self.share)

    def access_loads(self, certificate: LoadCertificate, rate: FloatArray | float) -> FloatArray:
        """See :meth:`Problem.access_loads`."""
        del certificate
        return self.flow.access_loads(self.share * self.flow.rates(rate))

    def keeping(self, kept: IntArray) -> Self:
        """See :meth:`Problem.keeping`."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        arcs = len(self.flow.capacity)
        usage = sp.csc_array(self.usage[:arcs, kept])
        flow = self.flow.keeping(kept)
        return replace(
            self,
            flow=flow,
            arc_load=floats(usage @ flow.demand),
            share=floats(self.share[:, kept]),
            find_usage=lambda: usage,
        )

    def weighted(self, demand: FloatArray) -> Self:
        """See :meth:`Problem.weighted`."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        usage = sp.csc_array(self.usage[: len(self.flow.capacity)])
        load = floats(usage @ demand)
        return replace(self, flow=self.flow.weighted(demand), arc_load=load, find_usage=lambda: usage)

    @property
    def most_paths(self) -> float:
        """See :attr:`Problem.most_paths`."""
        return 1.0

    def bundles(self) -> sp.csc_array:
        """See :meth:`Problem.bundles`."""
        return self.usage

    def solved(self) -> Certified[LoadCertificate]:
        """Return K = min capacity / load, which is exact, and its proof.

        The link that fills first gets all the length: then a demand's mean length over its split, which takes the place
        of the shortest path where the split is fixed, is its part of that link's load, and the bound of duality is K.
        """
        flow = self.flow
        access = (part.ravel() for part in flow.access_loads(self.share * flow.demand))
        load = np.concatenate([self.arc_load, *access])
        capacity = np.concatenate([flow.capacity, flow.access_up.ravel(), flow.access_down.ravel()])
        ratio = np.divide(capacity, load, out=np.full(len(load), np.inf), where=load > 0)
        first = int(np.argmin(ratio))
        length = np.zeros(len(load))
        length[first] = 1.0 / load[first]
        rate = float(ratio[first])
        lengths = self.proof(np.ones(self.demand_count), length).lengths
        certificate = self.certificate(np.ones(self.demand_count), self.arc_load, lengths)
        return Certified(certificate, Interval(rate, rate), floats(rate * self.arc_load))

    def _certified(self, proof: PathCertificate) -> Certified[LoadCertificate]:
        del proof
        return self.solved()
