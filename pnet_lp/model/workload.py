"""A workload: flows between hosts, each with a size and a start, some of which wait for others."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import WorkloadError
from pnet_lp.extras import frame
from pnet_lp.model.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    booleans,
    checked_array,
    fingerprint,
    floats,
    ints,
    longs,
)
from pnet_lp.model.brief import brief
from pnet_lp.model.waits import checked_enough, on_cycle

if TYPE_CHECKING:
    import pandas as pd

    from pnet_lp.model.network import Network

LongArray: TypeAlias = npt.NDArray[np.int64]

LONGEST_PS = 10**18
"""The latest start, in picoseconds: about eleven and a half days."""

LEAST_WEIGHT, MOST_WEIGHT = 1e-3, 1e3
"""What the weight of a flow may be."""


@dataclass(frozen=True)
class Offered:
    """How much flows that arrive at random offer to a network.

    Attributes:
        load: offered load as a fraction of the capacity.
        capacity_gbps: Gb/s.
        capacity: what that is, in words.
        mean_bytes: mean of the distribution of sizes.
    """

    load: float
    capacity_gbps: float
    capacity: str
    mean_bytes: float

    @property
    def flows_per_s(self) -> float:
        """How many flows arrive in a second, on average."""
        return self.load * self.capacity_gbps * 1e9 / 8 / self.mean_bytes

    def to_json(self) -> dict[str, float | str]:
        """Return it as a JSON object."""
        return {
            "load": self.load,
            "capacity_gbps": self.capacity_gbps,
            "capacity": self.capacity,
            "mean_bytes": self.mean_bytes,
            "flows_per_s": self.flows_per_s,
        }


@brief("label", "hosts", "flow_count", "total_bytes")
@dataclass(frozen=True, eq=False, repr=False)
class Workload:
    """Flows between ``hosts`` hosts, and which of them wait for which.

    A rule that starts flows while others end (a closed loop, a remote procedure call, a collective operation) is a
    list as well: its flows are known beforehand, only their start times are not.

    Build one with :meth:`from_flows`.

    Attributes:
        hosts: number of hosts of the network it is for.
        src, dst: int32 ``[f]``, hosts by index, never equal.
        size: int64 ``[f]``, bytes of payload, at least 1.
        start_ps: int64 ``[f]``, picoseconds: when the flow starts; where it waits for others, how long after
            the last of them and their pauses.
        after_ptr: int32 ``[f + 1]``.
        after: int32, flow f starts when the flows ``after[after_ptr[f] : after_ptr[f + 1]]`` are done.
        acknowledged: bool, as long as ``after``: whether such a flow is done when its source knows so, as for a host
            that sends the next; else when its last byte has arrived, as for a host that acts on what it receives.
        pause_ps: int64, as long as ``after``: how long after such a flow the wait for it ends, as where a host
            computes with what it received while others still send to it.
        earliest_ps: int64 ``[f]``: a time that a flow which waits for others waits for too; 0 for others.
        enough: int32 ``[f]``: how many of the flows that it waits for have to be done, whichever are first.
        connection: int32 ``[f]``, the first flow on the connection that the flow is sent over, in either direction;
            its own number where no other is before it.
        connects: bool ``[f]``, whether the flow begins with the connection's handshake.
        task: int32 ``[f]``, ascending from 0: flows of a task are one piece of work, such as a call and its answer.
        stage: int32 ``[f]``, the stage of a job that the flow is in, by index into ``stages``; 0 where there are none.
        weight: float64 ``[f]``, :data:`LEAST_WEIGHT` to :data:`MOST_WEIGHT`: where flows share links, their fair rates
            are in proportion to these; 1 where all are equal.
        transport: int32 ``[f]``, what the flow is sent by, by index into ``transports``; -1 for the run's transport.
        stages: what they are called, in the order of their first flows; empty where nothing is known of any.
        transports: expressions of transports that flows name; empty where all have the run's.
        label: the expression or file it came from.
        mean_bytes: mean of the distribution that sizes were drawn from; None where that is not known, as of a file.
        offered: at what load flows arrive; None where they do not arrive at one, or it is not known.
    """

    hosts: int
    src: IntArray
    dst: IntArray
    size: LongArray
    start_ps: LongArray
    after_ptr: IntArray
    after: IntArray
    acknowledged: BoolArray
    pause_ps: LongArray
    earliest_ps: LongArray
    enough: IntArray
    connection: IntArray
    connects: BoolArray
    task: IntArray
    stage: IntArray
    weight: FloatArray
    transport: IntArray
    stages: tuple[str, ...] = ()
    transports: tuple[str, ...] = ()
    label: str = ""
    mean_bytes: float | None = None
    offered: Offered | None = None

    @classmethod
    def from_flows(
        cls,
        hosts: int,
        src: npt.ArrayLike,
        dst: npt.ArrayLike,
        size: npt.ArrayLike,
        start_ps: npt.ArrayLike = 0,
        *,
        after: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        acknowledged: npt.ArrayLike = False,
        pause_ps: npt.ArrayLike = 0,
        earliest_ps: npt.ArrayLike = 0,
        enough: npt.ArrayLike | None = None,
        connection: npt.ArrayLike | None = None,
        connects: npt.ArrayLike = True,
        task: npt.ArrayLike | None = None,
        stage: npt.ArrayLike | None = None,
        weight: npt.ArrayLike = 1.0,
        transport: npt.ArrayLike = "",
        label: str = "",
        offered: Offered | None = None,
        place: Callable[[int], str] | None = None,
        may_be_empty: bool = False,
    ) -> Workload:
        """Return a checked workload.

        Args:
            hosts: number of hosts of the network.
            src: sending hosts by index, ``[f]``.
            dst: receiving hosts, ``[f]``.
            size: bytes, one number or ``[f]``.
            start_ps: picoseconds, one number or ``[f]``.
            after: pairs ``(flow, flow it waits for)``, two arrays.
            acknowledged: one truth value or one for each pair: whether the source has to know that the flow arrived.
            pause_ps: picoseconds, one number or one for each of these pairs: how long after that.
            earliest_ps: picoseconds, one number or ``[f]``: what a flow that waits for others waits for too.
            enough: ``[f]``, how many of the flows that it waits for have to be done; default: all.
            connection: numbers ``[f]``, equal for flows that share a connection; default: each has its own.
            connects: one truth value or ``[f]``.
            task: ``[f]``; default: every flow is a task of its own.
            stage: the name of each flow's stage, ``[f]``; default: there are none.
            weight: one number or ``[f]``.
            transport: one expression or ``[f]``; empty for the run's transport.
            label: what it is called in messages.
            offered: at what load flows arrive.
            place: returns where a flow stands, by its number, for messages; default: ``LABEL: flow NUMBER``.
            may_be_empty: whether there may be no flow, as of a program that sends nothing.

        Raises:
            WorkloadError: no flow; a host that does not exist; a flow from a host to itself; a size below 1; a negative
                start or one after :data:`LONGEST_PS`; flows that wait for each other; numbers of them that cannot be
                enough; a stage without a name; a weight out of range; a connection between other hosts than its first
                flow's, or whose flows have different transports; arrays of different lengths.
        """
        where = label or "workload"
        flow_at = place or (lambda flow: f"{where}: flow {flow}")
        s, t = (checked_array(ends, WorkloadError, where, whole=True).ravel() for ends in (src, dst))
        count = len(s)
        if not count and not may_be_empty:
            raise WorkloadError("the workload has no flows", where=where)
        bytes_, start, earliest, own_task, shared = (
            checked_array(values, WorkloadError, where)
            for values in (
                size,
                start_ps,
                earliest_ps,
                np.arange(count) if task is None else task,
                np.arange(count) if connection is None else connection,
            )
        )
        opens = checked_array(connects, WorkloadError, where).astype(bool)
        named = np.asarray([] if stage is None else stage, dtype=str)
        weights = checked_array(weight, WorkloadError, where).astype(np.float64)
        sent_by = np.asarray(transport, dtype=str)
        for name, array in (
            ("dst", t),
            ("size", bytes_),
            ("start_ps", start),
            ("earliest_ps", earliest),
            ("connects", opens),
            ("task", own_task),
            ("connection", shared),
            ("weight", weights),
            ("transport", sent_by),
            *([] if stage is None else [("stage", named)]),
        ):
            if array.ndim and array.shape != (count,):
                raise WorkloadError(f"{count} flows have {array.size} values of {name}", where=where)
        bytes_, start, earliest = (np.broadcast_to(values, count) for values in (bytes_, start, earliest))
        for name, index in (("src", s), ("dst", t)):
            _check(index, 0, hosts - 1, f"no such host as {name}", where, flow_at)
        if np.any(loops := s == t):
            raise WorkloadError(f"host {int(s[loops][0])} sends to itself", where=flow_at(int(np.argmax(loops))))
        _check(bytes_, 1, np.iinfo(np.int64).max // 16, "invalid flow size in bytes", where, flow_at)
        _check(start, 0, LONGEST_PS, "invalid flow start in picoseconds", where, flow_at)
        _check(earliest, 0, LONGEST_PS, "invalid earliest time of a flow in picoseconds", where, flow_at)
        _check(own_task, 0, count - 1, "invalid task of a flow", where, flow_at)
        weights = np.broadcast_to(weights, count)
        if np.any(wrong := ~((weights >= LEAST_WEIGHT) & (weights <= MOST_WEIGHT))):
            flow = int(np.argmax(wrong))
            raise WorkloadError(
                "invalid flow weight",
                where=flow_at(flow),
                found=float(weights[flow]),
                allowed=f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}",
            )
        pointer, parents, known, pauses = _parents(count, after, acknowledged, pause_ps, where, flow_at)
        if np.any(idle := (np.diff(pointer) == 0) & (earliest > 0)):
            raise WorkloadError(
                "a flow that waits for no other has an earliest time beside its start",
                where=flow_at(int(np.argmax(idle))),
            )
        needed = checked_enough(pointer, enough, pauses, where, flow_at)
        stage_of, stages = _stages(named, count, flow_at)
        first_flows = _first_flows(np.broadcast_to(shared, count), s, t, where, flow_at)
        transport_of, transports = _transports(np.broadcast_to(sent_by, count), first_flows, flow_at)
        return cls(
            hosts,
            ints(s),
            ints(t),
            longs(bytes_),
            longs(start),
            ints(pointer),
            ints(parents),
            booleans(known),
            longs(pauses),
            longs(earliest),
            ints(needed),
            ints(first_flows),
            booleans(np.broadcast_to(opens, count)),
            ints(own_task),
            stage_of,
            floats(weights),
            transport_of,
            stages,
            transports,
            label,
            offered=offered,
        )

    @property
    def flow_count(self) -> int:
        """Number of flows."""
        return len(self.src)

    @property
    def total_bytes(self) -> int:
        """Bytes of all flows together."""
        return sum(self.size.tolist())

    @property
    def is_job(self) -> bool:
        """Whether flows wait for others, or several are one task: then the time until all are done is of interest."""
        return bool(len(self.after)) or bool(np.any(self.task != np.arange(self.flow_count)))

    @property
    def needs_some(self) -> npt.NDArray[np.bool_]:
        """Of each flow whether fewer than all that it waits for are enough."""
        return self.enough < np.diff(self.after_ptr)

    @cached_property
    def is_weighted(self) -> bool:
        """Whether a flow has a weight other than 1."""
        return bool(np.any(self.weight != 1))

    @property
    def transport_names(self) -> list[str]:
        """The expression of each flow's transport, empty for the run's."""
        return [*np.array([*self.transports, ""], dtype=object)[self.transport]]

    def sent_by(self, transport: npt.ArrayLike) -> Workload:
        """Return the same flows by these transports, as of :meth:`from_flows`."""
        names = np.broadcast_to(np.asarray(transport, dtype=str), self.flow_count)
        where = self.label or "workload"
        index, transports = _transports(names, self.connection, lambda flow: f"{where}: flow {flow}")
        return replace(self, transport=index, transports=transports)

    def without_tasks(self) -> Workload:
        """Return the same flows, each a task of its own, and in no stage."""
        own = np.arange(self.flow_count)
        return replace(self, task=ints(own), stage=ints(np.zeros_like(own)), stages=())

    def without_connections(self) -> Workload:
        """Return the same flows, each over a connection of its own, which it opens."""
        own = np.arange(self.flow_count)
        return replace(self, connection=ints(own), connects=booleans(np.ones(len(own), dtype=bool)))

    def in_nanoseconds(self) -> Workload:
        """Return the same flows with starts, and pauses after a wait, rounded to whole nanoseconds."""
        start, pause, earliest = (
            longs(np.rint(times / 1000).astype(np.int64) * 1000)
            for times in (self.start_ps, self.pause_ps, self.earliest_ps)
        )
        return replace(self, start_ps=start, pause_ps=pause, earliest_ps=earliest)

    def pauses(self) -> list[list[int]]:
        """Return the pauses of each flow: after those that have to arrive, then those that have to be acknowledged."""
        flow = np.repeat(np.arange(self.flow_count), np.diff(self.after_ptr))
        ordered = self.pause_ps[np.lexsort((self.acknowledged, flow))].tolist()
        return [ordered[a:b] for a, b in itertools.pairwise(self.after_ptr.tolist())]

    def columns(self, network: Network) -> dict[str, list[Any]]:
        """Return the columns of :meth:`to_frame`."""
        names, own = network.host_names, np.arange(self.flow_count)
        cells: dict[str, list[Any]] = {
            "src": [names[host] for host in self.src.tolist()],
            "dst": [names[host] for host in self.dst.tolist()],
            "bytes": self.size.tolist(),
            "start_s": (self.start_ps / 1e12).tolist(),
        }
        if len(self.after):
            cells["id"] = own.tolist()
            for name, selected in (("after", ~self.acknowledged), ("after_acknowledged", self.acknowledged)):
                if selected.any():
                    bounds = np.concatenate([[0], np.cumsum(selected)])[self.after_ptr].tolist()
                    kept = self.after[selected].tolist()
                    cells[name] = [kept[a:b] for a, b in itertools.pairwise(bounds)]
        if self.pause_ps.any():
            cells["pause_s"] = [[pause / 1e12 for pause in row] for row in self.pauses()]
        if self.earliest_ps.any():
            cells["earliest_s"] = (self.earliest_ps / 1e12).tolist()
        if self.needs_some.any():
            cells["enough"] = self.enough.tolist()
        if np.any(self.connection != own):
            cells["connection"] = self.connection.tolist()
        if not self.connects.all():
            cells["connects"] = self.connects.tolist()
        if np.any(self.task != own):
            cells["task"] = self.task.tolist()
        if self.stages:
            cells["stage"] = [self.stages[stage] for stage in self.stage.tolist()]
        if self.is_weighted:
            cells["weight"] = self.weight.tolist()
        if self.transports:
            cells["transport"] = self.transport_names
        return cells

    def to_frame(self, network: Network) -> pd.DataFrame:
        """Return a row per flow: ``src`` and ``dst``, names of the hosts, ``bytes``, ``start_s``, and those of the
        columns ``id``, ``after``, ``after_acknowledged``, ``pause_s``, ``earliest_s``, ``enough``, ``connection``,
        ``connects``, ``task``, ``stage``, ``weight`` and ``transport`` that hold more than defaults.

        Args:
            network: the one that the flows are for.
        """  # noqa: D205 - names of columns are more than a line
        return frame(self.columns(network))

    @cached_property
    def fingerprint(self) -> str:
        """Hash over the flows: not over the label, nor over what they were drawn from."""
        arrays: list[IntArray | LongArray | BoolArray | FloatArray] = [
            self.src,
            self.dst,
            self.size,
            self.start_ps,
            self.after_ptr,
            self.after,
            self.connects,
            self.task,
        ]
        arrays += [self.acknowledged] if self.acknowledged.any() else []
        arrays += [self.pause_ps, self.earliest_ps] if self.pause_ps.any() or self.earliest_ps.any() else []
        arrays += [self.enough] if self.needs_some.any() else []
        arrays += [self.connection] if np.any(self.connection != np.arange(self.flow_count)) else []
        arrays += [self.stage] if self.stages else []
        arrays += [self.weight] if self.is_weighted else []
        arrays += [self.transport] if self.transports else []
        return fingerprint([str(self.hosts), *self.stages, *self.transports, *arrays])


def _stages(named: npt.NDArray[np.str_], count: int, flow_at: Callable[[int], str]) -> tuple[IntArray, tuple[str, ...]]:
    """Return the index of each flow's stage, and the names of the stages in the order of their first flows."""
    names, first, place = np.unique(named, return_index=True, return_inverse=True)
    for name, flow in zip(names.tolist(), first.tolist(), strict=True):
        if not name.strip() or name.strip() != name or not name.isprintable():
            raise WorkloadError("a stage has no name", where=flow_at(flow), found=name)
    order = np.argsort(first)
    index = np.argsort(order)[place] if len(named) else np.zeros(count, dtype=np.int64)
    return ints(index), tuple(str(name) for name in names[order])


