"""``total`` and ``min-cost`` over given paths by column generation: the values of HiGHS, and proofs that hold."""

from pathlib import Path

import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.problems import state_problem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


@pytest.mark.parametrize("objective", ["total", "total:floor=0.3", "min-cost", "min-cost:at=5"])
@pytest.mark.parametrize(("level", "routing"), [("rack", "ksp:4"), ("host", "ecmp-lp")])
def test_values_are_those_of_highs(tmp_path: Path, objective: str, level: str, routing: str) -> None:
    network = build_network(["jellyfish:k=4"], planes=2, variant="heterogeneous")
    traffic = build_traffic("12*all-to-all", network, level)  # type: ignore[arg-type]
    if objective == "min-cost:at=5":
        traffic = TrafficMatrix.from_entries(
            traffic.level, traffic.endpoints, traffic.src, traffic.dst, traffic.demand / 60
        )
    ours = solve(network, traffic, objective=objective, routing=routing, solver="columns")
    theirs = solve(network, traffic, objective=objective, routing=routing, solver="highs-ipx")
    assert (ours.status, theirs.status) == ("certified", "certified")
    assert ours.value == pytest.approx(theirs.value, rel=3e-4)
    save_result(path := tmp_path / "a.json", network, traffic, ours)
    assert verify_file(path).figures["relative_gap"] <= 1e-4


def test_what_does_not_fit_goes_over_the_path_that_costs_more() -> None:
    # From 0 to 2: a link of 1, and by way of 1 a link of 4 each.
    plane = Plane.from_cables(3, [0, 0, 1], [2, 1, 2], [1.0, 4.0, 4.0])
    traffic = TrafficMatrix.from_entries("rack", 3, [0], [2], [3.0])
    found = solve(Network.from_planes([plane]), traffic, objective="min-cost:at=1", routing="ksp:2", solver="columns")
    assert found.status == "certified"
    assert found.link_load.sum() == pytest.approx(1 + 2 * 2, rel=1e-4)


def test_the_number_of_threads_changes_no_bit() -> None:
    network = build_network(["jellyfish:k=4"])
    traffic = build_traffic("12*all-to-all", network, "rack")
    one, two = (
        solve(network, traffic, objective="total", routing="ksp:4", solver="columns", threads=n) for n in (1, 2)
    )
    assert np.array_equal(one.rates_gbps, two.rates_gbps)


def test_a_limit_leaves_bounds(tmp_path: Path) -> None:
    network = build_network(["jellyfish:k=4"])
    traffic = build_traffic("12*all-to-all", network, "rack")
    found = solve(network, traffic, objective="total", routing="ksp:4", solver="columns", time_limit_s=1e-9)
    assert found.status == "bounds"
    save_result(path := tmp_path / "a.json", network, traffic, found)
    assert verify_file(path).figures["relative_gap"] == pytest.approx(found.figures["relative_gap"])


def test_fixed_splits_have_no_paths_to_choose_from() -> None:
    network = build_network(["jellyfish:k=4"])
    traffic = build_traffic("all-to-all", network, "rack")
    with pytest.raises(SpecError, match="solver 'columns'"):
        solve(network, traffic, objective="total", routing="ecmp-split", solver="columns")


@pytest.mark.parametrize("dims", ["6x6", "12x12"])
def test_an_even_split_that_fits_is_the_cheapest_over_shortest_paths(tmp_path: Path, dims: str) -> None:
    network = build_network(f"torus:dims={dims}", planes=2)
    traffic = build_traffic("random:flows=2", network, "rack", seed=1)
    found = solve(network, traffic, objective="min-cost:at=1", routing="ecmp-lp")
    assert (found.status, found.solver, found.iterations) == ("certified", "none", 0)
    assert found.figures["carried_gbps"] == pytest.approx(1.0)
    theirs = solve(network, traffic, objective="min-cost:at=1", routing="ecmp-lp", solver="highs-ipx")
    assert found.value == pytest.approx(theirs.value, rel=1e-6)
    save_result(path := tmp_path / "a.json", network, traffic, found)
    assert verify_file(path).figures["relative_gap"] <= 1e-9
    # Near the largest K it does not fit.
    more = 0.9 * solve(network, traffic, routing="ecmp-lp").interval.lower
    assert solve(network, traffic, objective=f"min-cost:at={more!r}", routing="ecmp-lp").solver != "none"


@pytest.mark.parametrize("objective", ["min-cost", "total"])
def test_listed_paths_are_for_column_generation(objective: str) -> None:
    network = build_network("torus:dims=8x8")
    traffic = build_traffic("20*random:flows=4", network, "rack")
    found = solve(network, traffic, objective=objective, routing="ksp:32")
    assert (found.status, found.solver) == ("certified", "columns")


def test_memory_is_estimated_for_no_more_rows_than_there_will_be() -> None:
    network = build_network("jellyfish:k=20", planes=4, variant="heterogeneous")
    traffic = build_traffic("permutation", network, "rack")
    problem = state_problem(network, traffic, parse_routing("ksp:2"))
    links = len(problem.flow.link_capacity)
    assert 3_000**2 * 8 < _core.estimate_cheapest_split_bytes(problem.core) < 8 * links**2
    # Levels of max-min have a row for every link that limits.
    assert _core.estimate_fair_split_bytes(problem.core) >= 8 * links**2
