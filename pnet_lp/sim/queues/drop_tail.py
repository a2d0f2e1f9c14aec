"""``drop-tail``: what does not fit is lost."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.sim.base import QUEUES, PacketSizes, SimulationContext
from pnet_lp.sim.queue_limit import LimitParams


class DropTailParams(LimitParams):
    """Parameters of ``drop-tail``."""

    def filled(self, sizes: PacketSizes, *, by_marks: bool) -> int:
        """See the base class: nothing is marked."""
        del by_marks
        return self.filled_by_losses(sizes)


@QUEUES.register("drop-tail", params=DropTailParams, summary="first come, first served; what does not fit is lost")
def drop_tail(params: DropTailParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline."""
    return _core.Queue("drop-tail", **params.limit(context))
