"""``nscc``: the window follows the delay and the marks of a network in which packets take many paths."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pnet_lp import _core
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.paced_params import PacedParams
from pnet_lp.sim.tcp_params import SegmentCount


class NsccParams(PacedParams):
    """Parameters of ``nscc``."""

    target: float = Field(1.0, gt=0, description="target of the delay, as a part of the idle round trip")
    max_window: float = Field(
        1.5, gt=0, description="window at most, and at first, as a part of what the host sends in an idle round trip"
    )
    gamma: float = Field(
        0.8, gt=0, le=1, description="part of the mean delay's relative excess that the window shrinks by"
    )
    gain: float = Field(0.0125, gt=0, le=1, description="weight of an answer in the mean delay")
    proportional: float = Field(
        4.0, ge=0, description="growth in packets a window where there is no delay and the target is 12us"
    )
    fair: float = Field(5.0, ge=0, description="growth in packets a window where delay is above the target, unmarked")
    constant: float = Field(0.15, ge=0, description="growth in packets every idle round trip, in any case")
    fast: float = Field(
        0.25, ge=0, description="growth in packets per packet after a window without a delay of a microsecond or more"
    )
    quick_gate: int = Field(
        3, ge=0, le=31, description="adapt quickly where less than max_window / 2^quick_gate has come in a round trip"
    )
    quick_delay: float = Field(4.0, gt=0, description="and the delay is above this many targets, or packets were lost")
    duplicate_threshold: SegmentCount | None = Field(
        None,
        description="packets later one was sent that has arrived, where a packet is taken for lost; default: only "
        "headers without payload and timeouts show losses, as packets on many paths overtake each other",
    )

    def own(self) -> dict[str, Any]:
        """Return what the core calls these parameters, beside those of any card."""
        return {"control": "nscc", "most_window": self.max_window, **self.model_dump(exclude={"rto", "max_window"})}


@TRANSPORTS.register(
    "nscc",
    params=NsccParams,
    summary="Ultra Ethernet: a window by delay and marks; for packets on many paths and trim queues that mark",
    source="Ultra Ethernet specification 1.0, section 3.6.13, and its open simulator uet-htsim",
)
def nscc(params: NsccParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(context, **params.own())
