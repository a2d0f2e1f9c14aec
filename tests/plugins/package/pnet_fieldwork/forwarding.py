"""Spraying over the switches of one plane, drawn for each flow, whatever the others offer."""

from pnet_lp import _core
from pnet_lp.registry import NoParams
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


@FORWARDINGS.register("rps-single", summary="random packet spraying within one plane, drawn for each flow")
def rps_single(_: NoParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    del context
    return _core.Forwarding("per-hop", policy="single")
