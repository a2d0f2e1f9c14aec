"""``entropies``: the source numbers paths of all planes, and takes them by what answers tell of each."""

from __future__ import annotations

from pydantic import Field

from pnet_lp import _core
from pnet_lp.quantities import Duration
from pnet_lp.registry import Params
from pnet_lp.sim.base import FORWARDINGS, SimulationContext


class EntropiesParams(Params):
    """Parameters of ``entropies``."""

    count: int = Field(
        128, ge=1, lt=1 << 16, description="entropies of a connection, dealt to its planes in turn and to their paths"
    )
    probe: Duration = Field(100 * 10**6, ge=1, description="time between two probes of an entropy that is retired")


@FORWARDINGS.register(
    "entropies",
    params=EntropiesParams,
    beside={"transport": "mrc"},
    summary="the source numbers shortest paths, goes easy on those of marked packets, and retires those that lose some",
    source="MRC: arXiv 2605.04333, and the OCP specification 1.0",
)
def entropies(params: EntropiesParams, context: SimulationContext) -> _core.Forwarding:
    """Return the forwarding."""
    return _core.Forwarding(
        "spray", policy=context.plane_policy, over="paths", order="entropies", count=params.count, probe=params.probe
    )
