"""The figures of a network, against networkx and against closed forms."""

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from pnet_lp.errors import TopologyError
from pnet_lp.model import Network, Plane
from pnet_lp.model.distances import count_rack_hops, find_sites, site_hops
from pnet_lp.topology import build_network, build_plane, describe, describe_plane

from .conftest import planes


def live_links(plane: Plane) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(plane.switch_count))
    tail, head, capacity = plane.arcs
    graph.add_edges_from(zip(tail[capacity > 0].tolist(), head[capacity > 0].tolist(), strict=True))
    return graph


@given(plane=planes())
@settings(max_examples=50, deadline=None)
def test_hops_and_connectedness_against_networkx(plane: Plane) -> None:
    graph = live_links(plane)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    racks = plane.rack_switch.tolist()
    pairs = [(u, v) for u in racks for v in racks if u != v]
    known = [lengths[u][v] for u, v in pairs if v in lengths[u]]
    hops = count_rack_hops(plane)
    assert hops.disconnected == len(pairs) - len(known)
    assert list(hops.pairs) == np.bincount(known, minlength=1).tolist()
    if known and not hops.disconnected:
        assert hops.diameter == max(known)
        assert hops.mean == pytest.approx(np.mean(known))
    else:
        assert hops.diameter is None
        assert describe_plane(plane).mean_hops is None
    assert describe_plane(plane).connected == nx.is_strongly_connected(graph)


def test_hops_between_more_racks_than_one_search_begins_at() -> None:
    plane = build_plane("ring:n=401")
    assert count_rack_hops(plane).pairs == (0, *[802] * 200)
    network = Network.from_planes([plane])
    apart = np.arange(401)
    hops = site_hops(network, find_sites(network, "rack"))
    assert np.array_equal(hops[0], np.minimum(apart, 401 - apart))
    assert np.array_equal(hops[400], np.roll(hops[0], -1))


@pytest.mark.parametrize(
    ("text", "diameter", "mean"),
    [
        ("hypercube:d=5", 5, 80 / 31),
        ("torus:dims=4x8", 6, 96 / 31),
        # 4 d switches at distance d below 4, and 7 at 4 (Camara et al., section 3).
        ("torus:dims=4x8,twist=true", 4, 84 / 31),
        ("path:n=6", 5, 7 / 3),
        ("complete:n=8", 1, 1),
        ("star:n=5", 2, 5 / 3),
        ("fat-tree:k=8", 4, (3 * 2 + 28 * 4) / 31),
    ],
)
def test_closed_forms(text: str, diameter: int, mean: float) -> None:
    plane = describe_plane(build_plane(text))
    assert plane.connected
    assert plane.diameter == diameter
    assert plane.mean_hops == pytest.approx(mean, rel=1e-12)


def test_the_description_of_a_fat_tree() -> None:
    network = build_network(["fat-tree:k=4,host_gbps=10"], planes=2)
    document = describe(network).to_json()
    assert json.loads(json.dumps(document)) == document
    first, second = document.pop("planes")
    assert first == second
    assert document == {
        "variant": "homogeneous",
        "switches": 40,
        "hosts": 16,
        "racks": 8,
        "common_racks": True,
        "cables": 64,
        "capacity_gbps": 12800.0,
        "fingerprint": network.fingerprint,
    }
    assert first == {
        "label": "fat-tree:k=4,host_gbps=10",
        "switches": 20,
        "switches_per_tier": [8, 8, 4],
        "hosts": 16,
        "racks": 8,
        "cables": 32,
        "degree_min": 2,
        "degree_mean": 3.2,
        "degree_max": 4,
        "ports_min": 4,
        "ports_max": 4,
        "ports_used": 80,
        "ports_free": None,
        "connected": True,
        "diameter": 4,
        "mean_hops": pytest.approx((2 + 6 * 4) / 7),
        "disconnected_pairs": 0,
        "capacity_gbps": 6400.0,
        "speeds": [{"gbps": 100.0, "links": 64}],
        "access_speeds": [{"gbps": 10.0, "links": 32}],
        "boxes": None,
        "cables_between_boxes": None,
        "fingerprint": network.planes[0].fingerprint,
    }


def test_what_is_disconnected_is_said() -> None:
    plane = Plane.from_cables(4, [0, 2, 0], [1, 3, 2], [1, 2, 0], host_switch=[0, 3, -1])
    figures = describe_plane(plane)
    assert not figures.connected
    assert (figures.diameter, figures.mean_hops, figures.disconnected_pairs) == (None, None, 2)
    assert (figures.hosts, figures.racks, figures.cables) == (2, 2, 3)
    assert figures.speeds == ((0.0, 2), (1.0, 2), (2.0, 2))
    assert (figures.ports_min, figures.ports_max) == (1, 3)


def test_boxes_are_counted() -> None:
    figures = describe_plane(Plane.from_cables(4, [0, 0, 1, 2], [1, 2, 3, 3], box=[5, 5, 9, 1]))
    assert (figures.boxes, figures.cables_between_boxes) == (3, 3)
    assert figures.to_json() | {"boxes": 3, "cables_between_boxes": 3} == figures.to_json()


def test_tiers_may_be_far_apart() -> None:
    assert describe_plane(Plane.from_cables(3, [0, 1], [1, 2], tier=[0, 2**31 - 1, 0])).switches_per_tier == (2, 1)


def test_large_networks_are_described_in_seconds() -> None:
    figures = describe_plane(build_plane("jellyfish:k=32,seed=1"))
    assert (figures.switches, figures.cables, figures.disconnected_pairs) == (1280, 16384, 0)
    assert describe_plane(build_plane("fat-tree:k=32")).diameter == 4


def test_free_ports_are_those_that_nothing_uses() -> None:
    network = build_network(["path:n=3"], hosts_per_switch=1)
    assert describe(network, switch_ports=4).planes[0].ports_free == 3 * 4 - 3 - 2 * 2
    with pytest.raises(TopologyError, match=r"path:n=3.*: switch '1' uses 3 ports; allowed: at most 2"):
        describe(network, switch_ports=2)


def test_free_ports_beyond_64_bits() -> None:
    network = build_network("ring:n=4")
    assert describe(network, switch_ports=10**30).planes[0].ports_free == 4 * 10**30 - 8
