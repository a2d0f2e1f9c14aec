"""The problem in which the routing fixes how a demand is split, and only how much it gets is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Interval, LoadCertificate, Network, PathCertificate
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.network import Level
from pnet_lp.model.paths import OffsetArray
from pnet_lp.model.rounded import add_down, div_down, div_up, mul_down, mul_up, sub_down, totals_down, totals_up
from pnet_lp.routing import Routing
from pnet_lp.throughput.problems.base import ColumnProblem, joined
from pnet_lp.throughput.problems.column_form import ColumnForm
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.problems.proof import Certified

if TYPE_CHECKING:
    import scipy.sparse as sp

_LAST_BIT = 2.0**-52

_BITS = 24
"""Shares are quotients of numbers of planes or of links of a switch, which have fewer bits."""


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class SplitProblem(ColumnProblem[LoadCertificate]):
    """Demands with a fixed split each: ``N = J``.

    Attributes:
        flow: links and demands.
        arc_load: float64 ``[A]``, Gb/s on each arc at K = 1, rounded up.
        least_load: the same, rounded down.
        share: float64 ``[P, J]``, the part of each demand that is sent into each plane.
        find_usage: returns float64 ``[A, J]``, the part of each demand on each arc: a search for each demand, for
            objectives that rate demands one by one.
    """

    fixed = True

    flow: FlowProblem
    arc_load: FloatArray
    least_load: FloatArray
    share: FloatArray
    find_usage: Callable[[], sp.csc_array]

    @classmethod
    def of(cls, flow: FlowProblem, network: Network, level: Level, routing: Routing, threads: int = 0) -> Self:
        """Return what each demand of ``flow`` puts on the links of ``network``."""
        ends = flow.member[flow.src], flow.member[flow.dst]
        found = routing.loads(network, level, *ends, flow.demand, threads=threads)
        return cls(
            flow,
            flow.tied(floats(found.arc_load)),
            flow.tied(floats(found.arc_load if found.least_load is None else found.least_load), add_down),
            floats(found.share),
            lambda: flow.tied_usage(routing.usage(network, level, *ends, threads=threads)),
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
        part = _up(self.share)[plane, demand]
        blocks = [self.find_usage()]
        for end, access in ((flow.src, flow.access_up), (flow.dst, flow.access_down)):
            limited = np.isfinite(access[plane, end[demand]])
            link = plane * endpoints + end[demand]
            entries = (part[limited], (link[limited], demand[limited]))
            blocks.append(sp.csc_array(entries, shape=(planes * endpoints, self.demand_count)))
        return sp.csc_array(sp.vstack(blocks))

    @cached_property
    def usage_rounding(self) -> float:
        """See :attr:`ColumnProblem.usage_rounding`: a demand is divided and added up at each switch that it passes."""
        data = self.usage.data
        return 0.0 if np.array_equal(data, np.rint(data)) else 32 * _LAST_BIT * (int(self.flow.node_count.max()) + 1)

    @property
    def most_entries(self) -> int:
        """See :attr:`ColumnProblem.most_entries`."""
        return int(self.usage.nnz)

    def formulate(self, goal: ProgramGoal | None = None) -> ColumnForm:
        """See :meth:`Problem.formulate`."""
        return ColumnForm(self, goal)

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
        each = np.repeat(flow.demand, np.diff(usage.indptr))
        least = totals_down(usage.indices, mul_down(usage.data, each), arcs)
        return replace(
            self,
            flow=flow,
            arc_load=floats(totals_up(usage.indices, mul_up(usage.data, each), arcs)),
            least_load=floats(mul_down(least, sub_down(1.0, self.usage_rounding))),
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
        """Return K = min capacity / load, known but for the last bits, and its proof.

        The link that fills first gets all the length: then a demand's mean length over its split, which takes the place
        of the shortest path where the split is fixed, is its part of that link's load, and the bound of duality is K.
        """
        flow = self.flow
        load = np.concatenate([self.arc_load, flow.access_loads(mul_up(_up(self.share), flow.demand)).ravel()])
        least = np.concatenate([self.least_load, self._least_access().ravel()])
        limiting = np.flatnonzero((least > 0) & np.isfinite(flow.link_capacity))
        rates = div_down(flow.link_capacity[limiting], load[limiting])
        first = limiting[int(np.argmin(rates))]
        length = np.zeros(len(load))
        length[first] = 1.0 / load[first]
        if flow.partner is not None and first < len(flow.partner):
            length[flow.partner[first]] = length[first]
        interval = Interval(float(rates.min()), float(div_up(flow.link_capacity[limiting], least[limiting]).min()))
        lengths = self.proof(np.ones(self.demand_count), length).lengths
        certificate = self.certificate(np.ones(self.demand_count), self.arc_load, lengths)
        load, least = mul_up(interval.lower, self.arc_load), mul_down(interval.lower, self.least_load)
        return Certified(certificate, interval, floats(load), floats(least))

    def _least_access(self) -> FloatArray:
        """Return float64 ``[2, P, E]``: the loads of access links up and down at K = 1, rounded down."""
        flow, endpoints = self.flow, self.flow.attach.shape[1]
        amount = mul_down(_down(self.share), flow.demand)
        return floats([[totals_down(end, row, endpoints) for row in amount] for end in (flow.src, flow.dst)])

    def _certified(self, proof: PathCertificate) -> Certified[LoadCertificate]:
        del proof
        return self.solved()


def _is_exact(share: FloatArray) -> npt.NDArray[np.bool_]:
    """Return where a share is exact: as a quotient of small numbers it is rounded unless it has few bits."""
    return np.asarray(np.ldexp(share, _BITS) == np.rint(np.ldexp(share, _BITS)))


def _up(share: FloatArray) -> FloatArray:
    return np.where(_is_exact(share), share, np.nextafter(share, np.inf))


def _down(share: FloatArray) -> FloatArray:
    return np.where(_is_exact(share), share, np.nextafter(share, 0.0))
