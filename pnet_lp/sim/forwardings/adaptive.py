"""``adaptive``: every switch sends a packet where it waits least."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.registry import Params
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


class AdaptiveParams(Params):
    """Parameters of ``adaptive``."""

    drawn: int | None = Field(
        None, ge=2, le=10**6, description="ports that are drawn for each packet and compared; default: all of them"
    )


@FORWARDINGS.register(
    "adaptive",
    params=AdaptiveParams,
    example="drawn=2",
    summary="every switch, and the host between planes, sends a packet by the shortest path whose queue is shortest",
    source="Ghorbani, Yang, Godfrey, Ganjali, Firoozshahian: DRILL, SIGCOMM 2017, without its memory",
)
def adaptive(params: AdaptiveParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    return _core.Forwarding("per-hop", policy=context.plane_policy, drawn=params.drawn)
