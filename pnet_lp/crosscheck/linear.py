"""The bound for every routing: the linear program of all bytes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pnet_lp.model import Network, ThroughputResult, TrafficMatrix, Workload
from pnet_lp.model.arrays import BoolArray
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import Policy
from pnet_lp.routing import count_shortest
from pnet_lp.sim import Outage, PacketSizes
from pnet_lp.throughput.facade import solve


@brief("routing", "all_us")
@dataclass(frozen=True, repr=False)
class Linear:
    """All bytes of a workload at once, split optimally over the paths of a routing.

    Attributes:
        routing: the paths.
        result: the throughput of the matrix of bytes: with K Gb/s for each Gbit, all are there after 1 / K seconds.
    """

    routing: str
    result: ThroughputResult

    @property
    def all_us(self) -> float:
        """Time for all bytes with the flow found, in microseconds."""
        return 1e6 / self.result.throughput_gbps

    @property
    def at_least_us(self) -> float:
        """Lower bound on that time over these paths, for any split and schedule."""
        return 1e6 / float(self.result.figures["upper_bound_gbps"])

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        keys = ("status", "solver", "binding", "plane_policy")
        return {
            "routing": self.routing,
            "all_us": self.all_us,
            "at_least_us": self.at_least_us,
            **{key: getattr(self.result, key) for key in keys},
        }


def why_not(workload: Workload, outages: Sequence[Outage]) -> str:
    """Return why no linear program bounds the time of a workload; empty where one does.

    From the first start to the last end, a job takes no less, whenever its flows start.  Left out are flows without
    waits that arrive over time, which say themselves how long they take.
    """
    if outages:
        return "links fail while flows run, and a linear program knows no time"
    if not len(workload.after) and workload.start_ps.min() < workload.start_ps.max():
        return "flows start at different times, and a linear program knows no time"
    return ""


def bytes_matrix(workload: Workload, sizes: PacketSizes) -> TrafficMatrix:
    """Return the Gbit on the wire, headers included, that each host sends to each other."""
    packets = -(-workload.size // sizes.payload)
    gbit = (workload.size + packets * sizes.header) * 8 / 1e9
    return TrafficMatrix.from_entries("host", workload.hosts, workload.src, workload.dst, gbit, label=workload.label)


def solve_bytes(network: Network, matrix: TrafficMatrix, routing: str, policy: Policy, seed: int) -> Linear:
    """Return how long ``matrix`` takes at once over the paths of ``routing``."""
    if routing == "ideal":
        return Linear(routing, solve(network, matrix))
    # Whatever plane is drawn for a flow is among all planes.
    policy = "round-robin" if policy == "single" else policy
    return Linear(routing, solve(network, matrix, routing=routing, plane_policy=policy, seed=seed))


def solve_apart(network: Network, matrix: TrafficMatrix, policy: Policy, seed: int) -> Linear:
    """Return how long ``matrix`` takes over shortest paths where no accelerator forwards.

    Flows inside a server take its scale-up network: with the policy ``round-robin`` always, else where it is as near
    as the planes are, ports counted, of which a routing over all planes counts none.  Scale-up networks share no link
    with planes, so that of two linear programs the slower one is the answer.
    """
    graph = network.graph
    parts = replace(graph, planes=graph.planes[:-1]), replace(graph, planes=graph.planes[-1:])
    inside = _inside(graph, matrix, policy)
    found = [
        solve_bytes(part, _some(matrix, kept), "ecmp-lp", policy, seed)
        for part, kept in zip(parts, (~inside, inside), strict=True)
        if kept.any()
    ]
    return max(found, key=lambda part: part.all_us)


def _inside(graph: Network, matrix: TrafficMatrix, policy: Policy) -> BoolArray:
    """Return bool ``[demands]``: whether each takes the scale-up network, the last plane, whose hosts have no ports."""
    hops = count_shortest(graph, matrix.level, matrix.src, matrix.dst, policy="round-robin").hops
    near = np.where(hops[:, :-1] < 0, np.inf, hops[:, :-1]).min(axis=1) + 2
    return np.asarray((hops[:, -1] >= 0) & ((policy == "round-robin") | (hops[:, -1] <= near)))


def _some(matrix: TrafficMatrix, kept: BoolArray) -> TrafficMatrix:
    ends, size = (matrix.src[kept], matrix.dst[kept]), matrix.demand[kept]
    return TrafficMatrix.from_entries(matrix.level, matrix.endpoints, *ends, size, label=matrix.label)
