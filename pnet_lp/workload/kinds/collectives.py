"""Collective operations: every rank gets a sum, a block of one, the blocks of all, or a block of each."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from pnet_lp.collectives import AlgorithmOf, Operation
from pnet_lp.collectives.base import GATHERING, REDUCING
from pnet_lp.model.workload import Workload
from pnet_lp.workload.base import WORKLOADS, WorkloadContext
from pnet_lp.workload.collective import ALGORITHM, ChunkedParams, CollectiveParams, operations

_EXAMPLE = "size=1kB,placement=random"


class AllReduceParams(ChunkedParams):
    """Parameters of ``all-reduce``."""

    operation: ClassVar[Operation] = "all-reduce"


class AllGatherParams(ChunkedParams):
    """Parameters of ``all-gather``."""

    operation: ClassVar[Operation] = "all-gather"


class ReduceScatterParams(ChunkedParams):
    """Parameters of ``reduce-scatter``."""

    operation: ClassVar[Operation] = "reduce-scatter"


class AllToAllParams(CollectiveParams):
    """Parameters of ``all-to-all``."""

    operation: ClassVar[Operation] = "all-to-all"
    algorithm: AlgorithmOf = Field(
        "pairwise", validate_default=True, description=f"{ALGORITHM}: pairwise, hierarchical:local=8"
    )
    order: Literal["rotating", "at-once"] = Field(
        "rotating",
        description="rotating: each rank sends to the next rank, then to the one after it, one at a time; at-once: to "
        "all from the start",
    )


@WORKLOADS.register(
    "all-reduce",
    params=AllReduceParams,
    example=_EXAMPLE,
    summary="every rank gets the sum of all ranks' buffers",
    source=REDUCING,
)
@WORKLOADS.register(
    "all-gather",
    params=AllGatherParams,
    example=_EXAMPLE,
    summary="every rank gets the blocks of all ranks",
    source=GATHERING,
)
@WORKLOADS.register(
    "reduce-scatter",
    params=ReduceScatterParams,
    example=_EXAMPLE,
    summary="every rank gets one block of the sum of all ranks' buffers",
    source=GATHERING,
)
def chunked(params: ChunkedParams, context: WorkloadContext) -> Workload:
    """Return ``rounds`` tasks of messages by the algorithm."""
    return operations(params, context)


@WORKLOADS.register(
    "all-to-all",
    params=AllToAllParams,
    example=_EXAMPLE,
    summary="every rank sends a part of its buffer to every other",
    source=GATHERING,
)
def all_to_all(params: AllToAllParams, context: WorkloadContext) -> Workload:
    """Return ``rounds`` tasks of messages by the algorithm."""
    return operations(params, context, at_once=params.order == "at-once")
