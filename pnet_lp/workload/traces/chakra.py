"""Chakra execution traces of MLCommons: a file ``NAME.RANK.et`` for each rank, of messages of protobuf.

Each message follows its length: metadata, then nodes (``et_def.proto`` of MLCommons Chakra).  A node waits for those in
``ctrl_deps`` and ``data_deps``, and for the one before it in its ``stream``.  What is computed, loaded or stored takes
``duration_micros``, nothing where that is 0.  ``comm_size`` counts, as in ASTRA-sim, what a rank has before an
operation, of a scatter what its root has.  The root of an operation, which the schema has no place for, is the first
rank of its group.
"""

from __future__ import annotations

import glob
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from pnet_lp.errors import WorkloadError
from pnet_lp.extras import load, need
from pnet_lp.files import read_limited
from pnet_lp.formats import Format
from pnet_lp.registry import nearest
from pnet_lp.travel import located, names_in
from pnet_lp.workload.io.flows import LARGEST_BYTES
from pnet_lp.workload.traces.format import TRACE_FORMATS
from pnet_lp.workload.traces.trace import Collective, Joint, Message, Node, Trace

_RANKED = re.compile(r"(?P<stem>.*)\.(?P<rank>[0-9]{1,7})(?P<suffix>\.[a-z]+)", re.DOTALL)
_BINARY = re.compile(r"[^\x00-\x08\x0e-\x1f]{0,2}[\x00-\x08\x0e-\x1f]")
"""A length and a tag: no other file of a workload begins so but Parquet, which has a sign of its own."""

_OPERATIONS: dict[int, Joint] = {
    0: "all-reduce",
    1: "reduce",
    2: "all-gather",
    3: "gather",
    4: "scatter",
    5: "broadcast",
    6: "all-to-all",
    7: "reduce-scatter",
    8: "reduce-scatter",
    9: "barrier",
}
_METADATA, _SEND, _RECV, _COLLECTIVE = 1, 5, 6, 7
_TIMED = (2, 3, 4)
"""Loads, stores and computations."""

_LONGEST_MICROS = 10**12

_CHECKED = 1 << 14
"""Nodes after each of which it is seen whether more of them fit into memory."""

_DEFINES_GROUPS = "process_group:init"


@cache
def _messages() -> tuple[Any, Any]:
    """Return the classes of the metadata and of nodes, with the fields that are used here."""
    descriptor, pool, factory = (
        load(f"google.protobuf.{name}", "Chakra traces")
        for name in ("descriptor_pb2", "descriptor_pool", "message_factory")
    )
    kind = descriptor.FieldDescriptorProto
    file = descriptor.FileDescriptorProto(name="pnet_chakra.proto", package="pnet", syntax="proto3")

    def message(name: str, *fields: tuple[str, int, Any, str, bool], oneof: str = "") -> None:
        found = file.message_type.add(name=name)
        if oneof:
            found.oneof_decl.add(name=oneof)
        for called, number, type_, of, repeated in fields:
            more: dict[str, Any] = {"type_name": f".pnet.{of}"} if of else {}
            if oneof and number > 1:
                more["oneof_index"] = 0
            label = kind.LABEL_REPEATED if repeated else kind.LABEL_OPTIONAL
            found.field.add(name=called, number=number, type=type_, label=label, **more)

    whole = (
        *((7, kind.TYPE_INT32), (9, kind.TYPE_INT64), (11, kind.TYPE_UINT32), (13, kind.TYPE_UINT64)),
        *((15, kind.TYPE_SINT32), (17, kind.TYPE_SINT64), (19, kind.TYPE_FIXED32), (21, kind.TYPE_FIXED64)),
        *((23, kind.TYPE_SFIXED32), (25, kind.TYPE_SFIXED64), (27, kind.TYPE_BOOL), (29, kind.TYPE_STRING)),
    )
    message("Flags", ("values", 1, kind.TYPE_BOOL, "", True))
    message(
        "Attribute",
        ("name", 1, kind.TYPE_STRING, "", False),
        *((f"value{number}", number, type_, "", False) for number, type_ in whole),
        ("value28", 28, kind.TYPE_MESSAGE, "Flags", False),
        oneof="value",
    )
    message("Metadata", ("version", 1, kind.TYPE_STRING, "", False), ("attr", 2, kind.TYPE_MESSAGE, "Attribute", True))
    message("Texts", ("values", 1, kind.TYPE_STRING, "", False))
    message(
        "Node",
        ("id", 1, kind.TYPE_UINT64, "", False),
        ("name", 2, kind.TYPE_STRING, "", False),
        ("type", 3, kind.TYPE_INT32, "", False),
        ("ctrl_deps", 4, kind.TYPE_UINT64, "", True),
        ("data_deps", 5, kind.TYPE_UINT64, "", True),
        ("duration_micros", 7, kind.TYPE_UINT64, "", False),
        ("inputs", 8, kind.TYPE_MESSAGE, "Texts", False),
        ("attr", 10, kind.TYPE_MESSAGE, "Attribute", True),
    )
    own = pool.DescriptorPool()
    own.Add(file)
    return tuple(factory.GetMessageClass(own.FindMessageTypeByName(f"pnet.{name}")) for name in ("Metadata", "Node"))


