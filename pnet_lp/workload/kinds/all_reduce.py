"""Every rank ends with the sum of all ranks' buffers."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.model.workload import LongArray, Workload
from pnet_lp.workload.base import WORKLOADS, WorkloadContext
from pnet_lp.workload.collective import (
    ChunkedParams,
    Messages,
    bits,
    blocks,
    chosen_hosts,
    exchanges,
    last_of_ranks,
    operations,
    ring,
)


class AllReduceParams(ChunkedParams):
    """Parameters of ``all-reduce``."""

    algorithm: Literal["ring", "tree", "halving-doubling"] = Field(
        "ring",
        description="ring: sums go around, then around again; tree: up a binary tree and down; halving-doubling: "
        "between ranks that differ in one bit; ranks beyond a power of two first give their buffers to neighbours",
    )

    @model_validator(mode="after")
    def _check_chunks(self) -> Self:
        if self.algorithm == "halving-doubling" and self.chunks > 1:
            raise ValueError("halving-doubling exchanges whole blocks, so that chunks have no meaning")
        return self


@WORKLOADS.register(
    "all-reduce",
    params=AllReduceParams,
    example="size=1kB,placement=random",
    summary="every rank gets the sum of all ranks' buffers",
    source="Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, "
    "JPDC 69(2), 2009 (ring); "
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 2005",
)
def all_reduce(params: AllReduceParams, context: WorkloadContext) -> Workload:
    """Return ``rounds`` tasks of messages by the algorithm.

    Raises:
        WorkloadError: no such hosts; a buffer of fewer bytes than pieces.
    """
    hosts = chosen_hosts(params, context)
    ranks, chunks, label = len(hosts), params.chunks, context.label
    wide = {"tree": (ranks - 1) * chunks, "ring": (ranks - 1) * chunks * ranks}
    per_round = 2 * wide.get(params.algorithm, ranks * ranks.bit_length())
    context.check_flows(per_round * params.rounds, waits=3 * per_round * params.rounds)
    if params.algorithm == "tree":
        messages = _tree(ranks, blocks(params.size, chunks, label))
    elif params.algorithm == "ring":
        # What comes last while sums are made is what a rank sends first when they are passed on.
        messages = ring(ranks, 0, 2 * (ranks - 1), blocks(params.size, ranks * chunks, label))
    else:
        messages = _halving_doubling(ranks, params.size, label)
    return operations(messages, hosts, params, context)


def _halving_doubling(ranks: int, size: int, label: str) -> Messages:
    """Return the messages between the largest power of two of ranks, and before and after them those of the others.

    Of the first ``2 r`` ranks, r being how many there are beyond that power, the even ones send their whole buffers to
    the odd ones, which take part with the sum, and send the result back.
    """
    power = 1 << (ranks.bit_length() - 1)
    distances, bounds = bits(power, label), blocks(size, power, label)
    halving = exchanges(power, distances[::-1], bounds, gathers=False)
    doubling = exchanges(power, distances, bounds, gathers=True)
    inner = halving.then(doubling, np.tile(np.arange(power), 2), np.concatenate(last_of_ranks(halving)))
    if not (extra := ranks - power):
        return inner
    number, none = np.arange(extra), np.empty(0, dtype=np.int64)
    even, odd, whole = 2 * number, 2 * number + 1, np.full(extra, size)
    # The first message of each rank that takes part has its number among these.
    active = np.concatenate([odd, np.arange(2 * extra, ranks)])
    inner = replace(inner, ranks=ranks, src=active[inner.src], dst=active[inner.dst])
    folded = Messages(ranks, even, odd, whole, (none, none)).then(inner, number, number)
    sent, came = last_of_ranks(folded)
    back = Messages(ranks, odd, even, whole, (none, none))
    return folded.then(back, np.tile(number, 2), np.concatenate([sent[odd], came[odd]]))


def _tree(ranks: int, bounds: LongArray) -> Messages:
    """Return the messages up and down a binary tree in which rank i is below rank ``(i - 1) // 2``.

    Chunk after chunk goes over each edge; a rank passes a chunk up when it has come from all below.
    """
    chunks, edges = len(bounds) - 1, ranks - 1
    piece, edge = (part.ravel() for part in np.indices((chunks, edges)))
    # Edge e is the one above rank e + 1.  Up, the lowest edges come first.
    up, down = (piece + 1) * edges - 1 - edge, (chunks + piece) * edges + edge
    low, high = edge + 1, edge // 2
    later, inner, top = piece > 0, edge > 1, edge < 2
    # On over an edge when it has come up over those below, or down over the one above; the root waits for both sides.
    above = high[inner] - edge[inner] - 1
    waits = [
        (up[later], up[later] - edges),
        (up[inner] - above, up[inner]),
        (down[later], down[later] - edges),
        (down[inner], down[inner] + above),
        *((down[top], (piece[top] + 1) * edges - 1 - child) for child in range(min(edges, 2))),
    ]
    child, parent = (np.concatenate(side) for side in zip(*waits, strict=True))
    order = np.argsort(up)
    src, dst = np.concatenate([low[order], high]), np.concatenate([high[order], low])
    return Messages(ranks, src, dst, np.tile(np.diff(bounds).repeat(edges), 2), (child, parent))
