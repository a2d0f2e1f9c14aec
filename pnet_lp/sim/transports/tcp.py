"""``tcp``: NewReno."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.tcp_params import TcpParams


@TRANSPORTS.register(
    "tcp",
    params=TcpParams,
    summary="TCP NewReno: slow start, congestion avoidance, fast recovery with partial acknowledgements",
    source="RFC 5681, RFC 6582, RFC 6298",
)
def tcp(params: TcpParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(context)
