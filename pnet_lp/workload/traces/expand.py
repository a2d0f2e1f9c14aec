"""From a trace to flows: what each waits for, through whatever is computed between, and collectives by algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias

import numpy as np

from pnet_lp.collectives import Algorithm, Messages, Operation, messages_of
from pnet_lp.errors import SpecError, WorkloadError, naming
from pnet_lp.memory import check_fits
from pnet_lp.model.workload import LONGEST_PS, LongArray, Workload
from pnet_lp.workload.traces.trace import Collective, Message, Node, Trace

Moment: TypeAlias = dict[int, int]
"""The latest of several times: picoseconds after the arrival of each of these flows, and after the start of the run."""

START = -1
"""In a moment: the start of the run."""

_BYTES_PER_FLOW = 1000
_BYTES_PER_WAIT = 150


@dataclass(frozen=True)
class Expansion:
    """What a trace leaves open.

    Attributes:
        algorithms: of each collective operation.
        tflops: 10^12 floating-point operations that a rank computes in a second; None where traces have times.
        groups: members of groups, beside those that traces name.
        size: bytes of a buffer, where a trace counts parts of one.
    """

    algorithms: Mapping[Operation, Algorithm]
    tflops: float | None = None
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    size: int | None = None


def expanded(trace: Trace, expansion: Expansion, hosts: int, place: LongArray, label: str) -> Workload:
    """Return the flows of a trace; none where nothing is sent between ranks.

    Args:
        trace: what ranks do.
        expansion: what it leaves open.
        hosts: number of hosts of the network.
        place: the host of each rank.
        label: what the workload is called.

    Raises:
        WorkloadError: messages or operations that do not match; nodes that wait for each other; a computation
            without a time; flows that do not fit into memory.
    """
    if bool(trace.parts) != (expansion.size is not None):
        raise WorkloadError(
            "the size of the buffer is open" if trace.parts else "the trace says all sizes itself",
            where=trace.where,
            found=None if trace.parts else "size",
            allowed="FILE:size=BYTES" if trace.parts else None,
        )
    trace.groups.update(expansion.groups)
    flows = _Flows(trace, expansion)
    flows.run()
    return flows.workload(hosts, place, label)


@dataclass
class _Flows:
    """Flows as they are made, node by node, each after all that it waits for."""

    trace: Trace
    expansion: Expansion
    count: int = 0
    wait_count: int = 0
    begin: dict[int, Moment] = field(default_factory=dict)
    end: dict[int, Moment] = field(default_factory=dict)
    _columns: list[LongArray] = field(default_factory=list)
    _waits: list[LongArray] = field(default_factory=list)
    _stages: list[tuple[str, int]] = field(default_factory=list)
    _places: list[tuple[int, str]] = field(default_factory=list)
    _messages: dict[tuple[Operation, int, int], Messages] = field(default_factory=dict)

    def run(self) -> None:
        """Make the flows of all nodes."""
        nodes, pairs = self.trace.nodes, self.trace.pairs()
        # The nodes of an operation are done at the same time as the first of them.
        joint = {parts[0]: (parts, members) for parts, members in self.trace.together()}
        leader = list(range(len(nodes)))
        for first, (parts, _) in joint.items():
            for part in parts:
                leader[part] = first
        order: TopologicalSorter[int] = TopologicalSorter()
        for number, node in enumerate(nodes):
            waits = [*node.after, *node.begun, *([pairs[number]] if number in pairs else [])]
            order.add(leader[number], *(leader[other] for other in waits))
        try:
            for number in order.static_order():
                if number in joint:
                    self._operation(*joint[number])
                else:
                    self._single(number, pairs.get(number))
        except CycleError as error:
            stuck = nodes[min(error.args[1])]
            raise WorkloadError("circular dependency", where=stuck.where) from None

    def _begun(self, number: int) -> Moment:
        node = self.trace.nodes[number]
        self.begin[number] = found = _latest(
            [*(self.end[other] for other in node.after), *(self.begin[other] for other in node.begun)]
        )
        return found

    def _single(self, number: int, sender: int | None) -> None:
        node, begin = self.trace.nodes[number], self._begun(number)
        if sender is not None:
            # What is computed with a message waits for the message, and for whoever waited for it.
            self.end[number] = _latest([begin, self.end[sender]])
        elif isinstance(node, Message):
            if node.size:
                flow = self._add([node.rank], [node.peer], [self._bytes(node)], "point-to-point", node.where)
                self._wait([(flow, begin)])
                self.end[number] = {flow: 0}
            else:
                self.end[number] = begin
        else:
            time = self._time(node)
            self.end[number] = {flow: pause + time for flow, pause in begin.items()} if time else begin

    def _bytes(self, node: Message) -> int:
        size = self.expansion.size
        return node.size if size is None else max(1, node.size * size // self.trace.parts)

    def _time(self, node: Node) -> int:
        """Return how long a node computes, picoseconds."""
        if node.compute_ps or not node.operations:
            return node.compute_ps
        if self.expansion.tflops is None:
            raise WorkloadError(
                f"a computation of {node.operations:,} operations has no time",
                where=node.where,
                allowed="FILE:tflops=T",
            )
        return min(round(node.operations / self.expansion.tflops), LONGEST_PS)

    def _operation(self, parts: Sequence[int], members: tuple[int, ...]) -> None:
        """Make the flows of a collective operation."""
        node, begins = self.trace.nodes[parts[0]], [self._begun(part) for part in parts]
        assert isinstance(node, Collective)
        if node.operation == "barrier":
            every = _latest(begins)
            self.end.update(dict.fromkeys(parts, every))
        elif len(members) == 1 or not node.size:
            self.end.update(zip(parts, begins, strict=True))
        else:
            messages, place = self._messages_of(node, len(members)), np.array(members)
            first = self._add(
                place[messages.src], place[messages.dst], messages.size, node.operation, node.where, messages.waits
            )
            followed, starting = _ends(messages)
            self._wait([(first + flow, begins[messages.src[flow]]) for flow in starting.tolist()])
            # Whoever sends begins before what it sends; whoever only receives has to be there.
            ends: list[Moment] = [dict(begin) for begin in begins]
            for rank in set(messages.src.tolist()):
                ends[rank] = {}
            for rank, touching in ((messages.src, followed[0]), (messages.dst, followed[1])):
                for flow in np.flatnonzero(~touching).tolist():
                    ends[rank[flow]][first + flow] = 0
            self.end.update(zip(parts, ends, strict=True))

    def _messages_of(self, node: Collective, ranks: int) -> Messages:
        operation = node.operation
        assert operation != "barrier"
        size = node.size * ranks if node.gathered else node.size
        key = (operation, ranks, size)
        if key not in self._messages:
            with naming(node.where, SpecError):
                schedule = self.expansion.algorithms[operation].schedule(operation, ranks)
                self._check_fits(schedule.message_count)
                # Too small a buffer is sent a byte at a time.
                self._messages[key] = messages_of(schedule, max(size, schedule.blocks))
        self._check_fits(len(self._messages[key].src))
        return self._messages[key]

    def _add(
        self, src: Any, dst: Any, size: Any, stage: str, where: str, waits: tuple[LongArray, LongArray] | None = None
    ) -> int:
        """Add flows that are one task, which wait for each other as ``waits`` says, and return the first's number."""
        first, added = self.count, len(src)
        self._columns.append(np.array([src, dst, size], dtype=np.int64))
        if waits is not None:
            self._waits.append(np.stack([first + waits[0], first + waits[1], np.zeros_like(waits[0])]))
        self._stages.append((stage, added))
        self._places.append((first, where))
        self.count += added
        return first

    def _wait(self, flows: Iterable[tuple[int, Moment]]) -> None:
        """Let flows wait for moments."""
        rows = [(flow, other, pause) for flow, begin in flows for other, pause in begin.items()]
        self.wait_count += len(rows)
        self._check_fits(0)
        self._waits.append(np.array(rows, dtype=np.int64).reshape(-1, 3).T)

    def _check_fits(self, more: int) -> None:
        check_fits(
            (self.count + more) * _BYTES_PER_FLOW + self.wait_count * _BYTES_PER_WAIT,
            f"{self.trace.where} with {self.count + more:,} flows",
            WorkloadError,
            allowed="a shorter trace, or algorithms with fewer messages",
        )

    def workload(self, hosts: int, place: LongArray, label: str) -> Workload:
        """Return the flows on these hosts."""
        if not self.count:
            return Workload.from_flows(hosts, (), (), 1, label=label, may_be_empty=True)
        src, dst, size = np.concatenate(self._columns, axis=1)
        child, parent, pause = np.concatenate(self._waits, axis=1)
        from_start, after = parent == START, parent != START
        begin = np.zeros(self.count, dtype=np.int64)
        begin[child[from_start]] = pause[from_start]
        waiting = np.bincount(child[after], minlength=self.count) > 0
        connects = np.zeros(self.count, dtype=bool)
        connects[np.unique(src * self.trace.ranks + dst, return_index=True)[1]] = True
        names, counts = zip(*self._stages, strict=True)
        firsts = np.array([first for first, _ in self._places])
        return Workload.from_flows(
            hosts,
            place[src],
            place[dst],
            size,
            np.where(waiting, 0, begin),
            after=(child[after], parent[after]),
            pause_ps=pause[after],
            earliest_ps=np.where(waiting, begin, 0),
            connects=connects,
            task=np.repeat(np.arange(len(counts)), counts),
            stage=np.repeat(names, counts),
            label=label,
            place=lambda flow: self._places[int(np.searchsorted(firsts, flow, "right")) - 1][1],
        )


def _latest(moments: Sequence[Moment]) -> Moment:
    """Return when all of these have passed; of none, the start of the run."""
    if len(moments) == 1:
        return moments[0]
    found: Moment = {START: 0} if not moments else {}
    for moment in moments:
        for flow, pause in moment.items():
            found[flow] = max(pause, found.get(flow, 0))
    return found


def _ends(messages: Messages) -> tuple[tuple[np.ndarray, np.ndarray], LongArray]:
    """Return which messages their senders, and their receivers, follow with another, and which begin a rank's part.

    A rank's part is over when those are done that it follows with none; it begins with those that wait for none that it
    sent before.
    """
    child, parent = messages.waits
    count = len(messages.src)
    by_sender = messages.src[child] == messages.src[parent]
    by_receiver = messages.src[child] == messages.dst[parent]
    sender, receiver, own = (np.zeros(count, dtype=bool) for _ in range(3))
    sender[parent[by_sender]] = True
    receiver[parent[by_receiver]] = True
    own[child[by_sender]] = True
    return (sender, receiver), np.flatnonzero(~own)
