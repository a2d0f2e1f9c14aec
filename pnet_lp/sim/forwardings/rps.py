"""``rps``: random packet spraying."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.registry import NoParams
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


@FORWARDINGS.register(
    "rps",
    summary="random packet spraying: every switch draws one of its shortest paths for every packet",
    source="Dixit, Prakash, Hu, Kompella: On the Impact of Packet Spraying in Data Center Networks, INFOCOM 2013",
)
def rps(_: NoParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    return _core.Forwarding("per-hop", policy=context.plane_policy, drawn=1)
