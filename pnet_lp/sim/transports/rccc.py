"""``rccc``: packets are sent for credits, which their receiver gives at the rate of its links."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.paced_params import PacedParams
from pnet_lp.sim.tcp_params import SegmentCount


class RcccParams(PacedParams):
    """Parameters of ``rccc``."""

    initial: float = Field(
        1.0,
        gt=0,
        le=1000,
        description="credits that a flow begins with, as a part of what its host sends in an idle round trip",
    )
    outstanding: float = Field(
        1.5,
        gt=0,
        le=1000,
        description="packets that may come and have not, as such a part, where a flow gets no more credits",
    )
    rate: float = Field(0.97, gt=0, le=1, description="rate of credits, as a part of that of the link packets come by")
    duplicate_threshold: SegmentCount | None = Field(
        None,
        description="packets later one was sent that has arrived, where a packet is taken for lost; default: only "
        "headers without payload and timeouts show losses, as packets on many paths overtake each other",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.initial > self.outstanding:
            raise ValueError(f"initial={self.initial:g} is above outstanding={self.outstanding:g}")
        return self


@TRANSPORTS.register(
    "rccc",
    params=RcccParams,
    summary="Ultra Ethernet: packets are sent for credits, which the receiver gives; for trim queues and many paths",
    source="Ultra Ethernet specification 1.0, section 3.6, and EQDS, NSDI 2022",
)
def rccc(params: RcccParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(
        context,
        control="rccc",
        initial=params.initial,
        outstanding=params.outstanding,
        share=params.rate,
        patience=params.rto,
        duplicate_threshold=params.duplicate_threshold,
    )
