"""What the forwardings have in common in which the source chooses a path for every packet."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from pnet_lp import _core
from pnet_lp.registry import Params
from pnet_lp.sim.base import SimulationContext

OrderName: TypeAlias = Literal["round-robin", "shuffled", "permuted", "random"]


class SprayParams(Params):
    """In which order packets take the paths."""

    order: OrderName = Field(
        "round-robin",
        description="one path after the other; the same in an order drawn for each flow, or each round; any at random",
    )

    def build(self, context: SimulationContext, over: Literal["paths", "planes"]) -> _core.Forwarding:
        """Return the forwarding."""
        return _core.Forwarding("spray", policy=context.plane_policy, over=over, order=self.order)
