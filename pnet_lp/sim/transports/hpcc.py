"""``hpcc``: the window follows what switches note on packets of the load of their links."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Bytes, Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.paced_params import PacedParams
from pnet_lp.sim.tcp_params import SegmentCount


class HpccParams(PacedParams):
    """Parameters of ``hpcc``."""

    eta: float = Field(0.95, gt=0, le=1, description="use of the busiest link that is aimed at, as a part of its rate")
    max_stage: int = Field(
        5, ge=0, lt=1 << 32, description="round trips below that in which the window grows by additive alone, at most"
    )
    additive: Bytes = Field(80, ge=1, description="bytes that the window grows by")
    base_rtt: Duration | None = Field(
        None, ge=1, description="base round trip; default: of each flow, that of its idle path"
    )
    duplicate_threshold: SegmentCount = Field(
        1, description="packets later one was sent that has arrived, where a packet is taken for lost"
    )


@TRANSPORTS.register(
    "hpcc",
    params=HpccParams,
    summary="the window follows the load of the busiest link, which switches note on packets; for one path a flow",
    source="HPCC, SIGCOMM 2019, section 3",
)
def hpcc(params: HpccParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(
        context,
        duplicate_threshold=params.duplicate_threshold,
        control="hpcc",
        target=params.eta,
        stages=params.max_stage,
        additive=params.additive,
        rtt=params.base_rtt,
    )
