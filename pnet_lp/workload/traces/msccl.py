"""Algorithms of MSCCL in XML: for each GPU thread blocks, each a list of steps that send, receive, or both.

A message has ``cnt`` chunks, of which ``nchunksperloop`` are the buffer.  Messages between two GPUs on one channel are
received in their order.  A step begins when the one before it in its block is done, and step ``deps`` of block
``depid``; copies and reductions take no time.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from pnet_lp.errors import WorkloadError
from pnet_lp.layouts import parse_xml, whole
from pnet_lp.workload.traces.format import TRACE_FORMATS
from pnet_lp.workload.traces.trace import Message, Node, Trace

_RECEIVES = ("r", "rcs", "rrs", "rrc", "rrcs")
_SENDS = ("s", "rcs", "rrs", "rrcs")
_LOCAL = ("cpy", "re", "nop")


class _Reader:
    """The attributes of elements, with their places for messages."""

    def __init__(self, text: str, where: str) -> None:
        self.root, self._places = parse_xml(text, where, WorkloadError)

    def place(self, element: Element) -> str:
        return self._places[element]

    def number(self, element: Element, name: str, low: int = 0) -> int:
        """Return a whole number that is an attribute, or raise WorkloadError."""
        text = element.get(name, "")
        found = -1 if text == "-1" else whole(text)
        if found is None or found < low:
            raise WorkloadError(
                f"invalid {name} of <{element.tag}>",
                where=self.place(element),
                found=text or None,
                allowed=f"a whole number from {low}",
            )
        return found

    def inside(self, element: Element, tag: str) -> list[Element]:
        """Return the elements inside another that have this tag."""
        return [each for each in element if each.tag == tag]


def _parse(text: str, where: str, _: int) -> Trace:
    reader = _Reader(text, where)
    root = reader.root
    if root.tag != "algo":
        raise WorkloadError("not an algorithm of MSCCL", where=reader.place(root), found=root.tag, allowed="<algo>")
    trace = Trace(where, reader.number(root, "ngpus", 1), parts=reader.number(root, "nchunksperloop", 1))
    trace.check_count(2 * sum(1 for _ in root.iter("step")))
    seen = set[int]()
    for gpu in reader.inside(root, "gpu"):
        rank = reader.number(gpu, "id")
        if rank >= trace.ranks or rank in seen:
            raise WorkloadError(
                "invalid GPU", where=reader.place(gpu), found=rank, allowed=f"each of 0 to {trace.ranks - 1} once"
            )
        seen.add(rank)
        _add_gpu(trace, reader, gpu, rank)
    return trace


def _add_gpu(trace: Trace, reader: _Reader, gpu: Element, rank: int) -> None:
    """Add the steps of all blocks of a GPU: nodes that wait for a step wait for its last node."""
    first: dict[tuple[int, int], int] = {}
    last: dict[tuple[int, int], int] = {}
    steps: list[tuple[tuple[int, int], Element]] = []
    for block in reader.inside(gpu, "tb"):
        number = reader.number(block, "id")
        peers = {name: reader.number(block, name, -1) for name in ("recv", "send")}
        channel, before = reader.number(block, "chan"), -1
        for index, step in enumerate(reader.inside(block, "step")):
            key = (number, reader.number(step, "s"))
            if key[1] != index or key in last:
                raise WorkloadError(
                    "invalid step, or a thread block that is there already",
                    where=reader.place(step),
                    found=key[1],
                    allowed=f"steps in order, here {index}",
                )
            nodes = _nodes(reader, step, rank, peers, channel)
            for node in nodes:
                node.after = (before,) if before >= 0 else ()
                before = trace.add(node)
            first[key], last[key] = before - len(nodes) + 1, before
            steps.append((key, step))
    for key, step in steps:
        if (block_waited_for := reader.number(step, "depid", -1)) >= 0:
            other = (block_waited_for, reader.number(step, "deps"))
            if other not in last:
                raise WorkloadError(
                    "a step waits for one that there is not",
                    where=reader.place(step),
                    found=f"depid {other[0]}, deps {other[1]}",
                )
            node = trace.nodes[first[key]]
            node.after = (*node.after, last[other])


def _nodes(reader: _Reader, step: Element, rank: int, peers: dict[str, int], channel: int) -> list[Node]:
    """Return what a step does: it receives, then sends."""
    kind, where = step.get("type", ""), reader.place(step)
    if kind not in (*_RECEIVES, *_SENDS, *_LOCAL):
        raise WorkloadError(
            "invalid type of <step>",
            where=where,
            found=kind or None,
            allowed=", ".join(dict.fromkeys((*_SENDS, *_RECEIVES, *_LOCAL))),
        )
    count = reader.number(step, "cnt") if kind not in _LOCAL else 0
    found: list[Node] = []
    for name, kinds in (("recv", _RECEIVES), ("send", _SENDS)):
        if kind in kinds:
            if peers[name] < 0:
                raise WorkloadError(f"a thread block without {name} has a step {kind}", where=where)
            found.append(Message(rank, where, peer=peers[name], size=count, tag=channel, sends=name == "send"))
    return found or [Node(rank, where)]


TRACE_FORMATS.add_text(
    "msccl", (), "algorithms of MSCCL in XML, for buffers of FILE:size=BYTES", _parse, None, begins="<algo"
)
