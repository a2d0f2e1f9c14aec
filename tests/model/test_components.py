"""Components, against those of networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp import _core
from pnet_lp.model.components import components, strong_components

ENDS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20)


def numbered(parts: list[set[int]]) -> list[int]:
    """Return the part of each node, parts in the order of their lowest nodes."""
    parts = sorted(parts, key=min)
    return [next(i for i, part in enumerate(parts) if node in part) for node in range(8)]


@given(ENDS)
def test_components_are_those_of_networkx(ends: list[tuple[int, int]]) -> None:
    u, v = np.array(ends, dtype=np.int32).reshape(-1, 2).T
    graph: nx.DiGraph[int] = nx.DiGraph(ends)
    graph.add_nodes_from(range(8))
    assert strong_components(8, u, v).tolist() == numbered(list(nx.strongly_connected_components(graph)))
    assert components(8, u, v).tolist() == numbered(list(nx.connected_components(graph.to_undirected())))


def test_an_arc_to_nowhere_is_refused() -> None:
    with pytest.raises(_core.CoreError, match=r"2 is not in 0\.\.2"):
        strong_components(2, np.array([0]), np.array([2]))
