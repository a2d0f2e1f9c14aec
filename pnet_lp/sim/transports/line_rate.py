"""``line-rate``: everything at once, as fast as the host's links go."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.sim.base import TRANSPORTS, SimulationContext, TransportParams


@TRANSPORTS.register(
    "line-rate",
    beside={"queue": "drop-tail:packets=10000"},
    summary="packets at the rate of the links that they leave by, never retransmitted; else as cbr",
)
def line_rate(_: TransportParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return _core.Transport("cbr", payload=context.sizes.payload, header=context.sizes.header)
