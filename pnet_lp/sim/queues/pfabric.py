"""``pfabric``: the flow with the least left goes first, the packet with the most left goes out."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.sim.base import QUEUES, SimulationContext
from pnet_lp.sim.queue_limit import LimitParams


class PfabricParams(LimitParams):
    """Parameters of ``pfabric``."""

    packets: int = Field(24, ge=1, lt=1 << 32, description="packets in a queue, of whatever size")


@QUEUES.register(
    "pfabric",
    params=PfabricParams,
    summary="serves the flow with the least left, drops the packet whose flow has the most",
    source="pFabric, SIGCOMM 2013, section 4.1",
)
def pfabric(params: PfabricParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline."""
    return _core.Queue("pfabric", **params.limit(context))
