"""Matrices chosen against the network, against brute force and against each other."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp import memory
from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.distances import UNREACHED, find_sites, site_hops
from pnet_lp.model.flow import build_problem
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.patterns import worst_case

from .conftest import ring_of


@st.composite
def networks(draw: st.DrawFn, planes: int = 2, hosts: int = 0) -> Network:
    """Connected random graphs on the same few racks, each rack with up to ``hosts`` hosts."""
    n = draw(st.integers(3, 6))
    attached = draw(st.lists(st.integers(1, hosts), min_size=n, max_size=n)) if hosts else [0] * n
    built = []
    for _ in range(draw(st.integers(1, planes))):
        parents = [draw(st.integers(0, i - 1)) for i in range(1, n)]
        extra = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=4))
        cables = [*zip(range(1, n), parents, strict=True), *(pair for pair in extra if pair[0] != pair[1])]
        u, v = zip(*cables, strict=True)
        built.append(Plane.from_cables(n, u, v, host_switch=np.repeat(np.arange(n), attached)))
    return Network.from_planes(built)


def distances(network: Network) -> np.ndarray:
    """Return the fewest hops over the planes, by networkx."""
    fewest = []
    for plane in network.planes:
        switches = nx.Graph(plane.to_networkx().subgraph(plane.switch_names))
        fewest.append(nx.floyd_warshall_numpy(switches, plane.switch_names))
    return np.min(fewest, axis=0)


def weight(matrix: TrafficMatrix, hops: np.ndarray) -> float:
    return float((matrix.demand * hops[matrix.src, matrix.dst]).sum())


@settings(max_examples=60)
@given(network=networks())
def test_hops_against_networkx(network: Network) -> None:
    sites = find_sites(network, "rack")
    found = site_hops(network, sites)[np.ix_(sites.of, sites.of)]
    assert np.array_equal(found, distances(network))


def test_hops_of_a_plane_in_two_pieces() -> None:
    network = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3], [10.0, 0.0])])
    assert site_hops(network, find_sites(network, "rack")).tolist() == [
        [0, 1, UNREACHED, UNREACHED],
        [1, 0, UNREACHED, UNREACHED],
        [UNREACHED, UNREACHED, 0, UNREACHED],
        [UNREACHED, UNREACHED, UNREACHED, 0],
    ]


@settings(max_examples=60)
@given(network=networks())
def test_matchings_against_brute_force(network: Network) -> None:
    hops = distances(network)
    n = len(hops)
    here = np.arange(n)
    sums = [hops[here, there].sum() for there in permutations(range(n)) if not np.any(here == there)]
    for name, best in (("longest-matching", max(sums)), ("shortest-matching", min(sums))):
        matrix = build_traffic(name, network, "rack")
        assert sorted(matrix.dst.tolist()) == matrix.src.tolist() == list(range(n))
        assert np.all(matrix.demand == 1)
        assert weight(matrix, hops) == best
    assert weight(build_traffic("kodialam", network, "rack"), hops) == pytest.approx(max(sums))


@settings(max_examples=60)
@given(network=networks(hosts=3))
def test_kodialam_keeps_the_hose_and_beats_every_matching(network: Network) -> None:
    hops = distances(network)
    rack = network.planes[0].host_switch
    between_hosts = hops[np.ix_(rack, rack)]
    worst = build_traffic("kodialam", network, "host")
    for ends in (worst.src, worst.dst):
        assert np.bincount(ends, worst.demand, len(rack)).max() <= 1 + 1e-9
    racks = build_traffic("kodialam", network, "rack")
    rates = np.bincount(rack) / np.bincount(rack).mean()
    for ends in (racks.src, racks.dst):
        assert np.all(np.bincount(ends, racks.demand, len(rates)) <= rates + 1e-9)
    assert racks.demand_count <= 2 * len(rates)
    if 2 * np.bincount(rack).max() <= len(rack):
        for name in ("longest-matching", "shortest-matching"):
            matrix = build_traffic(name, network, "host")
            assert sorted(matrix.dst.tolist()) == matrix.src.tolist() == list(range(len(rack)))
            assert not np.any(rack[matrix.src] == rack[matrix.dst])
            assert weight(worst, between_hosts) >= weight(matrix, between_hosts) - 1e-6


def test_racks_of_unequal_size_are_matched_as_their_endpoints_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first plan by layers is rarely the best one: cycles have to be cancelled in most of these.

    Of 27 hosts one rack alone has most; of the random ones it may have half of all.
    """
    random = np.random.default_rng(7)
    for seed in range(12):
        for hosts in (30, 27, None):
            if hosts is None:
                few = random.integers(1, 5, size=6)
                sizes = np.r_[random.integers(few.max(), few.sum() + 1), few]
                cables = np.triu(random.random((7, 7)) < 0.3, 2) | np.eye(7, k=1, dtype=bool)
                network = Network.from_planes(
                    [Plane.from_cables(7, *np.nonzero(cables), host_switch=np.repeat(np.arange(7), sizes))]
                )
            else:
                text = f"jellyfish:switches=13,ports=6,hosts={hosts}"
                network = build_network(text, planes=2, variant="heterogeneous", seed=seed)
            sites = find_sites(network, "host")
            hops = site_hops(network, sites)[np.ix_(sites.of, sites.of)]
            for name in ("longest-matching", "shortest-matching"):
                monkeypatch.setattr(worst_case, "_MANY_ENDPOINTS", 4096)
                best = weight(build_traffic(name, network, "host"), hops)
                monkeypatch.setattr(worst_case, "_MANY_ENDPOINTS", 0)
                matrix = build_traffic(name, network, "host")
                assert sorted(matrix.dst.tolist()) == matrix.src.tolist() == list(range(network.host_count))
                assert not np.any(sites.of[matrix.src] == sites.of[matrix.dst])
                assert weight(matrix, hops) == best


