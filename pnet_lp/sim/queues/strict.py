"""``strict``: priorities, a class being served when those above it are empty."""

from __future__ import annotations

import itertools
from typing import Self

from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.sim.base import QUEUES, SimulationContext
from pnet_lp.sim.queue_limit import LimitParams
from pnet_lp.topology.lists import Whole


class StrictParams(LimitParams):
    """Parameters of ``strict``."""

    bounds: Whole = Field(
        description="segments that a flow has left at most in each class of data but the last, ascending: 10x100"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if min(self.bounds) < 0 or any(a >= b for a, b in itertools.pairwise(self.bounds)):
            raise ValueError("the bounds of classes do not ascend")
        return self


@QUEUES.register(
    "strict",
    params=StrictParams,
    example="bounds=10x100",
    summary="strict priorities: what carries no data first, then data by what its flow has left",
)
def strict(params: StrictParams, context: SimulationContext) -> _core.Queue:
    """Return the discipline."""
    return _core.Queue("strict", **params.limit(context), bounds=list(params.bounds))
