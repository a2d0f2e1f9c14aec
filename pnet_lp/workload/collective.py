"""Collective operations as messages between ranks, each of which waits for the data that it passes on.

Everything is in ranks and messages here; hosts come last.  No message waits for one with a higher number, and a rank
sends its messages one after the other: the next one when the one before has arrived.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from pydantic import Field

from pnet_lp.errors import WorkloadError
from pnet_lp.model.brief import brief
from pnet_lp.model.workload import LongArray, Workload
from pnet_lp.quantities import Bytes, Duration
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WorkloadContext, WorkloadParams


class CollectiveParams(WorkloadParams):
    """Parameters of every collective operation."""

    size: Bytes = Field(description="bytes of each rank's whole buffer")
    hosts: str = Field(
        "all", description="indices of the hosts that take part, in the order of their ranks: all, or as in 0-7+12"
    )
    ranks: int | None = Field(None, ge=2, description="how many of these hosts take part; default: all")
    placement: Literal["in-order", "random"] = Field(
        "in-order", description="whether ranks are hosts as listed, or drawn from them"
    )
    rounds: int = Field(1, ge=1, le=10**9, description="operations, one after the other")
    pause: Duration = Field(0, description="time from a rank's end of one operation to its start of the next")
    seed: OwnSeed = None


class ChunkedParams(CollectiveParams):
    """Parameters of an operation that can be pipelined."""

    chunks: int = Field(1, ge=1, le=10**6, description="pieces in which each message is sent on, one after the other")


@brief()
@dataclass(frozen=True)
class Messages:
    """The messages of one operation between ``ranks`` ranks.

    Attributes:
        ranks: number of ranks.
        src, dst: int64 ``[m]``, ranks.
        size: int64 ``[m]``, bytes.
        waits: int64 ``[w]`` twice, messages and what each waits for, an earlier one.
    """

    ranks: int
    src: LongArray
    dst: LongArray
    size: LongArray
    waits: tuple[LongArray, LongArray]

    def then(self, other: Messages, child: LongArray, parent: LongArray) -> Self:
        """Return these messages and then ``other``, whose messages ``child`` wait for ``parent`` of these."""
        first = len(self.src)
        children, parents = zip(self.waits, other.waits, strict=True)
        return replace(
            self,
            src=np.concatenate([self.src, other.src]),
            dst=np.concatenate([self.dst, other.dst]),
            size=np.concatenate([self.size, other.size]),
            waits=(
                np.concatenate([children[0], children[1] + first, child + first]),
                np.concatenate([parents[0], parents[1] + first, parent]),
            ),
        )


def blocks(size: int, count: int, where: str) -> LongArray:
    """Return the ``count + 1`` bounds of blocks of ``size`` bytes that differ by a byte at most.

    Raises:
        WorkloadError: fewer bytes than blocks.
    """
    if size < count:
        raise WorkloadError(
            f"a buffer is sent in {count:,} pieces", where=f"{where}: size", found=size, allowed=f"{count} or more"
        )
    return np.array([i * size // count for i in range(count + 1)], dtype=np.int64)


def ring(ranks: int, first: int, steps: int, bounds: LongArray) -> Messages:
    """Return ``steps`` steps around a ring: in step s, rank i sends block ``i - first - s`` to rank ``i + 1``.

    Args:
        ranks: number of ranks.
        first: how far behind its own block a rank begins.
        steps: number of steps.
        bounds: of the pieces of all blocks, one block after the other; messages are pieces.
    """
    chunks = (len(bounds) - 1) // ranks
    step, chunk, rank = np.unravel_index(np.arange(steps * chunks * ranks), (steps, chunks, ranks))
    piece = (rank - first - step) % ranks * chunks + chunk
    message = np.arange(len(rank))
    later, inner = message[ranks:], message[chunks * ranks :]
    # The last one sent; and that by which the piece came, a step ago from the rank before.
    came = inner - chunks * ranks - rank[inner] + (rank[inner] - 1) % ranks
    waits = np.concatenate([later, inner]), np.concatenate([later - ranks, came])
    return Messages(ranks, rank, (rank + 1) % ranks, np.diff(bounds)[piece], waits)


def exchanges(ranks: int, distances: list[int], bounds: LongArray, *, gathers: bool) -> Messages:
    """Return steps in which every rank exchanges blocks with the rank whose number differs in one bit.

    Args:
        ranks: number of ranks, a power of two.
        distances: the bit of each step.
        bounds: of the blocks, one for each rank.
        gathers: whether ranks send all blocks that they have, or those that their partner's half is to have.
    """
    rank = np.arange(ranks)
    partners = [rank ^ distance for distance in distances]
    owners = [
        (rank if gathers else partner) // distance * distance
        for distance, partner in zip(distances, partners, strict=True)
    ]
    sizes = [bounds[owner + distance] - bounds[owner] for distance, owner in zip(distances, owners, strict=True)]
    steps = np.arange(len(distances))[1:, None] * ranks
    child = steps + rank
    # What a rank sent itself, and what came from its partner, one step before.
    came = steps - ranks + np.array(partners[:-1]).reshape(-1, ranks)
    waits = np.tile(child.ravel(), 2), np.concatenate([(child - ranks).ravel(), came.ravel()])
    return Messages(ranks, np.tile(rank, len(distances)), np.concatenate(partners), np.concatenate(sizes), waits)


def bits(ranks: int, where: str) -> list[int]:
    """Return 1, 2, 4, ... below ``ranks``; raise WorkloadError unless that is a power of two."""
    if ranks & (ranks - 1):
        raise WorkloadError(
            "ranks are paired by the bits of their numbers",
            where=f"{where}: algorithm",
            found=f"{ranks} ranks",
            allowed="2, 4, 8, 16, ... ranks",
        )
    return [1 << bit for bit in range(ranks.bit_length() - 1)]


def last_of_ranks(messages: Messages) -> tuple[LongArray, LongArray]:
    """Return for each rank the last message that it sends, and the last that comes to it; 0 where there is none."""
    number = np.arange(len(messages.src))
    sent, came = np.zeros(messages.ranks, dtype=np.int64), np.zeros(messages.ranks, dtype=np.int64)
    np.maximum.at(sent, messages.src, number)
    np.maximum.at(came, messages.dst, number)
    return sent, came


def chosen_hosts(params: CollectiveParams, context: WorkloadContext) -> LongArray:
    """Return the host of each rank.

    Raises:
        WorkloadError: not a list of different hosts of the network, fewer than two of them, or fewer than ranks.
    """
    where, allowed = f"{context.label}: hosts", f"all, or indices from 0 to {context.hosts - 1} as in 0-7+12"
    if params.hosts == "all":
        hosts = np.arange(context.hosts)
    else:
        ranges = []
        for part in params.hosts.split("+"):
            low, dash, high = part.partition("-")
            if not (part.isascii() and low.isdecimal() and (high.isdecimal() or not dash)) or len(part) > 20:
                raise WorkloadError("not a list of hosts", where=where, found=params.hosts, allowed=allowed)
            begin, end = int(low), int(high or low)
            if not begin <= end < context.hosts:
                raise WorkloadError("no such hosts", where=where, found=part, allowed=allowed)
            ranges.append(np.arange(begin, end + 1))
        hosts = np.concatenate(ranges)
        if len(np.unique(hosts)) < len(hosts):
            raise WorkloadError("a host is named twice", where=where, found=params.hosts)
    if len(hosts) < (needed := params.ranks or 2):
        raise WorkloadError(f"{needed} ranks need as many hosts", where=where, found=f"{len(hosts)} hosts")
    if params.placement == "random":
        hosts = context.random("placement", params.seed).permutation(hosts)
    return hosts[: params.ranks]


def operations(messages: Messages, hosts: LongArray, params: CollectiveParams, context: WorkloadContext) -> Workload:
    """Return the workload of ``params.rounds`` times ``messages``, each time being one task.

    A rank begins the next operation when the last message that it sent and the last that came to it have arrived, and a
    pause has passed.  The first message from one host to another opens the connection that all others use.
    """
    count, rounds = len(messages.src), params.rounds
    context.check_flows(count * rounds, waits=(len(messages.waits[0]) + 2 * count) * rounds)
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
    connects[0, np.unique(src * context.hosts + dst, return_index=True)[1]] = True
    return context.workload(
        np.tile(src, rounds),
        np.tile(dst, rounds),
        np.tile(messages.size, rounds),
        start.ravel(),
        after=(np.concatenate([part.ravel() for part in child]), np.concatenate([part.ravel() for part in parent])),
        connects=connects.ravel(),
        task=np.repeat(np.arange(rounds), count),
    )
