"""The random graph behind Jellyfish: degrees as asked, simple, connected, and uniform enough."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import TopologyError
from pnet_lp.topology.random_graph import random_graph


def graph_of(degrees: list[int], seed: int) -> nx.Graph:
    cables = random_graph(degrees, np.random.default_rng(seed))
    graph = nx.Graph()
    graph.add_nodes_from(range(len(degrees)))
    graph.add_edges_from(cables.tolist())
    assert graph.number_of_edges() == len(cables), "a parallel cable"
    assert nx.number_of_selfloops(graph) == 0
    assert [degree for _, degree in sorted(graph.degree)] == degrees
    return graph


@given(degrees=st.lists(st.integers(0, 9), min_size=2, max_size=12), seed=st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_there_is_a_graph_exactly_where_one_exists(degrees: list[int], seed: int) -> None:
    possible = nx.is_graphical(degrees) and min(degrees) > 0 and sum(degrees) >= 2 * (len(degrees) - 1)
    if possible:
        assert nx.is_connected(graph_of(degrees, seed))
    else:
        with pytest.raises(TopologyError):
            random_graph(degrees, np.random.default_rng(seed))


@pytest.mark.parametrize(
    "degrees",
    [
        [1] * 29 + [29],  # a star: one graph only, so pairing must give up
        [5, 5, 5, 5, 2, 2, 2, 2],  # dense and sparse switches together
        [2] * 40,  # random pairing gives several cycles, which must be joined
        [1] * 22 + [3] * 20,  # nothing to spare: a tree
        [39] * 40,
        [20] * 40,
    ],
)
def test_hard_degree_sequences(degrees: list[int]) -> None:
    for seed in range(5):
        assert nx.is_connected(graph_of(degrees, seed))


@pytest.mark.parametrize(
    ("degrees", "message"),
    [
        ([1, 2], "the degrees of a graph add up to an even number, found 3"),
        ([3, 3, 1, 1], "no graph without parallel cables has these degrees: 4 switches, degrees 1 to 3"),
        ([2, 2, 2, 0], "no connected graph has these degrees: 4 switches, 3 cables, smallest degree 0"),
        ([1, 1, 1, 1], "no connected graph has these degrees: 4 switches, 2 cables, smallest degree 1"),
    ],
)
def test_impossible_degrees(degrees: list[int], message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        random_graph(degrees, np.random.default_rng(0))
    assert str(caught.value) == message


def test_all_labelled_graphs_are_about_equally_frequent() -> None:
    # 70 labelled cubic graphs on 6 switches: 60 prisms and 10 K_{3,3}, all connected.
    draws = 4000
    seen = Counter(
        frozenset(map(frozenset, random_graph([3] * 6, np.random.default_rng(seed)).tolist())) for seed in range(draws)
    )
    assert len(seen) == 70
    bipartite = sum(count for edges, count in seen.items() if nx.is_bipartite(nx.Graph(map(tuple, edges))))
    assert bipartite / draws == pytest.approx(1 / 7, abs=0.02)  # 3.6 standard deviations
    assert min(seen.values()) > 25
    assert max(seen.values()) < 95


def test_a_random_regular_graph_is_an_expander() -> None:
    graph = graph_of([8] * 200, 1)
    second = np.sort(np.abs(np.linalg.eigvalsh(nx.to_numpy_array(graph))))[-2]
    assert second < 2 * np.sqrt(7) * 1.1  # Friedman: 2 sqrt(d - 1) plus little
