"""Keys of a question about the time that collective operations and training steps take."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import naming
from pnet_lp.flags import Flag
from pnet_lp.quantities import Bytes
from pnet_lp.questions.base import OutputOption
from pnet_lp.questions.keys import DemandKeys, MetricKeys
from pnet_lp.throughput.settings import SolveSettings
from pnet_lp.workload import check_workload


class StepTimeCase(SolveSettings, MetricKeys, DemandKeys):
    """Compute the least time in which collectives, or the phases of a training step, are moved.

    The parts of the demands, terms of a sum and phases of a training step, are solved one by one and all at once: no
    routing moves one in less than the lower bound, and the flow found takes the upper.  What the parts take together,
    one after the other, is the time of a step without overlap; what all take at once, with as much as there can be.
    With --workload they are the bytes of flows, such as those of a trace, and each stage is a part.

    Exit code 3: bounds have not met within the tolerance; they hold all the same.
    """

    headline = "time_s"
    columns = dict.fromkeys(("in_turn_s", "in_turn_lower_bound_s", "total_bytes", "slowest", "parts_count"), "")
    example = "single-switch:hosts=16 --traffic 1e9*groups:size=8,of=all-reduce+1e6*all-to-all"
    rows = "part"
    outputs = {  # noqa: RUF012 - of a model, which is frozen
        "save": OutputOption("Folder for the results with their proofs, a file each for `pnet-lp verify`.", folder=True)
    }

    workload: Annotated[
        str | None, Flag(metavar="EXPR|FILE", heading="Traffic", excludes=("traffic", "level", "demand_size"))
    ] = Field(None, description="flows, whose stages are the parts, in place of traffic: a trace, or another file")
    demand_size: Annotated[Bytes, Flag(metavar="BYTES")] = Field(1, ge=1, description="bytes that a demand of 1.0 is")
    in_turn: bool = Field(
        False, description="solve the parts alone: all at once take the longest at least, and their sum at most"
    )

    @model_validator(mode="after")
    def _check_workload(self) -> Self:
        if self.workload is not None:
            with naming("workload"):
                check_workload(self.workload)
        return self
