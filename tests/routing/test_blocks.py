"""Paths in blocks, counts and statistics against the whole list."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp import memory
from pnet_lp.errors import RoutingError
from pnet_lp.model import Network, Plane
from pnet_lp.routing import count_shortest, iterate_paths, parse_routing, path_statistics
from pnet_lp.topology import build_network

from .conftest import all_pairs, networks, ordered_pairs

POLICIES = ["any", "round-robin", "shortest", "single"]


@settings(max_examples=40, deadline=None)
@given(
    networks(),
    st.sampled_from(["ecmp", "ecmp-lp", "ksp:3", "edge-disjoint:2"]),
    st.sampled_from(POLICIES),
    st.sampled_from([1, 400, 3000, 1 << 28]),
)
def test_blocks_are_parts_of_the_whole(network: Network, routing: str, policy: str, block_bytes: int) -> None:
    src, dst = ordered_pairs(network)
    rule = parse_routing(routing, policy=policy, seed=1)  # type: ignore[arg-type]
    whole = rule.paths(network, "rack", src, dst)
    next_pair = 0
    for pairs, block in iterate_paths(network, "rack", src, dst, rule.rule, block_bytes=block_bytes):
        assert pairs.start == next_pair
        next_pair = pairs.stop
        first, last = whole.pair_ptr[pairs.start], whole.pair_ptr[pairs.stop]
        arcs = slice(whole.path_ptr[first], whole.path_ptr[last])
        np.testing.assert_array_equal(block.paths_per_pair, whole.paths_per_pair[pairs])
        np.testing.assert_array_equal(block.plane, whole.plane[first:last])
        np.testing.assert_array_equal(block.hops, whole.hops[first:last])
        np.testing.assert_array_equal(block.path_arc, whole.path_arc[arcs])
        if block_bytes == 1:
            assert pairs.stop - pairs.start == 1
    assert next_pair == len(src)


def test_a_list_longer_than_a_part_is_the_same_as_its_pairs_alone() -> None:
    # More pairs than the core searches at once.
    network = build_network(["jellyfish:k=12"], seed=2)
    src, dst = ordered_pairs(network)
    assert len(src) > 1 << 14
    rule = parse_routing("ksp:4", seed=2)
    whole = rule.paths(network, "rack", src, dst)
    backwards = rule.paths(network, "rack", src[::-1], dst[::-1])
    for j in (0, 1 << 14, len(src) - 1):
        i = len(src) - 1 - j
        one = whole.path_arc[whole.path_ptr[whole.pair_ptr[j]] : whole.path_ptr[whole.pair_ptr[j + 1]]]
        other = backwards.path_arc[
            backwards.path_ptr[backwards.pair_ptr[i]] : backwards.path_ptr[backwards.pair_ptr[i + 1]]
        ]
        np.testing.assert_array_equal(one, other)


@settings(max_examples=40, deadline=None)
@given(networks(), st.sampled_from(POLICIES), st.integers(0, 99))
def test_counts_are_those_of_the_list(network: Network, policy: str, seed: int) -> None:
    src, dst = ordered_pairs(network)
    found = count_shortest(network, "rack", src, dst, policy=policy, seed=seed)  # type: ignore[arg-type]
    paths = all_pairs(network, "ecmp-lp", policy=policy, seed=seed)
    expected = np.zeros_like(found.count)
    np.add.at(expected, (paths.pair_of_path, paths.plane), 1)
    np.testing.assert_array_equal(found.count, expected)
    np.testing.assert_array_equal(found.hops[paths.pair_of_path, paths.plane], paths.hops)
    assert (found.hops[found.count == 0] == -1).all()


def test_counts_are_those_of_networkx() -> None:
    network = build_network(["jellyfish:k=8"], seed=3)
    plane = network.planes[0]
    graph = nx.Graph(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True))
    src, dst = ordered_pairs(network)
    found = count_shortest(network, "rack", src, dst)
    for s, t, n in zip(src[::37].tolist(), dst[::37].tolist(), found.count[::37, 0].tolist(), strict=True):
        assert n == len(list(nx.all_shortest_paths(graph, s, t)))


def test_counts_beyond_what_can_be_listed() -> None:
    network = build_network(["mesh:dims=40x40"])
    found = count_shortest(network, "rack", [0], [1599])
    assert found.hops.tolist() == [[78]]
    assert found.count[0, 0] == pytest.approx(math.comb(78, 39), rel=1e-12)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("routing", ["ecmp", "ecmp-lp", "ksp:3", "edge-disjoint:2"])
def test_statistics(routing: str, policy: str) -> None:
    network = build_network(["jellyfish:k=4"], planes=2, variant="heterogeneous")
    rule = parse_routing(routing, policy=policy, seed=2)  # type: ignore[arg-type]
    found = path_statistics(network, "host", rule)
    paths = all_pairs(network, routing, level="host", policy=policy, seed=2)
    per_pair, first = paths.paths_per_pair, paths.pair_ptr[:-1]
    assert found["pairs"] == paths.pair_count
    assert found["disconnected_pairs"] == 0
    assert found["paths"] == {
        "total": paths.path_count,
        "per_pair_min": per_pair.min(),
        "per_pair_mean": pytest.approx(per_pair.mean()),
        "per_pair_max": per_pair.max(),
    }
    assert found["hops"]["mean"] == pytest.approx(paths.hops.mean())
    assert found["hops"]["mean_shortest"] == pytest.approx(paths.hops[first].mean())
    assert found["hops"]["max"] == paths.hops.max()
    hops, count = np.unique(paths.hops, return_counts=True)
    assert found["hops"]["histogram"] == dict(zip(map(str, hops.tolist()), count.tolist(), strict=True))
    assert found["planes"] == np.bincount(paths.plane, minlength=2).tolist()


def test_statistics_of_a_network_in_pieces() -> None:
    found = path_statistics(build_network(["ring:n=4"]), "rack", parse_routing("ecmp-lp"))
    assert found["hops"]["histogram"] == {"1": 8, "2": 8}
    nothing = path_statistics(Network.from_planes([Plane.from_cables(3, [], [])]), "rack", parse_routing("ksp:2"))
    assert nothing["disconnected_pairs"] == nothing["pairs"] == 6
    assert nothing["hops"] == {"mean": None, "mean_shortest": None, "max": 0, "histogram": {}}


def test_all_shortest_paths_must_fit_but_their_statistics_need_not(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["torus:dims=30x30"])
    monkeypatch.setattr(memory, "available_bytes", lambda: 1 << 30)
    with pytest.raises(
        RoutingError, match=r"^all shortest paths for one pair needs about .*; allowed: fewer paths or pairs"
    ):
        parse_routing("ecmp-lp").paths(network, "rack", [0], [15 * 30 + 15])
    with pytest.raises(RoutingError, match=r"^all shortest paths for one pair needs about "):
        list(parse_routing("ecmp-lp").iterate(network, "rack", [0, 0], [1, 15 * 30 + 15]))
    assert path_statistics(network, "rack", parse_routing("ecmp-lp"))["hops"]["max"] == 30


def test_vlb_has_no_list() -> None:
    network = build_network(["ring:n=4"])
    with pytest.raises(RoutingError, match="routing: the routing has no list of paths, found 'vlb'"):
        parse_routing("vlb").paths(network, "rack", [0], [1])


def test_the_split_over_planes_is_that_of_the_paths() -> None:
    network = build_network(["jellyfish:k=4"], planes=3, variant="heterogeneous")
    src, dst = ordered_pairs(network, "host")
    rule = parse_routing("ecmp-split", policy="single", seed=8)
    share = rule.loads(network, "host", src, dst, np.ones(len(src))).share
    paths = rule.paths(network, "host", src, dst)
    np.testing.assert_array_equal(share.argmax(axis=0), paths.plane[paths.pair_ptr[:-1]])
