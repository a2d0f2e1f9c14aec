"""Text workloads of ASTRA-sim 1 and of SimAI (AICB): layers with computations and operations, the same for every rank.

The first line is how ranks share the work, the second the number of layers; then for each layer its name, a number that
is not used, and for forward pass, input gradients and weight gradients in turn nanoseconds, operation and bytes, and
last a time that is not used.  A pass is simulated as the programs' ``Workload.cc`` goes through it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pnet_lp.collectives import Operation
from pnet_lp.errors import WorkloadError
from pnet_lp.layouts import whole, word_lines
from pnet_lp.workload.io.flows import parse_size
from pnet_lp.workload.traces.format import TRACE_FORMATS
from pnet_lp.workload.traces.trace import Collective, Node, Trace

_FIRST = re.compile(r"(?:DATA|MODEL|MICRO|HYBRID_[A-Z_]+)\b[^\n]*\n\s*[0-9]+\s*(?:\n|$)")
_LAYER = "name number; nanoseconds, operation and bytes for forward, input gradients, weight gradients; nanoseconds"
_OPERATIONS: Mapping[str, Operation] = {
    "ALLREDUCE": "all-reduce",
    "ALLGATHER": "all-gather",
    "REDUCESCATTER": "reduce-scatter",
    "ALLTOALL": "all-to-all",
}
_SUFFIXES = {"": "", "_EP": "ep", "_DP_EP": "dp-ep"}
_COMM = re.compile(rf"({'|'.join(_OPERATIONS)})({'|'.join(_SUFFIXES)})")
_MOST_DIGITS = 15
_COUNTS = ("model_parallel_NPU_group", "ep", "pp", "all_gpus")
_UNUSED = ("vpp", "ga", "pp_comm", "checkpoints", "checkpoint_initiates")
"""Keys of the first line; recomputed layers and stages are refused."""


@dataclass(frozen=True)
class _Phase:
    """A part of a layer: a computation, then perhaps an operation; ``group`` is empty for the usual one."""

    compute_ps: int
    operation: Operation | None
    size: int
    group: str


@dataclass(frozen=True)
class _Layer:
    where: str
    forward: _Phase
    inputs: _Phase
    weights: _Phase


@dataclass
class _Rank:
    """A rank as it goes through its layers.

    Attributes:
        trace: where its nodes go.
        rank: its number.
        groups: the name of its group by kind.
        gathered: whether bytes of an all-gather are what a rank has before it.
        now: nodes that are done before the next computation begins.
        last: the last operation in each group: a group does one after the other.
    """

    trace: Trace
    rank: int
    groups: Mapping[str, str]
    gathered: bool
    now: tuple[int, ...] = ()
    last: dict[str, int] = field(default_factory=dict)

    def compute(self, phase: _Phase, where: str) -> None:
        """Compute."""
        if phase.compute_ps:
            self.now = (self.trace.add(Node(self.rank, where, self.now, compute_ps=phase.compute_ps)),)

    def operate(self, phase: _Phase, kind: str, where: str, *, blocking: bool) -> tuple[int, ...]:
        """Do the operation of a phase, in the group of a ``kind`` unless it says another; return its node, if any."""
        if phase.operation is None or not phase.size:
            return ()
        group = self.groups[phase.group or kind]
        node = Collective(
            self.rank,
            where,
            (*self.now, *([self.last[group]] if group in self.last else [])),
            operation=phase.operation,
            size=phase.size,
            gathered=self.gathered and phase.operation == "all-gather",
            group=group,
        )
        self.last[group] = number = self.trace.add(node)
        if blocking:
            self.now = (number,)
        return (number,)


def _micro(rank: _Rank, layers: Sequence[_Layer]) -> None:
    for layer in layers:
        rank.operate(layer.weights, "dp", layer.where, blocking=False)


def _data(rank: _Rank, layers: Sequence[_Layer]) -> None:
    for layer in layers:
        rank.compute(layer.forward, layer.where)
    for layer in reversed(layers):
        rank.compute(layer.weights, layer.where)
        rank.operate(layer.weights, "dp", layer.where, blocking=False)
        rank.compute(layer.inputs, layer.where)


def _forward(rank: _Rank, layers: Sequence[_Layer]) -> None:
    for layer in layers:
        rank.compute(layer.forward, layer.where)
        rank.operate(layer.forward, "tp", layer.where, blocking=True)


def _model(rank: _Rank, layers: Sequence[_Layer]) -> None:
    _forward(rank, layers)
    for layer in reversed(layers):
        rank.compute(layer.inputs, layer.where)
        # Input gradients travel while weight gradients are computed; nobody needs those of the first layer.
        sent = rank.operate(layer.inputs, "tp", layer.where, blocking=False) if layer is not layers[0] else ()
        rank.compute(layer.weights, layer.where)
        rank.now = (*rank.now, *sent)


def _transformer(rank: _Rank, layers: Sequence[_Layer]) -> None:
    _forward(rank, layers)
    for layer in reversed(layers):
        rank.compute(layer.inputs, layer.where)
        rank.operate(layer.inputs, "tp", layer.where, blocking=True)
        rank.compute(layer.weights, layer.where)
        rank.operate(layer.weights, "dp", layer.where, blocking=False)


_POLICIES: Mapping[str, Callable[[_Rank, Sequence[_Layer]], None]] = {
    "MICRO": _micro,
    "DATA": _data,
    "MODEL": _model,
    "HYBRID_TRANSFORMER": _transformer,
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD": _transformer,
}


def _parse(text: str, where: str, hosts: int) -> Trace:
    lines = word_lines(text, where)
    here, head = next(lines, (where, [""]))
    if head[0] not in _POLICIES:
        raise WorkloadError(
            "ranks share the work in a manner that is not simulated",
            where=here,
            found=head[0] or None,
            allowed=", ".join(_POLICIES),
        )
    counts = _header(head[1:], here)
    ranks = counts.get("all_gpus", hosts)
    layers = _layers(lines, where)
    trace = Trace(where, ranks)
    trace.check_count(ranks * len(layers) * 6)
    kinds = _groups(head[0], counts, ranks, here)
    trace.groups = {f"{kind} {i}": tuple(row) for kind, rows in kinds.items() for i, row in enumerate(rows)}
    groups: list[dict[str, str]] = [{} for _ in range(ranks)]
    for kind, rows in kinds.items():
        for i, row in enumerate(rows):
            for rank in row:
                groups[rank][kind] = f"{kind} {i}"
    for rank in range(ranks):
        # SimAI counts the bytes of all ranks, which its first line numbers.
        _POLICIES[head[0]](_Rank(trace, rank, groups[rank], gathered="all_gpus" not in counts), layers)
    return trace


def _header(words: list[str], where: str) -> dict[str, int]:
    """Return the numbers in the first line by their keys."""
    found: dict[str, int] = {}
    for key, value in zip(words[::2], words[1::2], strict=False):
        number, name = whole(value), key.removesuffix(":")
        if number is None or name in found or name not in (*_COUNTS, *_UNUSED):
            raise WorkloadError(
                "invalid first line", where=where, found=f"{key} {value}", allowed=", ".join((*_COUNTS, *_UNUSED))
            )
        found[name] = number
    if len(words) % 2:
        raise WorkloadError("invalid first line", where=where, found=words[-1], allowed="keys with numbers")
    if found.get("pp", 1) > 1:
        raise WorkloadError("pipeline stages are not in the file", where=where, found=f"pp: {found['pp']}", allowed="1")
    if found.get("checkpoints") or found.get("checkpoint_initiates"):
        raise WorkloadError("layers that are computed again", where=where, found="checkpoints", allowed="0 of them")
    return found


def _groups(policy: str, counts: Mapping[str, int], ranks: int, where: str) -> dict[str, list[list[int]]]:
    """Return the groups of each kind: tensor-parallel ranks are neighbours, then those that share experts."""
    tp, ep = counts.get("model_parallel_NPU_group", 1), counts.get("ep", 1)
    if policy != "MICRO" and not policy.startswith("HYBRID"):
        tp = ranks if policy == "MODEL" else 1
    if not ranks or not tp or not ep or ranks % (tp * ep):
        raise WorkloadError(
            f"{ranks} ranks do not fill groups of {tp} and of {ep}",
            where=where,
            allowed="a multiple of model_parallel_NPU_group times ep",
        )
    number = [[[(j * ep + e) * tp + t for t in range(tp)] for e in range(ep)] for j in range(ranks // (tp * ep))]
    return {
        "tp": [row for block in number for row in block],
        "dp": [[row[t] for block in number for row in block] for t in range(tp)],
        "ep": [[row[t] for row in block] for block in number for t in range(tp)],
        "dp-ep": [[block[e][t] for block in number] for e in range(ep) for t in range(tp)],
    }


def _layers(lines: Iterator[tuple[str, list[str]]], where: str) -> list[_Layer]:
    here, words = next(lines, (where, []))
    count = whole(words[0]) if len(words) == 1 else None
    found = [_layer(words, place) for place, words in lines]
    if count is None or count != len(found):
        raise WorkloadError(
            f"there are {len(found)} layers", where=here, found=" ".join(words) or None, allowed=str(len(found))
        )
    return found


def _layer(words: list[str], where: str) -> _Layer:
    if len(words) != 12:
        raise WorkloadError("not a layer", where=where, found=" ".join(words), allowed=_LAYER)
    return _Layer(where, *(_phase(words[i], words[i + 1], words[i + 2], where) for i in (2, 5, 8)))


def _phase(time: str, operation: str, size: str, where: str) -> _Phase:
    if not (time.isascii() and time.isdigit() and len(time) <= _MOST_DIGITS):
        raise WorkloadError("invalid time in nanoseconds", where=where, found=time)
    bytes_ = 0 if not size.strip("0") else parse_size(size, where)
    if operation == "NONE":
        return _Phase(1000 * int(time), None, 0, "")
    known = _COMM.fullmatch(operation)
    if known is None:
        raise WorkloadError(
            "no algorithm does this operation",
            where=where,
            found=operation,
            allowed=f"NONE, {', '.join(_OPERATIONS)}, also with _EP or _DP_EP",
        )
    return _Phase(1000 * int(time), _OPERATIONS[known[1]], bytes_, _SUFFIXES[known[2]])


TRACE_FORMATS.add_text("layers", (), "text workloads of ASTRA-sim 1 and SimAI", _parse, None, recognise=_FIRST.match)