def test_most_hosts_of_unequal_racks_are_equivalent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 8 or 9 hosts of a rack, 8 send to one rack and receive from one, if not the same 8."""
    monkeypatch.setattr(worst_case, "_MANY_ENDPOINTS", 0)
    network = build_network("jellyfish:switches=17,ports=14,hosts=141")
    matrix = build_traffic("longest-matching", network, "host")
    assert build_problem(network, matrix).attach.shape[1] <= 3 * 17


def test_on_one_switch_each_sends_to_the_next() -> None:
    """All are no hop apart, so any permutation in which nobody sends to itself is the longest."""
    matrix = build_traffic("longest-matching", build_network("single-switch:hosts=4"), "host")
    assert (matrix.src.tolist(), matrix.dst.tolist()) == ([0, 1, 2, 3], [1, 2, 3, 0])
    assert matrix.demand.tolist() == [1.0] * 4


def test_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(name: str, network: Network, level: str) -> str:
        with pytest.raises(TrafficError) as caught:
            build_traffic(name, network, level)
        return str(caught.value)

    one = Network.from_planes([Plane.from_cables(2, [0], [1], host_switch=[0, 0])])
    assert fault("kodialam", one, "host") == "kodialam: all hosts are in one rack; allowed: at least two racks"
    heavy = Network.from_planes([Plane.from_cables(2, [0], [1], host_switch=[0, 0, 1])])
    assert (
        fault("longest-matching", heavy, "host")
        == "longest-matching: one rack has 2 of 3 hosts, more than there are others to send to"
    )
    split = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3])])
    assert (
        fault("shortest-matching", split, "rack")
        == "shortest-matching: there is no path from '0' to '2' in any plane, so the distance is not defined"
    )
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    assert fault("longest-matching", ring_of(10), "rack") == (
        "longest-matching with the distances of 10^2 pairs needs about 2.5 KiB, 1000 B are free; "
        "allowed: a smaller network"
    )
