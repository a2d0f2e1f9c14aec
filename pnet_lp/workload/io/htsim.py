"""htsim's connection matrices ``.cm``, with triggers.

    Nodes n, Connections m, Triggers t
    SRC->DST id I start PS size BYTES [send_done_trigger K] [recv_done_trigger K]
    SRC->DST id I trigger K size BYTES ...
    trigger id K oneshot | multishot | barrier count N

A connection that has ended activates a trigger: when its source knows so (``send_done_trigger``), or when its last byte
has arrived (``recv_done_trigger``).  ``oneshot`` starts all connections that name it at its one activation,
``barrier`` at its N-th, ``multishot`` the next of them at each.  A trigger starts connections at once and an end
activates one trigger of each sort, so not every workload can be written; and where several connections activate a
``multishot``, which one starts which is not known beforehand, so not every file can be read.  Neither can files with
failures, priorities or connections without end, of size 0.  Hosts are indices.

The program reads starts with 24 bits of precision.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from pnet_lp.errors import WorkloadError
from pnet_lp.layouts import count_line, whole, word_lines
from pnet_lp.model import Network, Workload
from pnet_lp.model.arrays import rows
from pnet_lp.workload.io.flows import FlowList, parse_size, parse_time
from pnet_lp.workload.io.format import WORKLOAD_FORMATS, check_plain, refusal

_WHAT = "connection matrices of htsim"
_CONNECTION = re.compile(r"([0-9]{1,9})->([0-9]{1,9})")
_SHAPE = "SRC->DST id I start PS|trigger K size BYTES [send_done_trigger K] [recv_done_trigger K]"
_COUNTS = ("Nodes", "Connections", "Triggers")
_DONE = {"send_done_trigger": True, "recv_done_trigger": False}
"""What activates a trigger, and whether the source has to know that all has arrived."""

_KEYS = {"id", "start", "trigger", "size", *_DONE}
_LARGEST = (1 << 31) - 1
"""Bytes of a connection: the program reads a signed number of 32 bits."""

_FIRST = re.compile(r"(?:Nodes|Connections|Triggers)\s")


@dataclass
class _Trigger:
    """A trigger by its number: what activates it, and what it starts."""

    where: str = ""
    kind: str = ""
    count: int = 0
    by: list[tuple[int, bool]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)


def _parse(text: str, where: str, network: Network) -> Workload:
    counts: dict[str, int] = {}
    lines: list[str] = []
    triggers: dict[int, _Trigger] = {}
    ids: set[int] = set()
    found = FlowList(lambda number: lines[number])
    for here, words in word_lines(text, where):
        if words[0] in _COUNTS:
            count_line(words, counts, here, WorkloadError)
        elif words[0] == "trigger":
            _define(words[1:], triggers, here)
        elif match := _CONNECTION.fullmatch(words[0]):
            given = _properties(words[1:], here)
            _connect(given, len(lines), triggers, ids, here)
            lines.append(here)
            size = parse_size(given["size"], here)
            found.add(int(match[1]), int(match[2]), size, parse_time(given.get("start", "0"), 0, here))
        else:
            raise WorkloadError(
                "not a connection or a trigger",
                where=here,
                found=" ".join(words),
                allowed=f"{_SHAPE}; trigger id K ...",
            )
    defined = sum(bool(trigger.kind) for trigger in triggers.values())
    for key, actual in zip(_COUNTS, (network.host_count, len(lines), defined), strict=True):
        if counts.get(key, 0 if key == "Triggers" else None) != actual:
            raise WorkloadError(
                f"{key} does not fit", where=where, found=counts.get(key), allowed=_fitting(key, actual)
            )
    for number, trigger in triggers.items():
        found.waits += _waits(number, trigger, lines)
    return found.workload(network, where)


def _fitting(key: str, actual: int) -> str:
    return f"{actual}, the hosts of the network" if key == "Nodes" else f"{actual}, those of the file"


def _properties(words: list[str], where: str) -> dict[str, str]:
    """Return the properties of a connection by name, or raise WorkloadError."""
    given = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) != 2 * len(given) or not given.keys() <= _KEYS or "size" not in given:
        raise WorkloadError("not a connection", where=where, found=" ".join(words), allowed=_SHAPE)
    if ("start" in given) == ("trigger" in given):
        raise WorkloadError(
            "a connection starts once", where=where, found=" ".join(words), allowed="start PS, or trigger K"
        )
    return given


def _connect(given: dict[str, str], flow: int, triggers: dict[int, _Trigger], ids: set[int], where: str) -> None:
    """Note what starts a connection and what it activates, or raise WorkloadError."""
    if "id" in given:
        number = _number(given["id"], "id", where)
        if number in ids:
            raise WorkloadError("two connections have the same id", where=where, found=number)
        ids.add(number)
    elif "trigger" in given:
        raise WorkloadError("a connection that a trigger starts has an id", where=where, allowed=_SHAPE)
    if "trigger" in given:
        triggers.setdefault(_number(given["trigger"], "trigger", where), _Trigger(where)).starts.append(flow)
    for key, acknowledged in _DONE.items():
        if key in given:
            trigger = triggers.setdefault(_number(given[key], key, where), _Trigger(where))
            trigger.by.append((flow, acknowledged))


def _number(word: str, key: str, where: str) -> int:
    number = whole(word)
    if not number:
        raise WorkloadError(f"invalid {key}", where=where, found=word, allowed="a whole number from 1")
    return number


def _define(words: list[str], triggers: dict[int, _Trigger], where: str) -> None:
    """Note of what kind a trigger is, or raise WorkloadError."""
    match words:
        case ["id", number, "oneshot" | "multishot" as kind]:
            count = "0"
        case ["id", number, "barrier" as kind, "count", count]:
            pass
        case _:
            raise WorkloadError(
                "not a trigger",
                where=where,
                found=" ".join(words),
                allowed="trigger id K oneshot, or multishot, or barrier count N",
            )
    trigger = triggers.setdefault(_number(number, "id", where), _Trigger())
    if trigger.kind:
        raise WorkloadError(f"trigger {number} is defined twice", where=where)
    trigger.where, trigger.kind = where, kind
    trigger.count = _number(count, "count", where) if kind == "barrier" else 1


def _waits(number: int, trigger: _Trigger, lines: list[str]) -> list[tuple[int, int, bool, int]]:
    """Return which flows wait for which because of a trigger: ``(flow, flow it waits for, acknowledged, 0)``.

    Raises:
        WorkloadError: nothing is known of it, it starts what will never start, or what it starts is not known.
    """
    if not trigger.kind:
        raise WorkloadError(f"trigger {number} is not defined", where=trigger.where)
    if trigger.kind != "multishot":
        if len(trigger.by) != trigger.count and (trigger.starts or len(trigger.by) > trigger.count):
            raise WorkloadError(
                f"trigger {number} is activated by {len(trigger.by)} connections",
                where=trigger.where,
                allowed=f"{trigger.count}, as its kind requires",
            )
        return [(flow, parent, known, 0) for flow in trigger.starts for parent, known in trigger.by]
    # In a chain each end starts the next; where two could, which one does depends on the run.
    started = set(trigger.starts)
    free = [each for each in trigger.by if each[0] not in started]
    ends = dict(trigger.by)
    if len(ends) < len(trigger.by) or len(free) > 1:
        raise WorkloadError(
            f"what trigger {number} starts depends on the run", where=trigger.where, allowed="one chain of ends"
        )
    chain = [*(flow for flow, _ in free), *trigger.starts]
    waits = []
    for before, flow in zip(chain, trigger.starts, strict=False):
        if before not in ends or before == flow:
            raise WorkloadError(f"nothing starts the connection that waits for trigger {number}", where=lines[flow])
        waits.append((flow, before, ends[before], 0))
    return waits


def _render(workload: Workload, _: Network) -> str:
    check_plain(workload, _WHAT, waits=True)
    if np.any(some := workload.needs_some):
        raise refusal(workload, _WHAT, "flows that wait for some of several others", some)
    waits = np.diff(workload.after_ptr)
    late = (waits > 0) & ((workload.start_ps > 0) | (workload.earliest_ps > 0))
    late[np.repeat(np.arange(workload.flow_count), waits)[workload.pause_ps > 0]] = True
    if np.any(late):
        raise refusal(workload, _WHAT, "a pause before a flow that waits for others", late)
    if np.any(large := workload.size > _LARGEST):
        raise refusal(workload, _WHAT, f"flows of more than {_LARGEST} bytes", large)
    started, activates, kinds = _triggers(workload)
    lines = [f"Nodes {workload.hosts}", f"Connections {workload.flow_count}"]
    lines += [f"Triggers {len(kinds)}"] if kinds else []
    flows = rows(workload.src, workload.dst, workload.size, workload.start_ps)
    for flow, (src, dst, size, start) in enumerate(flows):
        begin = f"trigger {started[flow]}" if flow in started else f"start {start}"
        ends = [f" {key} {activates[flow, known]}" for key, known in _DONE.items() if (flow, known) in activates]
        lines.append(f"{src}->{dst} id {flow + 1} {begin} size {size}{''.join(ends)}")
    lines += [f"trigger id {number} {kind}" for number, kind in enumerate(kinds, 1)]
    return "\n".join(lines) + "\n"


def _triggers(workload: Workload) -> tuple[dict[int, int], dict[tuple[int, bool], int], list[str]]:
    """Return the trigger that starts each flow that waits, the one that each end activates, and their kinds.

    Flows that wait for the same ends share a trigger.

    Raises:
        WorkloadError: flows that wait for one end wait for different others.
    """
    numbers: dict[tuple[tuple[int, bool], ...], int] = {}
    started: dict[int, int] = {}
    activates: dict[tuple[int, bool], int] = {}
    bounds, ends = workload.after_ptr.tolist(), list(rows(workload.after, workload.acknowledged))
    for flow in np.flatnonzero(np.diff(workload.after_ptr)).tolist():
        waits = tuple(ends[bounds[flow] : bounds[flow + 1]])
        started[flow] = number = numbers.setdefault(waits, len(numbers) + 1)
        for end in waits:
            if activates.setdefault(end, number) != number:
                both = np.arange(workload.flow_count) == flow
                raise refusal(workload, _WHAT, "flows that wait for one common flow and for different others", both)
    return (started, activates, ["oneshot" if len(waits) == 1 else f"barrier count {len(waits)}" for waits in numbers])


WORKLOAD_FORMATS.add_text(
    "htsim", (".cm",), "a connection matrix of htsim, with triggers", _parse, _render, recognise=_FIRST.match
)
