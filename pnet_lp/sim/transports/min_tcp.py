"""``min-tcp``: what pFabric leaves of TCP, since its queues do the rest."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.tcp_params import SegmentCount, WindowParams


class MinTcpParams(WindowParams):
    """Parameters of ``min-tcp``."""

    handshake: bool = Field(False, description="whether a flow begins with the handshake of a connection")
    initial_window: SegmentCount = Field(12, description="first window, in segments: the bandwidth-delay product")
    rto: Duration = Field(
        45 * 10**6, ge=1, description="timeout, always the same: a few round trips of an idle network"
    )
    duplicate_threshold: SegmentCount | None = Field(
        None, description="duplicate acknowledgements that show a loss; default: only the timeout does"
    )
    probe_after: SegmentCount = Field(
        5, description="timeouts in a row after which packets without payload probe for a path"
    )


@TRANSPORTS.register(
    "min-tcp",
    params=MinTcpParams,
    summary="TCP that starts at full rate and finds losses by a fixed, small timeout; for pfabric queues",
    source="pFabric, SIGCOMM 2013, section 4.2",
)
def min_tcp(params: MinTcpParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    rto = params.rto
    return params.core(
        context,
        duplicate_threshold=params.duplicate_threshold,
        sack=False,
        rto_initial=rto,
        rto_min=rto,
        rto_max=rto,
        timer_granularity=0,
        probe_after=params.probe_after,
    )
