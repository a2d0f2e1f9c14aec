"""A MapReduce job: mappers read blocks, shuffle to reducers, and these write blocks."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field

from pnet_lp.errors import WorkloadError
from pnet_lp.model.workload import LongArray, Workload
from pnet_lp.quantities import Bytes
from pnet_lp.seeds import OwnSeed
from pnet_lp.workload.base import WORKLOADS, WorkloadContext, WorkloadParams

_Stage: TypeAlias = Literal["read", "shuffle", "write"]


class HadoopParams(WorkloadParams):
    """Parameters of ``hadoop``."""

    stages: ClassVar[tuple[_Stage, ...]] = ("read", "shuffle", "write")

    data: Bytes = Field(100 * 10**9, description="bytes that are read, shuffled and written, all workers together")
    mappers: int = Field(32, ge=1, description="hosts that read and shuffle")
    reducers: int = Field(32, ge=1, description="hosts that are shuffled to and write")
    block: Bytes = Field(128 * 10**6, description="bytes of a block that is read or written; the last may be smaller")
    parallel: int = Field(4, ge=1, description="flows of a worker at a time where it has several in turn")
    turns: Literal["fixed", "free"] = Field(
        "fixed",
        description="fixed: flow f of a worker begins when its flow f - parallel is done; free: when any of those "
        "under way is",
    )
    shuffle: Literal["at-once", "in-turn"] = Field(
        "at-once",
        description="whether a mapper sends to all reducers at once, or in turn, all mappers in the same order",
    )
    workers: Literal["apart", "packed"] = Field(
        "apart",
        description="apart: mappers and reducers are different hosts, drawn at random; packed: either are neighbouring "
        "hosts from a random rack on, and both may be the same",
    )
    blocks: Literal["drawn", "hashed"] = Field(
        "drawn",
        description="drawn: a block comes from, or goes to, a random host of another rack; hashed: its number and a "
        "random one give rack and host, and blocks are dealt to workers at random",
    )
    barrier: bool = Field(
        True,
        description="whether a stage begins when the one before is done everywhere, or when the worker's data is there",
    )
    stage: Literal["all", "read", "shuffle", "write"] = Field(
        "all", description="all stages, or one of them, which begins at 0"
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

    The tasks are those of the mappers' reads, of the mappers' shuffles, and of the reducers' writes, in this order.  A
    rack is the hosts of one switch of the first plane.  What a host would send to itself is left out.

    Raises:
        WorkloadError: more workers than hosts; all hosts in one rack; fewer bytes than flows of the shuffle; no flows.
    """
    pairs = params.mappers * params.reducers
    if params.data < pairs:
        raise WorkloadError(
            f"each of {pairs:,} flows of the shuffle has at least a byte",
            where=f"{context.label}: data",
            found=params.data,
        )
    between = pairs * (params.reducers if params.barrier else 2) + pairs * (params.mappers if params.barrier else 2)
    workers = params.mappers + params.reducers
    blocks = params.data // params.block + workers
    free = params.turns == "free"
    waits = params.parallel * between
    if free:
        waits += blocks * (blocks // min(params.mappers, params.reducers) + params.mappers * params.parallel)
        waits += pairs * (params.reducers if params.shuffle == "in-turn" else 0)
    context.check_flows(2 * blocks + pairs, waits=waits)
    racks = _Racks(context)
    mapper, reducer = _workers(params, context, racks)
    part = np.diff([i * params.data // pairs for i in range(pairs + 1)]).reshape(params.mappers, params.reducers)
    by_mapper, by_reducer = np.unravel_index(np.arange(pairs), part.shape)
    width = pairs if params.shuffle == "at-once" else params.parallel
    read, write = _blocks(params, context, racks, (mapper, reducer), (part.sum(axis=1), part.sum(axis=0)))
    stages = {
        "read": _Turns(read.worker, read.host, mapper[read.worker], read.size, params.parallel, free),
        "shuffle": _Turns(by_mapper, mapper[by_mapper], reducer[by_reducer], part.ravel(), width, free),
        "write": _Turns(write.worker, reducer[write.worker], write.host, write.size, params.parallel, free),
    }
    first_task = dict(zip(params.stages, np.cumsum([0, params.mappers, params.mappers]).tolist(), strict=True))
    chosen = {name: one for name, one in stages.items() if params.stage in ("all", name)}
    begin = dict(zip(chosen, np.cumsum([0, *(len(one.size) for one in chosen.values())]).tolist(), strict=False))
    after = [(begin[name] + one.later, begin[name] + one.before) for name, one in chosen.items()]
    if params.stage == "all":
        # With a barrier all wait for all, as if there were one worker.
        own = 0 if params.barrier else 1
        reads, shuffles, writes = stages.values()
        ends, starts = np.flatnonzero(reads.last), np.flatnonzero(shuffles.first)
        child, parent = _alike(own * shuffles.worker[starts], own * reads.worker[ends])
        after.append((begin["shuffle"] + starts[child], ends[parent]))
        starts = np.flatnonzero(writes.first)
        to = by_reducer[shuffles.kept]
        child, parent = _alike(own * writes.worker[starts], own * to)
        after.append((begin["write"] + starts[child], begin["shuffle"] + parent))
    src, dst, size = (np.concatenate([getattr(one, key) for one in chosen.values()]) for key in ("src", "dst", "size"))
    child, parent = (np.concatenate(ends) for ends in zip(*after, strict=True))
    enough = np.bincount(child, minlength=len(src))
    if free:
        for name, one in chosen.items():
            enough[begin[name] + np.flatnonzero(~one.first)] -= one.width - 1
    task = np.concatenate([first_task[name] + one.worker for name, one in chosen.items()])
    return context.workload(
        src,
        dst,
        size,
        after=(child, parent),
        enough=enough,
        task=np.unique(task, return_inverse=True)[1],
        stage=np.repeat(list(chosen), [len(one.size) for one in chosen.values()]),
    )


class _Turns:
    """The flows that workers have in turn, worker after worker; those from a host to itself are left out.

    Attributes:
        kept: places of the flows among those given.
        worker, src, dst, size: of each flow.
        width: flows of a worker at a time.
        first, last: whether it waits for no other of its worker; whether what comes after all of them waits for it.
        later, before: places of flows and of those that they wait for: of the one ``width`` before, or where turns are
            free of all before, of which all but ``width - 1`` are enough.
    """

    def __init__(
        self, worker: LongArray, src: LongArray, dst: LongArray, size: LongArray, width: int, free: bool
    ) -> None:
        self.kept = np.flatnonzero(src != dst)
        self.worker, self.src, self.dst, self.size = (values[self.kept] for values in (worker, src, dst, size))
        self.width = width
        counts = np.bincount(self.worker, minlength=1)
        number = np.arange(len(self.worker)) - np.repeat(np.cumsum(counts) - counts, counts)
        self.first = number < width
        later = np.flatnonzero(~self.first)
        if free:
            many = number[later]
            self.later = np.repeat(later, many)
            self.before = self.later - 1 - (np.arange(len(self.later)) - np.repeat(np.cumsum(many) - many, many))
        else:
            self.later, self.before = later, later - width
        self.last = (number >= counts[self.worker] - width) | free


class _Racks:
    """The hosts by rack.

    Attributes:
        rack: the rack of each host; hosts of none have one of their own.
        order: hosts, rack after rack.
        begin: where each rack begins among these, and where the last one ends.
    """

    def __init__(self, context: WorkloadContext) -> None:
        switch = context.network.planes[0].host_switch.astype(np.int64)
        self.rack = np.unique(np.where(switch < 0, -1 - np.arange(context.hosts), switch), return_inverse=True)[1]
        self.order = np.argsort(self.rack, kind="stable")
        self.begin = np.concatenate([[0], np.cumsum(np.bincount(self.rack))])


def _workers(params: HadoopParams, context: WorkloadContext, racks: _Racks) -> tuple[LongArray, LongArray]:
    """Return the hosts of mappers and of reducers."""
    counts = (params.mappers, params.reducers)
    random = context.random("worker", params.seed)
    if params.workers == "packed":
        if max(counts) > context.hosts:
            raise WorkloadError(
                "mappers are different hosts, and so are reducers",
                where=context.label,
                found=f"{params.mappers}, {params.reducers}",
                allowed=f"up to {context.hosts} each",
            )
        begin = racks.begin[random.integers(len(racks.begin) - 1, size=2)]
        mapper, reducer = (
            racks.order[(at + np.arange(count)) % context.hosts] for at, count in zip(begin, counts, strict=True)
        )
        return mapper, reducer
    if sum(counts) > context.hosts:
        raise WorkloadError(
            "mappers and reducers are different hosts",
            where=context.label,
            found=f"{params.mappers} + {params.reducers}",
            allowed=f"up to {context.hosts} together",
        )
    hosts = random.permutation(context.hosts)[: sum(counts)]
    return hosts[: params.mappers], hosts[params.mappers :]


class _Blocks(NamedTuple):
    """Blocks, worker after worker: its number, the size, and the host that a block comes from or goes to."""

    worker: LongArray
    size: LongArray
    host: LongArray


def _blocks(
    params: HadoopParams,
    context: WorkloadContext,
    racks: _Racks,
    workers: tuple[LongArray, LongArray],
    bytes_of: tuple[LongArray, LongArray],
) -> tuple[_Blocks, _Blocks]:
    """Return the blocks that mappers read and that reducers write, by the hosts of either and what each has."""
    random = context.random("block", params.seed)
    if params.blocks == "hashed":
        read, write = (_hashed(params, racks, len(hosts), random) for hosts in workers)
        return read, write
    cut = [_cut(one, params.block) for one in bytes_of]
    hosts = np.concatenate([own[worker] for own, (worker, _) in zip(workers, cut, strict=True)])
    remote = np.split(_remote(context, racks, hosts, random), [len(cut[0][0])])
    read, write = (_Blocks(*one, host) for one, host in zip(cut, remote, strict=True))
    return read, write


def _cut(bytes_of_worker: LongArray, block: int) -> tuple[LongArray, LongArray]:
    """Return worker and size of the blocks in which workers read or write so many bytes each."""
    counts = -(-bytes_of_worker // block)
    worker = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(worker)) - np.repeat(np.cumsum(counts) - counts, counts)
    return worker, np.minimum(block, bytes_of_worker[worker] - number * block)


def _hashed(params: HadoopParams, racks: _Racks, workers: int, random: np.random.Generator) -> _Blocks:
    """Return all blocks of a file, dealt evenly at random; the first rack has the first replicas and none of these."""
    count = -(-params.data // params.block)
    others = len(racks.begin) - 2
    mixed = np.arange(count) ^ int(random.integers(2**31))
    rack = 1 + mixed % others if others > 0 else np.zeros(count, dtype=np.int64)
    begin, end = racks.begin[rack], racks.begin[rack + 1]
    host = racks.order[begin + (mixed ^ 1) % (end - begin)]
    size = np.minimum(params.block, params.data - np.arange(count) * params.block)
    dealt = random.permutation(count)
    worker = np.repeat(np.arange(workers), count // workers + (np.arange(workers) < count % workers))
    return _Blocks(worker, size[dealt], host[dealt])


def _alike(left: LongArray, right: LongArray) -> tuple[LongArray, LongArray]:
    """Return the places of all pairs of an entry of ``left`` and an equal one of ``right``."""
    order = np.argsort(right, kind="stable")
    low, high = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(left)), counts), order[np.repeat(low, counts) + within]


def _remote(context: WorkloadContext, racks: _Racks, hosts: LongArray, random: np.random.Generator) -> LongArray:
    """Return for each of ``hosts`` a random one of another rack."""
    begin, end = (racks.begin[racks.rack[hosts] + ends] for ends in (0, 1))
    away = context.hosts - (end - begin)
    if not away.all():
        raise WorkloadError("all hosts are in one rack, and blocks are in others", where=context.label)
    drawn = random.integers(0, away)
    return np.asarray(racks.order[drawn + np.where(drawn >= begin, end - begin, 0)], dtype=np.int64)
