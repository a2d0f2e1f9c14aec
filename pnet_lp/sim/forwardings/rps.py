"""``rps``: random packet spraying."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.registry import NoParams
from pnet_lp.sim.base import FORWARDINGS, Context


@FORWARDINGS.register(
    "rps",
    summary="random packet spraying: every switch draws one of its shortest ways for every packet",
    source="Dixit et al., INFOCOM 2013",
)
def rps(_: NoParams, context: Context) -> _core.Forwarding:
    """Return the forwarding."""
    return _core.Forwarding("per-hop", policy=context.plane_policy)
