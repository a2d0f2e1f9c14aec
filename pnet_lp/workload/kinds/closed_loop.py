"""Hosts that start the next flow when one is done."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.model.workload import Workload
from pnet_lp.quantities import Bytes, Duration
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WORKLOADS, SizesOf, WorkloadContext, WorkloadParams


class SequentialParams(WorkloadParams):
    """Parameters of ``sequential``."""

    stages: ClassVar[tuple[str, ...]] = ("warmup", "steady")

    sizes: SizesOf
    rounds: int = Field(ge=1, le=10**9, description="flows of each loop, one after the other")
    pause: Duration = Field(0, description="time from the end of a flow to the start of the next")
    warm_up: int = Field(0, ge=0, description="rounds that are a stage of their own, before the steady ones")
    seed: OwnSeed = None

    @model_validator(mode="after")
    def _check_rounds(self) -> Self:
        if self.warm_up >= self.rounds:
            raise ValueError(f"warm_up={self.warm_up} leaves none of {self.rounds} rounds")
        return self


class ClosedLoopParams(SequentialParams):
    """Parameters of ``closed-loop``."""

    loops: int = Field(ge=1, le=10**6, description="concurrent flows of each host")
    repeats: bool = Field(
        False,
        description="whether a loop repeats its first flow: the same size, to the same host; all hosts are in random "
        "pairs, once for each of their loops, and send to each other",
    )
    volume: Bytes | None = Field(
        None,
        description="what each loop that repeats sends at least: it goes on after its rounds, in the stage more, so "
        "that loops of large flows are not left alone",
    )

    @model_validator(mode="after")
    def _check_volume(self) -> Self:
        if self.volume is not None and not (self.repeats and self.warm_up):
            raise ValueError("volume is for loops with repeats=true and a warm_up, which tell rounds from what follows")
        return self


@WORKLOADS.register(
    "closed-loop",
    params=ClosedLoopParams,
    example="sizes=facebook-cache,loops=4,rounds=5",
    summary="every host keeps a number of flows active, each followed by one to a new random host",
    source="P-Net, section 5.3",
)
def closed_loop(params: ClosedLoopParams, context: WorkloadContext) -> Workload:
    """Return ``hosts x loops x rounds`` flows."""
    return _loops(params, params.loops, context, repeats=params.repeats, volume=params.volume or 0)


@WORKLOADS.register(
    "sequential",
    params=SequentialParams,
    example="sizes=64KiB,rounds=7,pause=1us",
    summary="every host sends one flow after the other, each to a new random host",
    source="SOPA, section 4.4",
)
def sequential(params: SequentialParams, context: WorkloadContext) -> Workload:
    """Return ``hosts x rounds`` flows."""
    return _loops(params, 1, context)


def _loops(
    params: SequentialParams, loops: int, context: WorkloadContext, *, repeats: bool = False, volume: int = 0
) -> Workload:
    chains = context.hosts * loops
    count = chains * params.rounds
    context.check_flows(count)
    # By round, so that the flows of a round are those of the same places in every list that is longer.
    src = np.tile(np.repeat(np.arange(context.hosts), loops), params.rounds)
    destination, sizes = (context.random(what, params.seed) for what in ("destination", "size"))
    if repeats:
        dst = np.tile(context.draw_partners(loops, destination).ravel(), params.rounds)
        size = np.tile(params.sizes.draw(chains, sizes), params.rounds)
    else:
        dst, size = context.draw_others(src, destination), params.sizes.draw(count, sizes)
    later = np.arange(chains, count)
    start = np.where(np.arange(count) < chains, 0, params.pause)
    apart = chains * params.warm_up
    stage = np.repeat(params.stages, [apart, count - apart]) if apart else None
    before = later - chains
    if volume:
        more = np.maximum(-(-volume // size[:chains]) - params.rounds, 0)
        context.check_flows(count + int(more.sum()))
        loop = np.repeat(np.arange(chains), more)
        added = count + np.arange(len(loop))
        first = np.diff(loop, prepend=-1) > 0
        src, dst, size = (np.concatenate([values, values[loop]]) for values in (src, dst, size))
        start = np.concatenate([start, np.full(len(loop), params.pause)])
        stage = np.concatenate([np.repeat(params.stages, [apart, count - apart]), np.full(len(loop), "more")])
        later, before = (
            np.concatenate([later, added]),
            np.concatenate([before, np.where(first, count - chains + loop, added - 1)]),
        )
    # The host that sends a flow sends the next.
    return context.workload(src, dst, size, start, after=(later, before), acknowledged=True, stage=stage)
