"""What every pattern promises, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp import memory
from pnet_lp.errors import PnetError, SpecError, TopologyError, TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic, traffics

from .conftest import fat_tree, ring_of

sizes = st.integers(2, 40)
seeds = st.integers(0, 2**32)


def assert_permutation_without_fixed_point(matrix: TrafficMatrix, n: int) -> None:
    assert matrix.src.tolist() == list(range(n))
    assert sorted(matrix.dst.tolist()) == list(range(n))
    assert not np.any(matrix.src == matrix.dst)
    assert np.all(matrix.demand == 1.0)


@given(n=sizes)
def test_all_to_all_is_every_ordered_pair_once(n: int) -> None:
    matrix = build_traffic("all-to-all", ring_of(n), "rack")
    assert matrix.demand_count == n * (n - 1)
    assert np.array_equal(matrix.to_csr().toarray(), 1.0 - np.eye(n))


@given(n=sizes, seed=seeds)
def test_random_permutation_is_a_derangement(n: int, seed: int) -> None:
    matrix = build_traffic("permutation", ring_of(n), "rack", seed=seed)
    assert_permutation_without_fixed_point(matrix, n)


@given(n=sizes.map(lambda half: 2 * half), seed=seeds)
def test_pairs_are_mutual(n: int, seed: int) -> None:
    matrix = build_traffic("permutation:kind=pairs", ring_of(n), "rack", seed=seed)
    assert_permutation_without_fixed_point(matrix, n)
    assert np.array_equal(matrix.dst[matrix.dst], matrix.src)


@given(n=sizes.map(lambda half: 2 * half), seed=seeds)
def test_of_halves_one_sends_and_the_other_receives(n: int, seed: int) -> None:
    matrix = build_traffic("permutation:kind=halves", ring_of(n), "rack", seed=seed)
    assert sorted([*matrix.src.tolist(), *matrix.dst.tolist()]) == list(range(n))
    assert matrix.demand.tolist() == [1.0] * (n // 2)


@given(n=sizes, s=st.integers(1, 200))
def test_stride_shifts_or_refuses(n: int, s: int) -> None:
    network = ring_of(n)
    if s % n:
        matrix = build_traffic(f"stride:s={s}", network, "rack")
        assert_permutation_without_fixed_point(matrix, n)
        assert matrix.dst[0] == s % n
    else:
        with pytest.raises(TrafficError, match=f"a stride of {s} over {n} racks makes every rack a fixed point"):
            build_traffic(f"stride:s={s}", network, "rack")


def test_derangements_are_uniform() -> None:
    # Four endpoints have nine derangements; 900 draws of a fair nine-sided die stay far inside these limits.
    network = ring_of(4)
    drawn = [tuple(build_traffic("permutation", network, "rack", seed=i).dst.tolist()) for i in range(900)]
    counts = {each: drawn.count(each) for each in set(drawn)}
    assert len(counts) == 9
    assert min(counts.values()) > 60
    assert max(counts.values()) < 140


@pytest.mark.parametrize("expression", ["permutation", "permutation:kind=pairs"])
def test_seeds_decide_and_the_patterns_own_wins(expression: str) -> None:
    network = ring_of(20)

    def fingerprint(text: str, seed: int) -> str:
        return build_traffic(text, network, "rack", seed=seed).fingerprint

    joint = ":" if ":" not in expression else ","
    own = f"{expression}{joint}seed=5"
    assert fingerprint(expression, 5) == fingerprint(expression, 5)
    assert fingerprint(expression, 5) != fingerprint(expression, 6)
    assert fingerprint(own, 6) == fingerprint(expression, 5)


def test_a_draw_is_the_same_in_every_version() -> None:
    assert build_traffic("permutation", ring_of(8), "rack").dst.tolist() == [4, 5, 1, 6, 3, 7, 0, 2]
    assert build_traffic("permutation:kind=pairs", ring_of(8), "rack").dst.tolist() == [7, 5, 6, 4, 3, 1, 2, 0]


def test_a_permutation_can_be_given() -> None:
    assert build_traffic("permutation:map=1-2-0", ring_of(3), "rack").dst.tolist() == [1, 2, 0]


def test_levels_count_racks_or_hosts() -> None:
    network = ring_of(3, hosts_per_switch=4)
    assert build_traffic("all-to-all", network, "rack").endpoints == 3
    assert build_traffic("all-to-all", network, "host").endpoints == 12


def test_label_is_the_expression() -> None:
    assert build_traffic("stride:s=2", ring_of(5), "rack").label == "stride:s=2"


ODD = ring_of(5)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "strid:s=1",
            SpecError,
            f"unknown traffic 'strid' (did you mean 'stride'?); allowed: {', '.join(traffics.names())}, or a file",
        ),
        ("stride", SpecError, "stride: parameter 's' is required"),
        ("stride:s=0", SpecError, "stride: s: input should be greater than or equal to 1, found '0'"),
        ("stride:t=1", SpecError, "stride: unknown parameter 't'; allowed: s"),
        ("all-to-all:s=1", SpecError, "all-to-all: unknown parameter 's'; allowed: fraction, algorithm, seed"),
        (
            "permutation:kind=pair",
            SpecError,
            "permutation: kind: input should be 'random', 'pairs' or 'halves', found 'pair'",
        ),
        (
            "permutation:kind=pairs",
            TrafficError,
            "permutation:kind=pairs: 5 racks cannot be paired off; "
            "allowed: an even number of racks, or permutation:kind=random",
        ),
        (
            "permutation:map=1-0-2-4-3",
            TrafficError,
            "permutation:map=1-0-2-4-3: map: rack 2 is a fixed point; allowed: no demand to itself",
        ),
        (
            "permutation:map=1-2-3-4-1",
            TrafficError,
            "permutation:map=1-2-3-4-1: map: no rack sends to 0; allowed: each of 0 to 4 exactly once",
        ),
        ("permutation:map=1-0", TrafficError, "permutation:map=1-0: map: 2 destinations for 5 racks"),
        (
            "permutation:map=1-0,seed=3",
            SpecError,
            "permutation: map gives the whole permutation, so seed has no meaning beside it",
        ),
        ("two words", SpecError, "not an expression, found 'two words'; allowed: name or name:key=value,key=value"),
    ],
)
def test_bad_expressions(text: str, kind: type[PnetError], message: str) -> None:
    with pytest.raises(kind) as caught:
        build_traffic(text, ODD, "rack")
    assert str(caught.value) == message
    assert caught.value.exit_code == 2


def test_one_endpoint_has_nobody_to_talk_to() -> None:
    with pytest.raises(TrafficError, match=r"traffic needs at least two racks, the network has 1$"):
        build_traffic("all-to-all", ring_of(1), "rack")


def test_hosts_are_needed_at_host_level() -> None:
    with pytest.raises(TopologyError, match="the network has no hosts"):
        build_traffic("all-to-all", ring_of(4), "host")


@pytest.mark.parametrize("text", [pytest.param(entry.expression, id=entry.name) for entry in traffics])
def test_every_pattern_is_a_function_of_its_seed(text: str) -> None:
    network = fat_tree(4)
    matrix = build_traffic(text, network, "host", seed=3)
    assert matrix.endpoints == 16
    assert matrix.demand_count
    assert build_traffic(text, network, "host", seed=3).fingerprint == matrix.fingerprint


def test_patterns_see_the_network() -> None:
    network: Network = ring_of(4)
    seen = []

    @traffics.register("spy", summary="for this test")
    def spy(_: object, context: object) -> TrafficMatrix:
        seen.append(context.network)
        return context.matrix([0], [1])

    try:
        build_traffic("spy", network, "rack")
    finally:
        del traffics._entries["spy"]
    assert seen == [network]


def test_pairs_too_many_for_memory_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = build_traffic("all-to-all", ring_of(10), "rack")
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(
        TrafficError,
        match=r"all-to-all with 90 demands between 10 racks needs about 10\.5 KiB, 1000 B are free; allowed: level=",
    ):
        assert len(matrix.src)


def test_a_permutation_of_a_large_network_is_built_sparse() -> None:
    matrix = build_traffic("permutation", build_network(["fat-tree:k=64"]), "host")
    assert (matrix.endpoints, matrix.demand_count) == (65_536, 65_536)
