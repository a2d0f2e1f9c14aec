"""The flow problem over given paths: the same links and demands, and the paths that a routing allows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp import _core
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.paths import OffsetArray, PathSet
from pnet_lp.routing import PathRule, enumerate_paths
from pnet_lp.throughput.link_problem import LinkProblem
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.proof import PathProof

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class PathProblem(LinkProblem):
    """Maximum concurrent flow in which each demand may use its paths only.

    Attributes:
        flow: links and demands.
        rule: how the paths were chosen.
        paths: the paths of each of the ``J`` demands, ``N`` in all.
    """

    flow: FlowProblem
    rule: PathRule
    paths: PathSet

    @property
    def flow_variables(self) -> int:
        """Number of paths, N."""
        return self.paths.path_count

    @cached_property
    def disconnected(self) -> IntArray:
        """int32: the demands without a path."""
        return ints(np.flatnonzero(self.paths.paths_per_pair == 0))

    @cached_property
    def path_link(self) -> tuple[OffsetArray, IntArray]:
        """Where each path's links begin, int64 ``[N + 1]``, and the links, int32; access links where they limit."""
        flow, paths = self.flow, self.paths
        arcs, access = len(flow.capacity), flow.attach.size
        plane, hops, pair = paths.plane.astype(np.int64), paths.hops, paths.pair_of_path
        up = plane * flow.attach.shape[1] + flow.src[pair]
        down = plane * flow.attach.shape[1] + flow.dst[pair]
        has_up = np.isfinite(flow.access_up.ravel()[up])
        has_down = np.isfinite(flow.access_down.ravel()[down])
        pointer = np.concatenate([[0], np.cumsum(hops + has_up + has_down)])
        link = np.empty(pointer[-1], dtype=np.int32)
        link[pointer[:-1][has_up]] = arcs + up[has_up]
        link[pointer[1:][has_down] - 1] = arcs + access + down[has_down]
        place = np.repeat(pointer[:-1] + has_up - paths.path_ptr[:-1], hops) + np.arange(len(paths.path_arc))
        link[place] = paths.path_arc + np.repeat(flow.arc_ptr[:-1][paths.plane], hops)
        link.setflags(write=False)
        return pointer, link

    @cached_property
    def usage(self) -> sp.csc_array:
        """float64 ``[L, N]``: 1 for each link of each path."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        pointer, link = self.path_link
        shape = (len(self.capacity), self.flow_variables)
        usage = sp.csc_array((np.ones(len(link)), link.copy(), pointer), shape=shape)
        usage.sort_indices()
        return usage

    @property
    def demand_of_path(self) -> OffsetArray:
        """int64 ``[N]``: the demand that each path belongs to."""
        return self.paths.pair_of_path

    @cached_property
    def core(self) -> _core.PathProblem:
        """The same problem on the Rust side."""
        pointer, link = self.path_link
        return _core.PathProblem(self.capacity, self.flow.demand, self.paths.pair_ptr, pointer, link)

    def distances(self, length: FloatArray, up_length: FloatArray, down_length: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the length of each demand's shortest path, ``inf`` where it has none."""
        pointer, link = self.path_link
        lengths = np.concatenate([length, up_length.ravel(), down_length.ravel()])
        path = np.repeat(np.arange(self.flow_variables), np.diff(pointer))
        cost = np.bincount(path, weights=lengths[link], minlength=self.flow_variables)
        found = np.full(self.demand_count, np.inf)
        np.minimum.at(found, self.paths.pair_of_path, cost)
        return floats(found)

    def bounds(self, proof: PathProof) -> tuple[float, float]:
        """Return the lower and the upper bound on K that a proof gives; CoreError where it is none."""
        lower, upper, _, _ = self.core.bounds(proof.weight, self.lengths(proof))
        return lower, upper


def build_path_problem(
    network: Network, traffic: TrafficMatrix, rule: PathRule, *, threads: int = 0
) -> PathProblem:
    """Return the problem of ``traffic`` on the paths that ``rule`` allows on ``network``.

    Alike hosts are one endpoint as in :func:`~pnet_lp.throughput.problem.build_problem`, unless the rule draws paths
    for each flow.

    Raises:
        TrafficError: the matrix is empty, or is for another number of endpoints.
        TopologyError: demands of the matrix's level mean nothing on the network.
        RoutingError: the paths do not fit into memory.
    """
    flow = build_problem(network, traffic, aggregate=not rule.per_flow)
    src, dst = flow.member[flow.src], flow.member[flow.dst]
    return PathProblem(flow, rule, enumerate_paths(network, traffic.level, src, dst, rule, threads=threads))
