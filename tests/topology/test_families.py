"""Every family by its invariants: counts, degrees, distances, names."""

import re

import networkx as nx
import numpy as np
import pytest

from pnet_lp.errors import PnetError, SpecError, TopologyError
from pnet_lp.model import Plane
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane, describe_plane, topologies
from pnet_lp.traffic import build_traffic


def simple_graph(plane: Plane) -> nx.Graph:
    """Return the switches as a networkx graph, after checking that no cable has a parallel one."""
    graph = nx.Graph(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True))
    assert graph.number_of_edges() == plane.cable_count
    return graph


@pytest.mark.parametrize("k", [2, 4, 6, 8, 10])
def test_three_tier_fat_tree_has_the_published_equipment(k: int) -> None:
    plane = build_plane(f"fat-tree:k={k}")
    assert (plane.switch_count, plane.host_count, plane.cable_count) == (5 * k**2 // 4, k**3 // 4, k**3 // 2)
    assert describe_plane(plane).switches_per_tier == (k**2 // 2, k**2 // 2, k**2 // 4)
    ports = plane.degree + np.bincount(plane.host_switch, minlength=plane.switch_count)
    assert set(ports.tolist()) == {k}
    assert plane.rack_names == tuple(f"edge{i}" for i in range(k**2 // 2))
    assert {name.rstrip("0123456789") for name in plane.switch_names} == {"edge", "agg", "core"}


@pytest.mark.parametrize(("k", "tiers"), [(4, 2), (8, 2), (4, 3), (6, 3), (4, 4), (6, 4), (4, 5)])
def test_fat_tree_of_n_tiers(k: int, tiers: int) -> None:
    plane = build_plane(f"fat-tree:k={k},tiers={tiers}")
    m = k // 2
    assert plane.host_count == 2 * m**tiers
    assert plane.switch_count == (2 * tiers - 1) * m ** (tiers - 1)
    assert plane.cable_count == (tiers - 1) * plane.host_count
    graph = simple_graph(plane)
    tier = plane.tier.tolist()
    assert all(abs(tier[u] - tier[v]) == 1 for u, v in graph.edges)
    assert describe_plane(plane).diameter == 2 * (tiers - 1)
    # Any two edge switches in different subtrees of the top tier are joined by every top switch: m^(n-1) paths.
    far = int(plane.rack_switch[-1])
    distance = nx.shortest_path_length(graph, 0, far)
    assert distance == 2 * (tiers - 1)
    assert sum(1 for _ in nx.all_shortest_paths(graph, 0, far)) == m ** (tiers - 1)


def test_a_fat_tree_has_full_bisection() -> None:
    plane = build_plane("fat-tree:k=4,link_gbps=1")
    graph = plane.to_networkx()
    left = [f"h{i}" for i in range(8)]
    flow = nx.DiGraph()
    for u, v, data in graph.to_directed().edges(data=True):
        flow.add_edge(u, v, capacity=flow.get_edge_data(u, v, {"capacity": 0})["capacity"] + data["capacity_gbps"])
    for host in graph.nodes:
        if graph.nodes[host]["kind"] == "host":
            flow.add_edge(*(("source", host) if host in left else (host, "sink")))
    assert nx.maximum_flow_value(flow, "source", "sink") == 8


def test_oversubscription_adds_hosts_to_edge_switches() -> None:
    plain, over = build_plane("fat-tree:k=8"), build_plane("fat-tree:k=8,oversubscription=3")
    assert over.host_count == 3 * plain.host_count
    np.testing.assert_array_equal(over.cable_u, plain.cable_u)
    np.testing.assert_array_equal(over.cable_v, plain.cable_v)
    assert describe_plane(over).ports_max == 4 + 12
    assert build_plane("fat-tree:k=8,oversubscription=1.25").host_count == 160


@pytest.mark.parametrize("k", [4, 6, 8, 14])
def test_jellyfish_has_the_equipment_of_the_fat_tree(k: int) -> None:
    plane = build_plane(f"jellyfish:k={k},seed=5")
    assert (plane.switch_count, plane.host_count) == (5 * k**2 // 4, k**3 // 4)
    graph = simple_graph(plane)
    assert nx.is_connected(graph)
    hosts = np.bincount(plane.host_switch, minlength=plane.switch_count)
    assert hosts.max() - hosts.min() <= 1
    unused = k - plane.degree - hosts
    assert unused.min() >= 0
    assert unused.sum() == (5 * k**3 // 4 - k**3 // 4) % 2
    assert plane.rack_names == plane.switch_names == tuple(map(str, range(plane.switch_count)))


def test_jellyfish_k8_is_the_network_of_the_artifact() -> None:
    plane = build_plane("jellyfish:k=8,seed=1")
    assert (plane.switch_count, plane.host_count, plane.cable_count) == (80, 128, 256)
    assert np.bincount(plane.degree).tolist() == [0, 0, 0, 0, 0, 0, 48, 32]
    assert build_plane("jellyfish:switches=80,ports=8,hosts=128,seed=1").fingerprint == plane.fingerprint


def test_jellyfish_leaves_one_port_unused_where_they_are_odd() -> None:
    plane = build_plane("jellyfish:switches=7,ports=3")
    assert sorted(plane.degree.tolist()) == [2, 3, 3, 3, 3, 3, 3]
    assert plane.host_count == 0


@pytest.mark.parametrize("family", ["jellyfish:k=6", "random-regular:n=20,degree=3"])
def test_a_seed_is_one_graph(family: str) -> None:
    drawn = [build_plane(f"{family},seed={seed}").fingerprint for seed in (0, 1, 2, 0)]
    assert drawn[0] == drawn[3] == build_plane(family).fingerprint
    assert len(set(drawn)) == 3
    assert build_plane(family, seed=1).fingerprint == drawn[1]
    assert build_plane(f"{family},seed=2", seed=1).fingerprint == drawn[2]


@pytest.mark.parametrize(("n", "degree"), [(2, 1), (4, 3), (10, 3), (9, 4), (30, 29), (30, 20), (50, 2), (64, 7)])
def test_random_regular(n: int, degree: int) -> None:
    graph = simple_graph(build_plane(f"random-regular:n={n},degree={degree},seed=3"))
    assert graph.number_of_nodes() == n
    assert {d for _, d in graph.degree} == {degree}
    assert nx.is_connected(graph)


def test_leaf_spine() -> None:
    plane = build_plane("leaf-spine:leaves=4,spines=2,hosts_per_leaf=3,parallel=2,host_gbps=10")
    assert (plane.switch_count, plane.cable_count, plane.host_count) == (6, 16, 12)
    assert plane.rack_names == ("leaf0", "leaf1", "leaf2", "leaf3")
    assert plane.tier.tolist() == [0, 0, 0, 0, 1, 1]
    assert plane.degree.tolist() == [4, 4, 4, 4, 8, 8]
    assert set(plane.access_up_gbps.tolist()) == {10.0}
    assert set(plane.capacity_uv_gbps.tolist()) == {100.0}
    assert build_plane("leaf-spine:leaves=4,spines=2").rack_names == plane.rack_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hypercube:d=1", nx.path_graph(2)),
        ("hypercube:d=4", nx.hypercube_graph(4)),
        ("torus:dims=4x8", nx.grid_graph([4, 8], periodic=True)),
        ("torus:dims=3x4x5", nx.grid_graph([3, 4, 5], periodic=True)),
        ("torus:dims=2x2x2", nx.hypercube_graph(3)),
        ("torus:dims=2x3", nx.circular_ladder_graph(3)),
        ("torus:dims=7", nx.cycle_graph(7)),
        ("torus:dims=2x4,twist=true", nx.complete_bipartite_graph(4, 4)),
        ("mesh:dims=4X4", nx.grid_graph([4, 4])),
        ("mesh:dims=2x3x4", nx.grid_graph([2, 3, 4])),
        ("ring:n=9", nx.cycle_graph(9)),
        ("path:n=6", nx.path_graph(6)),
        ("star:n=5", nx.star_graph(5)),
        ("complete:n=8", nx.complete_graph(8)),
    ],
)
def test_flat_families_against_networkx(text: str, expected: nx.Graph) -> None:
    plane = build_plane(text)
    assert nx.is_isomorphic(simple_graph(plane), expected)
    assert plane.switch_names == tuple(map(str, range(plane.switch_count)))
    assert plane.rack_names == plane.switch_names
    assert plane.host_count == 0


def test_on_a_single_switch_nothing_limits_but_access_links() -> None:
    """Of 8 hosts that all send to all others each sends 7 demands over one link of 40 Gb/s."""
    network = build_network("single-switch:hosts=8,host_gbps=40")
    (plane,) = network.planes
    assert (plane.switch_count, plane.cable_count, plane.host_count, plane.rack_names) == (1, 0, 8, ("0",))
    found = solve(network, build_traffic("all-to-all", network, "host"))
    assert found.interval.lower == pytest.approx(40 / 7)
    assert build_plane("single-switch").host_count == 0


def test_neighbours_in_a_hypercube_differ_in_one_bit() -> None:
    plane = build_plane("hypercube:d=5")
    assert set(np.bitwise_count(plane.cable_u ^ plane.cable_v).tolist()) == {1}


def test_link_speeds() -> None:
    assert set(build_plane("ring:n=4").capacity_uv_gbps.tolist()) == {100.0}
    assert set(build_plane("ring:n=4", link_gbps=10).capacity_vu_gbps.tolist()) == {10.0}
    plane = build_plane("fat-tree:k=4,link_gbps=40", link_gbps=10)
    assert set(plane.capacity_uv_gbps.tolist()) == set(plane.access_up_gbps.tolist()) == {40.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fat-tree", "fat-tree: parameter 'k' is required"),
        ("fat-tree:k=3", "fat-tree: k: input should be a multiple of 2, found '3'"),
        ("fat-tree:k=0", "fat-tree: k: input should be greater than or equal to 2, found '0'"),
        ("fat-tree:k=4,tiers=1", "fat-tree: tiers: input should be greater than or equal to 2, found '1'"),
        (
            "fat-tree:k=4,oversubscription=1.3",
            "fat-tree: oversubscription * k/2 is the number of hosts of an edge switch and must be whole, not 2.6",
        ),
        (
            "fat-tree:radix=4",
            "fat-tree: unknown parameter 'radix'; allowed: link_gbps, host_gbps, k, tiers, oversubscription, "
            "core_gbps, rails",
        ),
        ("fat-tree:k=64,tiers=9", "fat-tree: too many switches, found 19791209299968; allowed: at most 16777216"),
        ("jellyfish:k=8,hosts=3", "jellyfish: k gives the whole equipment, so hosts has no meaning beside it"),
        ("jellyfish:switches=5", "jellyfish: either k, or switches and ports (and hosts), must be given"),
        (
            "jellyfish:switches=10,ports=20",
            "jellyfish: a switch has 20 ports for cables to only 9 other switches; "
            "allowed: fewer ports, or more switches or hosts",
        ),
        ("jellyfish:switches=10,ports=2,hosts=21", "jellyfish: more hosts than ports, found 21; allowed: at most 20"),
        (
            "jellyfish:switches=10,ports=2,hosts=4",
            "jellyfish: no connected graph has these degrees: 10 switches, 8 cables, smallest degree 1",
        ),
        ("random-regular:n=5,degree=3", "random-regular: n * degree must be even, not 5 * 3"),
        ("random-regular:n=5,degree=6", "random-regular: degree 6 needs at least 7 switches, n is 5"),
        ("random-regular:n=4,degree=1", "random-regular: degree 1 joins no more than two switches"),
        ("torus:dims=3x4,twist=true", "torus: a twisted torus has extents k and 2k, as in 4x4x8"),
        ("torus:dims=1x4", "torus: dims: a grid needs extents of at least 2, as in 4x8, found '1x4'"),
        ("hypercube:d=21", "hypercube: d: input should be less than or equal to 20, found '21'"),
        ("complete:n=1", "complete: n: input should be greater than or equal to 2, found '1'"),
        ("complete:n=6000", "complete: too many cables, found 17997000; allowed: at most 16777216"),
        ("ring:n=4,link_gbps=-1", "ring: link_gbps: input should be greater than 0, found '-1'"),
        ("ring:n=4,link_gbps=nan", "ring: link_gbps: input should be a finite number, found 'nan'"),
        ("leaf-spine:leaves=2", "leaf-spine: parameter 'spines' is required"),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        build_plane(text)
    assert isinstance(caught.value, SpecError | TopologyError)
    assert str(caught.value) == message


def test_every_family_documents_itself() -> None:
    assert {"fat-tree", "jellyfish", "leaf-spine", "random-regular", "hypercube", "torus"} <= set(topologies.names())
    for entry in topologies:
        assert re.fullmatch(r"[a-z][a-z0-9-]*", entry.name)
        assert entry.summary
        assert not entry.summary.endswith(".")
        assert all(field.description for field in entry.params.model_fields.values())
        assert "link_gbps" in entry.params.model_fields


def test_what_does_not_fit_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 100 * 2**20)
    for text, where in (
        ("leaf-spine:leaves=4096,spines=1024", "building a network of the family leaf-spine needs about 400.9 MiB"),
        ("jellyfish:k=80", "building a network of the family random graph needs about .* MiB"),
    ):
        with pytest.raises(SpecError, match=f"{where}, 100.0 MiB are free; allowed: a smaller network"):
            build_plane(text)
    build_plane("fat-tree:k=16")
