"""``ecmp``: a hash of the flow, salted with the switch, picks one of the shortest paths at every switch."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.registry import NoParams
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


@FORWARDINGS.register(
    "ecmp",
    summary="every switch picks one of its shortest paths for a flow, by a hash salted with the switch",
    source="RFC 2992",
)
def ecmp(_: NoParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding; the plane is drawn among the nearest that the policy allows."""
    return _core.Forwarding("ecmp", policy=context.plane_policy)
