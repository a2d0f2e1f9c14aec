"""Throughput where the routing leaves nothing to optimise: K = min capacity / load, a closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.model import Interval, LoadCertificate, Network, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.routing import PathRule, fixed_split_loads
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.split_problem import disconnected_shares

KINDS = frozenset({"ecmp", "ecmp-split", "vlb"})
"""Routings that fix how each demand is split."""


@dataclass(frozen=True, eq=False)
class FixedSplit:
    """The loads that a routing puts on links.

    Attributes:
        flow: links and demands.
        load: float64 ``[A]``, Gb/s on each arc at K = 1.
        share: float64 ``[P, J]``, the part of each demand that is sent into each plane.
    """

    flow: FlowProblem
    load: FloatArray
    share: FloatArray

    @property
    def disconnected(self) -> IntArray:
        """int32: the demands that are sent into no plane."""
        return disconnected_shares(self.share)

    def access_loads(self) -> tuple[FloatArray, FloatArray]:
        """Return the loads of the access links up and down at K = 1, each float64 ``[P, E]``."""
        flow, endpoints = self.flow, self.flow.attach.shape[1]
        amount = self.share * flow.demand
        up, down = (
            floats(np.stack([np.bincount(end, weights=row, minlength=endpoints) for row in amount]))
            for end in (flow.src, flow.dst)
        )
        return up, down


def build_fixed_split(
    network: Network, traffic: TrafficMatrix, rule: PathRule, *, threads: int = 0
) -> FixedSplit:
    """Return the loads of ``traffic`` on ``network``.

    Raises:
        TrafficError: the matrix is empty, or is for another number of endpoints.
        TopologyError: demands of the matrix's level mean nothing on the network.
    """
    flow = build_problem(network, traffic, aggregate=not rule.per_flow)
    src, dst = flow.member[flow.src], flow.member[flow.dst]
    found = fixed_split_loads(network, traffic.level, src, dst, flow.demand, rule, threads=threads)
    return FixedSplit(flow, floats(found.arc_load), floats(found.share))


def certify_fixed_split(split: FixedSplit) -> tuple[LoadCertificate, Interval]:
    """Return K, which is exact, and its proof.

    The link that fills first gets all the length: then a demand's mean length over its split, which takes the place of
    the shortest path where the split is fixed, is its part of that link's load, and the bound of duality is K.
    """
    flow = split.flow
    up, down = split.access_loads()
    loads = [split.load, up.ravel(), down.ravel()]
    ratio = [
        np.divide(capacity.ravel(), load, out=np.full(len(load), np.inf), where=load > 0)
        for load, capacity in zip(loads, (flow.capacity, flow.access_up, flow.access_down), strict=True)
    ]
    best = int(np.argmin([part.min(initial=np.inf) for part in ratio]))
    place = int(np.argmin(ratio[best]))
    lengths = [np.zeros(len(load)) for load in loads]
    lengths[best][place] = 1.0 / loads[best][place]
    rate = float(ratio[best][place])
    shape = flow.attach.shape
    certificate = LoadCertificate(
        length=floats(lengths[0]),
        up_length=floats(lengths[1].reshape(shape)),
        down_length=floats(lengths[2].reshape(shape)),
        load=split.load,
        share=split.share,
    )
    return certificate, Interval(rate, rate)
