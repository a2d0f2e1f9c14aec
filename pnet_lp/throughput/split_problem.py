"""The flow problem where the routing fixes how a demand is split, and only how much it gets is open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.paths import OffsetArray
from pnet_lp.routing import PathRule, fixed_split_usage
from pnet_lp.throughput.link_problem import LinkProblem
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.proof import PathProof

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class SplitProblem(LinkProblem):
    """Demands of which each has one way to use links: ``N = J``.

    Attributes:
        flow: links and demands.
        arc_usage: float64 ``[A, J]``, the part of each demand on each arc.
        share: float64 ``[P, J]``, the part of each demand that is sent into each plane.
    """

    flow: FlowProblem
    arc_usage: sp.csc_array
    share: FloatArray

    @property
    def flow_variables(self) -> int:
        """Number of demands, J."""
        return self.demand_count

    @property
    def disconnected(self) -> IntArray:
        """int32: the demands that are sent into no plane."""
        return disconnected_shares(self.share)

    @property
    def demand_of_path(self) -> OffsetArray:
        """int64 ``[J]``: each demand has one column."""
        return np.arange(self.demand_count)

    @cached_property
    def usage(self) -> sp.csc_array:
        """float64 ``[L, J]``: the part of each demand on each link."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        flow, (planes, endpoints) = self.flow, self.flow.attach.shape
        plane, demand = np.nonzero(self.share > 0)
        part = self.share[plane, demand]
        blocks = [self.arc_usage]
        for end, access in ((flow.src, flow.access_up), (flow.dst, flow.access_down)):
            limited = np.isfinite(access[plane, end[demand]])
            link = plane * endpoints + end[demand]
            entries = (part[limited], (link[limited], demand[limited]))
            blocks.append(sp.csc_array(entries, shape=(planes * endpoints, self.demand_count)))
        return sp.csc_array(sp.vstack(blocks))

    def distances(self, length: FloatArray, up_length: FloatArray, down_length: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the mean length over each demand's split, which it cannot get around."""
        lengths = np.concatenate([length, up_length.ravel(), down_length.ravel()])
        return floats(self.usage.T @ lengths)

    def bounds(self, proof: PathProof) -> tuple[float, float]:
        """Return the lower bound on K, which is K, and the upper one that the proof's lengths give."""
        load = self.usage @ self.flow.demand
        used = load > 0
        lower = float((self.capacity[used] / load[used]).min(initial=np.inf))
        lengths = self.lengths(proof)
        long = lengths > 0
        carried = float(lengths @ load)
        return lower, float(self.capacity[long] @ lengths[long]) / carried if carried > 0 else np.inf

    def keeping(self, kept: IntArray) -> SplitProblem:
        """Return the problem with these demands only."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        flow = replace(
            self.flow,
            src=ints(self.flow.src[kept]),
            dst=ints(self.flow.dst[kept]),
            demand=floats(self.flow.demand[kept]),
        )
        return SplitProblem(flow, sp.csc_array(self.arc_usage[:, kept]), floats(self.share[:, kept]))


def disconnected_shares(share: FloatArray) -> IntArray:
    """Return the demands that ``share`` ``[P, J]`` sends into no plane."""
    return ints(np.flatnonzero(~np.any(share > 0, axis=0)))


def build_split_problem(
    network: Network, traffic: TrafficMatrix, rule: PathRule, *, threads: int = 0
) -> SplitProblem:
    """Return what each demand of ``traffic`` puts on the links of ``network``.

    Raises:
        TrafficError: the matrix is empty, or is for another number of endpoints.
        TopologyError: demands of the matrix's level mean nothing on the network.
        RoutingError: the matrix has too many demands for that.
    """
    flow = build_problem(network, traffic, aggregate=not rule.per_flow)
    src, dst = flow.member[flow.src], flow.member[flow.dst]
    usage, share = fixed_split_usage(network, traffic.level, src, dst, rule, threads=threads)
    return SplitProblem(flow, usage, share)
