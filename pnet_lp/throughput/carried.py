"""By which paths the flow of a certificate goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import OffsetArray, PathSet
from pnet_lp.routing import parse_routing
from pnet_lp.throughput.problems import FlowProblem
from pnet_lp.throughput.solve import flow_of

_BYTES_PER_DEMAND = 2000
"""About, of its paths as rows of a table."""

_ALLOWED = "a routing with paths (ecmp, ksp:8) or any path (ideal)"


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class CarriedPaths:
    """The ``N`` paths that carry something.

    Attributes:
        flow: the problem whose demands they are of.
        demand: int64 ``[N]``, the demand of each.
        plane: int32 ``[N]``, its plane.
        rate: float64 ``[N]``, Gb/s that it carries.
        first, last: int64 ``[N]``, where its arcs begin and end.
        arc: int32, arcs local to the path's plane; none between endpoints on one switch.
    """

    flow: FlowProblem
    demand: OffsetArray
    plane: IntArray
    rate: FloatArray
    first: OffsetArray
    last: OffsetArray
    arc: IntArray


def carried_paths(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> CarriedPaths:
    """Return the paths by which the flow of a result goes.

    Over any paths, a demand's flow is taken apart along the fullest links; over given ones, and where each demand has
    one path, the paths are those of the routing.

    Raises:
        SpecError: nothing is carried, or the result does not say by which paths: splits at every switch that follow
            from the routing alone, or a quotient certificate; or the paths do not fit into memory.
    """
    routing = parse_routing(result.routing, policy=result.plane_policy, seed=result.routing_seed)
    flow = flow_of(network, traffic, result)
    check_fits(
        _BYTES_PER_DEMAND * flow.demand_count,
        f"the paths of {flow.demand_count:,} demands",
        SpecError,
        allowed="level=rack, or sparser traffic",
    )
    if result.certificate is None:
        raise SpecError("a demand has no path, so nothing is carried", where="paths", allowed=_ALLOWED)

    def listed() -> PathSet:
        if routing.form == "split" and routing.most_paths > 1:
            raise SpecError(
                f"routing {result.routing} splits demands at every switch, and has no list of paths",
                where="paths",
                allowed=_ALLOWED,
            )
        return routing.paths(network, traffic.level, flow.member[flow.src], flow.member[flow.dst])

    demand, plane, part, ptr, arc = result.certificate.paths(flow, listed)
    rate = part * _rates(flow, traffic, result)[demand]
    used = np.flatnonzero(rate > 0)
    return CarriedPaths(flow, demand[used], plane[used], floats(rate[used]), ptr[used], ptr[used + 1], arc)


def _rates(flow: FlowProblem, traffic: TrafficMatrix, result: ThroughputResult) -> FloatArray:
    """Return float64 ``[J]``: what each demand of the problem gets."""
    if result.rates_gbps is None:
        return flow.demand * result.part
    count = flow.attach.shape[1]
    src, dst = (flow.endpoint_class[ends].astype(np.int64) for ends in (traffic.src, traffic.dst))
    total = np.bincount(src * count + dst, weights=result.rates_gbps, minlength=count * count)
    return floats(total[flow.src.astype(np.int64) * count + flow.dst])
