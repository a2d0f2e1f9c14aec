"""What each family of patterns promises: sums, locality, symmetry, volumes."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import PnetError, SpecError, TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.traffic import build_traffic, traffics
from pnet_lp.traffic.matching import random_bijection
from pnet_lp.traffic.patterns.hedera import PATTERNS

from .conftest import fat_tree, ring_of

sizes = st.integers(2, 40)
seeds = st.integers(0, 2**32)
shares = st.floats(0.01, 0.99)


def sums(matrix: TrafficMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Return what each endpoint sends and receives."""
    dense = matrix.to_csr().toarray()
    return dense.sum(axis=1), dense.sum(axis=0)


def built(text: str, n: int, seed: int = 0) -> TrafficMatrix:
    return build_traffic(text, ring_of(n), "rack", seed=seed)


@given(n=sizes, seed=seeds, flows=st.integers(1, 5))
def test_random_sends_as_many_flows_from_each(n: int, seed: int, flows: int) -> None:
    sent, _ = sums(built(f"random:flows={flows}", n, seed))
    assert np.all(sent == flows)


@given(n=sizes, seed=seeds)
def test_random_bijective_is_the_permutation_of_that_seed(n: int, seed: int) -> None:
    assert built("random-bijective", n, seed).fingerprint == built("permutation", n, seed).fingerprint


@given(n=st.integers(3, 40), seed=seeds, share=shares)
def test_hotspots_receive_from_their_share(n: int, seed: int, share: float) -> None:
    sent, received = sums(built(f"hotspot:share={share}", n, seed))
    assert np.all(sent == 1)
    assert received.max() >= min(n - 1, max(1, round(share * n)))


@given(n=sizes, seed=seeds, fan=st.integers(1, 39))
def test_fans(n: int, seed: int, fan: int) -> None:
    fan = min(fan, n - 1)
    for text, width in ((f"incast:fan={fan}", fan), ("all-to-one", n - 1)):
        sent, received = sums(built(text, n, seed))
        assert sorted(received)[-2:] == [0, width]
        assert np.array_equal(np.sort(sent), np.repeat([0, 1], [n - width, width]))
    for text, width in ((f"outcast:fan={fan}", fan), ("one-to-all", n - 1)):
        sent, received = sums(built(text, n, seed))
        assert sorted(sent)[-2:] == [0, width]
        assert np.array_equal(np.sort(received), np.repeat([0, 1], [n - width, width]))


def test_the_one_of_a_fan_can_be_given() -> None:
    assert set(built("incast:fan=2,to=3", 5).dst.tolist()) == {3}
    assert set(built("one-to-all:sender=0", 5).src.tolist()) == {0}


@given(n=st.integers(4, 30), seed=seeds, fraction=st.floats(0.5, 1))
def test_all_to_all_on_a_fraction(n: int, seed: int, fraction: float) -> None:
    part = round(fraction * n)
    matrix = built(f"all-to-all:fraction={fraction}", n, seed)
    assert matrix.demand_count == part * (part - 1)
    assert np.array_equal(np.unique(matrix.src), np.unique(matrix.dst))


