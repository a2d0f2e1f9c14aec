"""Edge-disjoint paths against flows of networkx: how many, how long, and by which ties."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.model import Network, Plane
from pnet_lp.routing import parse_routing
from pnet_lp.topology import build_network

from .conftest import all_pairs, networks, ordered_pairs, walks


def union(network: Network, source: int, target: int, planes: list[int]) -> nx.DiGraph:
    """The planes side by side between ``"s"`` and ``"t"``; an arc's capacity is the number of its cables."""
    graph = nx.DiGraph()
    graph.add_nodes_from(["s", "t"])
    for p in planes:
        tail, head, capacity = network.planes[p].arcs
        for u, v, gbps in zip(tail.tolist(), head.tolist(), capacity.tolist(), strict=True):
            if gbps > 0:
                cables = graph.get_edge_data((p, u), (p, v), {"capacity": 0})["capacity"]
                graph.add_edge((p, u), (p, v), capacity=cables + 1, weight=1)
        graph.add_edge("s", (p, source), weight=0)
        graph.add_edge((p, target), "t", weight=0)
    return graph


def shortest_total(graph: nx.DiGraph, paths: int) -> int:
    graph.nodes["s"]["demand"], graph.nodes["t"]["demand"] = -paths, paths
    return nx.min_cost_flow_cost(graph)


@settings(max_examples=60, deadline=None)
@given(networks(), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_as_many_as_the_cut_allows_and_as_short_as_any(network: Network, k: int, seed: int) -> None:
    paths = all_pairs(network, f"edge-disjoint:{k}", seed=seed)
    for j, (s, t) in enumerate(zip(*ordered_pairs(network), strict=True)):
        graph = union(network, int(s), int(t), list(range(network.plane_count)))
        count = min(k, nx.maximum_flow_value(graph, "s", "t"))
        found = walks(paths, j)
        assert len(found) == count
        assert sum(len(walk) - 1 for _, walk in found) == shortest_total(graph, count)
        lengths = [len(walk) for _, walk in found]
        assert lengths == sorted(lengths)
        for _, walk in found:
            assert (walk[0], walk[-1]) == (s, t)
            assert len(set(walk)) == len(walk)
        used = [
            (int(paths.plane[i]), int(arc))
            for i in range(paths.pair_ptr[j], paths.pair_ptr[j + 1])
            for arc in paths.path_arc[paths.path_ptr[i] : paths.path_ptr[i + 1]]
        ]
        assert len(set(used)) == len(used)


@settings(max_examples=25, deadline=None)
@given(networks(), st.integers(1, 6), st.sampled_from(["round-robin", "shortest", "single"]))
def test_policies_are_flows_over_fewer_planes(network: Network, k: int, policy: str) -> None:
    paths = all_pairs(network, f"edge-disjoint:{k}", policy=policy)
    for j, (s, t) in enumerate(zip(*ordered_pairs(network), strict=True)):
        graphs = {p: union(network, int(s), int(t), [p]) for p in range(network.plane_count)}
        hops = {p: nx.shortest_path_length(g, "s", "t") for p, g in graphs.items() if nx.has_path(g, "s", "t")}
        found = walks(paths, j)
        if policy == "round-robin":
            n = len(hops)
            most = {p: nx.maximum_flow_value(graphs[p], "s", "t") for p in hops}
            here = {p: sum(plane == p for plane, _ in found) for p in hops}
            # The rest of k / n goes round from one of the planes.
            quotas = [{p: k // n + ((i - first) % n < k % n) for i, p in enumerate(hops)} for first in range(n)]
            fits = [q for q in quotas if all(here[p] == min(q[p], most[p]) for p in hops)]
            assert fits or not hops
            expected = fits[0] if fits else {}
        elif policy == "single":
            assert len({p for p, _ in found}) == bool(hops)
            expected = {p: k for p, _ in found}
        else:
            nearest = [p for p in hops if hops[p] == min(hops.values())]
            graph = union(network, int(s), int(t), nearest)
            count = min(k, nx.maximum_flow_value(graph, "s", "t"))
            assert len(found) == count
            assert sum(len(walk) - 1 for _, walk in found) == shortest_total(graph, count)
            assert {p for p, _ in found} <= set(nearest)
            continue
        for p, quota in expected.items():
            count = min(quota, nx.maximum_flow_value(graphs[p], "s", "t"))
            here = [len(walk) - 1 for plane, walk in found if plane == p]
            assert len(here) == count
            assert sum(here) == shortest_total(graphs[p], count)


def test_a_flow_beats_taking_shortest_paths_one_by_one() -> None:
    # The shortest path 0-1-2-3 meets both others; the best pair of paths goes around it.
    plane = Plane.from_cables(8, [0, 1, 2, 0, 4, 5, 6, 1], [1, 2, 3, 4, 2, 3, 5, 6])
    paths = parse_routing("edge-disjoint:2").paths(Network.from_planes([plane]), "rack", [0], [3])
    assert [walk for _, walk in walks(paths, 0)] == [[0, 4, 2, 3], [0, 1, 6, 5, 3]]


def test_parallel_cables_count_each() -> None:
    network = Network.from_planes([Plane.from_cables(3, [0, 0, 0, 1, 1], [1, 1, 1, 2, 2])])
    assert all_pairs(network, "edge-disjoint:5").paths_per_pair.tolist() == [3, 2, 3, 2, 2, 2]


def test_a_pair_on_one_switch_has_the_empty_path_and_those_of_other_planes() -> None:
    one = Plane.from_cables(2, [0], [1], host_switch=[0, 0])
    two = Plane.from_cables(2, [0, 0], [1, 1], host_switch=[0, 1])
    network = Network.from_planes([one, two])
    for k, hops in ((1, [0]), (2, [0, 1]), (5, [0, 1, 1])):
        paths = parse_routing(f"edge-disjoint:{k}").paths(network, "host", [0], [1])
        assert paths.hops.tolist() == hops


def test_ties_are_broken_evenly() -> None:
    # Of eight parallel cables two are taken: each in a quarter of the seeds.
    network = Network.from_planes([Plane.from_cables(2, [0] * 8, [1] * 8)])
    taken = np.zeros(8)
    for seed in range(800):
        paths = parse_routing("edge-disjoint:2", seed=seed).paths(network, "rack", [0], [1])
        taken[paths.path_arc] += 1
    assert taken.sum() == 1600
    np.testing.assert_allclose(taken, 200, atol=55)


@pytest.mark.parametrize("policy", ["any", "round-robin", "shortest", "single"])
def test_a_seed_gives_the_same_paths_on_any_number_of_threads(policy: str) -> None:
    network = build_network(["jellyfish:k=6"], planes=2, variant="heterogeneous")
    rule = parse_routing("edge-disjoint:4", policy=policy, seed=5)  # type: ignore[arg-type]
    src, dst = ordered_pairs(network)
    one, four = (rule.paths(network, "rack", src, dst, threads=threads) for threads in (1, 4))
    for name in ("pair_ptr", "plane", "path_ptr", "path_arc"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))
    alone = rule.paths(network, "rack", src[7:8], dst[7:8])
    first, last = one.path_ptr[one.pair_ptr[7]], one.path_ptr[one.pair_ptr[8]]
    np.testing.assert_array_equal(alone.path_arc, one.path_arc[first:last])
