"""Algorithms of collective operations: what they move, in any order that their waits leave, and how much of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.collectives import ALGORITHMS, Operation, Schedule, messages_of
from pnet_lp.collectives.base import parse_algorithm
from pnet_lp.collectives.messages import Book
from pnet_lp.errors import SpecError
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload

EXPRESSIONS = [
    *(entry.expression for entry in ALGORITHMS),
    "two-level:local=3",
    "two-level:local=2,between=tree",
    "two-level:local=2,between=halving-doubling",
    "two-level:local=2,between=recursive",
    "two-level:local=4,within=recursive",
    "two-level:local=2,between=[two-level:local=2]",
    "two-level:local=4,within=[two-level:local=2]",
    "hierarchical:local=3",
]

CASES = [
    (text, operation)
    for text in EXPRESSIONS
    for operation in parse_algorithm(text).params.operations
    if (operation == "all-reduce" or not text.endswith(("between=tree", "between=halving-doubling")))
    and (operation != "all-reduce" or not text.endswith("between=recursive"))
]


def schedule_of(text: str, operation: Operation, ranks: int) -> Schedule | None:
    """The schedule, or None where so many ranks do not fit."""
    algorithm = parse_algorithm(text)
    algorithm.check(operation)
    try:
        return algorithm.schedule(operation, ranks)
    except SpecError:
        return None


@pytest.mark.parametrize(("text", "operation"), CASES)
@pytest.mark.parametrize("pieces", [1, 3])
@pytest.mark.parametrize("ranks", [2, 3, 4, 6, 7, 8, 12])
def test_data_arrives_whatever_is_fast(text: str, operation: Operation, ranks: int, pieces: int) -> None:
    """Messages leave as early as their waits allow, with what their sender has then, and arrive in random order.

    With bounds 1, 2, 4, ..., 2^b - 2^a, the size of a message, says that it is of parts a to b - 1.
    """
    schedule = schedule_of(text, operation, ranks)
    if schedule is None or (pieces > 1 and not parse_algorithm(text).params.pipelined):
        return
    parts, random = schedule.blocks * pieces, np.random.default_rng(ranks)
    ranges = Book(ranks)
    single = replace(schedule, steps=tuple(replace(step, copies=1) for step in schedule.steps))
    ranges.run(single, 2 ** np.arange(parts + 1), pieces)
    sums = [int(size) for size in ranges.messages().size]
    messages = messages_of(schedule, parts, pieces)
    # Of each rank and part, whose data is in it.
    held = np.zeros((ranks, parts, ranks), dtype=bool)
    for rank in range(ranks):
        own = slice(None)
        if operation in ("all-gather", "gather"):
            own = slice(schedule.own[rank] * pieces, (schedule.own[rank] + 1) * pieces)
        held[rank, own, rank] = operation not in ("broadcast", "scatter") or rank == 0
    waiting = np.bincount(messages.waits[0], minlength=len(messages.src))
    flying: dict[int, npt.NDArray[np.bool_]] = {}

    def leave(ready: npt.NDArray[np.int64]) -> None:
        for one in ready.tolist():
            part = np.zeros((parts, ranks), dtype=bool)
            low = (sums[one] & -sums[one]).bit_length() - 1
            part[low : sums[one].bit_length()] = held[messages.src[one], low : sums[one].bit_length()]
            if operation == "all-to-all":
                # A byte for each block of whoever's data passes here.
                assert part.sum() == messages.size[one]
            flying[one] = part

    leave(np.flatnonzero(waiting == 0))
    done = 0
    while flying:
        one = list(flying)[random.integers(len(flying))]
        held[messages.dst[one]] |= flying.pop(one)
        done += 1
        freed = messages.waits[0][messages.waits[1] == one]
        np.subtract.at(waiting, freed, 1)
        leave(np.unique(freed[waiting[freed] == 0]))
    assert done == len(messages.src)
    if operation in ("all-reduce", "all-gather"):
        whole = held.all(axis=2) if operation == "all-reduce" else held.any(axis=2)
        assert whole.all()
    elif operation in ("reduce", "gather"):
        whole = held[0].all(axis=1) if operation == "reduce" else held[0].any(axis=1)
        assert whole.all()
    elif operation == "broadcast":
        assert held[:, :, 0].all()
    elif operation == "scatter":
        for rank in range(ranks):
            assert held[rank, rank * pieces : (rank + 1) * pieces, 0].all()
    else:
        for rank, block in enumerate(schedule.own.tolist()):
            assert held[rank, block * pieces : (block + 1) * pieces].all()


@pytest.mark.parametrize(("text", "operation"), CASES)
@given(ranks=st.integers(2, 16), pieces=st.integers(1, 3))
def test_volumes_are_those_of_the_messages(text: str, operation: Operation, ranks: int, pieces: int) -> None:
    schedule = schedule_of(text, operation, ranks)
    if schedule is None:
        return
    messages = messages_of(schedule, 6 * schedule.blocks, pieces if parse_algorithm(text).params.pipelined else 1)
    assert len(messages.src) % schedule.message_count == 0
    total = np.zeros((ranks, ranks), dtype=int)
    np.add.at(total, (messages.src, messages.dst), messages.size)
    found = np.zeros_like(total)
    src, dst, blocks = schedule.volumes()
    found[src, dst] = 6 * blocks
    assert np.array_equal(found, total)
    assert len(src) <= schedule.pair_count
    # No message waits for a later one, nor for two of which one is enough to name.
    assert np.all(messages.waits[1] < messages.waits[0])
    assert len(np.unique(np.stack(messages.waits), axis=1).T) == len(messages.waits[0])


@given(servers=st.integers(1, 6), local=st.integers(2, 6))
def test_two_levels_in_closed_form(servers: int, local: int) -> None:
    """Inside, a rank sends (g - 1) / g of its buffer for each half; along its rail, (n - 1) / n of a g-th."""
    n = servers * local
    network = build_network(f"single-switch:hosts={n}")
    for operation, halves in (("all-reduce", 2), ("all-gather", 1), ("reduce-scatter", 1)):
        matrix = build_traffic(f"{operation}:algorithm=two-level:local={local}", network)
        same = matrix.src // local == matrix.dst // local
        assert matrix.demand[same] == pytest.approx(halves * (local - 1) / local)
        assert matrix.demand[~same] == pytest.approx(halves * (servers - 1) / servers / local)
        assert np.all(matrix.src[~same] % local == matrix.dst[~same] % local)
        # What any algorithm has to send: n - 1 blocks of each n, for each half.
        assert matrix.total == pytest.approx(halves * (n - 1))
    matrix = build_traffic(f"all-to-all:algorithm=hierarchical:local={local}", network)
    same = matrix.src // local == matrix.dst // local
    assert np.all(matrix.demand == np.where(same, servers, local))
    assert matrix.demand_count == n * (local - 1 + servers - 1)


def test_matrix_and_flows_agree() -> None:
    network = build_network("single-switch:hosts=24")
    for text, more in (
        ("all-reduce", ""),
        ("all-reduce", "algorithm=tree"),
        ("all-reduce", "algorithm=halving-doubling"),
        ("all-reduce", "algorithm=[two-level:local=8,between=tree]"),
        ("all-gather", "algorithm=two-level:local=4"),
        ("reduce-scatter", ""),
        ("all-to-all", "algorithm=hierarchical:local=8"),
    ):
        matrix = build_traffic(f"{text}:{more}" if more else text, network)
        # A buffer is a vector, and for an all-to-all a block for each rank.
        size = 24 * 16 * 3
        workload = build_workload(f"{text}:size={size},{more}".rstrip(","), network)
        sent = np.zeros((24, 24))
        np.add.at(sent, (workload.src, workload.dst), workload.size)
        unit = size / 24 if text == "all-to-all" else size
        assert sent == pytest.approx(matrix.to_csr().toarray() * unit)


def test_waits_of_two_levels_by_hand() -> None:
    """Four ranks in two servers: one exchange inside, two along rails, one inside, each after what came before."""
    schedule = schedule_of("two-level:local=2", "all-reduce", 4)
    assert schedule is not None
    messages = messages_of(schedule, 400)
    rows = list(zip(messages.src.tolist(), messages.dst.tolist(), messages.size.tolist(), strict=True))
    inside = [(0, 1, 200), (1, 0, 200), (2, 3, 200), (3, 2, 200)]
    along = [(0, 2, 100), (2, 0, 100), (1, 3, 100), (3, 1, 100)]
    assert rows == [*inside, *along, *along, *inside]
    waits = sorted(zip(messages.waits[0].tolist(), messages.waits[1].tolist(), strict=True))
    assert waits[:8] == [(4, 0), (4, 1), (5, 2), (5, 3), (6, 0), (6, 1), (7, 2), (7, 3)]
    assert waits[-8:] == [(12, 8), (12, 9), (13, 10), (13, 11), (14, 8), (14, 9), (15, 10), (15, 11)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "all-reduce:algorithm=two-level:local=5",
            "all-reduce:algorithm=two-level:local=5: algorithm: local: 16 ranks do not fill groups of 5; allowed: a "
            "divisor of 16",
        ),
        (
            "all-gather:algorithm=tree",
            "all-gather: algorithm: no algorithm of all-gather: 'tree'; allowed: recursive, ring, two-level",
        ),
        (
            "all-to-all:algorithm=ring",
            "all-to-all: algorithm: no algorithm of all-to-all: 'ring'; allowed: hierarchical, pairwise",
        ),
        ("all-reduce:algorithm=two-level", "all-reduce: two-level: parameter 'local' is required"),
        (
            "all-reduce:algorithm=[two-level:local=4,within=tree]",
            "all-reduce:algorithm=[two-level:local=4,within=tree]: within: no algorithm of reduce-scatter: 'tree'; "
            "allowed: recursive, ring, two-level",
        ),
        ("all-gather:algorithm=[two-level:local=4,between=halving-doubling]", None),
        ("all-reduce:algorithm=[two-level:local=1]", None),
        ("all-to-all:algorithm=hierarchical:local=3", None),
        ("reduce-scatter:algorithm=rings", None),
    ],
)
def test_wrong_algorithms(text: str, message: str | None) -> None:
    network = build_network("single-switch:hosts=16")
    for build, whole in ((build_traffic, text), (build_workload, f"{text},size=1MB")):
        with pytest.raises(SpecError) as caught:
            build(whole, network)
        assert "\n" not in str(caught.value)
        if message:
            assert str(caught.value).replace(",size=1MB", "") == message
    with pytest.raises(SpecError, match="order: an algorithm that passes data on has an order"):
        build_workload("all-to-all:size=1kB,algorithm=hierarchical:local=4,order=at-once", network)