def test_a_fraction_is_one_of_racks() -> None:
    matrix = build_traffic("all-to-all:fraction=0.25", ring_of(8, hosts_per_switch=3), "host")
    assert matrix.demand_count == 6 * 5
    assert len(np.unique(matrix.src // 3)) == 2


@given(n=st.integers(4, 20), seed=seeds)
def test_gravity_is_a_product_off_the_diagonal(n: int, seed: int) -> None:
    dense = built("gravity", n, seed).to_csr().toarray()
    assert dense.sum() == pytest.approx(n * (n - 1))
    # d(0,2) d(1,3) = d(0,3) d(1,2), the marginals' rank one.
    assert dense[0, 2] * dense[1, 3] == pytest.approx(dense[0, 3] * dense[1, 2])


def test_gravity_by_hosts_has_their_marginals() -> None:
    plane = Plane.from_cables(3, [0, 1], [1, 2], host_switch=[0, 1, 1, 2, 2, 2])
    dense = build_traffic("gravity:weights=hosts", Network.from_planes([plane]), "rack").to_csr().toarray()
    assert dense / dense[0, 1] == pytest.approx(np.array([[0, 1, 1.5], [1, 0, 3], [1.5, 3, 0]]))


@given(n=st.integers(5, 40), seed=seeds, share=st.floats(0.5, 0.99), ends=st.sampled_from(["both", "source"]))
def test_skewed_gives_the_hot_their_share(n: int, seed: int, share: float, ends: str) -> None:
    matrix = built(f"skewed:racks=0.4,share={share},ends={ends}", n, seed)
    sent, received = sums(matrix)
    assert matrix.total == pytest.approx(n * (n - 1))
    if ends == "source":
        assert np.sort(sent)[n - round(0.4 * n) :].sum() / matrix.total == pytest.approx(share)
    else:
        assert sent == pytest.approx(received)


def test_drawn_demands_have_their_means() -> None:
    assert built("exponential:mean=3", 150).demand.mean() == pytest.approx(3, rel=0.03)
    drawn = built("bimodal:share=0.25,small=2,large=50,deviation=0.1", 150).demand
    assert drawn.mean() == pytest.approx(0.25 * 50 + 0.75 * 2, rel=0.05)
    assert (drawn > 25).mean() == pytest.approx(0.25, abs=0.02)


@given(n=st.integers(2, 30), seed=seeds, mappers=st.floats(0.01, 0.99), share=st.floats(0.01, 1))
def test_hadoop_shuffles_from_every_mapper_to_every_reducer(n: int, seed: int, mappers: float, share: float) -> None:
    reducers = share * (1 - mappers)
    matrix = built(f"hadoop:mappers={mappers},reducers={reducers}", n, seed)
    senders, receivers = np.unique(matrix.src), np.unique(matrix.dst)
    assert not np.intersect1d(senders, receivers).size
    assert matrix.demand_count == len(senders) * len(receivers)
    assert abs(len(senders) - mappers * n) <= max(1 - mappers * n, 0.5, mappers * n - n + 1)
    assert abs(len(receivers) - reducers * n) <= 1
    sent, _ = sums(matrix)
    assert sent[senders] == pytest.approx(1)


@given(seed=seeds)
def test_hadoop_reads_and_writes(seed: int) -> None:
    network = ring_of(5, hosts_per_switch=4)
    rack = np.arange(20) // 4

    def stage(text: str) -> TrafficMatrix:
        return build_traffic(f"hadoop:{text}", network, "host", seed=seed)

    read, shuffle = stage("stage=read"), stage("stage=shuffle")
    _, received = sums(read)
    assert np.array_equal(np.flatnonzero(received == 1), np.unique(shuffle.src))
    assert read.total == 10
    assert np.all(rack[read.src] != rack[read.dst])
    two = stage("stage=write,copies=2")
    assert two.total == 10
    assert np.array_equal(np.unique(two.src), np.unique(shuffle.dst))
    assert np.all(rack[two.src] != rack[two.dst])
    three = stage("stage=write")
    assert three.total == 20
    inside = rack[three.src] == rack[three.dst]
    assert three.demand[inside].sum() == 10


@pytest.mark.parametrize("stage", ["read", "write"])
def test_hadoop_needs_other_racks(stage: str) -> None:
    plane = Plane.from_cables(2, [0], [1], racks=[0], host_switch=[0, 0, 0])
    with pytest.raises(TrafficError, match="all hosts are in one rack, and a job uses others"):
        build_traffic(f"hadoop:stage={stage}", Network.from_planes([plane]), "host")


@given(groups=st.integers(1, 5), size=st.integers(2, 9))
def test_collectives(groups: int, size: int) -> None:
    n = groups * size
    sent, received = sums(built(f"groups:size={size},of=ring", n))
    assert np.all(sent == 1)
    assert np.all(received == 1)
    reduced, _ = sums(built(f"groups:size={size},of=all-reduce", n))
    assert reduced == pytest.approx(2 * (size - 1) / size)
    both = built(f"groups:size={size},of=pipeline", n)
    assert both.total == 2 * groups * (size - 1)
    assert np.array_equal(both.to_csr().toarray(), both.to_csr().toarray().T)
    assert built(f"groups:size={size},of=pipeline:direction=forward", n).total == groups * (size - 1)


@given(rounds=st.integers(1, 5), groups=st.integers(1, 3))
def test_all_reduce_by_powers_of_two(rounds: int, groups: int) -> None:
    size = 2**rounds
    for algorithm, volume in (("recursive-doubling", rounds), ("halving-doubling", 2 * (size - 1) / size)):
        matrix = built(f"groups:size={size},of=all-reduce:algorithm={algorithm}", groups * size)
        sent, received = sums(matrix)
        assert sent == pytest.approx(volume)
        assert received == pytest.approx(volume)
        assert np.all(matrix.src // size == matrix.dst // size)


@given(rows=st.integers(1, 6), columns=st.integers(1, 6))
def test_fft_transposes_within_rows_and_columns(rows: int, columns: int) -> None:
    n = rows * columns
    if n == 1:
        return
    matrix = built(f"mpi-fft:rows={rows}", n)
    assert matrix.demand.max() == 1
    assert np.all((matrix.src // columns == matrix.dst // columns) ^ (matrix.src % columns == matrix.dst % columns))
    assert matrix.demand_count == n * (rows + columns - 2)
    if rows == 1:
        assert matrix.fingerprint == built("all-to-all", n).fingerprint


@given(x=st.integers(1, 5), y=st.integers(1, 5), z=st.integers(1, 5))
def test_grids_have_their_neighbours(x: int, y: int, z: int) -> None:
    if x * y * z == 1:
        return
    for kernel, periodic in (("mpi-mg", True), ("mpi-sp", False)):
        matrix = built(f"{kernel}:x={x},y={y},z={z}", x * y * z)
        graph = nx.grid_graph((z, y, x), periodic=periodic)
        expected = {((a[0] * y + a[1]) * z + a[2], (b[0] * y + b[1]) * z + b[2]) for a, b in graph.to_directed().edges}
        found = set(zip(matrix.src.tolist(), matrix.dst.tolist(), strict=True))
        assert found == {(s, t) for s, t in expected if s != t}
        assert matrix.demand.max() == 1
        assert np.array_equal(matrix.to_csr().toarray(), matrix.to_csr().toarray().T)


def test_the_default_grid_is_the_most_cubic() -> None:
    assert built("mpi-sp", 64).fingerprint == built("mpi-sp:x=4,y=4,z=4", 64).fingerprint
    assert built("mpi-mg", 24).fingerprint == built("mpi-mg:x=4,y=3,z=2", 24).fingerprint
    assert built("mpi-sp", 7).fingerprint == built("mpi-sp:x=7,y=1,z=1", 7).fingerprint


@settings(max_examples=20)
@given(edge=st.floats(0, 0.6), pod=st.floats(0, 0.4), seed=seeds)
def test_staggered_keeps_its_probabilities(edge: float, pod: float, seed: int) -> None:
    network = fat_tree(12)  # 432 hosts, 6 a rack, 36 a pod
    matrix = build_traffic(f"staggered:edge={edge:.3f},pod={pod:.3f}", network, "host", seed=seed)
    sent, _ = sums(matrix)
    assert np.all(sent == 1)
    same_rack = matrix.src // 6 == matrix.dst // 6
    same_pod = (matrix.src // 36 == matrix.dst // 36) & ~same_rack
    # Five standard deviations of 432 draws.
    assert same_rack.mean() == pytest.approx(edge, abs=0.121)
    assert same_pod.mean() == pytest.approx(pod, abs=0.121)


@settings(max_examples=20)
@given(edge=st.floats(0.05, 0.6), pod=st.floats(0.05, 0.39), seed=seeds, k=st.sampled_from([4, 6, 12]))
def test_bijective_staggered_is_a_permutation_of_that_locality(edge: float, pod: float, seed: int, k: int) -> None:
    text = f"staggered:edge={edge:.3f},pod={pod:.3f},bijective=true"
    matrix = build_traffic(text, fat_tree(k), "host", seed=seed)
    sent, received = sums(matrix)
    assert np.all(sent == 1)
    assert np.all(received == 1)
    if k == 12:
        same_rack = matrix.src // 6 == matrix.dst // 6
        same_pod = (matrix.src // 36 == matrix.dst // 36) & ~same_rack
        assert same_rack.mean() == pytest.approx(edge, abs=0.121)
        assert same_pod.mean() == pytest.approx(pod, abs=0.121)


def test_bijective_staggered_at_its_limits() -> None:
    network = fat_tree(4)
    for text, group in (("edge=1,pod=0", 2), ("edge=0,pod=1", 4)):
        matrix = build_traffic(f"staggered:{text},bijective=true", network, "host")
        assert np.all(matrix.src // group == matrix.dst // group)
        assert np.all(sums(matrix)[1] == 1)
    away = build_traffic("staggered:edge=0,pod=0,bijective=true", network, "host")
    assert not np.any(away.src // 4 == away.dst // 4)
    assert np.all(sums(away)[1] == 1)
    # Three of four hosts are in one rack, and only one is outside of it.
    uneven = Network.from_planes([Plane.from_cables(2, [0], [1], host_switch=[0, 0, 0, 1])])
    with pytest.raises(TrafficError) as caught:
        build_traffic("staggered:edge=0,pod=0,bijective=true", uneven, "host")
    assert str(caught.value) == (
        "staggered:edge=0,pod=0,bijective=true: no draw of 1000 can be one to one; allowed: bijective=false"
    )


@given(groups=st.lists(st.integers(0, 3), max_size=8), targets=st.lists(st.integers(0, 3), max_size=8), seed=seeds)
def test_random_bijections_are_found_where_there_are_any(groups: list[int], targets: list[int], seed: int) -> None:
    found = random_bijection(np.array(groups, dtype=int), np.array(targets, dtype=int), np.random.default_rng(seed))
    graph = nx.Graph([((0, i), (1, j)) for i, a in enumerate(groups) for j, b in enumerate(targets) if a != b])
    tops = {node for node in graph if node[0] == 0}
    matched = nx.bipartite.maximum_matching(graph, tops) if tops else {}
    assert (found is not None) == (len(matched) == 2 * len(groups))
    if found is not None:
        assert len(set(found.tolist())) == len(groups)
        assert all(targets[j] != a for a, j in zip(groups, found.tolist(), strict=True))


def test_random_bijections_reach_all() -> None:
    draw = np.random.default_rng(0)
    group = np.array([0, 0, 1, 2])
    found = {tuple(random_bijection(group, group, draw)) for _ in range(300)}
    assert found == {p for p in permutations(range(4)) if all(group[i] != group[p[i]] for i in range(4))}


@given(n=sizes, seed=seeds, flows=st.integers(1, 39))
def test_distinct_flows_go_to_different_endpoints(n: int, seed: int, flows: int) -> None:
    flows = min(flows, n - 1)
    matrix = built(f"random:flows={flows},distinct=true", n, seed)
    assert matrix.demand_count == n * flows
    assert np.all(matrix.demand == 1)


@given(n=st.integers(4, 40), seed=seeds, share=st.floats(0.2, 0.6), spots=st.integers(1, 3))
def test_the_rest_of_a_hotspot_can_be_one_to_one(n: int, seed: int, share: float, spots: int) -> None:
    senders = max(1, round(share * n))
    try:
        _, received = sums(built(f"hotspot:share={share},spots={spots},rest=bijective", n, seed))
    except TrafficError as error:
        assert min(senders, n - spots) < spots, str(error)  # noqa: PT017 - only these do not fit
        return
    senders = min(senders, n - spots)
    hot = [-(-(senders - i) // spots) for i in range(spots)]
    idle = senders - spots  # of those that are no hotspot, nobody is chosen twice
    assert np.array_equal(np.sort(received), np.sort(np.r_[hot, np.zeros(idle), np.ones(n - senders)]))


def test_staggered_without_pods() -> None:
    network = ring_of(6, hosts_per_switch=3)
    matrix = build_traffic("staggered:edge=1,pod=0", network, "host")
    assert np.all(matrix.src // 3 == matrix.dst // 3)
    away = build_traffic("staggered:edge=0,pod=0", network, "host")
    assert not np.any(away.src // 3 == away.dst // 3)


@pytest.mark.parametrize("name", PATTERNS)
def test_hederas_patterns(name: str) -> None:
    network = fat_tree(4)
    matrix = build_traffic(f"hedera:pattern={name}", network, "host")
    sent, received = sums(matrix)
    assert np.all(sent == int(name[-1]) if name.startswith("randx") else sent == 1)
    if name.startswith(("stag", "stride", "randbij")):
        assert np.all(received == 1)
    if name.startswith("randx"):
        assert np.all(matrix.demand == 1)
    if name == "hotspot":
        assert np.array_equal(np.sort(received), np.repeat([0, 1, 3], [4, 10, 2]))


def test_hedera_has_twenty_patterns_and_numbers_are_draws() -> None:
    field = traffics.get("hedera").params.model_fields["pattern"]
    assert list(field.annotation.__args__) == list(PATTERNS)
    assert len(PATTERNS) == 20
    network = fat_tree(4)
    drawn = {
        build_traffic(f"hedera:pattern={name}", network, "host").fingerprint
        for name in PATTERNS
        if not name.startswith("stride")
    }
    assert len(drawn) == 16


@pytest.mark.parametrize(
    "text", ["random", "hotspot", "incast:fan=3", "gravity", "exponential", "bimodal", "skewed:racks=0.4", "hadoop"]
)
def test_seeds_decide(text: str) -> None:
    own = f"{text}{',' if ':' in text else ':'}seed=5"
    assert built(text, 12, 5).fingerprint == built(own, 12, 6).fingerprint != built(text, 12, 6).fingerprint


RING = ring_of(6)
HOSTS = ring_of(6, hosts_per_switch=1)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("random:flows=0", SpecError, "random: flows: input should be greater than or equal to 1, found '0'"),
        ("hotspot:share=0", SpecError, "hotspot: share: input should be greater than 0, found '0'"),
        (
            "random:flows=6,distinct=true",
            TrafficError,
            "random:flows=6,distinct=true: 6 flows are too many for different destinations among 6 racks; "
            "allowed: 1 to 5",
        ),
        (
            "hotspot:spots=4,share=0.2,rest=bijective",
            TrafficError,
            "hotspot:spots=4,share=0.2,rest=bijective: 5 racks do not send to a hotspot, and 2 are none; "
            "allowed: a larger share, fewer spots, or rest=random",
        ),
        ("hotspot:spots=6", TrafficError, "hotspot:spots=6: 6 hotspots leave none of 6 racks to send to them"),
        ("incast", SpecError, "incast: parameter 'fan' is required"),
        ("incast:fan=6", TrafficError, "incast:fan=6: a fan of 6 is too wide for 6 racks; allowed: 1 to 5"),
        ("all-to-one:to=6", TrafficError, "all-to-one:to=6: to: no such rack, found 6; allowed: 0 to 5"),
        ("one-to-all:sender=9", TrafficError, "one-to-all:sender=9: sender: no such rack, found 9; allowed: 0 to 5"),
        (
            "all-to-all:fraction=0.1",
            TrafficError,
            "all-to-all:fraction=0.1: a fraction of 0.1 leaves fewer than two racks",
        ),
        (
            "all-to-all:fraction=2",
            SpecError,
            "all-to-all: fraction: input should be less than or equal to 1, found '2'",
        ),
        ("skewed:share=1", TrafficError, "skewed:share=1: all weight is at one rack; allowed: at least two"),
        ("exponential:mean=inf", SpecError, "exponential: mean: input should be a finite number, found 'inf'"),
        (
            "hadoop:mappers=0.1,reducers=0.1,copies=4",
            SpecError,
            "hadoop: copies: input should be less than or equal to 3, found '4'",
        ),
        (
            "hadoop:mappers=0.7",
            SpecError,
            "hadoop: mappers and reducers are different endpoints, and 1.2 of all is above 1",
        ),
        ("mpi-fft:rows=4", TrafficError, "mpi-fft:rows=4: 6 racks do not fill 4 rows; allowed: a divisor of 6"),
        ("mpi-mg:x=2", SpecError, "mpi-mg: x, y and z are given all three or not at all"),
        (
            "mpi-sp:x=2,y=2,z=2",
            TrafficError,
            "mpi-sp:x=2,y=2,z=2: a grid of 2x2x2 processes does not fit 6 racks; allowed: 2 to 6 processes",
        ),
        (
            "staggered:edge=0.5,pod=0.6",
            SpecError,
            "staggered: edge and pod are probabilities of one draw, and 1.1 is above 1",
        ),
        (
            "staggered:edge=0.5,pod=0.3",
            TrafficError,
            "staggered:edge=0.5,pod=0.3: staggered traffic is between the hosts of racks; allowed: level=host",
        ),
    ],
)
def test_bad_parameters(text: str, kind: type[PnetError], message: str) -> None:
    with pytest.raises(kind) as caught:
        build_traffic(text, RING, "rack")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("staggered:edge=0.5,pod=0", "host 'h0' has no destination in its rack"),
        (
            "staggered:edge=0,pod=0.3",
            "the network has no pods, which are racks under common aggregation switches below a third tier; "
            "allowed: pod=0, or a network such as fat-tree:k=4",
        ),
        (
            "hadoop:stage=write,seed=1",
            "has no other host in its rack for the third copy; allowed: copies=2, or racks of several hosts",
        ),
    ],
)
def test_hosts_without_neighbours(text: str, message: str) -> None:
    with pytest.raises(TrafficError) as caught:
        build_traffic(text, HOSTS, "host")
    assert str(caught.value).endswith(message)
