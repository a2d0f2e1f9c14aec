"""The hybrid network against the fat tree of its price: what the paper reports, and what must hold of both."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from pnet_lp.errors import SpecError, TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.optical import SCENARIOS, TESTBEDS, Circuits, HybridScenario, speedup
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.topology.random_graph import random_graph
from pnet_lp.traffic import build_traffic

SMALL = HybridScenario(4.0, 3, servers=64, servers_per_rack=8)


@pytest.mark.parametrize(("scenario", "expected"), [("1", 1.875), ("2", 2.25)])
def test_the_job_of_the_paper(scenario: str, expected: float) -> None:
    """Four racks, all-to-all, by hand.

    Each rack sends 3/4 of 4 s^2 demands over its uplink; a ring of two circuits a rack carries 8 x 10 Gb/s over 16
    hops; of ten circuits between four racks two pairs have one, and what these lack goes around by the other four.
    """
    found = speedup(TESTBEDS[scenario], "mpi-fft", tolerance=1e-6)
    size = TESTBEDS[scenario].servers_per_rack
    uplink = TESTBEDS[scenario].uplink_gbps or 0
    assert found.tree_gbps.lower == pytest.approx(uplink / (3 * size**2), rel=1e-5)
    assert found.ratio == pytest.approx(expected, rel=1e-4)
    assert found.hybrid_gbps.lower <= found.limit_gbps * (1 + 1e-9)


@pytest.mark.parametrize(("scenario", "tolerance"), [("1", 0.1), ("2", 0.01)])
def test_published_ordering_at_full_size(scenario: str, tolerance: float) -> None:
    """At equal cost even random circuits are proved to beat the tree on Fourier transforms of 10,240 processes."""
    both = SCENARIOS[scenario]
    racks, links = both.racks, both.links
    traffic = TrafficMatrix.from_dense("rack", 1 - np.eye(racks))
    graph = random_graph([links] * racks, np.random.default_rng(0))
    circuits = Circuits.from_ends(racks, links, graph, both.link_gbps)
    ours = solve(circuits.network(), traffic, tolerance=tolerance)
    tree = solve(both.tree(), traffic, tolerance=tolerance)
    assert ours.interval.lower > tree.interval.upper


@pytest.mark.parametrize("scenario", ["1", "2"])
@pytest.mark.parametrize("pattern", ["mpi-fft", "mpi-fft:rows=4", "mpi-mg", "mpi-sp"])
def test_published_ordering_of_the_job(scenario: str, pattern: str) -> None:
    """Figure 5: no workload is slower; where a server's own link is what limits both, they are equal."""
    found = speedup(TESTBEDS[scenario], pattern)
    assert found.ratio >= 1 - 1e-6
    assert found.ratio > 1.3 or found.tree_gbps.lower == found.access_gbps


@pytest.mark.parametrize("pattern", ["mpi-fft", "mpi-mg", "random"])
def test_rack_level_and_servers_links_are_the_whole(pattern: str) -> None:
    """K between racks or of the servers' links, whichever is less, is K of the servers on their circuits."""
    found = speedup(SMALL, pattern, tolerance=1e-6)
    assert found.rack is not None
    plane = found.circuits.network().planes[0]
    hosts = Plane.from_cables(
        plane.switch_count,
        plane.cable_u,
        plane.cable_v,
        plane.capacity_uv_gbps,
        racks=plane.rack_switch,
        host_switch=found.rack,
        access_gbps=10,
    )
    whole = solve(Network.from_planes([hosts]), found.traffic, tolerance=1e-6)
    assert found.hybrid_gbps.lower == pytest.approx(whole.throughput_gbps, rel=1e-5)


def test_break_even() -> None:
    """With the delay, both end together at the break-even volume."""
    found = speedup(TESTBEDS["1"], "mpi-fft", delay_s=3)
    assert found.ratio_at(found.break_even_bytes) == pytest.approx(1)
    assert found.ratio_at(found.break_even_bytes / 2) < 1 < found.ratio_at(2 * found.break_even_bytes)
    assert found.ratio_at(1e18) == pytest.approx(found.ratio, rel=1e-4)
    assert speedup(TESTBEDS["1"], "mpi-fft", delay_s=0).break_even_bytes == 0
    slower = speedup(replace(SMALL, oversubscription=1.0, links=2), "mpi-fft")
    assert slower.ratio < 1
    assert slower.break_even_bytes == np.inf


