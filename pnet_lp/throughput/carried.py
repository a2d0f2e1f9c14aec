"""By which paths the flow of a proof goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import (
    Certificate,
    ColourCertificate,
    LoadCertificate,
    Network,
    PathCertificate,
    ThroughputResult,
    TrafficMatrix,
)
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import OffsetArray
from pnet_lp.routing import Routing, parse_routing
from pnet_lp.throughput.problems import FlowProblem, build_problem

_BYTES_PER_DEMAND = 2000
"""About, of its paths as rows of a table."""

_ALLOWED = "a routing with paths (ecmp, ksp:8) or any path (ideal), and for ideal routing solver=structured"


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
            from the routing alone, or a proof in colours; or the paths do not fit into memory.
    """
    routing = parse_routing(result.routing, policy=result.plane_policy, seed=result.routing_seed)
    flow = build_problem(network, traffic, aggregate=not routing.per_flow)
    check_fits(
        _BYTES_PER_DEMAND * flow.demand_count,
        f"the paths of {flow.demand_count:,} demands",
        SpecError,
        allowed="level=rack, or sparser traffic",
    )
    certificate = result.certificate
    if isinstance(certificate, Certificate):
        demand, plane, part, ptr, arc = _decomposed(flow, certificate)
    elif isinstance(certificate, PathCertificate) or _one_path(routing, result):
        paths = routing.paths(network, traffic.level, flow.member[flow.src], flow.member[flow.dst])
        demand, plane, ptr, arc = paths.pair_of_path, paths.plane, paths.path_ptr, paths.path_arc
        part = certificate.weight if isinstance(certificate, PathCertificate) else floats(np.ones(len(plane)))
    else:
        raise SpecError(_reason(result), where="paths", allowed=_ALLOWED)
    rate = part * _rates(flow, traffic, result)[demand]
    used = np.flatnonzero(rate > 0)
    return CarriedPaths(flow, demand[used], plane[used], floats(rate[used]), ptr[used], ptr[used + 1], arc)


def _one_path(routing: Routing, result: ThroughputResult) -> bool:
    """Whether the routing puts all of a demand on one path."""
    return isinstance(result.certificate, LoadCertificate) and routing.most_paths == 1


def _decomposed(
    flow: FlowProblem, certificate: Certificate
) -> tuple[OffsetArray, IntArray, FloatArray, OffsetArray, IntArray]:
    proof = _core.Proof(
        certificate.length,
        certificate.up_length,
        certificate.down_length,
        certificate.share,
        certificate.split_ptr,
        certificate.split_arc,
        certificate.split_fraction,
    )
    demand, plane, part, ptr, arc = _core.decompose(flow.core, proof)
    return demand.astype(np.int64), plane, part, ptr, arc


def _rates(flow: FlowProblem, traffic: TrafficMatrix, result: ThroughputResult) -> FloatArray:
    """Return float64 ``[J]``: what each demand of the problem gets."""
    if result.rates_gbps is None:
        return flow.demand * result.throughput_gbps
    count = flow.attach.shape[1]
    src, dst = (flow.endpoint_class[ends].astype(np.int64) for ends in (traffic.src, traffic.dst))
    total = np.bincount(src * count + dst, weights=result.rates_gbps, minlength=count * count)
    return floats(total[flow.src.astype(np.int64) * count + flow.dst])


def _reason(result: ThroughputResult) -> str:
    if result.certificate is None:
        return "a demand has no path, so nothing is carried"
    if isinstance(result.certificate, ColourCertificate):
        return "the result says what classes of alike links carry, not which paths"
    return f"routing {result.routing} splits demands at every switch, and has no list of paths"
