"""The two halves of an all-reduce: sums that end at one rank each, and blocks that go to all."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from pnet_lp.model.workload import Workload
from pnet_lp.workload.base import WORKLOADS, WorkloadContext
from pnet_lp.workload.collective import ChunkedParams, bits, blocks, chosen_hosts, exchanges, operations, ring

_SOURCE = "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 2005"


class HalfParams(ChunkedParams):
    """Parameters of ``all-gather`` and ``reduce-scatter``."""

    algorithm: Literal["ring", "recursive"] = Field(
        "ring", description="ring: around; recursive: between ranks that differ in one bit"
    )

    @model_validator(mode="after")
    def _check_chunks(self) -> Self:
        if self.algorithm == "recursive" and self.chunks > 1:
            raise ValueError("recursive exchanges whole blocks, so that chunks have no meaning")
        return self


@WORKLOADS.register(
    "all-gather",
    params=HalfParams,
    example="size=1kB,placement=random",
    summary="every rank gets the blocks of all ranks",
    source=_SOURCE,
)
def all_gather(params: HalfParams, context: WorkloadContext) -> Workload:
    """Return ``rounds`` tasks in which every rank sends on its part of a buffer of ``size`` bytes."""
    return _half(params, context, gathers=True)


@WORKLOADS.register(
    "reduce-scatter",
    params=HalfParams,
    example="size=1kB,placement=random",
    summary="every rank gets one block of the sum of all ranks' buffers",
    source=_SOURCE,
)
def reduce_scatter(params: HalfParams, context: WorkloadContext) -> Workload:
    """Return ``rounds`` tasks after which every rank has its part of the sum of buffers of ``size`` bytes."""
    return _half(params, context, gathers=False)


def _half(params: HalfParams, context: WorkloadContext, *, gathers: bool) -> Workload:
    hosts = chosen_hosts(params, context)
    ranks = len(hosts)
    per_round = (ranks - 1) * ranks * params.chunks
    context.check_flows(per_round * params.rounds, waits=2 * per_round * params.rounds)
    if params.algorithm == "ring":
        bounds = blocks(params.size, ranks * params.chunks, context.label)
        # Whoever gathers begins with its own block; the sum of a rank's own block comes to it last.
        messages = ring(ranks, 0 if gathers else 1, ranks - 1, bounds)
    else:
        distances = bits(ranks, context.label)
        bounds = blocks(params.size, ranks, context.label)
        messages = exchanges(ranks, distances if gathers else distances[::-1], bounds, gathers=gathers)
    return operations(messages, hosts, params, context)
