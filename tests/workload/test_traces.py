"""Traces of programs: bytes and order by hand and by another reckoning, and what is refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.crosscheck import crosscheck
from pnet_lp.errors import PnetError
from pnet_lp.model import Network, Workload
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload, read_workload
from pnet_lp.workload.io import WORKLOAD_FORMATS
from pnet_lp.workload.traces import TRACE_FORMATS

from ..traces import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BARRIER,
    COLLECTIVE,
    COMPUTE,
    GATHER,
    GOAL,
    LAYERS,
    METADATA,
    RECEIVE,
    REDUCE,
    REDUCE_SCATTER,
    RING,
    SCATTER,
    SEND,
    TRACES,
    chakra,
    generated,
    msccl,
    node,
)

STAR = build_network("single-switch:hosts=4", link_gbps=10)
EIGHT = build_network("single-switch:hosts=8")
US = 10**6


def written(folder: Path, *ranks: bytes, name: str = "run") -> str:
    """Write the files of all ranks and return the one of the first."""
    for rank, data in enumerate(ranks):
        (folder / f"{name}.{rank}.et").write_bytes(data)
    return str(folder / f"{name}.0.et")


def waits(workload: Workload) -> list[dict[int, int]]:
    """Return the flows that each flow waits for, each with the pause after it."""
    bounds = workload.after_ptr.tolist()
    pairs = list(zip(workload.after.tolist(), workload.pause_ps.tolist(), strict=True))
    return [dict(pairs[a:b]) for a, b in itertools.pairwise(bounds)]


def starts(workload: Workload, takes: np.ndarray) -> list[int]:
    """Return when each flow starts where each takes so long, by the definition of waits."""
    found: dict[int, int] = {}
    after = waits(workload)

    def start(flow: int) -> int:
        if flow not in found:
            before = [start(other) + int(takes[other]) + pause for other, pause in after[flow].items()]
            found[flow] = max([*before, int(workload.earliest_ps[flow])]) + int(workload.start_ps[flow])
        return found[flow]

    return [start(flow) for flow in range(workload.flow_count)]


def test_every_format_has_a_trace_here() -> None:
    assert set(TRACES) == set(TRACE_FORMATS.names())
    for known in TRACE_FORMATS.formats:
        for data in TRACES[known.name]:
            assert TRACE_FORMATS.recognised(data, "f").name == known.name


@pytest.mark.parametrize(
    ("kind", "flows", "size", "stage"),
    [
        (ALL_REDUCE, 24, 250, "all-reduce"),
        (REDUCE_SCATTER, 12, 250, "reduce-scatter"),
        (ALL_TO_ALL, 12, 250, "all-to-all"),
        (ALL_GATHER, 12, 1000, "all-gather"),
    ],
)
def test_a_collective_of_all_ranks(tmp_path: Path, kind: int, flows: int, size: int, stage: str) -> None:
    """Four ranks with 1000 bytes each: before an all-gather that is one part of four, else all of it."""
    data = chakra(node(0, COLLECTIVE, is_cpu_op=0, comm_type=kind, comm_size=1000))
    found = read_workload(written(tmp_path, *[data] * 4), STAR)
    assert (found.flow_count, set(found.size.tolist()), found.stages) == (flows, {size}, (stage,))
    assert set(found.task.tolist()) == {0}


def tasks_of(workload: Workload, us: int) -> list[tuple[int, int, int, int]]:
    """Return sender, receiver, bytes and start in us of each flow where each takes so long, by start."""
    begin = [start // US for start in starts(workload, np.full(workload.flow_count, us * US))]
    rows = zip(begin, workload.src.tolist(), workload.dst.tolist(), workload.size.tolist(), strict=True)
    return [(src, dst, size, start) for start, src, dst, size in sorted(rows)]


AROUND = [(rank, (rank + 1) % 4) for rank in range(4)]
BY_HAND = {
    # Of four ranks with 65536 bytes each, where a message takes a us.
    "ALL_REDUCE": [(*pair, 16384, start) for start in range(6) for pair in AROUND],
    "ALL_TO_ALL": [(rank, (rank + 1 + start) % 4, 16384, start) for start in range(3) for rank in range(4)],
    "ALL_GATHER": [(*pair, 65536, start) for start in range(3) for pair in AROUND],
    "REDUCE_SCATTER": [(*pair, 16384, start) for start in range(3) for pair in AROUND],
    "BROADCAST": [(0, 1, 65536, 0), (0, 2, 65536, 0), (1, 3, 65536, 1)],
}
COMPUTED_BY_HAND = {
    # Of each rank: what it waits for, and us.  A load or store without a time takes none.
    "one_metadata_node_all_types": [([], 0)],
    "one_remote_mem_load_node": [([], 0)],
    "one_remote_mem_store_node": [([], 0)],
    "one_comp_node": [([], 5)],
    "two_comp_nodes_independent": [([], 5), ([], 5)],
    "two_comp_nodes_dependent": [([], 5), ([0], 5)],
    "BARRIER": [([], 0)],
}


@pytest.mark.parametrize("name", [*BY_HAND, *COMPUTED_BY_HAND, "one_comm_send_node", "one_comm_recv_node"])
def test_traces_of_the_generator_by_hand(tmp_path: Path, name: str) -> None:
    """Twelve of its fourteen; those that send and receive do not say to and from whom."""
    file = written(tmp_path, *generated(4)[name])
    if name.startswith("one_comm"):
        with pytest.raises(PnetError, match=r"run\.0\.et: node [0-9]+: comm_(dst|src) is missing$"):
            read_workload(file, STAR)
        return
    found = read_workload(file, STAR)
    assert tasks_of(found, 1) == BY_HAND.get(name, [])
    if name in BY_HAND:
        assert found.stages == (name.lower().replace("_", "-"),)
        return
    assert (found.flow_count, found.total_bytes) == (0, 0)
    nodes = TRACE_FORMATS.parse(Path(file).read_bytes(), file, 4).nodes
    once = COMPUTED_BY_HAND[name]
    assert [
        (node.rank, [other - rank * len(once) for other in node.after], node.compute_ps)
        for node in nodes
        for rank in [node.rank]
    ] == [(rank, waits, us * US) for rank in range(4) for waits, us in once]
    with pytest.raises(PnetError, match=r"run\.0\.et: nothing is sent between hosts$"):
        simulate(STAR, found)


def test_what_a_rank_receives_only_waits_for_it(tmp_path: Path) -> None:
    """Rank 0 gathers from three that have begun; it goes on when it is there itself, 9 us late."""
    late = [node(0, COMPUTE, micros=9), node(1, COLLECTIVE, [0], comm_type=GATHER, comm_size=10)]
    first = chakra(*late, node(2, SEND, [1], comm_dst=1, comm_size=5))
    others = [node(1, COLLECTIVE, comm_type=GATHER, comm_size=10)]
    second = chakra(*others, node(2, RECEIVE, comm_src=0, comm_size=5))
    found = read_workload(written(tmp_path, first, second, *[chakra(*others)] * 2), STAR)
    assert tasks_of(found, 1) == [*((rank, 0, 10, 0) for rank in (1, 2, 3)), (0, 1, 5, 9)]


def test_a_reduce_and_a_scatter(tmp_path: Path) -> None:
    data = chakra(
        node(0, COLLECTIVE, comm_type=REDUCE, comm_size=100), node(1, COLLECTIVE, [0], comm_type=SCATTER, comm_size=100)
    )
    file = written(tmp_path, *[data] * 4)
    up, down = [(2, 0, 100, 0), (3, 1, 100, 0), (1, 0, 100, 1)], [(0, rank, 25, 2) for rank in (1, 2, 3)]
    assert tasks_of(read_workload(file, STAR), 1) == [*up, *down]
    linear = build_workload(f"{file}:reduce=linear", STAR)
    assert tasks_of(linear, 1) == [*((rank, 0, 100, 0) for rank in (1, 2, 3)), *((*row[:3], 1) for row in down)]


def test_an_algorithm_placement_and_groups_are_stated(tmp_path: Path) -> None:
    """Ranks 0 and 2 reduce by themselves, from a file of groups; the whole buffer to the other and back, or a half."""
    data = chakra(node(0, COLLECTIVE, comm_type=ALL_REDUCE, comm_size=1000, pg_name="even"))
    file = written(tmp_path, data, chakra(), data)
    groups = tmp_path / "groups.json"
    groups.write_text('{"even": [0, 2]}')
    ring = build_workload(f"{file}:groups={groups}", STAR)
    assert sorted(zip(ring.src.tolist(), ring.dst.tolist(), ring.size.tolist(), strict=True)) == [
        *[(0, 2, 500)] * 2,
        *[(2, 0, 500)] * 2,
    ]
    tree = build_workload(f"{file}:groups={groups},all_reduce=tree,hosts=1-3", STAR)
    assert sorted(zip(tree.src.tolist(), tree.dst.tolist(), strict=True)) == [(1, 3), (3, 1)]
    assert set(tree.size.tolist()) == {1000}
    drawn = {
        tuple(build_workload(f"{file}:groups={groups},placement=random,seed={seed}", STAR).src) for seed in range(9)
    }
    assert len(drawn) > 3


def test_order_and_times_of_two_ranks(tmp_path: Path) -> None:
    """A pipeline: compute, send, and sum gradients while more is computed; streams and groups as PyTorch's traces."""
    define = node(9, METADATA, name="## process_group:init ##", values='[{"pg_name": "0", "ranks": [0, 1]}]')
    first = chakra(
        define,
        node(1, COMPUTE, micros=10),
        node(2, SEND, [1], comm_dst=1, comm_size=700, comm_tag=1),
        node(3, COMPUTE, [1], micros=30),
        node(4, COLLECTIVE, [3], comm_type=ALL_REDUCE, comm_size=2, pg_name="0", stream=5),
        node(5, COMPUTE, [3], micros=40),
        node(6, COLLECTIVE, [5], comm_type=ALL_REDUCE, comm_size=2, pg_name="0", stream=5),
    )
    second = chakra(
        node(1, RECEIVE, comm_src=0, comm_size=700, comm_tag=1),
        node(2, COMPUTE, [1], micros=3),
        node(3, COLLECTIVE, [2], comm_type=ALL_REDUCE, comm_size=2, pg_name="0"),
        node(4, COLLECTIVE, [3], comm_type=ALL_REDUCE, comm_size=2, pg_name="0"),
    )
    found = read_workload(written(tmp_path, first, second), STAR)
    order = np.argsort(found.task, kind="stable")
    assert found.size[order].tolist() == [700] + [1] * 8
    send = int(np.flatnonzero(found.size == 700)[0])
    one, two = (np.flatnonzero((found.size == 1) & (found.task == task)) for task in sorted(set(found.task) - {0}))
    after = waits(found)
    assert (after[send], int(found.start_ps[send])) == ({}, 10 * US)
    # A ring of two: each sends a byte of the sum, then the other; the first of rank 1 waits for what it computes.
    assert [after[flow] for flow in one] == [{}, {send: 3 * US}, {one[0]: 0, one[1]: 0}, {one[0]: 0, one[1]: 0}]
    assert found.start_ps[one].tolist() == [40 * US, 0, 0, 0]
    # The second sum of rank 0 waits for 80 us of computing, and for its stream.
    assert [after[flow] for flow in two[:2]] == [{one[2]: 0, one[3]: 0}] * 2
    assert found.earliest_ps[two].tolist() == [80 * US, 0, 0, 0]
    assert starts(found, np.full(9, US))[send] == 10 * US
    assert [starts(found, np.full(9, US))[flow] for flow in two] == [80 * US, 42 * US, 81 * US, 81 * US]


