"""``sopa``: the source sends its packets over all shortest paths in turn."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.sim.base import FORWARDINGS, SimulationContext
from pnet_lp.sim.spraying import SprayParams


@FORWARDINGS.register(
    "sopa",
    params=SprayParams,
    summary="the source sends the packets of a flow over all shortest paths, one after the other",
    source="SOPA, section 3.3",
)
def sopa(params: SprayParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    return params.build(context, over="paths")
