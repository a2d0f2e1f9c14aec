"""Collective operations as flows: which hosts are the ranks of an algorithm, and how operations follow each other."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.collectives import AlgorithmOf, Operation, last_of_ranks, messages_of
from pnet_lp.errors import SpecError, WorkloadError, naming
from pnet_lp.groups import Placement, placed
from pnet_lp.model.workload import LongArray, Workload
from pnet_lp.quantities import Bytes, Duration
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WorkloadContext, WorkloadParams

ALGORITHM = "one of `pnet-lp list collectives` that does this"
"""Of the parameter ``algorithm``."""

HOSTS = "indices of the hosts that take part, in the order of their ranks: all, or as in 0-7+12"
PLACEMENT = "whether ranks are hosts as listed, drawn from them, or in the order of rails: index 0 of all servers first"
"""Of the parameters ``hosts`` and ``placement``."""


class CollectiveParams(WorkloadParams):
    """Parameters of every collective operation."""

    operation: ClassVar[Operation]
    algorithm: AlgorithmOf = Field(description=ALGORITHM)
    size: Bytes = Field(description="bytes of each rank's whole buffer")
    hosts: str = Field("all", description=HOSTS)
    ranks: int | None = Field(None, ge=2, description="how many of these hosts take part; default: all")
    placement: Placement = Field("in-order", description=PLACEMENT)
    rounds: int = Field(1, ge=1, le=10**9, description="operations, one after the other")
    pause: Duration = Field(0, description="time from a rank's end of one operation to its start of the next")
    seed: OwnSeed = None

    @property
    def pieces(self) -> int:
        """In how many each message is sent on."""
        return 1

    @model_validator(mode="after")
    def _check_algorithm(self) -> Self:
        self.algorithm.check(self.operation, self.pieces)
        return self


class ChunkedParams(CollectiveParams):
    """Parameters of an operation that can be pipelined."""

    algorithm: AlgorithmOf = Field("ring", validate_default=True, description=f"{ALGORITHM}: ring, two-level:local=8")
    chunks: int = Field(1, ge=1, le=10**6, description="pieces in which each message is sent on, one after the other")

    @property
    def pieces(self) -> int:
        """See the base class."""
        return self.chunks


def chosen_hosts(
    context: WorkloadContext, chosen: str, placement: Placement, seed: int | None, ranks: int | None = None
) -> LongArray:
    """Return the host of each rank.

    Args:
        context: of the workload.
        chosen: the parameter ``hosts``.
        placement: the parameter ``placement``.
        seed: the workload's own seed.
        ranks: how many take part; default: all of them.

    Raises:
        SpecError: there are no rails.
        WorkloadError: not a list of different hosts of the network, fewer than two of them, or fewer than ranks.
    """
    where, allowed = f"{context.label}: hosts", f"all, or indices from 0 to {context.hosts - 1} as in 0-7+12"
    if chosen == "all":
        hosts = np.arange(context.hosts)
    else:
        ranges = []
        for part in chosen.split("+"):
            low, dash, high = part.partition("-")
            if not (part.isascii() and low.isdecimal() and (high.isdecimal() or not dash)) or len(part) > 20:
                raise WorkloadError("not a list of hosts", where=where, found=chosen, allowed=allowed)
            begin, end = int(low), int(high or low)
            if not begin <= end < context.hosts:
                raise WorkloadError("no such hosts", where=where, found=part, allowed=allowed)
            ranges.append(np.arange(begin, end + 1))
        hosts = np.concatenate(ranges)
        if len(np.unique(hosts)) < len(hosts):
            raise WorkloadError("a host is named twice", where=where, found=chosen)
    if len(hosts) < (needed := ranks or 2):
        raise WorkloadError(f"{needed} ranks need as many hosts", where=where, found=f"{len(hosts)} hosts")
    with naming(context.label, SpecError):
        return placed(hosts, placement, context.server_size, lambda: context.random("placement", seed))[:ranks]


def operations(params: CollectiveParams, context: WorkloadContext, *, at_once: bool = False) -> Workload:
    """Return the workload of ``params.rounds`` operations, each being one task.

    A rank begins the next operation when the last message that it sent and the last that came to it have arrived, and a
    pause has passed.  The first message from one host to another opens the connection that all others use.

    Args:
        params: which operation, between which hosts.
        context: of the workload.
        at_once: whether ranks send all messages from the start.

    Raises:
        SpecError: a buffer of fewer bytes than pieces; ranks that do not fit the algorithm; data that is passed on and
            cannot be sent from the start.
        WorkloadError: no such hosts; too many messages.
    """
    hosts = chosen_hosts(context, params.hosts, params.placement, params.seed, params.ranks)
    rounds = params.rounds
    with naming(context.label, SpecError):
        schedule = params.algorithm.schedule(params.operation, len(hosts))
        count = schedule.message_count * params.pieces
        context.check_flows(count * rounds, waits=4 * count * rounds)
        if at_once:
            schedule = schedule.at_once()
        messages = messages_of(schedule, params.size, params.pieces)
    free = np.flatnonzero(np.bincount(messages.waits[0], minlength=count) == 0)
    sent, came = (last[messages.src[free]] for last in last_of_ranks(messages))
    before = np.arange(rounds)[:, None] * count
    later = before[1:]
    child = [before + messages.waits[0], later + free, later + free]
    parent = [before + messages.waits[1], later - count + sent, later - count + came]
    start = np.zeros((rounds, count), dtype=np.int64)
    start[1:, free] = params.pause
    src, dst = hosts[messages.src], hosts[messages.dst]
    connects = np.zeros((rounds, count), dtype=bool)
    connects[0] = messages.connects
    return context.workload(
        np.tile(src, rounds),
        np.tile(dst, rounds),
        np.tile(messages.size, rounds),
        start.ravel(),
        after=(np.concatenate([part.ravel() for part in child]), np.concatenate([part.ravel() for part in parent])),
        connects=connects.ravel(),
        task=np.repeat(np.arange(rounds), count),
    )