def test_a_barrier_and_counted_operations(tmp_path: Path) -> None:
    """Both send after the slower one has computed: 4 million operations in 2 us."""
    ranks = [
        chakra(
            node(0, COMPUTE, num_ops=operations),
            node(1, COLLECTIVE, [0], comm_type=BARRIER),
            node(2, SEND, [1], comm_dst=1 - rank, comm_size=5, comm_tag=0),
            node(3, RECEIVE, comm_src=1 - rank, comm_size=5, comm_tag=0),
        )
        for rank, operations in enumerate((4_000_000, 1))
    ]
    file = written(tmp_path, *ranks)
    assert build_workload(f"{file}:tflops=2", STAR).start_ps.tolist() == [2 * US, 2 * US]
    with pytest.raises(PnetError, match=r"run.0.et: node 0: a computation of 4,000,000 operations has no time"):
        read_workload(file, STAR)


def test_nodes_of_a_few_bytes_are_all_read(tmp_path: Path) -> None:
    idle = [node(number, METADATA) for number in range(40_000)]
    file = written(
        tmp_path,
        chakra(*idle, node(40_000, SEND, comm_dst=1, comm_size=5, comm_tag=0)),
        chakra(node(0, RECEIVE, comm_src=0, comm_size=5, comm_tag=0)),
    )
    assert read_workload(file, STAR).flow_count == 1


