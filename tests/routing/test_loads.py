"""Loads of fixed splits against splitting in fractions on networkx graphs, conservation, and closed forms."""

from collections import defaultdict
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp import memory
from pnet_lp.errors import RoutingError
from pnet_lp.model import Network, Plane
from pnet_lp.routing import Loads, parse_routing
from pnet_lp.topology import build_network

from .conftest import networks, ordered_pairs

POLICIES = ["any", "round-robin", "shortest", "single"]

Arc = tuple[int, int, int]


def graphs_of(network: Network) -> list[nx.MultiDiGraph]:
    graphs = []
    for plane in network.planes:
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(plane.switch_count))
        for u, v, gbps in zip(*(values.tolist() for values in plane.arcs), strict=True):
            if gbps > 0:
                graph.add_edge(u, v)
        graphs.append(graph)
    return graphs


def by_arc(loads: Loads) -> dict[Arc, float]:
    """The load of all cables from u to v in plane p together."""
    found: dict[Arc, float] = defaultdict(float)
    for p in range(len(loads.arcs.node_count)):
        for a in range(loads.arcs.ptr[p], loads.arcs.ptr[p + 1]):
            found[p, int(loads.arcs.tail[a]), int(loads.arcs.head[a])] += float(loads.arc_load[a])
    return found


def spread(graph: nx.MultiDiGraph, s: int, t: int, amount: Fraction, add) -> None:  # type: ignore[no-untyped-def]
    """Hand ``amount`` on from switch to switch, one path at a time."""
    if s == t:
        return
    hops = nx.shortest_path_length(graph, s, t)
    near = [
        v
        for _, v in graph.out_edges(s)
        if nx.has_path(graph, v, t) and nx.shortest_path_length(graph, v, t) == hops - 1
    ]
    for v in near:
        add(s, v, amount / len(near))
        spread(graph, v, t, amount / len(near), add)


def next_hops(graph: nx.MultiDiGraph, s: int, t: int) -> int:
    hops = nx.shortest_path_length(graph, s, t)
    return sum(
        nx.has_path(graph, v, t) and nx.shortest_path_length(graph, v, t) == hops - 1 for _, v in graph.out_edges(s)
    )


def check(network: Network, loads: Loads, expected: dict[Arc, Fraction]) -> None:
    found = by_arc(loads)
    for arc in found.keys() | expected.keys():
        assert found.get(arc, 0.0) == pytest.approx(float(expected.get(arc, 0)), abs=1e-12)
    # Parallel cables share equally.
    for p in range(network.plane_count):
        arcs = slice(loads.arcs.ptr[p], loads.arcs.ptr[p + 1])
        ends = zip(loads.arcs.tail[arcs].tolist(), loads.arcs.head[arcs].tolist(), strict=True)
        alike: dict[tuple[int, int], set[float]] = defaultdict(set)
        for end, load in zip(ends, loads.arc_load[arcs].tolist(), strict=True):
            alike[end].add(load)
        assert all(len(values) == 1 for values in alike.values())


demand_lists = st.lists(st.integers(0, 5), min_size=30, max_size=30)


@settings(max_examples=30, deadline=None)
@given(networks(), demand_lists, st.sampled_from(POLICIES), st.integers(0, 99))
def test_ecmp_split(network: Network, demands: list[int], policy: str, seed: int) -> None:
    src, dst = ordered_pairs(network)
    rule = parse_routing("ecmp-split", policy=policy, seed=seed)  # type: ignore[arg-type]
    loads = rule.loads(network, "rack", src, dst, demands)
    graphs = graphs_of(network)
    expected: dict[Arc, Fraction] = defaultdict(Fraction)
    for j, (s, t, d) in enumerate(zip(src.tolist(), dst.tolist(), demands, strict=True)):
        hops = {p: nx.shortest_path_length(g, s, t) for p, g in enumerate(graphs) if nx.has_path(g, s, t)}
        share = loads.share[:, j]
        assert share.sum() == pytest.approx(1.0 if hops else 0.0)
        if not hops:
            continue
        nearest = [p for p in hops if hops[p] == min(hops.values())]
        total = sum(next_hops(graphs[p], s, t) for p in nearest)
        parts = {
            "any": {p: Fraction(next_hops(graphs[p], s, t), total) for p in nearest},
            "round-robin": {p: Fraction(1, len(hops)) for p in hops},
            "single": {int(share.argmax()): Fraction(1)},
        }[policy.replace("shortest", "any")]
        assert share.tolist() == pytest.approx([float(parts.get(p, 0)) for p in range(len(graphs))])
        assert set(parts) <= set(hops)
        for p, part in parts.items():

            def add(u: int, v: int, amount: Fraction, p: int = p) -> None:
                expected[p, u, v] += amount

            spread(graphs[p], s, t, d * part, add)
    check(network, loads, expected)