def test_seeds_and_placement() -> None:
    first, again = (speedup(SMALL, "random", seed=3) for _ in range(2))
    assert first.circuits.u.tolist() == again.circuits.u.tolist()
    assert first.ratio == again.ratio
    # Uniform demands do not care where racks are.
    near, far = (speedup(SMALL, "mpi-fft", scattered=value, tolerance=1e-6) for value in (False, True))
    assert near.tree_gbps.lower == pytest.approx(far.tree_gbps.lower, rel=1e-5)


@pytest.mark.parametrize(
    ("rack", "beta", "steps"), [(8, 1.0, (1.0, 1.0)), (8, 4.0, (0.5, 0.25)), (16, 16.0, (0.25, 1 / 16))]
)
def test_oversubscription_level_by_level(rack: int, beta: float, steps: tuple[float, float]) -> None:
    """A permutation within a rack gets the full rate, between racks of a pod 1/sqrt(beta), between pods 1/beta.

    Four pods of as many racks as a rack has servers; every server sends to the one as far on.
    """
    pod = rack * rack
    network = build_network([f"beta-fat-tree:servers={4 * pod},ports={2 * rack},beta={beta},link_gbps=1"])
    for shift, block, expected in ((1, rack, None), (rack, pod, steps[0]), (pod, 4 * pod, steps[1])):
        matrix = _shifted(network.host_count, shift, block)
        found = solve(network, matrix, tolerance=1e-4).throughput_gbps
        assert found == pytest.approx(1 if expected is None else expected, rel=1e-3)


def _shifted(hosts: int, shift: int, block: int) -> TrafficMatrix:
    """Return 1.0 from every host to the one ``shift`` further on in its block of consecutive hosts."""
    host = np.arange(hosts)
    return TrafficMatrix.from_entries("host", hosts, host, host // block * block + (host + shift) % block)


def test_random_permutations_get_less_the_more_the_tree_is_oversubscribed() -> None:
    found = []
    for beta in (1, 4, 9, 16):
        network = build_network([f"beta-fat-tree:servers=256,ports=32,beta={beta},link_gbps=1"])
        found.append(solve(network, build_traffic("permutation", network, "host", seed=1)).throughput_gbps)
    assert all(more > less for more, less in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"links": 0}, "links of a ToR are out of range, found 0; allowed: 1 to 8"),
        ({"links": 9}, "links of a ToR are out of range, found 9; allowed: 1 to 8"),
        ({"servers": 60}, "beta-fat-tree: racks have ports / 2 = 8 servers, and 60 do not fill theirs"),
        ({"servers": 60, "uplink_gbps": 1.0}, "racks have 8 servers, and 60 do not fill theirs"),
        ({"links": 1}, "circuits: 8 racks cannot all be joined by so few optical links of each"),
    ],
)
def test_wrong_scenarios(change: dict[str, float], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        speedup(replace(SMALL, **change), "mpi-fft")
    assert str(caught.value).startswith(message)


def test_wrong_requests() -> None:
    with pytest.raises(SpecError) as caught:
        speedup(SMALL, "mpi-fft", delay_s=-1)
    assert str(caught.value) == "a delay is out of range, found -1; allowed: seconds >= 0"
    with pytest.raises(SpecError, match="a volume is out of range, found 0; allowed: bytes > 0"):
        speedup(SMALL, "mpi-fft").ratio_at(0)
    with pytest.raises(TrafficError, match="mpi-mg:x=2,y=1,z=1: nothing is sent between racks"):
        speedup(SMALL, "mpi-mg:x=2,y=1,z=1")
    with pytest.raises(SpecError, match="unknown traffic 'mpi-ftt'"):
        speedup(SMALL, "mpi-ftt")
