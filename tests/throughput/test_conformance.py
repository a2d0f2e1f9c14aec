"""Every installed solver finds every known optimum, and proves it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pnet_lp.model import Network, PathCertificate, Plane, TrafficMatrix
from pnet_lp.throughput import build_problem, solve
from pnet_lp.throughput.solvers import get_solver, solver_names

from .conftest import INSTANCES, Instance, all_to_all, random_hosts, random_network

SOLVERS = solver_names(installed_only=True)
OVER_PATHS = [name for name in SOLVERS if "path" in get_solver(name).forms]

KNOWN = {instance.name: instance for instance in INSTANCES}

# Two paths of two links, over 1 (3, then 1) and over 2 (2, then 5), and one of three links, over 1 and 2 (1).
DETOUR = replace(KNOWN["maximum flow"], name="detour")

PATH_INSTANCES: list[tuple[Instance, str, float]] = [
    # Shortest paths carry the optimum of these.
    *(
        (KNOWN[name], "ecmp-lp", KNOWN[name].optimum)
        for name in (
            *("K_8", "C_8", "Petersen", "Q_3", "star of 5", "P_6", "rings of 1 and 3", "parking lot"),
            *("one destination", "fat tree, permutation", "fat tree, all-to-all", "two fat trees", "one switch"),
            *("slow receiver", "slow sender", "planes of unequal access", "a dead access link"),
        )
    ),
    (KNOWN["K_8"], "ksp:1", 1.0),
    (KNOWN["C_9"], "ksp:2", 1 / 10),
    (DETOUR, "ecmp-lp", 3.0),
    (DETOUR, "ksp:3", 4.0),
    (DETOUR, "edge-disjoint:2", 3.0),
    # Two links in the ring and over the star's centre; three the other way around the ring.
    (KNOWN["different planes"], "ecmp-lp", 2.0),
    (KNOWN["different planes"], "ksp:3", 3.0),
]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_known_optimum(instance: Instance, solver: str) -> None:
    result = solve(instance.network, instance.traffic, solver=solver, tolerance=1e-7)
    assert result.status == "certified"
    assert result.throughput_gbps == pytest.approx(instance.optimum, rel=1e-6)
    assert result.interval.lower <= instance.optimum * (1 + 1e-12)
    assert result.interval.upper >= instance.optimum * (1 - 1e-12)


@pytest.mark.parametrize("solver", OVER_PATHS)
@pytest.mark.parametrize(
    ("instance", "routing", "optimum"),
    PATH_INSTANCES,
    ids=[f"{instance.name}, {routing}" for instance, routing, _ in PATH_INSTANCES],
)
def test_known_optimum_over_paths(instance: Instance, routing: str, optimum: float, solver: str) -> None:
    result = solve(instance.network, instance.traffic, routing=routing, solver=solver, tolerance=1e-7)
    assert result.status == "certified"
    assert result.throughput_gbps == pytest.approx(optimum, rel=1e-6)
    assert result.interval.lower <= optimum * (1 + 1e-12)
    assert result.interval.upper >= optimum * (1 - 1e-12)


@pytest.mark.parametrize("routing", ["ksp:1", "ksp:3"])
@pytest.mark.parametrize("solver", [name for name in OVER_PATHS if get_solver(name).programs])
def test_known_total_over_paths(routing: str, solver: str) -> None:
    """Three switches in a line carry all six demands of 1 Gb/s; K is in no row, and costs nothing."""
    network = Network.from_planes([Plane.from_cables(3, [0, 1], [1, 2], 10.0, racks=range(3))])
    result = solve(network, all_to_all(network), objective="total", routing=routing, solver=solver)
    assert result.interval.lower == pytest.approx(6.0, rel=1e-6)
    assert result.interval.upper == pytest.approx(6.0, rel=1e-6)


@pytest.mark.parametrize(
    ("routing", "solver"), [*(("ideal", name) for name in SOLVERS), *(("ksp:3", name) for name in OVER_PATHS)]
)
def test_known_dual(routing: str, solver: str) -> None:
    """The one minimum cut of the detour is {0, 1} -> rest: its links have one length, all others none."""
    result = solve(DETOUR.network, DETOUR.traffic, routing=routing, solver=solver, tolerance=1e-7)
    assert result.certificate is not None
    problem = build_problem(DETOUR.network, DETOUR.traffic)
    ends = zip(problem.tail.tolist(), problem.head.tolist(), strict=True)
    length = dict(zip(ends, result.certificate.length, strict=True))
    cut = {(0, 2), (1, 3), (1, 2)}
    longest = max(length.values())
    assert {link for link, value in length.items() if value > 1e-3 * longest} == cut
    assert [length[link] / longest for link in cut] == pytest.approx([1.0] * 3, rel=1e-3)


@pytest.mark.parametrize("solver", OVER_PATHS)
def test_known_split(solver: str) -> None:
    """Two paths without a common link, of 1 and of 2 Gb/s, take a third and two thirds."""
    result = solve(DETOUR.network, DETOUR.traffic, routing="ecmp-lp", solver=solver, tolerance=1e-7)
    assert isinstance(result.certificate, PathCertificate)
    assert sorted(result.certificate.weight) == pytest.approx([1 / 3, 2 / 3], rel=1e-6)


@pytest.mark.parametrize(
    ("routing", "solver"), [*(("ideal", name) for name in SOLVERS), *(("ksp:4", name) for name in OVER_PATHS)]
)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6])
def test_certified_to_the_tolerance(routing: str, tolerance: float, solver: str) -> None:
    network, traffic = random_network(7)
    result = solve(network, traffic, routing=routing, solver=solver, tolerance=tolerance)
    assert result.status == "certified"
    assert result.interval.gap <= tolerance


@pytest.mark.parametrize(
    ("routing", "solver"), [*(("ideal", name) for name in SOLVERS), *(("ecmp-lp", name) for name in OVER_PATHS)]
)
def test_limited_runs_give_bounds(routing: str, solver: str) -> None:
    instance = KNOWN["Q_5"]
    limits: list[dict[str, Any]] = [{"max_iterations": 1}]
    if routing == "ideal":
        # Over paths that time is over before they are listed.
        limits.append({"time_limit_s": 1e-6})
    for limit in limits:
        result = solve(instance.network, instance.traffic, routing=routing, solver=solver, tolerance=1e-9, **limit)
        assert 0 < result.interval.lower <= instance.optimum * (1 + 1e-12)
        assert instance.optimum * (1 - 1e-12) <= result.interval.upper < np.inf
        assert not result.interrupted
        assert result.status == ("certified" if result.interval.gap <= 1e-9 else "bounds")


@pytest.mark.parametrize("routing", ["ideal", "ksp:3", "ecmp-lp"])
@pytest.mark.parametrize("draw", [random_network, random_hosts])
@pytest.mark.parametrize("seed", range(200, 203))
def test_all_solvers_agree(seed: int, draw: Callable[[int], tuple[Network, TrafficMatrix]], routing: str) -> None:
    network, traffic = draw(seed)
    found = {
        name: solve(network, traffic, routing=routing, solver=name, tolerance=1e-6).interval
        for name in (SOLVERS if routing == "ideal" else OVER_PATHS)
    }
    assert all(interval.gap <= 1e-6 for interval in found.values()), found
    assert max(interval.lower for interval in found.values()) <= min(interval.upper for interval in found.values()) * (
        1 + 1e-12
    )


@pytest.mark.parametrize("seed", range(20))
def test_single_demand_is_maximum_flow(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(8, 0.5, seed=seed)
    u, v = np.array(graph.edges()).reshape(-1, 2).T
    speed, back = random.integers(1, 9, size=(2, len(u))).astype(float)
    network = Network.from_planes([Plane.from_cables(8, u, v, speed, capacity_back_gbps=back)])
    arcs = nx.DiGraph()
    arcs.add_nodes_from(range(8))
    arcs.add_weighted_edges_from(zip(u, v, speed, strict=True), weight="capacity")
    arcs.add_weighted_edges_from(zip(v, u, back, strict=True), weight="capacity")
    traffic = TrafficMatrix.from_entries("rack", 8, [0], [7], 2.0)
    assert solve(network, traffic, tolerance=1e-6).throughput_gbps == pytest.approx(
        nx.maximum_flow_value(arcs, 0, 7) / 2.0, rel=1e-6
    )


@pytest.mark.parametrize("draw", [random_network, random_hosts])
@pytest.mark.parametrize("seed", range(40))
def test_solvers_agree(seed: int, draw: Callable[[int], tuple[Network, TrafficMatrix]]) -> None:
    network, traffic = draw(seed)
    found = [solve(network, traffic, solver=name, tolerance=1e-6) for name in ("structured", "highs-ipx")]
    assert [result.status for result in found] == ["certified", "certified"]
    assert max(result.interval.lower for result in found) <= min(result.interval.upper for result in found) * (
        1 + 1e-12
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_random_is_certified(solver: str) -> None:
    network, traffic = random_network(1)
    result = solve(network, traffic, solver=solver, tolerance=1e-6, threads=1)
    assert result.status == "certified"
    # PuLP does not tell.
    assert result.iterations > 0 or solver == "pulp"
