"""``flowlet``: a flow may change its path where its packets leave a gap."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from pnet_lp import _core
from pnet_lp.registry import Params
from pnet_lp.routing.searches import CORE_POLICIES
from pnet_lp.sim.base import FORWARDINGS, Context
from pnet_lp.workload.base import Duration

_OVER = {"paths": _core.Over.Paths, "planes": _core.Over.Planes}


class FlowletParams(Params):
    """Parameters of ``flowlet``."""

    no_fluid: ClassVar[str] = "a fluid has no gaps in which a flow could change its path"

    gap: Duration = Field(
        100 * 10**6, description="silence after which the next packet may take another path"
    )
    over: Literal["paths", "planes"] = Field(
        "paths", description="all shortest paths, or one shortest path in each plane"
    )


@FORWARDINGS.register(
    "flowlet",
    params=FlowletParams,
    summary="the source draws a new shortest path for a flow that has sent nothing for a while",
    source="Sinha, Kandula and Katabi, HotNets 2004",
)
def flowlet(params: FlowletParams, context: Context) -> _core.Forwarding:
    """Return the forwarding."""
    policy = CORE_POLICIES[context.plane_policy]
    return _core.Forwarding.flowlets(policy=policy, over=_OVER[params.over], gap_ps=params.gap)
