"""The bound for every routing: the linear program of all bytes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pnet_lp.model import Network, ThroughputResult, TrafficMatrix, Workload
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import Policy
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
    """Return why no linear program bounds the time of a workload; empty where one does."""
    if outages:
        return "links fail while flows run, and a linear program knows no time"
    free = workload.start_ps[np.diff(workload.after_ptr) == 0]
    if free.min() < free.max():
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
