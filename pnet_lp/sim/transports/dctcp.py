"""``dctcp``: the window shrinks by the part of packets that were marked."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.tcp_params import TcpParams


class DctcpParams(TcpParams):
    """Parameters of ``dctcp``."""

    g: float = Field(1 / 16, gt=0, le=1, description="weight of the last window in the estimate of the marked part")
    alpha: float = Field(1.0, ge=0, le=1, description="the estimate at first")


@TRANSPORTS.register(
    "dctcp",
    params=DctcpParams,
    summary="TCP whose window shrinks, once per window, in proportion to marked packets; for ecn queues",
    source="RFC 8257; DCTCP, SIGCOMM 2010",
)
def dctcp(params: DctcpParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(context, congestion="dctcp", gain=params.g, alpha=params.alpha)
