"""Small traces of programs, made without the code that reads them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping


def varint(value: int) -> bytes:
    """Return a number as protobuf writes it."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def field(number: int, value: int | str | bytes) -> bytes:
    """Return a field of a message: a number, a text or another message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def attribute(name: str, value: int | str | list[int] | bytes) -> bytes:
    """Return an attribute as Chakra's own tools write it: a truth value, int64, a text, truth values, or a field."""
    if isinstance(value, bytes):
        return field(1, name) + value
    if isinstance(value, list):
        return field(1, name) + field(28, field(1, bytes(value)))
    return field(1, name) + (
        field(27, int(value)) if isinstance(value, bool) else field(9 if isinstance(value, int) else 29, value)
    )


METADATA, LOAD, STORE, COMPUTE, SEND, RECEIVE, COLLECTIVE = 1, 2, 3, 4, 5, 6, 7
ALL_REDUCE, REDUCE, ALL_GATHER, GATHER, SCATTER, BROADCAST, ALL_TO_ALL, REDUCE_SCATTER = range(8)
BARRIER = 9


def node(
    number: int,
    kind: int,
    after: Iterable[int] = (),
    *,
    micros: int = 0,
    name: str = "n",
    values: str = "",
    waits: bytes = b"",
    **attributes: int | str | list[int] | bytes,
) -> bytes:
    """Return a node of a Chakra trace; half of what it waits for is data, half is control."""
    waits += b"".join(field(4 + i % 2, other) for i, other in enumerate(after))
    times = field(7, micros) if micros else b""
    inputs = field(8, field(1, values)) if values else b""
    more = b"".join(field(10, attribute(*each)) for each in attributes.items())
    return (field(1, number) if number else b"") + field(2, name) + field(3, kind) + waits + times + inputs + more


def chakra(*nodes: bytes, metadata: bytes = field(1, "1.0.0")) -> bytes:
    """Return the file of a rank."""
    return b"".join(varint(len(message)) + message for message in (metadata, *nodes))


def of_every_type() -> dict[str, bytes]:
    """Return attributes of all thirty types of the schema, as Chakra's generator has them: values, and lists of two."""
    found = {}

    def add(name: str, number: int, wire: int, one: bytes, two: bytes, doc: bool = True) -> None:
        text = field(2, name) if doc else b""
        found[name] = text + varint(number << 3 | wire) + one
        found[f"{name}_list"] = field(number + 1, field(1, two))

    def zigzag(value: int) -> bytes:
        return varint(value << 1 if value >= 0 else (-value << 1) - 1)

    add("double", 3, 1, struct.pack("<d", 1.2345), struct.pack("<2d", 1.2345, 2.3456))
    add("float", 5, 5, struct.pack("<f", 1.2345), struct.pack("<2f", 1.2345, 2.3456))
    small, large = (12345, 23456), (9876543210, 1234567890)
    for name, number, pair in (("int32", 7, small), ("int64", 9, large), ("uint32", 11, small), ("uint64", 13, large)):
        add(name, number, 0, varint(pair[0]), b"".join(map(varint, pair)))
    for name, number, (a, b) in (("sint32", 15, small), ("sint64", 17, large)):
        add(name, number, 0, zigzag(-a), zigzag(a) + zigzag(-b))
    for sign, signed in ((1, ""), (-1, "s")):
        for name, number, code, wire, (a, b) in (("fixed32", 19, "i", 5, small), ("fixed64", 21, "q", 1, large)):
            one, two = struct.pack(f"<{code}", sign * a), struct.pack(f"<2{code}", a, sign * b)
            add(f"{signed}{name}", number + 4 * bool(signed), wire, one, two, doc=False)
    add("bool", 27, 0, b"\x01", bytes([1, 0] * 5))
    texts = [str(12345 + i) for i in range(10)]
    for name, number in (("string", 29), ("bytes", 31)):
        found[name] = (field(2, name) if number == 29 else b"") + field(number, "12345")
        found[f"{name}_list"] = field(number + 1, b"".join(field(1, text) for text in texts))
    return found


def generated(ranks: int) -> dict[str, list[bytes]]:
    """Return the traces of Chakra's own generator, by name, the file of each rank; it numbers nodes throughout."""
    found: dict[str, list[bytes]] = {}
    number = 0

    def add(name: str, kind: int, nodes: int = 1, dependent: bool = False, called: str = "", **more: object) -> None:
        nonlocal number
        found[name] = []
        for _ in range(ranks):
            made = [
                node(number + i, kind, name=called, waits=field(5, bytes([number])) if i and dependent else b"", **more)  # type: ignore[arg-type]
                for i in range(nodes)
            ]
            number += nodes
            found[name].append(chakra(*made))

    memory, computes = {"is_cpu_op": False, "tensor_size": field(13, 1024)}, {"is_cpu_op": False, "micros": 5}
    add("one_metadata_node_all_types", METADATA, called="METADATA_NODE", **of_every_type())
    add("one_remote_mem_load_node", LOAD, called="MEM_LOAD_NODE", **memory)
    add("one_remote_mem_store_node", STORE, called="MEM_STORE_NODE", **memory)
    add("one_comp_node", COMPUTE, called="COMP_NODE", **computes)
    add("two_comp_nodes_independent", COMPUTE, nodes=2, called="COMP_NODE", **computes)
    add("two_comp_nodes_dependent", COMPUTE, nodes=2, dependent=True, called="COMP_NODE", **computes)
    for name, kind in (
        ("ALL_REDUCE", ALL_REDUCE),
        ("ALL_TO_ALL", ALL_TO_ALL),
        ("ALL_GATHER", ALL_GATHER),
        ("REDUCE_SCATTER", REDUCE_SCATTER),
        ("BROADCAST", BROADCAST),
        ("BARRIER", BARRIER),
    ):
        size = 0 if kind == BARRIER else 65536
        add(name, COLLECTIVE, called=name, is_cpu_op=False, comm_type=kind, comm_size=size)
    add("one_comm_send_node", SEND, called="COMM_SEND_NODE", **memory)
    add("one_comm_recv_node", RECEIVE, called="COMM_RECV_NODE", **memory)
    return found


