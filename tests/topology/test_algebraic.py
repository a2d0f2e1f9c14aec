"""Families from algebra and from lifts: structure by invariants, not by counts alone."""

import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import PnetError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.topology import build_plane
from pnet_lp.topology.families.dragonfly import Arrangement, global_cables
from pnet_lp.topology.finite_field import FiniteField, prime_power


def graph_of(text: str) -> nx.Graph:
    """Return the switches of a plane as a graph, after checking that no cable is parallel to another."""
    plane = build_plane(text)
    graph = nx.Graph(list(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True)))
    assert graph.number_of_edges() == plane.cable_count
    assert graph.number_of_nodes() == plane.switch_count
    return graph


def all_to_all(plane: Plane) -> float:
    network = Network.from_planes([plane])
    n = network.rack_count
    result = solve(network, TrafficMatrix.from_dense("rack", np.ones((n, n)) - np.eye(n)), tolerance=1e-7)
    assert result.status == "certified"
    return result.throughput_gbps


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 16, 25, 27])
def test_finite_fields_are_fields(q: int) -> None:
    field = FiniteField(q)
    everything = list(range(q))
    for table, unit in ((field.add, everything), (field.multiply[1:, 1:], everything[1:])):
        assert np.array_equal(table, table.T)
        assert all(sorted(row) == unit for row in table.tolist())
    a, b, c = np.indices((q, q, q)).reshape(3, -1)
    left = field.multiply[a, field.add[b, c]]
    assert np.array_equal(left, field.add[field.multiply[a, b], field.multiply[a, c]])
    assert np.array_equal(field.multiply[field.multiply[a, b], c], field.multiply[a, field.multiply[b, c]])
    assert sorted(field.powers) == everything[1:]


def test_prime_powers() -> None:
    assert [q for q in range(30) if prime_power(q)] == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29]


@pytest.mark.parametrize(
    ("q", "switches", "degree"),
    [
        (5, 50, 7),
        (7, 98, 11),
        (11, 242, 17),
        (13, 338, 19),
        (17, 578, 25),
        (19, 722, 29),
        (4, 32, 6),
        (8, 128, 12),
        (9, 162, 13),
    ],
)
def test_slim_fly(q: int, switches: int, degree: int) -> None:
    graph = graph_of(f"slim-fly:q={q}")
    assert graph.number_of_nodes() == switches
    assert {d for _, d in graph.degree} == {degree}
    assert nx.diameter(graph) == 2
    # The paper's number of hosts on a switch is half its cables, rounded up.
    assert build_plane(f"slim-fly:q={q}").host_count == switches * -(-degree // 2)


def test_papers_hosts_can_be_left_out() -> None:
    # The networks of about equal size that PolarFly's evaluation sets side by side.
    assert build_plane("polarfly:q=31").host_count == 993 * 16
    assert build_plane("slim-fly:q=23").host_count == 1058 * 18
    for text in ("polarfly:q=4", "slim-fly:q=4"):
        assert build_plane(f"{text},p=0").host_count == 0
        assert build_plane(f"{text},p=1").host_count == build_plane(text).switch_count


def test_slim_fly_of_5_is_the_hoffman_singleton_graph() -> None:
    graph = graph_of("slim-fly:q=5")
    assert nx.girth(graph) == 5
    assert all_to_all(build_plane("slim-fly:q=5,link_gbps=1")) == pytest.approx(1 / 13, rel=1e-6)


def test_clebsch_and_heawood_through_networkx() -> None:
    clebsch = nx.hypercube_graph(4)
    clebsch.add_edges_from([(a, tuple(1 - x for x in a)) for a in list(clebsch)])
    for graph, expected in ((clebsch, 1 / 5), (nx.heawood_graph(), 1 / 9)):
        plane = Plane.from_networkx(nx.convert_node_labels_to_integers(graph), link_gbps=1.0)
        assert all_to_all(plane) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11, 13])
def test_polarfly(q: int) -> None:
    graph = graph_of(f"polarfly:q={q}")
    assert graph.number_of_nodes() == q * q + q + 1
    assert nx.diameter(graph) == 2
    degrees = sorted(d for _, d in graph.degree)
    assert degrees == [q] * (q + 1) + [q + 1] * (q * q)
    # Two points have exactly one neighbour in common, or are it: no cycle of four.
    paths = nx.to_numpy_array(graph).astype(int)
    paths = paths @ paths
    np.fill_diagonal(paths, 0)
    assert paths.max() == 1


