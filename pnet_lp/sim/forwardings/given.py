"""``given``: the paths of a routing, one for each flow or subflow."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from pnet_lp import _core
from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.paths import PathSet
from pnet_lp.registry import Params
from pnet_lp.routing import parse_routing
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


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

    While paths know of an outage, they are those that the routing has on what is left of the network.

    Raises:
        SpecError: no such routing.
        RoutingError: it has no list of paths, or more than fit into memory.
    """
    routing = parse_routing(params.routing, policy=context.plane_policy, seed=context.seed)
    pairs = np.unique(np.stack([context.workload.src, context.workload.dst]), axis=1)
    src, dst = (np.ascontiguousarray(side) for side in pairs)
    paths = routing.paths(context.network, "host", src, dst)
    left = context.outage.reduced(context.network) if context.outage else None
    reduced = None
    if left is not None:
        of_left = routing.paths(left, "host", src, dst)
        reduced = _listed(of_left, _arcs_in(of_left, paths.arcs))
    return _core.Forwarding("given", src=src, dst=dst, paths=_listed(paths, paths.path_arc), reduced=reduced)


def _listed(paths: PathSet, arcs: IntArray) -> dict[str, Any]:
    """Return the arrays of ``paths``, over these arcs."""
    return {"pair_ptr": paths.pair_ptr, "plane": paths.plane, "path_ptr": paths.path_ptr, "path_arc": arcs}


def _arcs_in(paths: PathSet, arcs: Arcs) -> IntArray:
    """Return the arcs of ``paths`` as a network numbers them that has ``arcs``, those of ``paths`` among them."""
    place = np.zeros(len(paths.arcs.id), dtype=np.int32)
    for p in range(len(arcs.node_count)):
        own, there = (slice(*found.ptr[p : p + 2]) for found in (paths.arcs, arcs))
        order = np.argsort(arcs.id[there])
        place[own] = order[np.searchsorted(arcs.id[there], paths.arcs.id[own], sorter=order)]
    return ints(place[paths.link])
