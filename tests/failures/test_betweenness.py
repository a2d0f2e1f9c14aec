"""Betweenness against networkx, and against listing all shortest paths where cables are parallel."""

from dataclasses import replace
from itertools import pairwise, permutations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.failures.betweenness import betweenness
from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import ints

from .conftest import networks


@given(st.integers(2, 12), st.floats(0.1, 0.9), st.integers(0, 99))
def test_simple_graphs_against_networkx(n: int, density: float, seed: int) -> None:
    graph = nx.gnp_random_graph(n, density, seed=seed)
    racks = list(range(0, n, 2))
    ends = np.array(list(graph.edges), dtype=int).reshape(-1, 2)
    _, by_switch = betweenness(Plane.from_cables(n, ends[:, 0], ends[:, 1], racks=racks))
    by_arc, _ = betweenness(Plane.from_cables(n, ends[:, 0], ends[:, 1]))
    # networkx counts unordered pairs of an undirected graph.  Of links between some nodes only it gets the split wrong
    # (a fraction by predecessors, not by paths), so that of links is compared for all nodes.
    expected = nx.edge_betweenness_centrality(graph, normalized=False)
    both = by_arc[0::2] + by_arc[1::2]
    assert both.tolist() == pytest.approx([2 * expected[tuple(edge)] for edge in ends.tolist()])
    nodes = nx.betweenness_centrality_subset(graph, racks, racks, normalized=False)
    assert by_switch.tolist() == pytest.approx([2 * nodes[v] for v in range(n)])


@given(networks(switches=5, planes=1))
def test_multigraphs_against_all_shortest_paths(network: Network) -> None:
    plane = replace(network.planes[0], rack_switch=ints([0, 1, 3]))
    tail, head, capacity = plane.arcs
    arcs: dict[tuple[int, int], list[int]] = {}
    for arc in np.flatnonzero(capacity > 0).tolist():
        arcs.setdefault((int(tail[arc]), int(head[arc])), []).append(arc)
    graph = nx.DiGraph(list(arcs))
    graph.add_nodes_from(range(plane.switch_count))
    by_arc, by_switch = np.zeros(len(tail)), np.zeros(plane.switch_count)
    for s, t in permutations(plane.rack_switch.tolist(), 2):
        if not nx.has_path(graph, s, t):
            continue
        walks = nx.all_shortest_paths(graph, s, t)
        paths = [(walk, taken) for walk in walks for taken in product(*(arcs[step] for step in pairwise(walk)))]
        for walk, taken in paths:
            by_arc[list(taken)] += 1 / len(paths)
            by_switch[walk[1:-1]] += 1 / len(paths)
    found = betweenness(plane)
    assert found[0].tolist() == pytest.approx(by_arc.tolist())
    assert found[1].tolist() == pytest.approx(by_switch.tolist())
