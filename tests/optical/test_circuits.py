"""Circuits: ports are never exceeded, every demand has a path, no bound is beaten, known best ones are found."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pnet_lp.errors import SpecError
from pnet_lp.model import TrafficMatrix
from pnet_lp.optical import Circuits, circuit_limits, improve, match_circuits
from pnet_lp.throughput import solve
from pnet_lp.topology.random_graph import random_graph


def uniform(racks: int) -> TrafficMatrix:
    """Return 1.0 between all racks."""
    return TrafficMatrix.from_dense("rack", 1 - np.eye(racks))


def random_demands(racks: int, seed: int, density: float = 0.5) -> TrafficMatrix:
    """Return demands between racks, at least one, each there with probability ``density``."""
    random = np.random.default_rng(seed)
    dense = np.where(random.random((racks, racks)) < density, random.exponential(size=(racks, racks)), 0.0)
    np.fill_diagonal(dense, 0)
    dense[0, 1] += 1
    return TrafficMatrix.from_dense("rack", dense)


def ends(circuits: Circuits) -> list[tuple[int, int]]:
    return list(zip(circuits.u.tolist(), circuits.v.tolist(), strict=True))


@settings(deadline=None, max_examples=40)
@given(racks=st.integers(2, 14), links=st.integers(2, 7), seed=st.integers(0, 99), density=st.floats(0, 1))
def test_matchings_keep_to_the_ports_and_join_all(racks: int, links: int, seed: int, density: float) -> None:
    traffic = random_demands(racks, seed, density)
    circuits = match_circuits(traffic, links, 10, seed=seed)
    used = circuits.ports_used
    assert used.max() <= links
    assert (used < links).sum() <= 1
    assert np.isfinite(circuits.hops).all()
    assert ends(circuits) == ends(match_circuits(traffic, links, 10, seed=seed))


@settings(deadline=None, max_examples=20)
@given(racks=st.integers(3, 10), links=st.integers(2, 5), seed=st.integers(0, 99))
def test_the_search_gains_and_no_bound_is_beaten(racks: int, links: int, seed: int) -> None:
    traffic = random_demands(racks, seed)
    start = match_circuits(traffic, links, 10, seed=seed)
    before = solve(start.network(), traffic, tolerance=1e-6)
    found = improve([start], traffic, solves=8, tolerance=1e-6)
    assert found.first_gbps == before.throughput_gbps
    assert found.result.throughput_gbps >= found.first_gbps * (1 - 1e-8)
    assert found.solves <= 8
    assert found.circuits.ports_used.tolist() == start.ports_used.tolist()
    assert found.circuits.joins(traffic)
    limits = circuit_limits(traffic, links, 10)
    assert found.result.throughput_gbps <= limits.tightest_gbps * (1 + 1e-9)


@settings(deadline=None, max_examples=40)
@given(racks=st.integers(3, 12), links=st.integers(2, 6), seed=st.integers(0, 99))
def test_no_circuits_beat_the_limits(racks: int, links: int, seed: int) -> None:
    """Circuits at random, not ours: the limits are about all."""
    assume(links < racks)
    assume(racks * links % 2 == 0)
    traffic = random_demands(racks, seed, 1.0)
    graph = random_graph([links] * racks, np.random.default_rng(seed))
    circuits = Circuits.from_ends(racks, links, graph, 10)
    limits = circuit_limits(traffic, links, 10)
    assert solve(circuits.network(), traffic).throughput_gbps <= limits.tightest_gbps * (1 + 1e-9)


def test_limits_in_closed_form() -> None:
    """Ten racks of three links: the Petersen graph, K = 1/5, is a Moore graph, and so attains its bound."""
    limits = circuit_limits(uniform(10), 3, 1)
    assert limits.ports_gbps == pytest.approx(3 / 9)
    assert limits.hops_gbps == pytest.approx(1 / 5)
    # Nine links join each rack to every other one.
    assert circuit_limits(uniform(10), 9, 1).tightest_gbps == pytest.approx(1)


def test_a_complete_graph_is_found() -> None:
    circuits = match_circuits(uniform(8), 7, 10)
    assert sorted(set(ends(circuits))) == ends(circuits)
    assert circuits.count == 28
    assert circuits.mean_hops(uniform(8)) == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_hidden_torus_is_found(seed: int) -> None:
    """Demands between neighbours on a 4x5 torus under shuffled names: circuits between them attain the port bound."""
    place = np.random.default_rng(seed).permutation(20).reshape(4, 5)
    src = np.concatenate([place.ravel()] * 4)
    dst = np.concatenate([np.roll(place, shift, axis).ravel() for axis in (0, 1) for shift in (1, -1)])
    traffic = TrafficMatrix.from_entries("rack", 20, src, dst)
    circuits = match_circuits(traffic, 4, 10, seed=seed)
    assert circuits.mean_hops(traffic) == 1
    assert solve(circuits.network(), traffic).throughput_gbps == pytest.approx(10, rel=1e-4)
    assert circuit_limits(traffic, 4, 10).tightest_gbps == pytest.approx(10)


def test_a_search_leaves_a_ring_of_double_circuits() -> None:
    """Twelve racks in a ring of double circuits, K = 20 / 18: exchanged ends bring it near the limit."""
    ring = [(i, (i + 1) % 12) for i in range(12)]
    start = Circuits.from_ends(12, 4, ring + ring, 10)
    found = improve([start], uniform(12), solves=60)
    assert found.first_gbps == pytest.approx(20 / 18, rel=1e-4)
    assert found.result.throughput_gbps > 0.9 * circuit_limits(uniform(12), 4, 10).tightest_gbps


def test_demands_choose_parallel_circuits() -> None:
    """Two pairs with nine times the demand of a ring's other sides get the spare ports."""
    dense = np.zeros((4, 4))
    for u, v, d in ((0, 1, 9), (2, 3, 9), (1, 2, 1), (3, 0, 1)):
        dense[u, v] = dense[v, u] = d
    circuits = match_circuits(TrafficMatrix.from_dense("rack", dense), 4, 10)
    assert ends(circuits).count((0, 1)) == ends(circuits).count((2, 3)) == 3
    assert ends(circuits).count((1, 2)) == ends(circuits).count((0, 3)) == 1