GOAL = """/* three
ranks */
num_ranks 3
rank 0 {
c: calc 1000 // a microsecond
a: send 1500b to 1 tag 4
a requires c
}
rank 1 {
a: recv 1500b from 0 tag 4 cpu 0 nic 0
b: send 20b to 2
b requires a
c: calc 500
d: send 30b to 2
d requires c
d irequires b
}
rank 2 {
recv 20b from 1
recv 30b from 1
}
"""

LAYERS = """HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 3 ga: 1 all_gpus: 8 pp_comm: 0
3
grad -1 1 NONE 0 1 NONE 0 1 ALLGATHER 8000 100
att\t-1\t1000\tALLREDUCE\t4000\t500\tALLREDUCE\t4000\t700\tNONE\t0\t100
moe -1 1000 ALLTOALL_EP 4000 500 ALLTOALL_EP 4000 700 REDUCESCATTER_DP_EP 2000 100
"""

STEP = '<step s="{}" type="{}" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="{}" deps="{}" hasdep="0"/>'


def msccl(*gpus: list[tuple[int, int, list[tuple[str, int, int]]]], chunks: int = 2) -> str:
    """Return an algorithm: for each GPU thread blocks, each with what it sends to, receives from, and its steps."""
    lines = [f'<algo name="a" proto="Simple" nchannels="1" nchunksperloop="{chunks}" ngpus="{len(gpus)}">']
    for rank, blocks in enumerate(gpus):
        lines.append(f'<gpu id="{rank}" i_chunks="2" o_chunks="0" s_chunks="0">')
        for number, (send, recv, steps) in enumerate(blocks):
            lines.append(f'<tb id="{number}" send="{send}" recv="{recv}" chan="0">')
            lines += [STEP.format(i, kind, block, step) for i, (kind, block, step) in enumerate(steps)]
            lines.append("</tb>")
        lines.append("</gpu>")
    return "\n".join([*lines, "</algo>"]) + "\n"


RING = msccl(
    [(1, 1, [("s", -1, -1), ("rrcs", -1, -1), ("r", -1, -1)])],
    [(0, 0, [("s", -1, -1), ("rrcs", -1, -1), ("r", -1, -1)])],
)

TRACES: Mapping[str, list[bytes]] = {
    # A file without others beside it is all there is, so that nobody sends to anybody: who does is refused, in the end.
    "chakra": [
        chakra(
            node(0, COMPUTE, micros=5, is_cpu_op=0, num_ops=9),
            node(1, COLLECTIVE, [0], comm_type=ALL_REDUCE, comm_size=4096, pg_name="g", stream=7),
            node(2, METADATA, [1], name="## process_group:init ##", values='[{"pg_name": "g", "ranks": [0]}]'),
            node(3, SEND, [1, 2], comm_dst=0, comm_size=100, comm_tag=3, stream=7),
            node(4, RECEIVE, [0], comm_src=0, comm_size=100, comm_tag=3),
            node(5, COLLECTIVE, comm_type=BARRIER, involved_dim=[1, 1]),
            node(6, LOAD, [4], tensor_size=10),
            node(7, COLLECTIVE, comm_type=GATHER, comm_size=4),
        ),
        chakra(
            node(3, COMPUTE, micros=5, is_cpu_op=False, num_ops=9),
            node(4, COLLECTIVE, [3], comm_type=BROADCAST, comm_size=4096, stream=7, involved_dim=[1, 1]),
            node(5, STORE, [4], tensor_size=field(13, 10)),
        ),
    ],
    "layers": [
        LAYERS.replace(" 8 pp_comm", " 4 pp_comm").encode(),
        b"DATA\n2\na -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 80 9\nb -1 5 NONE 0 6 NONE 0 7 ALLGATHER 8 9\n",
        b"MODEL\n1\na -1 5 ALLTOALL 80 6 ALLREDUCE 80 7 NONE 0 9\n",
        b"MICRO\n1\na -1 5 NONE 0 6 NONE 0 7 REDUCESCATTER 80 9\n",
    ],
    "msccl": [RING.encode()],
    "goal": [GOAL.encode(), b"num_ranks 2\nrank 1 {\nl1: recv 7b from 0 tag 0\n}\nrank 0 {\nsend 7b to 1\n}\n"],
}
"""Files of each format of traces."""
