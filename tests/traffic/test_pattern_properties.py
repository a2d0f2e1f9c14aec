"""What each family of patterns promises: sums, symmetry, locality, optimality."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import PnetError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.topology import build_network
from pnet_lp.traffic import aggregate, build_traffic

from .conftest import ring_of

TREE = build_network(["fat-tree:k=8"])
PODS, EDGES = 16, 4
"""Hosts of a pod and of an edge switch of TREE."""

seeds = st.integers(0, 2**32)
few = settings(max_examples=15, deadline=None)


def dense(text: str, network: Network, level: str = "host", seed: int = 0) -> np.ndarray:
    return build_traffic(text, network, level, seed=seed).to_csr().toarray()  # type: ignore[arg-type]


@few
@given(seeds)
def test_random_patterns_send_one_unit_from_every_host(seed: int) -> None:
    for name, flows in [
        ("random", 1),
        ("random:flows=3", 3),
        ("hotspot", 1),
        ("random-bijective", 1),
        ("staggered:edge=0.5,pod=0.3", 1),
    ]:
        matrix = dense(name, TREE, seed=seed)
        assert matrix.sum(axis=1).tolist() == [flows] * 128
        assert not matrix.diagonal().any()
    assert dense("random-bijective", TREE, seed=seed).sum(axis=0).tolist() == [1] * 128
    # Half of the hosts, at least, send to the one hotspot.
    assert dense("hotspot", TREE, seed=seed).sum(axis=0).max() >= 64


def test_staggered_stays_as_near_as_it_says() -> None:
    host = np.arange(128)
    counts = np.zeros(3)
    for seed in range(60):
        matrix = build_traffic("staggered:edge=0.5,pod=0.3", TREE, "host", seed=seed)
        same_edge = matrix.src // EDGES == matrix.dst // EDGES
        same_pod = matrix.src // PODS == matrix.dst // PODS
        counts += [same_edge.sum(), (same_pod & ~same_edge).sum(), (~same_pod).sum()]
    np.testing.assert_allclose(counts / (60 * len(host)), [0.5, 0.3, 0.2], atol=0.02)


@pytest.mark.parametrize("pattern", ["stride1", "stag2-0.5-0.3", "rand0", "randbij1", "randx4", "hotspot"])
def test_hedera_names_its_patterns(pattern: str) -> None:
    tree = build_network(["fat-tree:k=4"])
    matrix = dense(f"hedera:pattern={pattern}", tree)
    assert matrix.sum() == {"randx4": 64}.get(pattern, 16)
    if pattern == "stride1":
        assert np.array_equal(matrix, dense("stride:s=1", tree))


@few
@given(seeds)
def test_matchings_are_optimal(seed: int) -> None:
    graph = nx.connected_watts_strogatz_graph(6, 3, 0.6, seed=seed)
    network = Network.from_planes([Plane.from_networkx(graph)])
    hops = np.array(nx.floyd_warshall_numpy(graph))
    sums = [
        sum(hops[s, t] for s, t in enumerate(p))
        for p in permutations(range(6))
        if all(s != t for s, t in enumerate(p))
    ]
    for name, best in (("longest-matching", max(sums)), ("shortest-matching", min(sums))):
        matrix = dense(name, network, "rack")
        assert matrix.sum(axis=0).tolist() == matrix.sum(axis=1).tolist() == [1] * 6
        assert (matrix * hops).sum() == best
    kodialam = dense("kodialam", network, "rack")
    assert kodialam.sum(axis=0).max() <= 1 + 1e-9
    assert (kodialam * hops).sum() >= max(sums) - 1e-9


@few
@given(seeds)
def test_products_and_mixtures(seed: int) -> None:
    network = ring_of(12)
    gravity = dense("gravity", network, "rack", seed)
    pairs = ~np.eye(12, dtype=bool)
    assert gravity[pairs].mean() == pytest.approx(1.0)
    # Entries are products of a weight of the source and one of the destination.
    assert gravity[0, 2] * gravity[1, 3] == pytest.approx(gravity[0, 3] * gravity[1, 2])
    for name in ("exponential", "bimodal", "skewed"):
        matrix = dense(name, network, "rack", seed)
        assert np.all(matrix >= 0)
        assert not matrix.diagonal().any()
        assert np.array_equal(matrix, dense(name, network, "rack", seed))
        if name != "skewed":
            assert not np.array_equal(matrix, dense(name, network, "rack", seed + 1))


@pytest.mark.parametrize(
    ("name", "count"), [("incast:fan=5", 5), ("outcast:fan=5", 5), ("all-to-one", 127), ("one-to-all", 127)]
)
def test_fans(name: str, count: int) -> None:
    matrix = build_traffic(name, TREE, "host", seed=3)
    ends = (matrix.dst, matrix.src) if name in ("incast:fan=5", "all-to-one") else (matrix.src, matrix.dst)
    assert matrix.demand_count == count
    assert len(set(ends[0].tolist())) == 1
    assert len(set(ends[1].tolist())) == count


def test_a_fraction_of_the_racks_takes_part() -> None:
    matrix = build_traffic("all-to-all:fraction=0.25", TREE, "rack", seed=1)
    assert matrix.demand_count == 8 * 7
    hosts = build_traffic("all-to-all:fraction=0.25", TREE, "host", seed=1)
    assert hosts.demand_count == 32 * 31
    assert set((hosts.src // EDGES).tolist()) == set(matrix.src.tolist())


def test_process_grids_talk_to_neighbours() -> None:
    for name in ("mpi-mg", "mpi-sp"):
        matrix = dense(name, ring_of(27), "rack")
        assert np.array_equal(matrix > 0, (matrix > 0).T)
        assert (matrix > 0).sum(axis=1).max() <= 6
    assert np.array_equal(dense("mpi-fft", ring_of(8), "rack") > 0, ~np.eye(8, dtype=bool))


def test_collectives() -> None:
    network = ring_of(8)
    ring = dense("ring", network, "rack")
    assert np.array_equal(np.nonzero(ring)[1], (np.arange(8) + 1) % 8)
    # All algorithms reduce the same vector: each member sends 2 (n - 1) / n of it where that is the least.
    assert dense("all-reduce", network, "rack").sum(axis=1) == pytest.approx([2 * 7 / 8] * 8)
    halving = dense("all-reduce:algorithm=halving-doubling", network, "rack")
    assert halving.sum(axis=1) == pytest.approx([2 * 7 / 8] * 8)
    doubling = dense("all-reduce:algorithm=recursive-doubling", network, "rack")
    assert doubling.sum(axis=1) == pytest.approx([3.0] * 8)


@few
@given(st.floats(0.001, 1000), seeds)
def test_sums_and_factors_are_linear(factor: float, seed: int) -> None:
    network = ring_of(7)
    one, two = (dense(name, network, "rack", seed) for name in ("permutation", "exponential"))
    both = dense(f"{factor!r}*permutation + exponential", network, "rack", seed)
    np.testing.assert_allclose(both, factor * one + two)


@few
@given(seeds)
def test_aggregation_keeps_the_total(seed: int) -> None:
    traffic = build_traffic("random:flows=2", TREE, "host", seed=seed)
    found = aggregate(traffic, TREE)
    inside = traffic.src // EDGES == traffic.dst // EDGES
    assert found.matrix.total + found.inside == traffic.total
    assert found.inside == traffic.demand[inside].sum()
    expected = np.zeros((32, 32))
    np.add.at(
        expected, (traffic.src[~inside] // EDGES, traffic.dst[~inside] // EDGES), traffic.demand[~inside]
    )
    assert np.array_equal(found.matrix.to_csr().toarray(), expected)


def test_a_permutation_of_a_large_network_is_sparse() -> None:
    network = build_network(["fat-tree:k=64"])
    matrix = build_traffic("permutation", network, "host")
    assert (matrix.endpoints, matrix.demand_count) == (65_536, 65_536)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("incast:fan=200", "incast:fan=200: a fan of 200 is too wide for 128 hosts; allowed: 1 to 127"),
        ("incast", "incast: parameter 'fan' is required"),
        ("0*random", "0*random: a factor is wrong, found '0'; allowed: finite numbers > 0"),
        ("random+", "random+: a term of a sum is empty"),
        ("hotspot:spots=128", "hotspot:spots=128: 128 hotspots leave none of 128 hosts to send to them"),
        ("all-to-one:to=128", "all-to-one:to=128: to: no such host, found 128; allowed: 0 to 127"),
        ("staggered:edge=0.9,pod=0.3", "staggered"),
        ("hedera:pattern=stride3", "hedera: pattern: "),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        build_traffic(text, TREE, "host")
    assert len(str(caught.value).splitlines()) == 1
    if not text.endswith("+"):
        assert str(caught.value).startswith(message)


def test_sums_of_different_matrices_are_refused() -> None:
    rack, host = (build_traffic("all-to-all", TREE, level) for level in ("rack", "host"))  # type: ignore[arg-type]
    with pytest.raises(PnetError, match="a matrix between 32 racks and one between 128 hosts have no sum"):
        rack + host
    with pytest.raises(PnetError, match="a factor is wrong"):
        TrafficMatrix.scaled(rack, -1.0)