def test_separate_groups_are_joined_all_the_same() -> None:
    """Demands within two groups of three only: the ring through all six costs each group one circuit."""
    dense = np.kron(np.eye(2), 1 - np.eye(3))
    circuits = match_circuits(TrafficMatrix.from_dense("rack", dense), 2, 10)
    assert circuits.ports_used.tolist() == [2] * 6
    assert np.isfinite(circuits.hops).all()


def test_one_link_for_two_racks() -> None:
    assert ends(match_circuits(uniform(2), 1, 10)) == [(0, 1)]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 4)], "circuits: no such rack, found 4; allowed: 0 to 3"),
        ([(-1, 2)], "circuits: no such rack, found -1; allowed: 0 to 3"),
        ([(2, 2)], "circuits: a circuit joins rack 2 to itself"),
        ([(0, 1), (1, 2), (3, 1)], "circuits: rack 1 has more circuits than ports, found 3; allowed: at most 2"),
    ],
)
def test_wrong_circuits(pairs: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        Circuits.from_ends(4, 2, pairs, 10)
    assert str(caught.value) == message


def test_what_cannot_be_joined() -> None:
    with pytest.raises(SpecError) as caught:
        match_circuits(uniform(3), 1, 10)
    message = "circuits: 3 racks cannot all be joined by so few optical links of each, found 1; allowed: at least 2"
    assert str(caught.value) == message
    with pytest.raises(SpecError, match="circuits join racks, and the demands are between hosts"):
        match_circuits(TrafficMatrix.from_dense("host", 1 - np.eye(3), label="x"), 2, 10)


def test_searches_that_cannot_begin() -> None:
    with pytest.raises(SpecError, match="a search needs circuits to begin with"):
        improve([], uniform(4))
    with pytest.raises(SpecError, match="the circuits leave a demand without a path"):
        improve([Circuits.from_ends(4, 2, [(0, 1), (2, 3)], 10)], uniform(4))
