"""Paths against networkx, closed counts, determinism, and what is refused."""

from collections import Counter
from itertools import islice

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp import memory
from pnet_lp.errors import RoutingError, SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.model.paths import PathSet
from pnet_lp.routing import parse_routing
from pnet_lp.topology import build_network

from .conftest import all_pairs


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_lengths_are_those_of_networkx(seed: int, k: int) -> None:
    graph = nx.gnp_random_graph(8, 0.35, seed=seed)
    network = Network.from_planes([Plane.from_networkx(graph)])
    paths = all_pairs(network, f"ksp:{k}", seed=seed)
    pairs = [(s, t) for s in range(8) for t in range(8) if s != t]
    for j, (s, t) in enumerate(pairs):
        found = range(paths.pair_ptr[j], paths.pair_ptr[j + 1])
        walks = [paths.switches(i).tolist() for i in found]
        assert all(walk[0] == s and walk[-1] == t and nx.is_path(graph, walk) for walk in walks)
        assert all(len(set(walk)) == len(walk) for walk in walks)
        assert len({tuple(walk) for walk in walks}) == len(walks)
        expected = islice(nx.shortest_simple_paths(graph, s, t), k) if nx.has_path(graph, s, t) else []
        assert [len(walk) for walk in walks] == [len(walk) for walk in expected]


def test_a_fat_tree_has_k_squared_over_four_shortest_paths_between_pods() -> None:
    network = build_network(["fat-tree:k=8"])
    paths = all_pairs(network, "ecmp-lp")
    counts = dict(zip(*np.unique(np.stack([paths.paths_per_pair]), return_counts=True), strict=True))
    # 32 edge switches: 3 others in the pod over k/2 aggregation switches, 28 elsewhere over (k/2)^2 cores.
    assert counts == {4: 32 * 3, 16: 32 * 28}
    assert set(paths.hops.tolist()) == {2, 4}


def test_parallel_cables_are_different_paths() -> None:
    plane = Plane.from_cables(2, [0, 0, 0], [1, 1, 1])
    assert all_pairs(Network.from_planes([plane]), "ecmp-lp").paths_per_pair.tolist() == [3, 3]


def test_links_without_capacity_are_no_paths() -> None:
    plane = Plane.from_cables(3, [0, 1, 0], [1, 2, 2], [1.0, 1.0, 0.0])
    paths = all_pairs(Network.from_planes([plane]), "ksp:4")
    assert paths.hops.tolist() == [1, 2, 1, 1, 2, 1]


def test_hosts_on_one_switch_have_the_empty_path() -> None:
    network = build_network(["star:n=2"], hosts_per_switch=2)
    paths = parse_routing("ksp:3").paths(network, "host", [0, 0], [1, 2])
    assert paths.paths_per_pair.tolist() == [1, 1]
    assert paths.hops.tolist() == [0, 1]
    assert paths.switches(0).tolist() == []


def test_a_pair_without_a_path_has_none() -> None:
    plane = Plane.from_cables(3, [0], [1])
    paths = all_pairs(Network.from_planes([plane]), "ksp:3")
    assert paths.paths_per_pair.tolist() == [1, 0, 1, 0, 0, 0]


@pytest.mark.parametrize("policy", ["any", "round-robin", "shortest", "single"])
def test_a_seed_gives_the_same_paths_on_any_number_of_threads(policy: str) -> None:
    network = build_network(["jellyfish:k=6"], planes=3, variant="heterogeneous")
    src, dst = np.nonzero(~np.eye(45, dtype=bool))
    rule = parse_routing("ksp:6", policy=policy, seed=5)  # type: ignore[arg-type]
    one, four = (rule.paths(network, "rack", src, dst, threads=threads) for threads in (1, 4))
    for name in ("pair_ptr", "plane", "path_ptr", "path_arc"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))
    other = parse_routing("ksp:6", policy=policy, seed=6)  # type: ignore[arg-type]
    assert not np.array_equal(one.path_arc, other.paths(network, "rack", src, dst).path_arc)
    # A pair's paths do not depend on the other pairs asked for.
    alone = rule.paths(network, "rack", src[7:8], dst[7:8])
    first, last = one.path_ptr[one.pair_ptr[7]], one.path_ptr[one.pair_ptr[8]]
    np.testing.assert_array_equal(alone.path_arc, one.path_arc[first:last])


def test_more_paths_contain_the_shorter_ones() -> None:
    network = build_network(["jellyfish:k=6"], planes=2, variant="heterogeneous")
    few, many = all_pairs(network, "ksp:4"), all_pairs(network, "ksp:16")
    for j in range(few.pair_count):
        assert few.hops[few.pair_ptr[j] : few.pair_ptr[j + 1]].tolist() == many.hops[many.pair_ptr[j] :][:4].tolist()