def _read(data: bytes, where: str, _: int) -> Trace:
    need("protobuf", where)
    files = _files(data, where)
    trace = Trace(where, len(files))
    for rank, (name, content) in enumerate(files):
        _add_rank(trace, rank, content, name)
    return trace


def _files(data: bytes, where: str) -> list[tuple[str, bytes]]:
    """Return names and contents of the files of all ranks, given one of them; a file without rank is alone."""
    path = Path(where)
    own = _RANKED.fullmatch(path.name)
    if own is None or not located(path).is_file():
        return [(where, data)]
    found: dict[int, Path] = {}
    for other in names_in(path.parent, f"{glob.escape(own['stem'])}.*"):
        named = _RANKED.fullmatch(other.name)
        if named is not None and (named["stem"], named["suffix"]) == (own["stem"], own["suffix"]):
            found[int(named["rank"])] = other
    if missing := sorted(set(range(len(found))) - found.keys()):
        raise WorkloadError(
            f"the trace of rank {missing[0]} is missing",
            where=where,
            found=f"{len(found)} files, up to rank {max(found)}",
            allowed=f"{own['stem']}.RANK{own['suffix']} for every rank from 0",
        )
    return [
        (str(found[rank]), data if found[rank] == path else read_limited(found[rank], WorkloadError))
        for rank in sorted(found)
    ]


def _add_rank(trace: Trace, rank: int, data: bytes, where: str) -> None:
    """Add the nodes of a rank."""
    nodes = _parsed(data, where, trace)
    numbers: dict[int, int] = {}
    for node in nodes:
        if node.id in numbers:
            raise WorkloadError("two nodes have the same id", where=where, found=node.id)
        numbers[node.id] = len(trace.nodes) + len(numbers)
    last: dict[object, int] = {}
    for node in nodes:
        here = f"{where}: node {node.id}"
        values = {attr.name: _value(attr) for attr in node.attr}
        after = []
        for other in (*node.ctrl_deps, *node.data_deps):
            if other not in numbers:
                raise WorkloadError("a node waits for one that there is not", where=here, found=other)
            after.append(numbers[other])
        if (stream := values.get("stream")) is not None:
            after += [last[stream]] if stream in last else []
            last[stream] = numbers[node.id]
        if _DEFINES_GROUPS in node.name:
            trace.groups.update(_groups(node.inputs.values, here))
        trace.add(_node(node, values, rank, here, tuple(dict.fromkeys(after))))