def _transports(
    named: npt.NDArray[np.str_], first_flows: npt.NDArray[np.integer[Any]], flow_at: Callable[[int], str]
) -> tuple[IntArray, tuple[str, ...]]:
    """Return the index of each flow's transport, -1 for none, and their expressions in the order of first flows."""
    names, first, place = np.unique(np.char.strip(named), return_index=True, return_inverse=True)
    if np.any(other := place != place[first_flows]):
        flow = int(np.argmax(other))
        raise WorkloadError(
            "flows of one connection have different transports",
            where=flow_at(flow),
            found=str(named[flow]),
            allowed=str(named[first_flows[flow]]) or "the run's",
        )
    order = [i for i in np.argsort(first) if names[i]]
    index = np.full(len(names), -1)
    index[order] = np.arange(len(order))
    return ints(index[place]), tuple(str(names[i]) for i in order)


def _first_flows(
    connection: LongArray, src: LongArray, dst: LongArray, where: str, flow_at: Callable[[int], str]
) -> LongArray:
    """Return the first flow of each flow's connection; raise WorkloadError where these join different hosts."""
    _check(connection, 0, np.iinfo(np.int64).max, "invalid connection of a flow", where, flow_at)
    _, first, place = np.unique(connection, return_index=True, return_inverse=True)
    found: LongArray = first[place.ravel()]
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    if np.any(other := (low != low[found]) | (high != high[found])):
        flow = int(np.argmax(other))
        raise WorkloadError(
            f"a connection between hosts {src[flow]} and {dst[flow]} is already used between other hosts",
            where=flow_at(flow),
            found=int(connection[flow]),
            allowed=f"that of flow {found[flow]} joins hosts {src[found[flow]]} and {dst[found[flow]]}",
        )
    return found