def paths_of(paths: PathSet, j: int) -> list[tuple[int, list[int]]]:
    """The (plane, arcs) of each path of pair ``j``."""
    return [
        (int(paths.plane[i]), paths.path_arc[paths.path_ptr[i] : paths.path_ptr[i + 1]].tolist())
        for i in range(paths.pair_ptr[j], paths.pair_ptr[j + 1])
    ]


@pytest.mark.parametrize("routing", ["ecmp-lp", "ksp:3", "edge-disjoint:2"])
@pytest.mark.parametrize("policy", ["any", "round-robin", "shortest"])
def test_hosts_of_one_switch_have_the_same_paths(routing: str, policy: str) -> None:
    network = build_network(["jellyfish:k=6"], planes=2, variant="heterogeneous")
    racks = [tuple(int(plane.host_switch[h]) for plane in network.planes) for h in range(network.host_count)]
    first = next(h for h in range(network.host_count) if racks.count(racks[h]) > 1)
    twin = racks.index(racks[first], first + 1)
    others = [h for h in range(network.host_count) if racks[h] != racks[first]]
    rule = parse_routing(routing, policy=policy, seed=3)  # type: ignore[arg-type]
    one, other = (rule.paths(network, "host", [h] * len(others), others) for h in (first, twin))
    assert [paths_of(one, j) for j in range(len(others))] == [paths_of(other, j) for j in range(len(others))]


@pytest.mark.parametrize(("routing", "policy"), [("ecmp", "any"), ("ksp:3", "single"), ("edge-disjoint:2", "single")])
def test_choices_per_flow_differ_between_hosts_of_one_switch(routing: str, policy: str) -> None:
    network = build_network(["fat-tree:k=8"], planes=4)
    rule = parse_routing(routing, policy=policy, seed=3)  # type: ignore[arg-type]
    # All hosts of the first edge switch to the last host.
    paths = rule.paths(network, "host", [0, 1, 2, 3], [127] * 4)
    assert len({str(paths_of(paths, j)) for j in range(4)}) > 1


def test_ecmp_draws_each_shortest_path_equally_often() -> None:
    # Two planes: three cables in a row of two links (6 paths), and 2 x 1 = 2 paths of the same length.
    planes = [Plane.from_cables(3, [0, 0, 0, 1, 1], [1, 1, 1, 2, 2]), Plane.from_cables(3, [0, 0, 1], [1, 1, 2])]
    network = Network.from_planes(planes)
    drawn: Counter[str] = Counter()
    for seed in range(800):
        paths = parse_routing("ecmp", seed=seed).paths(network, "rack", [0], [2])
        drawn[str(paths_of(paths, 0))] += 1
    assert len(drawn) == 8
    assert all(70 < count < 130 for count in drawn.values()), drawn


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ksp", r"^ksp: parameter 'k' is required$"),
        ("ksp:0", r"^ksp: k: input should be greater than or equal to 1, found '0'$"),
        ("ksp:-1", r"^ksp: k: input should be greater than or equal to 1, found '-1'$"),
        ("ksp:two", r"^ksp: k: input should be a valid integer, .* found 'two'$"),
        ("ksp:n=2", r"^ksp: unknown parameter 'n'; allowed: k$"),
        ("kps:2", r"^unknown routing 'kps' \(did you mean 'ksp'\?\); allowed: ecmp, ecmp-lp, "),
        ("ecmp:3", r"^ecmp: not a key=value parameter, found '3'; allowed: key=value$"),
        ("edge-disjoint:0", r"^edge-disjoint: k: input should be greater than or equal to 1, found '0'$"),
        ("", r"^unknown routing ''; allowed: ecmp, ecmp-lp, "),
    ],
)
def test_an_unknown_routing_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        parse_routing(text)


def test_a_policy_without_a_meaning_is_refused() -> None:
    with pytest.raises(SpecError, match=r"^plane_policy: a plane policy has no meaning for ideal routing"):
        parse_routing("ideal", policy="single")
    with pytest.raises(SpecError, match=r"^plane_policy: no such policy, found 'all'; allowed: any, round-"):
        parse_routing("ksp:2", policy="all")  # type: ignore[arg-type]
    with pytest.raises(
        RoutingError, match=r"^routing: the routing has no list of paths, found 'ideal'; allowed: ecmp, "
    ):
        parse_routing("ideal").paths(build_network(["ring:n=4"]), "rack", [0], [1])


def test_a_value_without_a_key_is_that_of_the_first_parameter() -> None:
    assert parse_routing("ksp:8").params == parse_routing("ksp:k=8").params


def test_an_unknown_endpoint_and_too_many_paths_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["ring:n=4"])
    with pytest.raises(RoutingError, match=r"no such rack, found 4; allowed: 0 to 3"):
        parse_routing("ksp:2").paths(network, "rack", [0], [4])
    with pytest.raises(RoutingError, match="2 sources and 1 destinations"):
        parse_routing("ksp:2").paths(network, "rack", [0, 1], [2])
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(RoutingError, match=r"1000 paths for one pair needs about .*; allowed: fewer paths"):
        parse_routing("ksp:1000").paths(network, "rack", [0], [2])
