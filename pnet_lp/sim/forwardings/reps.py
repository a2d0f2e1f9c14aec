"""``reps``: paths that packets came through unmarked are taken again."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.registry import Params
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


class RepsParams(Params):
    """Parameters of ``reps``."""

    buffer: int = Field(8, ge=1, lt=1 << 16, description="paths that packets came through last, which are remembered")
    freeze: Duration = Field(
        100 * 10**6,
        description="time after a timeout in which remembered paths are taken again and no others are tried",
    )


@FORWARDINGS.register(
    "reps",
    params=RepsParams,
    beside={"transport": "nscc"},
    summary="the source takes shortest paths again that packets came through unmarked, or else tries the next one",
    source="REPS, arXiv 2407.21625, section 3",
)
def reps(params: RepsParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    return _core.Forwarding(
        "spray", policy=context.plane_policy, over="paths", order="recycled", buffer=params.buffer, freeze=params.freeze
    )