@settings(max_examples=15, deadline=None)
@given(networks(switches=5, planes=2), st.lists(st.integers(0, 5), min_size=20, max_size=20))
def test_vlb(network: Network, demands: list[int]) -> None:
    src, dst = ordered_pairs(network)
    loads = parse_routing("vlb").loads(network, "rack", src, dst, demands)
    graphs = graphs_of(network)
    expected: dict[Arc, Fraction] = defaultdict(Fraction)
    for j, (s, t, d) in enumerate(zip(src.tolist(), dst.tolist(), demands, strict=True)):
        components = [next(c for c in nx.strongly_connected_components(graph) if s in c) for graph in graphs]
        joined = [p for p, component in enumerate(components) if t in component]
        assert loads.share[:, j].tolist() == pytest.approx(
            [1 / len(joined) if p in joined else 0 for p in range(len(graphs))]
        )
        for p in joined:

            def add(u: int, v: int, amount: Fraction, p: int = p) -> None:
                expected[p, u, v] += amount

            for w in components[p]:
                part = Fraction(d, len(joined) * len(components[p]))
                spread(graphs[p], s, w, part, add)
                spread(graphs[p], w, t, part, add)
    check(network, loads, expected)


@settings(max_examples=60, deadline=None)
@given(
    networks(switches=8),
    st.integers(0, 2**32 - 1),
    st.sampled_from(POLICIES),
    st.sampled_from(["ecmp", "ecmp-split", "vlb"]),
)
def test_nothing_is_lost_in_transit(network: Network, seed: int, policy: str, routing: str) -> None:
    src, dst = ordered_pairs(network)
    demand = np.random.default_rng(seed).exponential(size=len(src))
    rule = parse_routing(routing, policy=policy, seed=seed)  # type: ignore[arg-type]
    loads = rule.loads(network, "rack", src, dst, demand)
    arcs = loads.arcs
    for p in range(network.plane_count):
        own = slice(arcs.ptr[p], arcs.ptr[p + 1])
        leaving = np.bincount(arcs.tail[own], loads.arc_load[own], minlength=8)
        entering = np.bincount(arcs.head[own], loads.arc_load[own], minlength=8)
        sent = loads.share[p] * demand
        injected = np.bincount(src, sent, minlength=8) - np.bincount(dst, sent, minlength=8)
        np.testing.assert_allclose(leaving - entering, injected, atol=1e-9)


@pytest.mark.parametrize("policy", POLICIES)
def test_ecmp_loads_the_paths_that_are_listed(policy: str) -> None:
    network = build_network(["jellyfish:k=6"], planes=2, variant="heterogeneous")
    src, dst = ordered_pairs(network, "host")
    demand = np.arange(len(src)) % 7 + 1.0
    rule = parse_routing("ecmp", policy=policy, seed=4)  # type: ignore[arg-type]
    loads = rule.loads(network, "host", src, dst, demand)
    paths = rule.paths(network, "host", src, dst)
    expected = np.zeros(len(loads.arc_load))
    for i in range(paths.path_count):
        for arc in paths.path_arc[paths.path_ptr[i] : paths.path_ptr[i + 1]]:
            expected[arc + paths.arcs.ptr[paths.plane[i]]] += demand[i]
    np.testing.assert_array_equal(loads.arc_load, expected)
    assert loads.share[paths.plane, np.arange(len(src))].all()
    assert loads.share.sum() == len(src)


