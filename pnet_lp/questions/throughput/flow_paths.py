"""A throughput result path by path."""

from __future__ import annotations

import numpy as np

from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import IntArray
from pnet_lp.model.paths import OffsetArray
from pnet_lp.tables import Columns
from pnet_lp.throughput import FlowProblem
from pnet_lp.throughput.carried import CarriedPaths, carried_paths


def path_rates(network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> Columns:
    """Return one row per path that carries something: whose it is, where it goes, how much it carries.

    ``src`` and ``dst`` are endpoints, ``pairs`` is the number of pairs of hosts that share the row, because the solve
    did not tell them apart (the two are an example of them); ``hops`` counts links between switches, ``switches`` are
    their names, with blanks between, ``rate_gbps`` is what the path carries for all these pairs together.

    Raises:
        SpecError: as of :func:`~pnet_lp.throughput.carried.carried_paths`.
    """
    paths = carried_paths(network, traffic, result)
    flow = paths.flow
    src, dst = flow.src[paths.demand], flow.dst[paths.demand]
    size = np.bincount(flow.endpoint_class[flow.endpoint_class >= 0])
    own = src == dst
    names = np.array(network.graph.endpoint_names(traffic.level), dtype=object)
    return {
        "src": names[flow.member[src]].tolist(),
        "dst": names[np.where(own, _second_members(flow)[dst], flow.member[dst])].tolist(),
        "pairs": (size[src] * (size[dst] - own)).tolist(),
        "plane": paths.plane.tolist(),
        "hops": (paths.last - paths.first - network.received).tolist(),
        "switches": switches_of(network, paths, np.arange(len(paths.demand)), flow.attach[paths.plane, src]),
        "rate_gbps": paths.rate.tolist(),
    }


def _second_members(flow: FlowProblem) -> OffsetArray:
    """Return int64 ``[E]``: of each class of hosts its second one, or the first where there is but one."""
    used = np.flatnonzero(flow.endpoint_class >= 0)
    order = used[np.argsort(flow.endpoint_class[used], kind="stable")]
    begin = np.searchsorted(flow.endpoint_class[order], np.arange(flow.attach.shape[1] + 1))
    return order[np.minimum(begin[:-1] + 1, begin[1:] - 1)]


def switches_of(network: Network, paths: CarriedPaths, which: OffsetArray, start: IntArray) -> list[str]:
    """Return the names of the switches on each of the paths ``which``, the first of which are given."""
    flow, found = paths.flow, []
    places = (paths.plane[which], start, paths.first[which], paths.last[which])
    for p, switch, begin, end in zip(*(place.tolist() for place in places), strict=True):
        passed = [switch, *flow.head[paths.arc[begin:end] + flow.arc_ptr[p]].tolist()]
        found.append(" ".join(network.named(p, passed)))
    return found
