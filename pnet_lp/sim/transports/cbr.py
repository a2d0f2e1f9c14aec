"""``cbr``: an even stream without answers."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import reading
from pnet_lp.sim.base import TRANSPORTS, SimulationContext, TransportParams
from pnet_lp.units import RATE

BitRate: TypeAlias = Annotated[int, reading(RATE), RATE, Field(ge=1, le=8 * 10**12)]


class CbrParams(TransportParams):
    """Parameters of ``cbr``."""

    rate: BitRate = Field(description="what a flow sends on the wire, headers included: 2.5Gbps")


@TRANSPORTS.register(
    "cbr",
    params=CbrParams,
    beside={"queue": "drop-tail:packets=10000"},
    example="rate=2Gbps",
    summary="packets at even intervals, never retransmitted; a flow that loses one is never complete",
)
def cbr(params: CbrParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    sizes = context.sizes
    return _core.Transport("cbr", payload=sizes.payload, header=sizes.header, rate=params.rate)
