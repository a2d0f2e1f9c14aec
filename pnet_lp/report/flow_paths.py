"""A throughput result path by path."""

from __future__ import annotations

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import (
    Certificate,
    ColourCertificate,
    Network,
    PathCertificate,
    ThroughputResult,
    TrafficMatrix,
)
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.paths import OffsetArray
from pnet_lp.report.tables import Columns
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import FlowProblem, build_problem

_BYTES_PER_DEMAND = 2000
"""About, of its paths as rows."""


def path_rates(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> Columns:
    """Return one row per path that carries something: whose it is, where it goes, how much it carries.

    ``src`` and ``dst`` are endpoints, ``pairs`` is the number of pairs of hosts that share the row, because the solve
    did not tell them apart (the two are an example of them); ``hops`` counts links between switches, ``switches`` are
    their names, with blanks between, ``rate_gbps`` is what the path carries for all these pairs together.

    Over any paths, a demand's flow is taken apart along the fullest links; over given ones, the paths are those of the
    routing.

    Raises:
        SpecError: nothing is carried, or the result does not say by which paths: splits that follow from the routing
            alone, or a proof in colours.
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
    elif isinstance(certificate, PathCertificate):
        paths = routing.paths(network, traffic.level, flow.member[flow.src], flow.member[flow.dst])
        demand, plane, ptr, arc = paths.pair_of_path, paths.plane, paths.path_ptr, paths.path_arc
        part = certificate.weight
    else:
        raise SpecError(_reason(result), where="paths", allowed=_ALLOWED)
    used = np.flatnonzero(part > 0)
    demand, plane, part, first, last = demand[used], plane[used], part[used], ptr[used], ptr[used + 1]
    src, dst = flow.src[demand], flow.dst[demand]
    size = np.bincount(flow.endpoint_class[flow.endpoint_class >= 0])
    own = src == dst
    names = np.array(network.endpoint_names(traffic.level), dtype=object)
    return {
        "src": names[flow.member[src]].tolist(),
        "dst": names[np.where(own, _second_members(flow)[dst], flow.member[dst])].tolist(),
        "pairs": (size[src] * (size[dst] - own)).tolist(),
        "plane": plane.tolist(),
        "hops": (last - first).tolist(),
        "switches": _switches(network, flow, plane, flow.attach[plane, src], first, last, arc),
        "rate_gbps": (part * _rates(flow, traffic, result)[demand]).tolist(),
    }


def _second_members(flow: FlowProblem) -> OffsetArray:
    """Return int64 ``[E]``: of each class of hosts its second one, or the first where there is but one."""
    used = np.flatnonzero(flow.endpoint_class >= 0)
    order = used[np.argsort(flow.endpoint_class[used], kind="stable")]
    begin = np.searchsorted(flow.endpoint_class[order], np.arange(flow.attach.shape[1] + 1))
    return order[np.minimum(begin[:-1] + 1, begin[1:] - 1)]


def _switches(
    network: Network,
    flow: FlowProblem,
    plane: IntArray,
    start: IntArray,
    first: OffsetArray,
    last: OffsetArray,
    arc: IntArray,
) -> list[str]:
    """Return the names of the switches on each path."""
    found = []
    for p, switch, begin, end in zip(
        plane.tolist(), start.tolist(), first.tolist(), last.tolist(), strict=True
    ):
        passed = [switch, *flow.head[arc[begin:end] + flow.arc_ptr[p]].tolist()]
        names = network.planes[p].switch_names
        found.append(" ".join([names[u] for u in passed]))
    return found


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


_ALLOWED = "a routing with an open split (ideal, ksp:8), and for ideal routing solver=structured"


def _reason(result: ThroughputResult) -> str:
    if result.certificate is None:
        return "a demand has no path, so nothing is carried"
    if isinstance(result.certificate, ColourCertificate):
        return "the result says what classes of alike links carry, not which paths"
    return f"routing {result.routing} splits demands at every switch, and has no list of paths"
