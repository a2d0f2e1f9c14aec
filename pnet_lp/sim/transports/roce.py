"""``roce``: RDMA over Ethernet at a rate that DCQCN sets."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Bytes, Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.paced_params import PacedParams
from pnet_lp.sim.tcp_params import SegmentCount

_CONTROL = frozenset(
    {"g", "cnp_interval", "alpha_timer", "rate_timer", "byte_counter", "recovery_steps"}
    | {"additive_gbps", "hyper_gbps", "min_gbps"}
)


class RoceParams(PacedParams):
    """Parameters of ``roce``."""

    rto: Duration = Field(
        4 * 10**9,
        ge=1,
        description="time without an answer after which a packet is taken for lost, doubled while none comes",
    )
    recovery: Literal["go-back-n", "selective"] = Field(
        "go-back-n", description="what is sent again after a loss: everything from there on, or what is missing"
    )
    duplicate_threshold: SegmentCount = Field(
        1, description="with recovery=selective: packets later one was sent that has arrived, where a packet is lost"
    )
    dcqcn: bool = Field(True, description="whether marks change the rate; otherwise it is that of the host's ports")
    g: float = Field(1 / 256, gt=0, le=1, description="weight of a notification in the estimate of congestion")
    cnp_interval: Duration = Field(
        50 * 10**6, description="time between two notifications of marks to a sender at least"
    )
    alpha_timer: Duration = Field(
        55 * 10**6, ge=1, description="time without a notification after which the estimate falls, again and again"
    )
    rate_timer: Duration = Field(55 * 10**6, ge=1, description="length of a step of increase in time")
    byte_counter: Bytes = Field(10_000_000, ge=1, description="length of a step of increase in bytes")
    recovery_steps: SegmentCount = Field(5, description="steps halfway back to the rate before the notification")
    additive_gbps: float = Field(0.04, gt=0, description="what the target grows by in each step after these, in Gb/s")
    hyper_gbps: float = Field(
        0.4, gt=0, description="the same, times the steps, once the steps of time and bytes are both beyond them"
    )
    min_gbps: float = Field(0.1, gt=0, description="rate at least, in Gb/s")

    def idle(self) -> dict[str, str]:
        """See the base class."""
        found = super().idle()
        if self.recovery == "go-back-n":
            found["duplicate_threshold"] = "changes nothing with recovery=go-back-n"
        if not self.dcqcn:
            found |= dict.fromkeys(_CONTROL, "changes nothing with dcqcn=false")
        return found


@TRANSPORTS.register(
    "roce",
    params=RoceParams,
    summary="RDMA over Ethernet: a rate that DCQCN lowers where data is marked; go-back-N or selective repeat",
    source="DCQCN, SIGCOMM 2015; IRN, SIGCOMM 2018, for selective repeat",
    also=("dcqcn", "rocev2"),
)
def roce(params: RoceParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    bits = {name: round(1e9 * value) for name, value in params.model_dump().items() if name.endswith("_gbps")}
    return params.core(
        context,
        recovery=params.recovery,
        duplicate_threshold=params.duplicate_threshold if params.recovery == "selective" else None,
        notify=params.cnp_interval if params.dcqcn else None,
        control="dcqcn",
        gain=params.g,
        estimate_timer=params.alpha_timer,
        byte_counter=params.byte_counter,
        rate_timer=params.rate_timer,
        additive=max(bits["additive_gbps"], 1),
        hyper=max(bits["hyper_gbps"], 1),
        least=max(bits["min_gbps"], 1),
        reacts=params.dcqcn,
        recovery_steps=params.recovery_steps,
    )
