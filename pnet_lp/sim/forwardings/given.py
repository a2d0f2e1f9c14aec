"""``given``: the paths of a routing, one for each flow or subflow."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from pnet_lp import _core
from pnet_lp.failures import apply_mask
from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import IntArray, ints, longs
from pnet_lp.model.paths import OffsetArray, PathSet
from pnet_lp.registry import Params
from pnet_lp.routing import parse_routing
from pnet_lp.sim.base import FORWARDINGS, SimulationContext
from pnet_lp.sim.outage import known_masks


class GivenParams(Params):
    """Parameters of ``given``."""

    routing: str = Field(description="a routing that lists paths, such as ecmp-lp or ksp:8")


@FORWARDINGS.register(
    "given",
    params=GivenParams,
    example="routing=ksp:4",
    summary="a routing's paths: subflows take one after the other, from one drawn for each flow",
)
def given(params: GivenParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding.

    While paths know of outages, they are those that the routing has on what is left of the network.

    Raises:
        SpecError: no such routing.
        RoutingError: it has no list of paths, or more than fit into memory.
    """
    routing = parse_routing(params.routing, policy=context.plane_policy, seed=context.seed)
    pairs = np.unique(np.stack([context.workload.src, context.workload.dst]), axis=1)
    src, dst = (np.ascontiguousarray(side) for side in pairs)
    network, to = context.network, dst + context.network.receivers
    paths = routing.paths(network.graph, "host", src, to)
    since, numbers, lists = [0], [0], [(paths, paths.path_arc)]
    known = {b"": 0}
    for time_ps, mask in known_masks(context.outages):
        # What fails again and again leaves the same paths each time.
        state = mask.key if any(mask.counts.values()) else b""
        if state not in known:
            known[state] = len(lists)
            left = routing.paths(apply_mask(network, mask).graph, "host", src, to)
            lists.append((left, _arcs_in(left, paths.arcs)))
        since.append(time_ps)
        numbers.append(known[state])
    return _core.Forwarding("given", src=src, dst=dst, since=longs(since), list=ints(numbers), paths=_listed(lists))


def _listed(lists: list[tuple[PathSet, IntArray]]) -> dict[str, Any]:
    """Return the arrays of some lists of paths, one after the other, over these arcs."""
    return {
        "pair_ptr": _joined([paths.pair_ptr for paths, _ in lists]),
        "plane": np.concatenate([paths.plane for paths, _ in lists]),
        "path_ptr": _joined([paths.path_ptr for paths, _ in lists]),
        "path_arc": np.concatenate([arcs for _, arcs in lists]),
    }


def _joined(pointers: list[OffsetArray]) -> OffsetArray:
    """Return the bounds of ranges of which some follow the others."""
    return longs(np.concatenate([[0], np.cumsum(np.concatenate([np.diff(pointer) for pointer in pointers]))]))


def _arcs_in(paths: PathSet, arcs: Arcs) -> IntArray:
    """Return the arcs of ``paths`` as a network numbers them that has ``arcs``, those of ``paths`` among them."""
    place = np.zeros(len(paths.arcs.id), dtype=np.int32)
    for p in range(len(arcs.node_count)):
        own, there = (slice(*found.ptr[p : p + 2]) for found in (paths.arcs, arcs))
        order = np.argsort(arcs.id[there])
        place[own] = order[np.searchsorted(arcs.id[there], paths.arcs.id[own], sorter=order)]
    return ints(place[paths.link])
