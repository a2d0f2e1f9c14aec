"""A training step of a transformer: what is sent, and what is computed between."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from pnet_lp.errors import SpecError, naming
from pnet_lp.model.workload import LONGEST_PS, Workload
from pnet_lp.quantities import Duration
from pnet_lp.training import PHASES, SOURCE, Step, TrainingParams
from pnet_lp.workload.base import WORKLOADS, WorkloadContext, WorkloadParams


class TrainingWorkload(TrainingParams, WorkloadParams):
    """Parameters of ``training``."""

    forward: Duration = Field(0, description="time that a stage computes for a micro-batch, forward")
    backward: Duration = Field(0, description="time that a stage computes for a micro-batch, backward")
    each: Literal["stage", "layer"] = Field(
        "stage",
        description="what has operations of its own: a stage, with the bytes of all its layers after it has "
        "computed; or each of its layers",
    )


@WORKLOADS.register(
    "training",
    params=TrainingWorkload,
    example="tp=2,pp=4,dp=2,layers=4,hidden=64,sequence=32,vocabulary=128,batch=4,placement=random",
    summary="a training step: micro-batches through a pipeline, gradients at its end",
    source=SOURCE,
)
def training(params: TrainingWorkload, context: WorkloadContext) -> Workload:
    """Return a task for each pass of a micro-batch through a stage, and one for each stage's gradients.

    Raises:
        SpecError: other ranks than hosts; ranks that do not fit an algorithm; a buffer of too few or too many bytes;
            a step that takes too long.
        WorkloadError: nothing is sent; too many messages.
    """
    step, by_layer = Step(params), params.each == "layer"
    with naming(context.label, SpecError):
        if (computes := (params.forward + params.backward) * params.micro_batches) > LONGEST_PS:
            raise SpecError(
                f"each stage computes for {computes / 1e12:.3g} s", allowed=f"at most {LONGEST_PS // 10**12:,} s"
            )
        place = params.places(context.hosts, "hosts", context.server_size, context.random)
        count = step.message_count(by_layer=by_layer)
        context.check_flows(count, waits=4 * count)
        messages, phase, task = step.messages(params.forward, params.backward, by_layer=by_layer)
    return context.workload(
        place[messages.src],
        place[messages.dst],
        messages.size,
        messages.start_ps,
        after=messages.waits,
        connects=messages.connects,
        task=task,
        stage=np.array(PHASES)[phase],
    )
