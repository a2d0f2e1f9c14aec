"""``drop-tail``: what does not fit is lost."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.sim.base import QUEUES, SimulationContext
from pnet_lp.sim.queue_limit import LimitParams


@QUEUES.register("drop-tail", params=LimitParams, summary="first come, first served; what does not fit is lost")
def drop_tail(params: LimitParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline."""
    return _core.Queue("drop-tail", **params.limit(context))