def test_a_fat_tree_shares_all_to_all_evenly() -> None:
    # Of a host's 127 demands 4 x 31 leave the edge switch, over 4 links: each link up carries 4 x 124 / 4.
    network = build_network(["fat-tree:k=8"])
    src, dst = ordered_pairs(network, "host")
    loads = parse_routing("ecmp-split").loads(network, "host", src, dst, np.ones(len(src)))
    names = network.planes[0].switch_names
    up = [
        load
        for u, v, load in zip(loads.arcs.tail, loads.arcs.head, loads.arc_load, strict=True)
        if names[u].startswith("edge") and names[v].startswith("agg")
    ]
    np.testing.assert_allclose(up, 124, rtol=1e-12)


def test_vlb_makes_every_matrix_uniform() -> None:
    # On a complete graph with n switches each leg of Valiant's routing puts 1/n on each link, for any permutation.
    network = build_network(["complete:n=7"])
    src = np.arange(7)
    loads = parse_routing("vlb").loads(network, "rack", src, (src * 3 + 2) % 7, np.ones(7))
    fixed = [s for s in range(7) if (s * 3 + 2) % 7 == s]
    assert len(fixed) == 1
    expected = [
        (u not in fixed) / 7 + (v not in fixed) / 7
        for u, v in zip(loads.arcs.tail.tolist(), loads.arcs.head.tolist(), strict=True)
    ]
    np.testing.assert_allclose(loads.arc_load, expected, rtol=1e-12)


def test_planes_on_whose_one_switch_a_pair_meets() -> None:
    # In the first plane the hosts share a switch, in the second and third not.
    planes = [
        Plane.from_cables(2, [0], [1], host_switch=[0, 0]),
        Plane.from_cables(2, [0], [1], host_switch=[0, 1]),
        Plane.from_cables(2, [], [], host_switch=[0, 1]),
    ]
    network = Network.from_planes(planes)
    for routing, policy, share, load in [
        ("ecmp-split", "any", [1, 0, 0], [0, 0]),
        ("ecmp-split", "round-robin", [0.5, 0.5, 0], [0.5, 0]),
        ("vlb", "any", [0.5, 0.5, 0], [0.5, 0]),
        ("vlb", "shortest", [1, 0, 0], [0, 0]),
    ]:
        rule = parse_routing(routing, policy=policy)  # type: ignore[arg-type]
        loads = rule.loads(network, "host", [0], [1], [1.0])
        assert loads.share[:, 0].tolist() == share
        assert loads.arc_load.tolist() == [0, 0, *load]


@pytest.mark.parametrize("routing", ["ecmp", "ecmp-split", "vlb"])
def test_the_same_bits_on_any_number_of_threads(routing: str) -> None:
    network = build_network(["jellyfish:k=8"], planes=2, variant="heterogeneous")
    src, dst = ordered_pairs(network, "host")
    demand = np.random.default_rng(1).exponential(size=len(src))
    one, four = (parse_routing(routing).loads(network, "host", src, dst, demand, threads=threads) for threads in (1, 4))
    np.testing.assert_array_equal(one.arc_load, four.arc_load)
    np.testing.assert_array_equal(one.share, four.share)


def test_what_is_refused() -> None:
    network = build_network(["ring:n=4"])
    split = parse_routing("ecmp-split")
    with pytest.raises(RoutingError, match=r"^2 demands for 1 pairs$"):
        split.loads(network, "rack", [0], [1], [1, 2])
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(RoutingError, match=r"invalid demand, found .*; allowed: finite numbers >= 0"):
            split.loads(network, "rack", [0], [1], [wrong])
    with pytest.raises(
        RoutingError,
        match=r"^routing: the routing leaves open how demands are split, found 'ksp:2'; allowed: ecmp, ecmp-split",
    ):
        parse_routing("ksp:2").loads(network, "rack", [0], [1], [1])


@pytest.mark.parametrize("routing", ["ecmp", "ecmp-split", "vlb"])
def test_loads_that_do_not_fit_are_refused_before_any_search(routing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["ring:n=4"], planes=3)
    src, dst = ordered_pairs(network, "rack")
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(RoutingError) as caught:
        parse_routing(routing).loads(network, "rack", src, dst, np.ones(12))
    assert str(caught.value) == (
        "what each of 12 demands puts on 3 planes needs about 1.4 KiB, 1000 B are free; "
        "allowed: fewer demands or planes, or level=rack"
    )