def test_a_schedule_in_goal(tmp_path: Path) -> None:
    path = tmp_path / "a.goal"
    path.write_text(GOAL)
    found = read_workload(path, STAR)
    assert (found.src.tolist(), found.dst.tolist(), found.size.tolist()) == ([0, 1, 1], [1, 2, 2], [1500, 20, 30])
    assert waits(found) == [{}, {0: 0}, {0: 0}]
    assert (found.start_ps.tolist(), found.earliest_ps.tolist()) == ([US, 0, 0], [0, 0, US // 2])


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[tuple], int]:
    """Operations of three ranks in an order in which they can be done: computations, messages and their receipt."""
    operations: list[tuple] = []

    def earlier(rank: int) -> list[int]:
        own = [i for i, each in enumerate(operations) if each[1] == rank]
        return draw(st.lists(st.sampled_from(own), max_size=3, unique=True)) if own else []

    for _ in range(draw(st.integers(1, 9))):
        rank = draw(st.integers(0, 2))
        if draw(st.booleans()):
            operations.append(("calc", rank, earlier(rank), draw(st.integers(0, 50))))
        else:
            peer = (rank + draw(st.integers(1, 2))) % 3
            operations.append(("send", rank, earlier(rank), peer))
            operations.append(("recv", peer, earlier(peer), rank))
    return operations, draw(st.integers(0, 40))


@given(programs())
@settings(max_examples=40)
def test_random_schedules_take_the_time_of_their_graph(program: tuple[list[tuple], int]) -> None:
    """Each message takes the same; reckoned node by node here, and by waits, pauses and earliest times of flows."""
    operations, message_us = program
    lines: dict[int, list[str]] = {0: [], 1: [], 2: []}
    end: list[int] = []
    begins = []
    for number, (kind, rank, after, value) in enumerate(operations):
        begin = max((end[other] for other in after), default=0)
        what = {"calc": f"calc {1000 * value}", "send": f"send 9b to {value}", "recv": f"recv 9b from {value}"}[kind]
        lines[rank] += [f"n{number}: {what}", *(f"n{number} requires n{other}" for other in after)]
        if kind == "send":
            begins.append(begin)
        duration = {"calc": value, "send": message_us, "recv": 0}[kind]
        end.append(max(begin, end[-1]) if kind == "recv" else begin + duration)
    text = "num_ranks 3\n" + "".join(
        f"rank {rank} {{\n" + "".join(f"{line}\n" for line in each) + "}\n" for rank, each in lines.items()
    )
    if not begins:
        assert _read(text).flow_count == 0
        return
    found = _read(text)
    takes = np.full(found.flow_count, message_us * US)
    assert sorted(starts(found, takes)) == sorted(US * begin for begin in begins)


def _read(text: str, network: Network = STAR) -> Workload:
    return WORKLOAD_FORMATS.parse(text.encode(), "f", network)


def test_one_trace_in_every_model(tmp_path: Path) -> None:
    """Four ranks sum a megabyte around a ring at 10 Gb/s: six rounds of a quarter in the LP and the bare fluid."""
    data = chakra(node(0, COLLECTIVE, comm_type=ALL_REDUCE, comm_size=10**6))
    workload = read_workload(written(tmp_path, *[data] * 4), STAR)
    found = crosscheck(STAR, workload)
    expected = 6 * (250_000 + 40 * 172) * 8 / 10e3  # with the headers of 172 packets
    assert found.linear["ideal"].all_us == pytest.approx(expected)
    assert found.fluids["bare"].makespan_ps / 1e6 == pytest.approx(expected)
    assert found.packets.completed == workload.flow_count
    assert expected < found.packets.makespan_ps / 1e6 < 2 * expected


SENDS = node(1, SEND, comm_dst=1, comm_size=5, comm_tag=0)
RECEIVES = node(1, RECEIVE, comm_src=0, comm_size=5, comm_tag=0)
REDUCES = node(1, COLLECTIVE, comm_type=ALL_REDUCE, comm_size=8)
FAULTS = [
    ([chakra(SENDS), chakra()], "0.et: node 1: a message from rank 0 to rank 1 with tag 0 is sent and never received"),
    ([chakra(), chakra(RECEIVES)], "1.et: node 1: a message from rank 0 to rank 1 with tag 0 is never sent"),
    (
        [chakra(SENDS), chakra(node(1, RECEIVE, comm_src=0, comm_size=6))],
        "1.et: node 1: a message is received with another size than it is sent with, found 6; allowed: 5, as at",
    ),
    ([chakra(node(1, SEND, comm_dst=2, comm_size=5)), chakra()], "no such rank, found 2; allowed: 0 to 1"),
    ([chakra(node(1, SEND, comm_size=5)), chakra()], "node 1: comm_dst is missing"),
    ([chakra(node(1, SEND, comm_dst=1, comm_size="a")), chakra()], "node 1: invalid comm_size, found 'a'"),
    ([chakra(REDUCES), chakra()], "0.et: node 1: rank 1 does not take part in an operation of all ranks"),
    (
        [chakra(REDUCES), chakra(node(1, COLLECTIVE, comm_type=ALL_TO_ALL, comm_size=8))],
        "ranks of all ranks do different operations, found 'all-to-all of 8 bytes'; allowed: all-reduce of 8 bytes, as",
    ),
    (
        [chakra(node(1, COLLECTIVE, comm_type=10, comm_size=8))] * 2,
        "no algorithm does this operation, found 10; allowed: all-reduce, reduce, all-gather, ",
    ),
    (
        [chakra(node(1, COLLECTIVE, comm_type=ALL_REDUCE, comm_size=8, pg_name="tp"))] * 2,
        "the members of this group are not known, found 'tp'; allowed: groups that the trace defines, or those of FILE",
    ),
    (
        [chakra(node(1, COLLECTIVE, comm_type=ALL_REDUCE, comm_size=8, involved_dim=[1, 0]))] * 2,
        "an operation in some dimensions of a network, found 'involved_dim'",
    ),
    ([chakra(node(1, COMPUTE, [7]))] * 2, "node 1: a node waits for one that there is not, found 7"),
    ([chakra(node(1, COMPUTE, [2]), node(2, COMPUTE, [1]))] * 2, "0.et: node 1: circular dependency"),
    ([chakra(node(1, COMPUTE), node(1, COMPUTE))] * 2, "0.et: two nodes have the same id, found 1"),
    ([chakra(node(1, 8))] * 2, "a node of a type that is not simulated, found 8"),
    ([chakra(node(1, COMPUTE, micros=10**13))] * 2, "node 1: a node takes too long, found '10000000000000 us'"),
    ([chakra(node(1, METADATA, name="process_group:init", values="{"))] * 2, "not a definition of process groups"),
    ([chakra(SENDS)[:-3], chakra()], "0.et: message 1: not a Chakra execution trace"),
    ([chakra()] * 5, "the trace is for 5 ranks, found '4 hosts'; allowed: as many hosts"),
    ([chakra(node(2, SEND, comm_dst=0, comm_size=5), RECEIVES)], "host 0 sends to itself"),
]


@pytest.mark.parametrize(("ranks", "message"), FAULTS, ids=[message[:40] for _, message in FAULTS])
def test_faults_of_chakra_traces(tmp_path: Path, ranks: list[bytes], message: str) -> None:
    with pytest.raises(PnetError) as caught:
        read_workload(written(tmp_path, *ranks), STAR)
    assert message in str(caught.value)


def test_ranks_are_complete_and_one_program(tmp_path: Path) -> None:
    file = written(tmp_path, chakra(REDUCES), chakra(REDUCES))
    (tmp_path / "other.7.et").write_bytes(b"")
    assert read_workload(file, STAR).flow_count == 4
    (tmp_path / "run.3.et").write_bytes(chakra())
    with pytest.raises(PnetError, match=r"the trace of rank 2 is missing, found '3 files, up to rank 3'"):
        read_workload(file, STAR)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("num_ranks x\n", "f:1: invalid first line, found 'num_ranks x'; allowed: num_ranks N"),
        ("num_ranks 2\nrank 2 {\n", "f:2: invalid rank, found 2; allowed: each of 0 to 1 once"),
        ("num_ranks 2\nrank 1 {\n}\nrank 1 {\n}\n", "f:4: invalid rank, found 1"),
        ("num_ranks 2\nsend 5b to 1\n", "f:2: not the beginning of a rank, found 'send 5b to 1'; allowed: rank R {"),
        ("num_ranks 2\nrank 0 {\nsend 5b to 1\n", "f: rank 0 does not end; allowed: a line }"),
        ("num_ranks 2\nrank 0 {\nsend 5 to 1\n}\n", "f:3: not an operation, found 'send 5 to 1'"),
        ("num_ranks 2\nrank 0 {\nsend 5b from 1\n}\n", "f:3: not an operation, found 'send 5b from 1'"),
        ("num_ranks 2\n/*\n\n*/ rank 0 {\nrecv 5b from -1 tag 0\n}\n", "f:5: which message is received depends on"),
        (
            "num_ranks 2\nrank 0 {\nsend 5b to 1 tug 0\n}\n",
            "f:3: invalid options, found 'tug 0'; allowed: tag N, cpu N",
        ),
        ("num_ranks 2\nrank 0 {\na: calc 1\nb requires a\n}\n", "f:4: unknown label, found 'b'"),
        ("num_ranks 2\nrank 0 {\na: calc 1\na: calc 1\n}\n", "f:4: invalid label, or one that is there already"),
        ("num_ranks 2\nrank 0 {\na: calc 1\na requires a\n}\n", "f:3: circular dependency"),
        ("num_ranks 999999999\nrank 0 {\n}\n", "f: the trace is for 999999999 ranks, found '4 hosts'"),
    ],
)
def test_faults_of_goal_schedules(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        _read(text)
    assert message in str(caught.value)


def test_layers_of_a_transformer() -> None:
    """Two tensor-parallel ranks, two that share experts, two replicas of these: bytes by hand, and order by hand."""
    found = _read(LAYERS, EIGHT)
    moved = {name: int(found.size[found.stage == index].sum()) for index, name in enumerate(found.stages)}
    # Groups, messages in each, and their bytes; twice where it goes forward and back.
    assert moved == {
        "all-reduce": 2 * 4 * 4 * 2000,
        "all-to-all": 2 * 4 * 2 * 2000,
        "reduce-scatter": 4 * 2 * 1000,
        "all-gather": 2 * 12 * 2000,
    }
    pairs = {
        name: set(zip(found.src[at].tolist(), found.dst[at].tolist(), strict=True))
        for name, at in ((name, found.stage == index) for index, name in enumerate(found.stages))
    }
    for name, some in (
        ("all-reduce", {(0, 1), (6, 7)}),
        ("all-to-all", {(0, 2), (5, 7)}),
        ("reduce-scatter", {(0, 4), (3, 7)}),
        ("all-gather", {(0, 2), (2, 4), (6, 0)}),
    ):
        assert some <= pairs[name]
    # Each message takes 10 us.  Forward 1 + 1000 ns, two rounds of a sum, 1000 ns, one of all-to-all; back 500 ns,
    # all-to-all, 700 ns, and the gradients begin while the next layer goes on: 500 ns and two rounds, 700 + 1 + 1 ns.
    begin = np.array(starts(found, np.full(found.flow_count, 10 * US)))
    first = {
        (name, task): begin[found.task == task].min()
        for task in set(found.task.tolist())
        for name in [found.stages[int(found.stage[found.task == task][0])]]
    }
    times = sorted({(name, int(time)) for (name, _), time in first.items()}, key=lambda each: each[1])
    assert times == [
        ("all-reduce", 1_001_000),
        ("all-to-all", 22_001_000),
        ("all-to-all", 32_501_000),
        ("reduce-scatter", 43_201_000),
        ("all-reduce", 43_701_000),
        ("all-gather", 64_403_000),
    ]


def test_layers_of_replicas() -> None:
    """Sums of gradients while the layers before are computed: twice 5 ns forward, 7 ns, then 6 + 7 ns."""
    layers = "".join(f"{name} -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 80 9\n" for name in "ab")
    found = _read(f"DATA\n2\n{layers}")
    begin = np.array(starts(found, np.full(found.flow_count, 1)))
    assert [begin[found.task == task].min() for task in (0, 1)] == [17_000, 30_000]
    # Of a model, the first layer's input gradients go nowhere, and travel while weight gradients are computed.
    layers = "".join(f"{name} -1 5 NONE 0 6 ALLREDUCE 80 7 NONE 0 9\n" for name in "ab")
    found = _read(f"MODEL\n2\n{layers}")
    assert (set(found.task.tolist()), set(found.start_ps[found.start_ps > 0].tolist())) == ({0}, {16_000})
    # Before an all-gather, ASTRA-sim counts what a rank has.
    gathers = "MICRO\n1\na -1 5 NONE 0 6 NONE 0 7 ALLGATHER 80 9\n"
    assert set(_read(gathers).size.tolist()) == {80}


def test_an_algorithm_of_msccl(tmp_path: Path) -> None:
    """Two GPUs exchange halves, then the sums; a third block waits for the second step, and copies take no time."""
    path = tmp_path / "a.xml"
    path.write_text(RING)
    found = build_workload(f"{path}:size=1kB", STAR)
    assert sorted(zip(found.src.tolist(), found.dst.tolist(), found.size.tolist(), strict=True)) == [
        *[(0, 1, 500)] * 2,
        *[(1, 0, 500)] * 2,
    ]
    after = waits(found)
    assert [len(each) for each in after] == [0, 0, 2, 2]
    steps = [("r", -1, -1), ("cpy", -1, -1)]
    path.write_text(msccl([(1, -1, [("s", -1, -1)])], [(-1, 0, steps), (2, -1, [("s", 0, 1)])], [(-1, 1, steps[:1])]))
    found = build_workload(f"{path}:size=1kB,hosts=1-3", STAR)
    assert (found.src.tolist(), found.dst.tolist(), waits(found)) == ([1, 2], [2, 3], [{}, {0: 0}])
    with pytest.raises(PnetError, match=r"a.xml: the size of the buffer is open; allowed: FILE:size=BYTES"):
        read_workload(path, STAR)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("HYBRID_DLRM\n1\n", "f:1: ranks share the work in a manner that is not simulated, found 'HYBRID_DLRM'"),
        ("DATA x: 1\n1\n", "f:1: invalid first line, found 'x: 1'"),
        ("DATA ep:\n1\n", "f:1: invalid first line, found 'ep:'; allowed: keys with numbers"),
        ("HYBRID_TRANSFORMER pp: 2\n0\n", "f:1: pipeline stages are not in the file, found 'pp: 2'"),
        ("HYBRID_TRANSFORMER checkpoints: 2\n0\n", "f:1: layers that are computed again"),
        ("HYBRID_TRANSFORMER ep: 3\n0\n", "f:1: 4 ranks do not fill groups of 1 and of 3"),
        ("DATA\n2\na -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 80 9\n", "f:2: there are 1 layers, found '2'; allowed: 1"),
        ("DATA\n1\na -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 80\n", "f:3: not a layer"),
        ("DATA\n1\na -1 5 NONE 0 6 NONE 0 x NONE 0 9\n", "f:3: invalid time in nanoseconds, found 'x'"),
        ("DATA\n1\na -1 5 NONE 0 6 NONE 0 7 ALLREDUCE_X 80 9\n", "f:3: no algorithm does this operation, found"),
        ("<algo>\n</algo>", "f:1: invalid ngpus of <algo>; allowed: a whole number from 1"),
        (RING.replace('id="1" i_', 'id="2" i_'), "f:9: invalid GPU, found 2; allowed: each of 0 to 1 once"),
        (RING.replace('type="rrcs"', 'type="x"', 1), "f:5: invalid type of <step>, found 'x'"),
        (RING.replace('send="1"', 'send="-1"'), "f:4: a thread block without send has a step s"),
        (RING.replace('depid="-1" deps="-1"', 'depid="7" deps="0"', 1), "f:4: a step waits for one that there is not"),
        (
            RING.replace('<step s="1"', '<step s="3"', 1),
            "f:5: invalid step, or a thread block that is there already, found 3",
        ),
    ],
)
def test_faults_of_layers_and_algorithms(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        _read(text)
    assert message in str(caught.value)


def test_parameters_are_of_traces(tmp_path: Path) -> None:
    table = tmp_path / "flows.csv"
    table.write_text("src,dst,bytes,start_s\nh0,h1,5,0\n")
    for text, message in (
        (
            f"{table}:all_reduce=tree",
            "not a known trace format, found 'src,dst,bytes,start_s'; allowed: chakra, goal, layers",
        ),
        (f"{tmp_path}/a.et:all_reduc=tree", "unknown parameter 'all_reduc' (did you mean 'all_reduce'?)"),
        (f"{tmp_path}/a.et:all_reduce=pairwise", "no algorithm of all-reduce"),
        (f"{tmp_path}/a.et:tflops=0", "tflops"),
        (f"{tmp_path}/a.et", "a.et"),
    ):
        with pytest.raises(PnetError) as caught:
            build_workload(text, STAR)
        assert message in str(caught.value)
