"""A MapReduce job: mappers read blocks, shuffle to reducers, and these write blocks."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from pnet_lp.errors import WorkloadError
from pnet_lp.model.workload import LongArray, Workload
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WORKLOADS, Bytes, WorkloadContext, WorkloadParams


class HadoopParams(WorkloadParams):
    """Parameters of ``hadoop``."""

    stages: ClassVar[tuple[str, ...]] = ("read", "shuffle", "write")

    data: Bytes = Field(100 * 10**9, description="bytes that are read, shuffled and written, all workers together")
    mappers: int = Field(32, ge=1, description="hosts that read and shuffle, drawn at random")
    reducers: int = Field(32, ge=1, description="hosts that are shuffled to and write; others than mappers")
    block: Bytes = Field(128 * 10**6, description="bytes of a block that is read or written; the last may be smaller")
    parallel: int = Field(
        4,
        ge=1,
        description="blocks that a worker reads or writes at a time: block b begins when block b - parallel is done",
    )
    barrier: bool = Field(
        True,
        description="whether a stage begins when the one before is done everywhere, or when the worker's data is there",
    )
    seed: OwnSeed = None


@WORKLOADS.register(
    "hadoop",
    params=HadoopParams,
    example="mappers=4,reducers=4,data=1MB,block=10kB",
    summary="a MapReduce job in three stages: read blocks, shuffle, write blocks",
    source="P-Net, section 5.2.2 (figure 12); Dean, Ghemawat: MapReduce: Simplified Data Processing on Large "
    "Clusters, OSDI 2004",
)
def hadoop(params: HadoopParams, context: WorkloadContext) -> Workload:
    """Return the flows of one job; a task is what one worker does in one stage.

    The tasks are those of the mappers' reads, of the mappers' shuffles, and of the reducers' writes, in this order.
    Blocks come from, and go to, a random host of another rack; a rack is the hosts of one switch of the first plane.

    Raises:
        WorkloadError: more workers than hosts; all hosts in one rack; fewer bytes than flows of the shuffle.
    """
    workers, pairs = params.mappers + params.reducers, params.mappers * params.reducers
    if workers > context.hosts:
        raise WorkloadError(
            "mappers and reducers are different hosts",
            where=context.label,
            found=f"{params.mappers} + {params.reducers}",
            allowed=f"up to {context.hosts} together",
        )
    if params.data < pairs:
        raise WorkloadError(
            f"each of {pairs:,} flows of the shuffle has at least a byte",
            where=f"{context.label}: data",
            found=params.data,
        )
    stages = pairs * (params.reducers if params.barrier else 2) + pairs * (params.mappers if params.barrier else 2)
    context.check_flows(2 * (params.data // params.block + workers) + pairs, waits=params.parallel * stages)
    hosts = context.random("worker", params.seed).permutation(context.hosts)[:workers]
    mapper, reducer = hosts[: params.mappers], hosts[params.mappers :]
    part = np.diff([i * params.data // pairs for i in range(pairs + 1)]).reshape(params.mappers, params.reducers)

    reads = _Blocks(part.sum(axis=1), params)
    writes = _Blocks(part.sum(axis=0), params)
    remote = _remote(context, np.concatenate([mapper[reads.worker], reducer[writes.worker]]), params.seed)
    shuffle, write = len(reads.size), len(reads.size) + pairs  # where these stages begin
    by_mapper, by_reducer = np.unravel_index(np.arange(pairs), part.shape)

    read_ends, write_begins = np.flatnonzero(reads.last), np.flatnonzero(writes.first)
    # With a barrier all wait for all, as if there were one worker.
    own = 0 if params.barrier else 1
    shuffled, read = _alike(own * by_mapper, own * reads.worker[read_ends])
    written, sent = _alike(own * writes.worker[write_begins], own * by_reducer)
    read_later, write_later = np.flatnonzero(~reads.first), np.flatnonzero(~writes.first)
    return context.workload(
        np.concatenate([remote[:shuffle], mapper[by_mapper], reducer[writes.worker]]),
        np.concatenate([mapper[reads.worker], reducer[by_reducer], remote[shuffle:]]),
        np.concatenate([reads.size, part.ravel(), writes.size]),
        after=(
            np.concatenate([read_later, shuffle + shuffled, write + write_begins[written], write + write_later]),
            np.concatenate(
                [read_later - params.parallel, read_ends[read], shuffle + sent, write + write_later - params.parallel]
            ),
        ),
        task=np.concatenate([reads.worker, params.mappers + by_mapper, 2 * params.mappers + writes.worker]),
        stage=np.repeat(params.stages, [len(reads.size), pairs, len(writes.size)]),
    )


class _Blocks:
    """The blocks in which workers read or write so many bytes each, worker after worker.

    Attributes:
        worker, size: of each block.
        first, last: whether it waits for no other block, and whether no other waits for it.
    """

    def __init__(self, bytes_of_worker: LongArray, params: HadoopParams) -> None:
        counts = -(-bytes_of_worker // params.block)
        self.worker = np.repeat(np.arange(len(counts)), counts)
        number = np.arange(len(self.worker)) - np.repeat(np.cumsum(counts) - counts, counts)
        self.size = np.minimum(params.block, bytes_of_worker[self.worker] - number * params.block)
        self.first = number < params.parallel
        self.last = number >= counts[self.worker] - params.parallel


def _alike(left: LongArray, right: LongArray) -> tuple[LongArray, LongArray]:
    """Return the places of all pairs of an entry of ``left`` and an equal one of ``right``."""
    order = np.argsort(right, kind="stable")
    low, high = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(left)), counts), order[np.repeat(low, counts) + within]


def _remote(context: WorkloadContext, hosts: LongArray, seed: int | None) -> LongArray:
    """Return for each of ``hosts`` a random one of another rack."""
    switch = context.network.planes[0].host_switch.astype(np.int64)
    rack = np.where(switch < 0, -1 - np.arange(context.hosts), switch)
    order = np.argsort(rack, kind="stable")
    ordered = rack[order]
    begin, end = (np.searchsorted(ordered, rack[hosts], side=side) for side in ("left", "right"))
    away = context.hosts - (end - begin)
    if not away.all():
        raise WorkloadError("all hosts are in one rack, and blocks are in others", where=context.label)
    drawn = context.random("block", seed).integers(0, away)
    return np.asarray(order[drawn + np.where(drawn >= begin, end - begin, 0)], dtype=np.int64)
