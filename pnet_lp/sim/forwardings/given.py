"""``given``: the paths of a routing, one for each flow or subflow."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp import _core
from pnet_lp.registry import Params
from pnet_lp.routing import parse_routing
from pnet_lp.sim.base import FORWARDINGS, Context


class GivenParams(Params):
    """Parameters of ``given``."""

    routing: str = Field(description="a routing that lists paths, such as ecmp-lp or ksp:8")


@FORWARDINGS.register(
    "given",
    params=GivenParams,
    summary="a routing's paths: subflows take one after the other, from one drawn for each flow",
)
def given(params: GivenParams, context: Context) -> _core.Forwarding:
    """Return the forwarding.

    Raises:
        SpecError: no such routing.
        RoutingError: it has no list of paths, or more than fit into memory.
    """
    routing = parse_routing(params.routing, policy=context.plane_policy, seed=context.seed)
    pairs = np.unique(np.stack([context.workload.src, context.workload.dst]), axis=1)
    paths = routing.paths(context.network, "host", pairs[0], pairs[1])
    src, dst = (np.ascontiguousarray(side) for side in pairs)
    return _core.Forwarding.given(
        context.ports.planes, src, dst, paths.pair_ptr, paths.plane, paths.path_ptr, paths.path_arc
    )
