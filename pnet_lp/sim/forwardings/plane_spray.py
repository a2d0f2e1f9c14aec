"""``plane-spray``: the source sends its packets over all planes in turn."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.sim.base import FORWARDINGS, SimulationContext
from pnet_lp.sim.spraying import SprayParams


@FORWARDINGS.register(
    "plane-spray",
    params=SprayParams,
    summary="the source sends the packets of a flow over the planes in turn, within each on one shortest path",
)
def plane_spray(params: SprayParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding; of planes that differ only the nearest are used unless the policy is ``round-robin``."""
    return params.build(context, over="planes")
