"""GOAL schedules as text, of LogGOPSim and ATLAHS: ``num_ranks N``, then ``rank R { ... }`` for each rank.

Inside stand ``[LABEL:] send SIZEb to RANK``, ``recv SIZEb from RANK``, each with ``tag``, ``cpu`` and ``nic``, and
``calc NANOSECONDS``; ``A requires B`` lets A begin when B is done, ``A irequires B`` when B has begun.  Processors and
network cards inside a rank are not told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pnet_lp.errors import WorkloadError
from pnet_lp.layouts import whole
from pnet_lp.registry import nearest
from pnet_lp.workload.io.flows import parse_size
from pnet_lp.workload.traces.format import TRACE_FORMATS
from pnet_lp.workload.traces.trace import Message, Node, Trace

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FIRST = re.compile(r"(?:\s+|//[^\n]*+|/\*.*?\*/)*+num_ranks\b", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SHAPES = "num_ranks N; rank R {; }; [LABEL:] send SIZEb to R, recv SIZEb from R or calc NS; A requires B"
_CALC_DIGITS = 15


def _lines(text: str, where: str) -> Iterator[tuple[str, str]]:
    """Yield file and line of each line that has something, and the line without comments."""
    # A comment leaves its line ends, so that lines keep their numbers.
    plain = _COMMENT.sub(lambda found: "\n" * found[0].count("\n") or " ", text)
    for number, line in enumerate(plain.split("\n"), 1):
        if line := line.partition("//")[0].strip():
            yield f"{where}:{number}", line


def _parse(text: str, where: str, _: int) -> Trace:
    lines = _lines(text, where)
    here, first = next(lines, (where, ""))
    words = first.split()
    ranks = whole(words[1]) if len(words) == 2 and words[0] == "num_ranks" else None
    if not ranks:
        raise WorkloadError("invalid first line", where=here, found=first or None, allowed="num_ranks N")
    trace = Trace(where, ranks)
    trace.check_count(text.count("\n"))
    rank, seen, labels = -1, set[int](), dict[str, int]()
    for here, line in lines:
        words = line.split()
        if rank < 0:
            rank = _opened(line, here)
            if rank >= ranks or rank in seen:
                raise WorkloadError("invalid rank", where=here, found=rank, allowed=f"each of 0 to {ranks - 1} once")
            seen.add(rank)
            labels = {}
        elif words == ["}"]:
            rank = -1
        elif len(words) == 3 and words[1] in ("requires", "irequires"):
            _require(trace, labels, words, here)
        else:
            label, colon, operation = line.partition(":")
            if colon and (not _LABEL.fullmatch(label.strip()) or label.strip() in labels):
                raise WorkloadError("invalid label, or one that is there already", where=here, found=label.strip())
            number = trace.add(_operation(operation if colon else line, rank, here))
            if colon:
                labels[label.strip()] = number
    if rank >= 0:
        raise WorkloadError(f"rank {rank} does not end", where=where, allowed="a line }")
    return trace


def _opened(line: str, where: str) -> int:
    """Return the rank whose part begins."""
    words = line.removesuffix("{").split()
    rank = whole(words[1]) if line.endswith("{") and len(words) == 2 and words[0] == "rank" else None
    if rank is None:
        raise WorkloadError("not the beginning of a rank", where=where, found=line, allowed="rank R {")
    return rank


def _require(trace: Trace, labels: dict[str, int], words: list[str], where: str) -> None:
    for label in (words[0], words[2]):
        if label not in labels:
            raise WorkloadError(f"unknown label{nearest(label, labels)}", where=where, found=label)
    node, other = trace.nodes[labels[words[0]]], labels[words[2]]
    if words[1] == "requires":
        node.after = (*node.after, other)
    else:
        node.begun = (*node.begun, other)


def _operation(line: str, rank: int, where: str) -> Node:
    """Return what a line says, or raise WorkloadError."""
    match line.split():
        case ["calc", time, *rest] if time.isascii() and time.isdigit() and len(time) <= _CALC_DIGITS:
            _options(rest, ("cpu",), where)
            return Node(rank, where, compute_ps=int(time) * 1000)
        case ["send" | "recv" as kind, size, "to" | "from" as preposition, peer, *rest] if size.endswith("b") and (
            preposition == "to"
        ) == (kind == "send"):
            options = _options(rest, ("tag", "cpu", "nic"), where)
            if peer == "-1" or options.get("tag") == "-1":
                raise WorkloadError(
                    "which message is received depends on the run", where=where, found=line, allowed="a rank and a tag"
                )
            number, bytes_ = whole(peer), size.removesuffix("b")
            if number is None:
                raise WorkloadError("invalid rank", where=where, found=peer)
            found = 0 if bytes_ == "0" else parse_size(bytes_, where)
            tag = int(options.get("tag", "0"))
            return Message(rank, where, peer=number, size=found, tag=tag, sends=kind == "send")
    raise WorkloadError("not an operation", where=where, found=line, allowed=_SHAPES)


def _options(words: list[str], known: tuple[str, ...], where: str) -> dict[str, str]:
    found = dict(zip(words[::2], words[1::2], strict=False))
    valid = all(whole(value) is not None or (key == "tag" and value == "-1") for key, value in found.items())
    if len(words) != 2 * len(found) or not found.keys() <= set(known) or not valid:
        raise WorkloadError("invalid options", where=where, found=" ".join(words), allowed=" N, ".join(known) + " N")
    return found


TRACE_FORMATS.add_text(
    "goal", (), "GOAL schedules of LogGOPSim and ATLAHS, as text", _parse, None, recognise=_FIRST.match
)
