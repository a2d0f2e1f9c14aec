"""TCP for a network whose round trips take microseconds: other defaults of the core's ``tcp``."""

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.tcp_params import TcpParams


class QuickParams(TcpParams):
    """Parameters of ``quick-tcp``."""

    rto_initial: Duration = Field(10**9, ge=1, description="timeout before the first round trip is measured")
    rto_min: Duration = Field(10**9, ge=1, description="timeout at least")


@TRANSPORTS.register("quick-tcp", params=QuickParams, summary="TCP whose timeouts begin at a millisecond")
def quick_tcp(params: QuickParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(context, congestion="reno")
