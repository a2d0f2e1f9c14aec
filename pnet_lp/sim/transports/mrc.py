"""``mrc``: Multipath Reliable Connection: NSCC's window, and losses by how much later packets came."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.sim.base import TRANSPORTS, SimulationContext
from pnet_lp.sim.transports.nscc import NsccParams


class MrcParams(NsccParams):
    """Parameters of ``mrc``."""

    reorder: Duration = Field(
        20 * 10**6, ge=1, description="how much later one was sent that has arrived, where a packet is taken for lost"
    )


@TRANSPORTS.register(
    "mrc",
    params=MrcParams,
    summary="Multipath Reliable Connection: nscc's window, and losses seen where later packets have come",
    source="MRC: arXiv 2605.04333, and the OCP specification 1.0; NSCC: Ultra Ethernet specification 1.0",
)
def mrc(params: MrcParams, context: SimulationContext) -> _core.Transport:
    """Return the transport."""
    return params.core(context, **params.own())
