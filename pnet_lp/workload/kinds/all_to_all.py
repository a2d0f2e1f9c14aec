"""Every rank has a block for every other."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from pnet_lp.model.workload import Workload
from pnet_lp.workload.base import WORKLOADS, WorkloadContext
from pnet_lp.workload.collective import CollectiveParams, Messages, blocks, chosen_hosts, operations


class AllToAllParams(CollectiveParams):
    """Parameters of ``all-to-all``."""

    order: Literal["rotating", "at-once"] = Field(
        "rotating",
        description="rotating: each rank sends to the next rank, then to the one after it, one at a time; at-once: to "
        "all from the start",
    )


@WORKLOADS.register(
    "all-to-all",
    params=AllToAllParams,
    example="size=1kB,placement=random",
    summary="every rank sends a part of its buffer to every other",
    source="Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 2005",
)
def all_to_all(params: AllToAllParams, context: WorkloadContext) -> Workload:
    """Return ``rounds`` tasks of ``ranks x (ranks - 1)`` messages, a block of the buffer to each rank."""
    hosts = chosen_hosts(params, context)
    ranks = len(hosts)
    count = ranks * (ranks - 1)
    context.check_flows(count * params.rounds, waits=count * params.rounds)
    step, rank = np.unravel_index(np.arange(count), (ranks - 1, ranks))
    to = (rank + step + 1) % ranks
    size = np.diff(blocks(params.size, ranks, context.label))[to]
    later = np.arange(ranks, count) if params.order == "rotating" else np.empty(0, dtype=np.int64)
    messages = Messages(ranks, rank, to, size, (later, later - ranks))
    return operations(messages, hosts, params, context)
