"""What a training step of a transformer sends, in bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from pnet_lp.errors import SpecError, TrafficError, naming
from pnet_lp.model import TrafficMatrix
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.parts import SumParams, TrafficPart, rewritten
from pnet_lp.training import PHASES, SOURCE, Phase, Step, TrainingParams


class TrainingPattern(TrainingParams, SumParams):
    """Parameters of ``training``."""

    phase: Literal["all", "tp", "pp", "dp", "ep"] = Field(
        "all", description="what counts: all that is sent, or the part of tensor, pipeline, data or expert parallelism"
    )

    @property
    def phases(self) -> tuple[Phase, ...]:
        """What counts."""
        return PHASES if self.phase == "all" else (self.phase,)

    def parts(self, values: Mapping[str, str]) -> list[TrafficPart]:
        """Return the phases in which something is sent."""
        step = Step(self)
        return [
            TrafficPart(f"training {phase}", rewritten("training", values, phase=phase))
            for phase in self.phases
            if step.pair_count((phase,))
        ]


@traffics.register(
    "training",
    params=TrainingPattern,
    example="tp=2,pp=4,dp=2,layers=4,hidden=64,sequence=32,vocabulary=128,batch=4,placement=random",
    summary="bytes of a training step with tensor, pipeline, data and expert parallelism",
    source=SOURCE,
)
def training(params: TrainingPattern, context: TrafficContext) -> TrafficMatrix:
    """Return the bytes that each pair exchanges in a step.

    Raises:
        SpecError: other ranks than endpoints; ranks that do not fit an algorithm.
        TrafficError: a phase in which nothing is sent; too many pairs.
    """
    step, phases = Step(params), params.phases
    with naming(context.label, SpecError):
        place = params.places(context.endpoints, f"{context.level}s", context.server_size, context.random)
        context.check_demands(step.pair_count(phases))
        src, dst, moved = step.volumes(phases)
    if not len(src):
        raise TrafficError("nothing is sent", where=f"{context.label}: phase", found=params.phase)
    return context.matrix(place[src], place[dst], moved)
