"""``ndp``: the receiver asks for what is sent."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext, TransportParams
from pnet_lp.sim.tcp_params import SegmentCount


class NdpParams(TransportParams):
    """Parameters of ``ndp``."""

    window: SegmentCount | None = Field(
        None,
        description="packets that a flow begins with; default: twice what its host's links carry in an idle round trip",
    )
    rto: Duration = Field(
        5 * 10**9,
        ge=1,
        description="time without an answer after which a packet is taken for lost, doubled while none comes",
    )


@TRANSPORTS.register(
    "ndp",
    params=NdpParams,
    summary="the receiver asks for packets at the rate of its links; for trim queues and packets on many paths",
    source="NDP, SIGCOMM 2017, section 3.2",
)
def ndp(params: NdpParams, context: SimulationContext) -> _core.Transport:
    """Return the transport; requests are as large as acknowledgements."""
    sizes = context.sizes
    return _core.Transport(
        "ndp", payload=sizes.payload, header=sizes.header, ack=sizes.ack, window=params.window, timeout=params.rto
    )
