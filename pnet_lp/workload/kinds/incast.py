"""Many hosts answer one at the same time."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.errors import WorkloadError
from pnet_lp.model.workload import Workload
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WORKLOADS, SizesOf, WorkloadContext, WorkloadParams


class IncastParams(WorkloadParams):
    """Parameters of ``incast``."""

    senders: int = Field(ge=1, description="number of hosts that send, drawn at random")
    sizes: SizesOf
    to: int | None = Field(None, ge=0, description="index of the receiver; default: a random one")
    rounds: int = Field(1, ge=1, le=10**9, description="rounds, each of which starts when the one before has arrived")
    seed: OwnSeed = None


@WORKLOADS.register(
    "incast",
    params=IncastParams,
    example="senders=5,sizes=1MB,rounds=3",
    summary="a number of random hosts send to one at the same time",
)
def incast(params: IncastParams, context: WorkloadContext) -> Workload:
    """Return ``senders x rounds`` flows, those of a round being one task.

    Raises:
        WorkloadError: more senders than other hosts, or no host ``to``.
    """
    n = context.hosts
    for key, value, most in (("senders", params.senders, n - 1), ("to", params.to or 0, n - 1)):
        if value > most:
            raise WorkloadError(
                f"the network has {n} hosts", where=f"{context.label}: {key}", found=value, allowed=f"up to {most}"
            )
    count = params.senders * params.rounds
    context.check_flows(count, waits=params.senders * (count - params.senders))
    random = context.random("host", params.seed)
    to = int(random.integers(n)) if params.to is None else params.to
    others = random.permutation(n - 1)[: params.senders]
    task = np.repeat(np.arange(params.rounds), params.senders)
    # Everyone of a round waits for everyone of the one before.
    waits = np.repeat(np.arange(params.senders, count), params.senders)
    within = np.tile(np.arange(params.senders), count - params.senders)
    return context.workload(
        np.tile(others + (others >= to), params.rounds),
        np.full(count, to),
        params.sizes.draw(count, context.random("size", params.seed)),
        after=(waits, (task[waits] - 1) * params.senders + within),
        task=task,
    )