def _parsed(data: bytes, where: str, trace: Trace) -> list[Any]:
    """Return the nodes in a file, or raise WorkloadError: they are none, or too many beside those of ``trace``."""
    metadata, node = _messages()
    proto, fault = load("google.protobuf.proto", where), load("google.protobuf.message", where).DecodeError
    stream, found = io.BytesIO(data), []
    try:
        proto.parse_length_prefixed(metadata, stream)
        while (message := proto.parse_length_prefixed(node, stream)) is not None:
            found.append(message)
            if len(found) % _CHECKED == 0:
                trace.check_count(len(trace.nodes) + len(found))
    except (fault, ValueError) as error:
        raise WorkloadError(
            "not a Chakra execution trace",
            where=f"{where}: message {len(found) + 1}",
            found=str(error).partition("\n")[0] or None,
            allowed="length-prefixed messages of its schema",
        ) from None
    return found


def _value(attr: Any) -> Any:
    chosen = attr.WhichOneof("value")
    found: Any = None if chosen is None else getattr(attr, chosen)
    return tuple(found.values) if chosen == "value28" else found


def _node(node: Any, values: dict[str, Any], rank: int, where: str, after: tuple[int, ...]) -> Node:
    """Return what a node is, or raise WorkloadError."""
    if node.type in (_SEND, _RECV):
        sends = node.type == _SEND
        peer = _whole(values, "comm_dst" if sends else "comm_src", where)
        size = _whole(values, "comm_size", where)
        return Message(rank, where, after, peer=peer, size=size, tag=_whole(values, "comm_tag", where, 0), sends=sends)
    if node.type == _COLLECTIVE:
        return _collective(values, rank, where, after)
    if node.type in _TIMED:
        if node.duration_micros > _LONGEST_MICROS:
            raise WorkloadError("a node takes too long", where=where, found=f"{node.duration_micros} us")
        operations = _whole(values, "num_ops", where, 0)
        return Node(rank, where, after, compute_ps=node.duration_micros * 10**6, operations=operations)
    if node.type == _METADATA:
        return Node(rank, where, after)
    raise WorkloadError(
        "a node of a type that is not simulated",
        where=where,
        found=node.type,
        allowed="metadata, memory, computation, send, receive, collective",
    )


def _collective(values: dict[str, Any], rank: int, where: str, after: tuple[int, ...]) -> Node:
    kind = _whole(values, "comm_type", where)
    if kind not in _OPERATIONS:
        raise WorkloadError(
            "no algorithm does this operation",
            where=where,
            found=kind,
            allowed=", ".join(dict.fromkeys(_OPERATIONS.values())),
        )
    if not all(values.get("involved_dim") or (True,)):
        raise WorkloadError(
            "an operation in some dimensions of a network",
            where=where,
            found="involved_dim",
            allowed="all dimensions, or groups by pg_name",
        )
    operation, size = _OPERATIONS[kind], _whole(values, "comm_size", where, 0)
    group = str(values.get("pg_name") or "")
    gathered = operation in ("all-gather", "gather")
    return Collective(rank, where, after, operation=operation, size=size, gathered=gathered, group=group)


def _whole(values: dict[str, Any], name: str, where: str, default: int | None = None) -> int:
    value = values.get(name, default)
    if value is None:
        raise WorkloadError(f"{name} is missing", where=where, found=nearest(name, values) or None)
    if not isinstance(value, int) or not 0 <= value <= LARGEST_BYTES:
        raise WorkloadError(f"invalid {name}", where=where, found=value, allowed=f"0 to {LARGEST_BYTES}")
    return value


def _groups(text: str, where: str) -> dict[str, tuple[int, ...]]:
    """Return the groups that a node of PyTorch's traces defines; none where it names no ranks."""
    try:
        document = json.loads(text)
        document = json.loads(document[0]) if isinstance(document, list) and isinstance(document[0], str) else document
        return {str(each["pg_name"]): tuple(map(int, each["ranks"])) for each in document if each["ranks"]}
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        raise WorkloadError("not a definition of process groups", where=where, found=text[:100]) from None


TRACE_FORMATS.add(
    Format("chakra", (), None, _read, lambda head: not head.startswith("PAR1") and _BINARY.match(head), order=2),
    summary="execution traces of MLCommons Chakra, a file for each rank",
)
