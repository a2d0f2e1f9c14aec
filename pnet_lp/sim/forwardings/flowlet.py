"""``flowlet``: a flow may change its path where its packets leave a gap."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.registry import Params
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


class FlowletParams(Params):
    """Parameters of ``flowlet``."""

    gap: Duration = Field(100 * 10**6, description="silence after which the next packet may take another path")
    over: Literal["paths", "planes"] = Field(
        "paths", description="all shortest paths, or one shortest path in each plane"
    )


@FORWARDINGS.register(
    "flowlet",
    params=FlowletParams,
    summary="the source draws a new shortest path for a flow that has sent nothing for a while",
    source="Sinha, Kandula, Katabi: Harnessing TCP's Burstiness with Flowlet Switching, HotNets 2004",
)
def flowlet(params: FlowletParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    return _core.Forwarding("spray", policy=context.plane_policy, over=params.over, order="flowlets", gap=params.gap)
