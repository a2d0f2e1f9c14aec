"""Short queues that mark early: the core's ``ecn`` with other defaults."""

from pydantic import Field

from pnet_lp import _core
from pnet_lp.sim.base import QUEUES, SimulationContext
from pnet_lp.sim.queue_limit import LimitParams


class ShallowParams(LimitParams):
    """Parameters of ``shallow``."""

    packets: int = Field(20, ge=1, lt=1 << 32, description="packets in a queue, of whatever size")


@QUEUES.register("shallow", params=ShallowParams, summary="marks all data from a quarter of its length on")
def shallow(params: ShallowParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline."""
    quarter = params.packets // 4
    marking = {"low": quarter, "high": quarter, "chance": 1.0, "threshold_bytes": None, "leaving": False}
    return _core.Queue("ecn", **params.limit(context), **marking)
