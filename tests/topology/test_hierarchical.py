"""VL2, FatClique, fabrics parallel above the ToR, and planes of different families and speeds, by invariants."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Plane
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, build_plane, describe_plane
from pnet_lp.traffic import build_traffic


def cables(plane: Plane) -> Counter[tuple[int, int]]:
    """Return how many cables join each two switches."""
    ends = np.sort(np.column_stack([plane.cable_u, plane.cable_v]), axis=1)
    return Counter(map(tuple, ends.tolist()))


@pytest.mark.parametrize(("d_a", "d_i"), [(2, 2), (4, 4), (4, 6), (6, 4), (12, 8)])
def test_vl2(d_a: int, d_i: int) -> None:
    plane = build_plane(f"vl2:d_a={d_a},d_i={d_i},link_gbps=10")
    tors = d_a * d_i // 4
    assert describe_plane(plane).switches_per_tier == (tors, d_i, d_a // 2)
    assert plane.host_count == 20 * tors
    assert set(plane.access_up_gbps.tolist()) == {1.0}
    assert plane.rack_names == tuple(f"tor{i}" for i in range(tors))
    assert set(cables(plane).values()) == {1}
    for tier, degree in enumerate((2, d_a, d_i)):
        assert set(plane.degree[plane.tier == tier].tolist()) == {degree}
    graph = nx.Graph(cables(plane).keys())
    assert all(graph.has_edge(a, i) for a in range(tors, tors + d_i) for i in range(tors + d_i, len(graph)))
    assert describe_plane(plane).diameter in {None, 2, 4}
    # Between the tiers there is the same capacity, which is also that of all hosts: nothing is oversubscribed.
    assert 2 * tors * 10 == d_i * d_a // 2 * 10 == plane.access_up_gbps.sum()


def test_vl2_with_other_hosts() -> None:
    plane = build_plane("vl2:d_a=4,d_i=4,hosts_per_tor=3,host_gbps=25")
    assert (plane.host_count, plane.access_up_gbps.max()) == (12, 25.0)
    assert build_plane("vl2:d_a=4,d_i=4,hosts_per_tor=0").rack_names == plane.rack_names


@pytest.mark.parametrize(
    ("s_c", "s_b", "n_b", "block_ports", "global_ports"),
    [(4, 1, 1, 0, 0), (4, 5, 1, 1, 0), (3, 3, 4, 2, 1), (2, 3, 5, 3, 2), (4, 3, 3, 7, 5), (1, 4, 3, 3, 1)],
)
def test_fat_clique(s_c: int, s_b: int, n_b: int, block_ports: int, global_ports: int) -> None:
    plane = build_plane(
        f"fat-clique:s_c={s_c},s_b={s_b},n_b={n_b},block_ports={block_ports},"
        f"global_ports={global_ports},hosts_per_switch=2"
    )
    n, block = s_c * s_b * n_b, s_c * s_b
    assert (plane.switch_count, plane.host_count) == (n, 2 * n)
    joined = cables(plane)
    assert nx.is_connected(nx.Graph(joined.keys()))
    within, subs, blocks = Counter[int](), Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    local, distant = np.zeros(n, int), np.zeros(n, int)
    for (u, v), count in joined.items():
        if u // s_c == v // s_c:
            assert count == 1
            within[u // s_c] += 1
        elif u // block == v // block:
            subs[u // s_c, v // s_c] += count
            local[[u, v]] += count
        else:
            blocks[u // block, v // block] += count
            distant[[u, v]] += count
    assert sum(within.values()) == n_b * s_b * s_c * (s_c - 1) // 2
    for found, ports, size, groups, total in (
        (subs, block_ports, s_c, s_b, n_b * s_b * (s_b - 1) // 2),
        (blocks, global_ports, block, n_b, n_b * (n_b - 1) // 2),
    ):
        assert len(found) == (total if groups > 1 else 0)
        assert set(found.values()) <= {size * ports // max(groups - 1, 1)}
    for used, ports in ((local, block_ports), (distant, global_ports)):
        assert used.max() <= ports
        assert used.max() - used.min() <= 1


def test_cables_of_a_fat_clique_are_parallel_only_where_they_must() -> None:
    assert set(cables(build_plane("fat-clique:s_c=3,s_b=3,block_ports=4")).values()) == {1}
    assert set(cables(build_plane("fat-clique:s_c=2,n_b=2,global_ports=4")).values()) == {1, 2}


def test_fabrics_meet_in_the_tor_only() -> None:
    plane = build_plane("tor-parallel:pods=3,tors=4,fabrics=2,spines=5,hosts_per_tor=6,host_gbps=25")
    assert describe_plane(plane).switches_per_tier == (12, 6, 10)
    assert (plane.host_count, plane.cable_count) == (72, 3 * 2 * (4 + 5))
    for tier, degree in enumerate((2, 4 + 5, 3)):
        assert set(plane.degree[plane.tier == tier].tolist()) == {degree}
    graph = nx.Graph((plane.switch_names[u], plane.switch_names[v]) for u, v in cables(plane))
    assert nx.is_connected(graph)
    above = graph.subgraph([name for name in graph if name.startswith("fabric")])
    parts = [{name.partition(".")[0] for name in part} for part in nx.connected_components(above)]
    assert sorted(map(sorted, parts)) == [["fabric0"], ["fabric1"]]
    assert describe_plane(plane).diameter == 4
    assert nx.node_connectivity(graph, "tor0.0", "tor1.0") == 2


@pytest.mark.parametrize("text", ["vl2:d_a=4,d_i=6", "fat-clique:s_c=3,s_b=2,block_ports=1"])
def test_a_text_is_one_network(text: str) -> None:
    assert build_plane(text).fingerprint == build_plane(text).fingerprint


def test_planes_of_different_families_and_speeds() -> None:
    network = build_network(["fat-tree:k=8,link_gbps=100", "jellyfish:k=8,seed=1,link_gbps=40"])
    assert (network.plane_count, network.variant, network.host_count) == (2, "heterogeneous", 128)
    assert [set(plane.capacity_uv_gbps.tolist()) for plane in network.planes] == [{100.0}, {40.0}]
    assert [set(plane.access_up_gbps.tolist()) for plane in network.planes] == [{100.0}, {40.0}]
    assert not network.common_racks
    network.check_level("host")


@pytest.mark.parametrize(("k", "solver"), [(4, "structured"), (4, "highs-ipx"), (8, "structured")])
def test_planes_of_different_families_and_speeds_are_solved(k: int, solver: str) -> None:
    """Planes add up to at least what each carries alone, and to no more than the hosts' links."""
    texts = [f"fat-tree:k={k},link_gbps=100", f"jellyfish:k={k},seed=1,link_gbps=40"]

    def solved(*topologies: str) -> float:
        network = build_network(topologies)
        traffic = build_traffic("permutation:seed=1", network, "host")
        result = solve(network, traffic, solver=solver, tolerance=1e-5)
        assert (result.status, result.solver, result.level) == ("certified", solver, "host")
        return result.throughput_gbps

    tree, random = map(solved, texts)
    assert tree == pytest.approx(100, rel=1e-4)
    assert 0 < random <= 40
    assert (tree + random) * (1 - 1e-4) <= solved(*texts) <= 140


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vl2:d_a=3,d_i=4", "vl2: d_a: input should be a multiple of 2, found '3'"),
        ("vl2:d_a=4", "vl2: parameter 'd_i' is required"),
        ("vl2:d_a=8000,d_i=8000", "vl2: too many cables, found 64000000; allowed: at most 16777216"),
        ("fat-clique:s_c=1", "fat-clique: a single switch is not a network; s_c, s_b or n_b must be more than 1"),
        ("fat-clique:s_c=2,block_ports=1", "fat-clique: block_ports has no meaning where s_b is 1"),
        (
            "fat-clique:s_c=2,s_b=4,block_ports=1",
            "fat-clique: every two sub-blocks need a cable: 3 from each, and block_ports gives 2 x 1",
        ),
        (
            "fat-clique:s_c=2,n_b=2",
            "fat-clique: every two blocks need a cable: 1 from each, and global_ports gives 2 x 0",
        ),
        ("fat-clique:s_c=9000", "fat-clique: too many cables, found 40495500; allowed: at most 16777216"),
        ("tor-parallel:pods=2,tors=2", "tor-parallel: parameter 'spines' is required"),
        (
            "tor-parallel:pods=5000,tors=5000,spines=1",
            "tor-parallel: too many switches, found 25020004; allowed: at most 16777216",
        ),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build_plane(text)
    assert str(caught.value) == message
