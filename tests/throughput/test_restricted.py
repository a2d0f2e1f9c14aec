"""Throughput over given paths and with fixed splits: closed forms, orderings, agreement, proofs."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.model import LoadCertificate, Network, PathCertificate, Plane, TrafficMatrix
from pnet_lp.model.paths import Policy
from pnet_lp.routing import POLICIES, parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.problems import PathProblem, state_problem
from pnet_lp.throughput.problems.base import ColumnProblem
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.verify import verify
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import plane, random_network

TOLERANCE = 1e-6
OPEN = ["ecmp-lp", "ksp:1", "ksp:3", "edge-disjoint:2"]
FIXED = ["ecmp", "ecmp-split", "vlb"]


def throughput(network: Network, traffic: TrafficMatrix, routing: str, **options: object) -> float:
    result = solve(network, traffic, routing=routing, tolerance=TOLERANCE, **options)  # type: ignore[arg-type]
    assert result.status == "certified"
    return result.throughput_gbps


def hosts_on(seed: int) -> tuple[Network, TrafficMatrix]:
    """Two small planes with hosts, and demands between some of them."""
    random = np.random.default_rng(seed)
    place = random.integers(0, 5, 9)
    planes = []
    for _ in range(2):
        ends = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), *random.permuted([(0, 2), (1, 3)], axis=1)])
        planes.append(
            Plane.from_cables(
                5,
                ends[:, 0],
                ends[:, 1],
                random.choice([1.0, 4.0, 10.0], len(ends)),
                racks=range(5),
                host_switch=place,
                access_gbps=random.choice([2.0, 5.0], 5)[place],
            )
        )
    demand = random.choice([0.0, 1.0, 2.0], (9, 9), p=[0.6, 0.3, 0.1])
    np.fill_diagonal(demand, 0.0)
    demand[0, 8] += 1.0
    return Network.from_planes(planes), TrafficMatrix.from_dense("host", demand)


def instance(seed: int) -> tuple[Network, TrafficMatrix]:
    """Rack level for even seeds, host level for odd ones."""
    return random_network(seed) if seed % 2 == 0 else hosts_on(seed)


@pytest.mark.parametrize("seed", range(60))
def test_orderings(seed: int) -> None:
    """What may use more paths, or split better, carries no less (docs/semantics.md)."""
    network, traffic = instance(seed)
    slack = 1 + 2 * TOLERANCE
    ideal = throughput(network, traffic, "ideal")
    ecmp, split, best = (throughput(network, traffic, name) for name in ("ecmp", "ecmp-split", "ecmp-lp"))
    assert ecmp <= best * slack
    assert split <= best * slack
    assert best <= ideal * slack
    previous = 0.0
    for k in (1, 2, 4):
        value = throughput(network, traffic, f"ksp:{k}", seed=seed)
        assert previous <= value * slack
        previous = value
    assert previous <= ideal * slack
    assert throughput(network, traffic, "edge-disjoint:3") <= ideal * slack
    assert throughput(network, traffic, "vlb") <= ideal * slack


@pytest.mark.parametrize("seed", range(20))
def test_solvers_agree_over_paths(seed: int) -> None:
    network, traffic = instance(seed)
    policy = POLICIES[seed % 4]
    for routing in ("ksp:3", "ecmp-lp"):
        found = [
            solve(network, traffic, routing=routing, plane_policy=policy, solver=name, tolerance=TOLERANCE)  # type: ignore[arg-type]
            for name in ("structured", "highs-ipx", "highs-simplex")
        ]
        assert {result.status for result in found} == {"certified"}
        lowest = max(result.interval.lower for result in found)
        assert lowest <= min(result.interval.upper for result in found) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("routing", [*OPEN, *FIXED])
def test_saved_results_hold(routing: str, policy: Policy, seed: int, tmp_path: Path) -> None:
    """The second implementation finds the same paths valid, and the same loads and bounds."""
    network, traffic = instance(seed)
    result = solve(network, traffic, routing=routing, plane_policy=policy, seed=seed)
    save_result(tmp_path / "r.json", network, traffic, result)
    checked = verify(load_result(tmp_path / "r.json"))
    assert checked.interval.lower == pytest.approx(result.interval.lower, rel=1e-12)
    kind = LoadCertificate if routing in FIXED else PathCertificate
    assert isinstance(result.certificate, kind)


@pytest.mark.parametrize("routing", ["ksp:3", "ecmp-lp", "edge-disjoint:2"])
def test_equivalent_hosts_count_as_one_exactly(routing: str) -> None:
    network = build_network(["jellyfish:k=6,seed=2"], planes=2)
    traffic = build_traffic("all-to-all", network, "host")
    merged = state_problem(network, traffic, parse_routing(routing))
    apart = state_problem(network, traffic, parse_routing(routing, policy="single"))
    assert merged.demand_count < apart.demand_count == traffic.demand_count
    # A demand that is a little larger for one host keeps it apart from its neighbours, and changes K by as little.
    demand = traffic.to_csr().toarray()
    demand *= 1 + 1e-9 * np.arange(len(demand))[:, None]
    unequal = TrafficMatrix.from_dense("host", demand)
    assert state_problem(network, unequal, parse_routing(routing)).demand_count == traffic.demand_count
    assert throughput(network, traffic, routing) == pytest.approx(throughput(network, unequal, routing), rel=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_core_finds_the_distances_that_columns_have(seed: int) -> None:
    network, traffic = hosts_on(seed)
    problem = state_problem(network, traffic, parse_routing("ksp:3"))
    assert isinstance(problem, PathProblem)
    random, access = np.random.default_rng(seed), problem.flow.attach.shape
    lengths = random.random(len(problem.flow.capacity)), random.random(access), random.random(access)
    assert problem.distances(lengths) == pytest.approx(ColumnProblem.distances(problem, lengths), rel=1e-14)


def test_threads_do_not_change_a_bit() -> None:
    network = build_network(["jellyfish:k=8,seed=1"], planes=2, variant="heterogeneous")
    traffic = build_traffic("permutation", network, "host")
    one, three = (solve(network, traffic, routing="ksp:8", tolerance=1e-6, threads=threads) for threads in (1, 3))
    assert isinstance(one.certificate, PathCertificate)
    assert isinstance(three.certificate, PathCertificate)
    assert one.certificate.weight.tobytes() == three.certificate.weight.tobytes()
    assert one.certificate.length.tobytes() == three.certificate.length.tobytes()
    assert one.interval == three.interval


def test_closed_forms_of_every_routing() -> None:
    """Two switches with a direct cable of 1 and a path around of 1: what each routing makes of one demand."""
    ends = np.array([(0, 1), (0, 2), (2, 1)])
    network = Network.from_planes([Plane.from_cables(3, ends[:, 0], ends[:, 1], 1.0, racks=range(3))])
    traffic = TrafficMatrix.from_entries("rack", 3, [0], [1], [1.0])
    expected = {
        "ideal": 2.0,
        "ecmp": 1.0,
        "ecmp-split": 1.0,
        "ecmp-lp": 1.0,
        "ksp:1": 1.0,
        "ksp:2": 2.0,
        "edge-disjoint:2": 2.0,
        # By way of 0 and of 1 over the direct cable, by way of 2 around: two thirds meet there.
        "vlb": 1.5,
    }
    for routing, value in expected.items():
        assert throughput(network, traffic, routing) == pytest.approx(value, rel=1e-6), routing


def test_parking_lot_with_one_path_each() -> None:
    network = Network.from_planes([plane(nx.path_graph(5))])
    traffic = TrafficMatrix.from_entries("rack", 5, [0, 0, 1, 2, 3], [4, 1, 2, 3, 4], [1.0] * 5)
    for routing in ("ksp:4", *FIXED[:2]):
        assert throughput(network, traffic, routing) == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_pair_without_a_path_is_named(policy: Policy) -> None:
    network = Network.from_planes([Plane.from_cables(3, [0], [1], 1.0, racks=range(3))] * 2)
    traffic = TrafficMatrix.from_entries("rack", 3, [0, 0], [1, 2], [1.0, 1.0])
    for routing in (*OPEN, *FIXED):
        result = solve(network, traffic, routing=routing, plane_policy=policy)
        assert (result.throughput_gbps, result.binding, result.solver) == (0.0, "disconnected", "none")
        assert result.certificate is None
        assert "0 -> 2" in result.warnings[-1]


def test_a_host_whose_access_link_is_down_one_way_has_no_paths_in_the_plane(tmp_path: Path) -> None:
    """It could send over the first plane, but routings with paths use a plane both ways or not at all."""
    up = [[1.0, 1.0], [1.0, 1.0]]
    planes = [
        Plane.from_cables(
            2, [0], [1], 10.0, host_switch=[0, 1], access_gbps=up[p], access_down_gbps=[[0.0, 1.0], [1.0, 1.0]][p]
        )
        for p in range(2)
    ]
    network = Network.from_planes(planes)
    traffic = TrafficMatrix.from_entries("host", 2, [0], [1], [1.0])
    assert throughput(network, traffic, "ideal") == pytest.approx(2.0, rel=1e-6)
    for routing in (*OPEN, *FIXED):
        result = solve(network, traffic, routing=routing)
        assert result.throughput_gbps == pytest.approx(1.0, rel=1e-4)
        save_result(tmp_path / "r.json", network, traffic, result)
        verify(load_result(tmp_path / "r.json"))


@pytest.mark.parametrize(
    ("routing", "policy", "kind", "message"),
    [
        ("kps:8", "any", SpecError, "unknown routing 'kps' (did you mean 'ksp'?)"),
        ("ksp:0", "any", SpecError, "ksp: k: input should be greater than or equal to 1, found '0'"),
        ("ksp", "any", SpecError, "ksp: parameter 'k' is required"),
        ("ecmp:3", "any", SpecError, "ecmp: not a key=value parameter, found '3'"),
        ("ideal", "single", SpecError, "plane_policy: a plane policy has no meaning for ideal routing"),
    ],
)
def test_wrong_routings(routing: str, policy: Policy, kind: type[PnetError], message: str) -> None:
    network, traffic = random_network(0)
    with pytest.raises(kind) as caught:
        solve(network, traffic, routing=routing, plane_policy=policy)
    assert str(caught.value).startswith(message)


def test_limits_leave_bounds() -> None:
    network = build_network(["jellyfish:k=8,seed=3"], planes=2, variant="heterogeneous")
    traffic = build_traffic("longest-matching", network, "rack")
    result = solve(network, traffic, routing="ksp:8", tolerance=1e-9, max_iterations=30)
    assert result.status == "bounds"
    assert result.iterations == 30
    best = solve(network, traffic, routing="ksp:8", tolerance=1e-5)
    assert result.interval.lower <= best.interval.upper
    assert best.interval.lower <= result.interval.upper
