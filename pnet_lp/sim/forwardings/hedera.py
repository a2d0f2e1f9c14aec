"""``hedera``: a controller finds flows that send much, and places them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.registry import Params
from pnet_lp.sim.base import FORWARDINGS, SimulationContext

_STEPS = 1000


class HederaForwardingParams(Params):
    """Parameters of ``hedera``."""

    placement: Literal["gff", "annealing"] = Field(
        "gff", description="Global First Fit: each on the first path with room; or simulated annealing"
    )
    interval: Duration = Field(5 * 10**12, ge=1, description="time from one look at what flows send to the next")
    share: float = Field(0.1, ge=0, lt=1, description="part of its host's link rate above which a flow is placed")
    steps: int | None = Field(None, ge=1, lt=1 << 32, description=f"steps of annealing at each look; default: {_STEPS}")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.steps is not None and self.placement != "annealing":
            raise ValueError("steps are those of placement=annealing")
        return self


@FORWARDINGS.register(
    "hedera",
    params=HederaForwardingParams,
    summary="as ecmp, but flows that send much are found at intervals and placed where there is room",
    source="Hedera, NSDI 2010",
)
def hedera(params: HederaForwardingParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    annealing = (params.steps or _STEPS) if params.placement == "annealing" else None
    return _core.Forwarding(
        "hedera", policy=context.plane_policy, interval=params.interval, share=params.share, annealing=annealing
    )
