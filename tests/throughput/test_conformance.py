"""Every installed solver finds every known optimum, and proves it."""

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.solvers import solver_names

from .conftest import INSTANCES, Instance, random_hosts, random_network

SOLVERS = solver_names(installed_only=True)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_known_optimum(instance: Instance, solver: str) -> None:
    result = solve(instance.network, instance.traffic, solver=solver, tolerance=1e-7)
    assert result.status == "certified"
    assert result.throughput_gbps == pytest.approx(instance.optimum, rel=1e-6)
    assert result.interval.lower <= instance.optimum * (1 + 1e-12)
    assert result.interval.upper >= instance.optimum * (1 - 1e-12)


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
@pytest.mark.parametrize("seed", range(100))
def test_solvers_agree(seed: int, draw: Callable[[int], tuple[Network, TrafficMatrix]]) -> None:
    network, traffic = draw(seed)
    found = [solve(network, traffic, solver=name, tolerance=1e-6) for name in ("structured", "highs-ipx")]
    assert [result.status for result in found] == ["certified", "certified"]
    assert max(result.interval.lower for result in found) <= min(
        result.interval.upper for result in found
    ) * (1 + 1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_random_is_certified(solver: str) -> None:
    network, traffic = random_network(1)
    result = solve(network, traffic, solver=solver, tolerance=1e-6, threads=1)
    assert result.status == "certified"
    assert result.iterations > 0
