"""By which paths the flow of a certificate goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import OffsetArray, PathSet
from pnet_lp.routing import parse_routing
from pnet_lp.throughput.problems import FlowProblem
from pnet_lp.throughput.problems.arcs import ArcProblem
from pnet_lp.throughput.solve import flow_of

if TYPE_CHECKING:
    import scipy.sparse as sp

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
        SpecError: nothing is carried, or the result does not say by which paths, as a quotient certificate or a routing
            that lists none; or the paths do not fit into memory.
        RoutingError: there are too many paths.
    """
    routing = parse_routing(result.routing, policy=result.plane_policy, seed=result.routing_seed)
    network, traffic = network.graph, traffic.on_graph(network)
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
        if routing.form == "split" and routing.rule is None:
            raise SpecError(
                f"routing {result.routing} splits demands at every switch, and has no list of paths",
                where="paths",
                allowed=_ALLOWED,
            )
        chosen = routing.narrowed if result.certificate and result.certificate.narrowed else routing
        assert chosen is not None
        return chosen.paths(network, traffic.level, flow.member[flow.src], flow.member[flow.dst])

    kept, own = result.certificate.stated(flow, routing.policy), np.arange(flow.demand_count)
    if routing.form == "arc" or kept.shortest is not None:
        # Certificates of flows by destination are of those demands that have a path.
        problem, left = ArcProblem(kept).connected()
        kept, own = problem.flow, own[left]
    demand, plane, part, ptr, arc = result.certificate.paths(kept, listed)
    demand = own[demand]
    if routing.form == "split" and routing.most_paths > 1:
        usage = routing.usage(network, traffic.level, flow.member[flow.src], flow.member[flow.dst])
        part = _split_at_switches(flow, usage, demand, plane, ptr, arc)
    rate = part * _rates(flow, traffic, result)[demand]
    used = np.flatnonzero(rate > 0)
    return CarriedPaths(flow, demand[used], plane[used], floats(rate[used]), ptr[used], ptr[used + 1], arc)


def _split_at_switches(
    flow: FlowProblem, usage: sp.csc_array, demand: OffsetArray, plane: IntArray, ptr: OffsetArray, arc: IntArray
) -> FloatArray:
    """Return float64 ``[N]``: the part of its demand on each path, where switches split what comes to them.

    It is the product, over the links of the path, of what continues there of all that leaves the switch.

    Args:
        flow: the problem.
        usage: float64 ``[A, J]``, what a unit of each demand puts on each arc.
        demand: int64 ``[N]``, the demand of each path.
        plane: int32 ``[N]``, its plane.
        ptr: int64 ``[N + 1]``, where its arcs begin.
        arc: int32, arcs local to the path's plane.
    """
    arcs, switches = len(flow.capacity), int(flow.node_count.sum())
    first = np.concatenate([[0], np.cumsum(flow.node_count, dtype=np.int64)])
    of_plane = np.repeat(np.arange(flow.plane_count), np.diff(flow.arc_ptr))
    tail = first[of_plane] + flow.tail
    used, owner = usage.indices.astype(np.int64), np.repeat(np.arange(usage.shape[1]), np.diff(usage.indptr))
    leaving, where = np.unique(owner * switches + tail[used], return_inverse=True)
    sent = np.bincount(where, weights=usage.data, minlength=len(leaving))
    key = owner * arcs + used
    order = np.argsort(key, kind="stable")
    hops = np.diff(ptr)
    path = np.repeat(np.arange(len(demand)), hops)
    passed = demand[path] * arcs + arc + flow.arc_ptr[plane[path]]
    place = order[np.searchsorted(key[order], passed)]
    part = np.ones(len(demand))
    if len(passed):
        some = hops > 0
        part[some] = np.multiply.reduceat((usage.data / sent[where])[place], ptr[:-1][some])
    # What enters each plane is what leaves the source there.
    source = flow.attach[plane, flow.src[demand]] + first[plane]
    found = np.searchsorted(leaving, demand * switches + source)
    entering = np.where(hops > 0, sent[np.minimum(found, len(sent) - 1)] if len(sent) else 1.0, 1.0)
    return floats(part * entering)


def _rates(flow: FlowProblem, traffic: TrafficMatrix, result: ThroughputResult) -> FloatArray:
    """Return float64 ``[J]``: what each demand of the problem gets."""
    if result.rates_gbps is None:
        return flow.demand * result.part
    count = flow.attach.shape[1]
    src, dst = (flow.endpoint_class[ends].astype(np.int64) for ends in (traffic.src, traffic.dst))
    total = np.bincount(src * count + dst, weights=result.rates_gbps, minlength=count * count)
    return floats(total[flow.src.astype(np.int64) * count + flow.dst])