@pytest.mark.parametrize("q", [2, 4, 7, 9])
def test_polarfly_joins_orthogonal_points_and_no_others(q: int) -> None:
    field = FiniteField(q)
    points = [(1, y, z) for y in range(q) for z in range(q)] + [(0, 1, z) for z in range(q)] + [(0, 0, 1)]

    def orthogonal(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        total = 0
        for x, y in zip(a, b, strict=True):
            total = field.add[total, field.multiply[x, y]]
        return total == 0

    plane = build_plane(f"polarfly:q={q}")
    found = list(zip(plane.cable_u.tolist(), plane.cable_v.tolist(), strict=True))
    n = len(points)
    assert found == [(u, v) for u in range(n) for v in range(u + 1, n) if orthogonal(points[u], points[v])]


def test_the_largest_polarfly_takes_memory_for_its_cables_only() -> None:
    tracemalloc.start()
    plane = build_plane("polarfly:q=97,p=0")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert plane.cable_count == 97 * 98**2 // 2
    # One byte for each pair of switches would be more.
    assert peak < plane.switch_count**2


@pytest.mark.parametrize("arrangement", ["absolute", "relative", "circulant"])
@pytest.mark.parametrize(
    ("ports", "g"), [(ports, g) for ports in (1, 4, 11, 12, 25) for g in range(2, min(ports + 1, 12) + 1)]
)
def test_every_global_port_has_one_cable(ports: int, g: int, arrangement: Arrangement) -> None:
    group, port, there, back = global_cables(arrangement, ports, g)
    assert np.all(group != there)
    assert min(port.min(), back.min()) >= 0
    used = np.bincount(np.r_[group * ports + port, there * ports + back], minlength=g * ports)
    assert used.max() == 1
    # All ports have one, except that an odd number of ports in an odd number of groups cannot be paired off.
    free = g if ports % (g - 1) % 2 and g % 2 else 0
    assert len(used) - used.sum() == free


@pytest.mark.parametrize("arrangement", ["absolute", "relative", "circulant"])
@pytest.mark.parametrize(("h", "switches"), [(2, 36), (3, 114), (4, 264), (8, 2064)])
def test_balanced_dragonfly(h: int, switches: int, arrangement: str) -> None:
    plane = build_plane(f"dragonfly:h={h},arrangement={arrangement}")
    a, g = 2 * h, 2 * h * h + 1
    assert (plane.switch_count, plane.host_count) == (switches, switches * h)
    # Every port is used: a - 1 in the group and h out of it; every two groups have one cable.
    assert set(plane.degree.tolist()) == {a - 1 + h}
    groups = np.sort(np.stack([plane.cable_u // a, plane.cable_v // a]), axis=0)
    out = groups[:, groups[0] != groups[1]]
    assert len(np.unique(out, axis=1).T) == out.shape[1] == g * (g - 1) // 2
    if h < 8:
        assert nx.diameter(graph_of(f"dragonfly:h={h},arrangement={arrangement}")) == 3


@pytest.mark.parametrize("arrangement", ["absolute", "relative", "circulant"])
@pytest.mark.parametrize("g", [2, 3, 4, 5, 6, 7, 8])
def test_smaller_dragonflies_spread_their_cables(g: int, arrangement: str) -> None:
    plane = build_plane(f"dragonfly:h=2,g={g},arrangement={arrangement}")
    groups = np.sort(np.stack([plane.cable_u // 4, plane.cable_v // 4]), axis=0)
    pairs, counts = np.unique(groups[:, groups[0] != groups[1]], axis=1, return_counts=True)
    assert pairs.shape[1] == g * (g - 1) // 2
    assert counts.max() - counts.min() <= 1
    free = 5 - plane.degree
    assert free.min() >= 0
    assert free.sum() == (g if 8 % (g - 1) % 2 and g % 2 else 0)


def test_hyperx_and_flattened_butterfly() -> None:
    graph = graph_of("hyperx:dims=3x4")
    assert nx.is_isomorphic(graph, nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(4)))
    doubled = build_plane("hyperx:dims=3x4,k=2,t=3")
    assert (doubled.cable_count, doubled.host_count) == (2 * graph.number_of_edges(), 36)
    assert build_plane("hyperx:dims=3x4,k=2x2,t=3").fingerprint == doubled.fingerprint
    flat = graph_of("flattened-butterfly:k=4,n=3")
    assert nx.is_isomorphic(flat, nx.cartesian_product(nx.complete_graph(4), nx.complete_graph(4)))
    assert build_plane("flattened-butterfly:k=4,n=3").host_count == 64


@given(rows=st.lists(st.tuples(st.integers(2, 4), st.integers(1, 3)), min_size=1, max_size=3), hosts=st.integers(0, 2))
def test_hyperx_bundles_cables_by_dimension(rows: list[tuple[int, int]], hosts: int) -> None:
    dims, bundles = zip(*rows, strict=True)
    text = f"hyperx:dims={'x'.join(map(str, dims))},k={'x'.join(map(str, bundles))},t={hosts}"
    plane = build_plane(text)
    assert plane.host_count == hosts * plane.switch_count
    places = np.array(np.unravel_index(np.arange(plane.switch_count), dims))
    differs = places[:, plane.cable_u] != places[:, plane.cable_v]
    # A cable joins switches of one row, and every two of a row have as many as their dimension says.
    assert np.all(differs.sum(axis=0) == 1)
    pairs, first, counts = np.unique(
        np.stack([plane.cable_u, plane.cable_v]), axis=1, return_index=True, return_counts=True
    )
    assert np.array_equal(counts, np.array(bundles)[differs.argmax(axis=0)[first]])
    assert pairs.shape[1] == plane.switch_count * sum(extent - 1 for extent in dims) // 2


@pytest.mark.parametrize(("d", "k"), [(3, 1), (3, 10), (5, 8), (8, 20)])
def test_xpander_is_a_lift_of_the_complete_graph(d: int, k: int) -> None:
    graph = graph_of(f"xpander:d={d},k={k},seed=3")
    assert nx.is_connected(graph)
    assert graph.number_of_nodes() == (d + 1) * k
    # A covering: each copy of a switch has one neighbour among the copies of every other switch.
    for node in graph:
        assert sorted(other // k for other in graph[node]) == [i for i in range(d + 1) if i != node // k]


def test_seeds_and_planes_of_xpanders() -> None:
    one, same, other = (build_plane(f"xpander:d=4,k=9,seed={seed}") for seed in (1, 1, 2))
    assert one.fingerprint == same.fingerprint != other.fingerprint


@pytest.mark.parametrize(("n", "k"), [(2, 0), (4, 1), (3, 2), (8, 1)])
def test_bcube(n: int, k: int) -> None:
    plane = build_plane(f"bcube:n={n},k={k},link_gbps=10")
    servers = n ** (k + 1)
    graph = graph_of(f"bcube:n={n},k={k}")
    assert (plane.host_count, plane.switch_count) == (servers, servers + (k + 1) * n**k)
    assert plane.degree.tolist() == [k + 1] * servers + [n] * ((k + 1) * n**k)
    assert set(plane.access_up_gbps.tolist()) == {10.0 * (k + 1)}
    # Servers whose digits differ in h places are 2 h hops apart.
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    digits = [[s // n**i % n for i in range(k + 1)] for s in range(servers)]
    for s in range(servers):
        for t in range(servers):
            assert hops[s][t] == 2 * sum(a != b for a, b in zip(digits[s], digits[t], strict=True))


@pytest.mark.parametrize(("n", "k", "servers"), [(4, 0, 4), (4, 1, 20), (2, 2, 42), (3, 2, 156)])
def test_dcell(n: int, k: int, servers: int) -> None:
    plane = build_plane(f"dcell:n={n},k={k}")
    assert plane.host_count == servers
    assert plane.degree.tolist() == [k + 1] * servers + [n] * (servers // n)
    graph = graph_of(f"dcell:n={n},k={k}")
    assert nx.is_connected(graph)
    # Paper, theorem 2: paths between servers have at most 2^(k+1) - 1 cables, switches not counted as nodes.
    assert nx.diameter(graph) <= 2 * (2 ** (k + 1) - 1) + 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slim-fly:q=6", "slim-fly: q: not a power of a prime, such as 5 or 7, found '6'"),
        ("slim-fly:q=2", "slim-fly: q: input should be greater than or equal to 3, found '2'"),
        ("polarfly:q=10", "polarfly: q: not a power of a prime, such as 9 or 11, found '10'"),
        ("dragonfly:h=2,g=10", "dragonfly: g = 10 groups are too many for a h = 8 cables out of each"),
        ("dragonfly:h=2,arrangement=random", "dragonfly: arrangement: input should be 'absolute'"),
        ("hyperx:dims=4x1", "hyperx: dims: a grid needs extents of at least 2, as in 4x8, found '4x1'"),
        ("hyperx:dims=4x4,k=1x2x3", "hyperx: k gives 3 numbers of cables for 2 dimensions"),
        (
            "hyperx:dims=4x4,k=1x0",
            "hyperx: k: every two switches of a row are joined by at least one cable, found '1x0'",
        ),
        ("hyperx:dims=4x4,k=two", "hyperx: k.0: input should be a valid integer"),
        ("flattened-butterfly:k=5,n=900", "flattened-butterfly: n: input should be less than or equal to 24"),
        (
            "flattened-butterfly:k=1000000,n=24",
            "flattened-butterfly: too many switches, about 10^138; allowed: at most 16777216",
        ),
        (
            f"hyperx:dims={'x'.join(['1000'] * 2000)}",
            "hyperx: too many switches, about 10^6000; allowed: at most 16777216",
        ),
        ("xpander:d=1,k=3", "xpander: d: input should be greater than or equal to 2, found '1'"),
        ("xpander:d=2,k=400", "xpander: none of 64 lifts drawn is connected, found 'd=2'; allowed: d of at least 3"),
        ("bcube:n=64,k=5", "bcube: too many "),
        ("dcell:n=6,k=4", "dcell: too many "),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    with pytest.raises(PnetError) as caught:
        build_plane(text)
    assert str(caught.value).startswith(message)