def _check(
    values: npt.NDArray[Any], low: int, high: int, problem: str, where: str, flow_at: Callable[[int], str]
) -> None:
    if not np.issubdtype(values.dtype, np.integer):
        raise WorkloadError(problem, where=where, found=values.dtype.name, allowed="whole numbers")
    bad = (values < low) | (values > high)
    if np.any(bad):
        first = int(np.argmax(bad))
        raise WorkloadError(problem, where=flow_at(first), found=int(values[first]), allowed=f"{low} to {high}")


def _parents(
    count: int,
    after: tuple[npt.ArrayLike, npt.ArrayLike] | None,
    acknowledged: npt.ArrayLike,
    pause_ps: npt.ArrayLike,
    where: str,
    flow_at: Callable[[int], str],
) -> tuple[LongArray, LongArray, BoolArray, LongArray]:
    """Return ``(pointer, parents, acknowledged, pauses)`` by flow, or raise WorkloadError: a cycle."""
    if after is None:
        none = np.empty(0, dtype=np.int64)
        return np.zeros(count + 1, dtype=np.int64), none, np.empty(0, dtype=bool), none
    child, parent = (checked_array(side, WorkloadError, where, whole=True).ravel() for side in after)
    if child.shape != parent.shape:
        raise WorkloadError(f"{len(child)} flows wait for {len(parent)}", where=where)
    known = np.asarray(acknowledged, dtype=bool)
    if known.ndim and known.shape != child.shape:
        raise WorkloadError(f"{len(child)} waits have {known.size} values of acknowledged", where=where)
    pauses = checked_array(pause_ps, WorkloadError, where, whole=True)
    if pauses.ndim and pauses.shape != child.shape:
        raise WorkloadError(f"{len(child)} waits have {pauses.size} values of pause_ps", where=where)
    pauses = np.broadcast_to(pauses, child.shape)
    _check(pauses, 0, LONGEST_PS, "invalid pause in picoseconds", where, lambda wait: flow_at(int(child[wait])))
    for side in (child, parent):
        _check(side, 0, count - 1, "no such flow to wait", where, lambda wait: f"{where}: wait {wait}")
    known = np.broadcast_to(known, child.shape)
    order = np.lexsort((parent, child))
    child, parent, known, pauses = child[order], parent[order], known[order], pauses[order]
    pointer = np.concatenate([[0], np.cumsum(np.bincount(child, minlength=count))])
    if np.any(parent >= child) and (stuck := on_cycle(count, child, parent)) is not None:
        raise WorkloadError("circular dependency between flows", where=flow_at(stuck))
    return pointer, parent, known, pauses
