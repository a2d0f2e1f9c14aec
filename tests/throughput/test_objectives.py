"""Objectives against closed forms, against the textbook programs of :mod:`reference`, and by what must hold for all."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pnet_lp.errors import RoutingError, SpecError
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import OBJECTIVES, solve
from pnet_lp.throughput.objectives import Optimum, SolveContext, parse_objective
from pnet_lp.throughput.objectives.max_min.filling import fill
from pnet_lp.throughput.objectives.total import best_scale
from pnet_lp.throughput.problems import Problem, state_problem
from pnet_lp.throughput.solvers import SolveOptions

from .conftest import all_to_all, one_switch, plane, random_hosts, random_network
from .reference import Reference, over_any_path, over_paths

ROUTINGS = ["ideal", "ecmp-lp", "ksp:2", "edge-disjoint:2", "ecmp", "hedera", "ecmp-split"]
LINE = 6
TOLERANCE = 1e-6


def parking_lot(n: int = LINE, demand: float = 1.0) -> tuple[Network, TrafficMatrix]:
    """A path of n switches of unit links; one demand along all of it, and one over each link."""
    network = Network.from_planes([plane(nx.path_graph(n))])
    src, dst = [0, *range(n - 1)], [n - 1, *range(1, n)]
    return network, TrafficMatrix.from_entries("rack", n, src, dst, demand)


def ask(network: Network, traffic: TrafficMatrix, objective: str, **options: Any) -> ThroughputResult:
    result = solve(network, traffic, objective=objective, tolerance=TOLERANCE, **options)
    assert result.status == "certified", (objective, result.to_json())
    return result


def figure(network: Network, traffic: TrafficMatrix, objective: str, key: str, **options: Any) -> float:
    return float(ask(network, traffic, objective, **options).to_json()[key])


def stated(network: Network, traffic: TrafficMatrix, objective: str, routing: str = "ideal") -> tuple[Problem, Optimum]:
    problem = state_problem(network, traffic, parse_routing(routing), threads=1)
    context = SolveContext(options=SolveOptions(TOLERANCE))
    return problem, parse_objective(objective).optimise(problem, context)


def reference(network: Network, traffic: TrafficMatrix, routing: str) -> Reference:
    return over_any_path(network, traffic) if routing == "ideal" else over_paths(network, traffic, routing)


# Closed forms, one for each cell of the table in docs/semantics.md.


@pytest.mark.parametrize("routing", ROUTINGS)
def test_parking_lot(routing: str) -> None:
    network, traffic = parking_lot()
    assert figure(network, traffic, "min-max-utilisation", "max_utilisation", routing=routing) == (
        pytest.approx(2.0, rel=1e-6)
    )
    # The long demand takes a unit of five links and is worth one.
    total = ask(network, traffic, "total", routing=routing)
    assert total.to_json()["total_gbps"] == pytest.approx(LINE - 1, rel=1e-6)
    assert total.rates_gbps == pytest.approx([1, 0, 1, 1, 1, 1], abs=1e-5)
    fair = ask(network, traffic, "max-min", routing=routing)
    assert fair.rates_gbps == pytest.approx([0.5] * LINE, rel=1e-6)
    assert fair.to_json()["levels"] == [
        {"rate_gbps": pytest.approx(0.5, rel=1e-6), "upper_bound_gbps": pytest.approx(0.5, rel=2e-6), "demands": LINE}
    ]
    # Half a unit over five links, and half a unit over one link five times.
    assert figure(network, traffic, "min-cost", "cost_gbps_links", routing=routing) == pytest.approx(5.0)
    assert figure(network, traffic, "min-cost:at=0.1", "cost_gbps_links", routing=routing) == pytest.approx(1.0)


def test_vlb_on_two_switches() -> None:
    """Half of the traffic goes straight, half is bounced at an end, all of it over the one link."""
    network = Network.from_planes([Plane.from_cables(2, [0], [1], 4.0)])
    traffic = TrafficMatrix.from_entries("rack", 2, [0, 1], [1, 0], [5.0, 1.0])
    assert figure(network, traffic, "total", "total_gbps", routing="vlb") == pytest.approx(5.0, rel=1e-6)
    assert ask(network, traffic, "max-min", routing="vlb").rates_gbps == pytest.approx([4.0, 4.0])
    assert figure(network, traffic, "min-max-utilisation", "max_utilisation", routing="vlb") == pytest.approx(1.25)
    assert figure(network, traffic, "min-cost:at=0.5", "mean_links", routing="vlb") == pytest.approx(1.0)


@pytest.mark.parametrize("demand", [0.25, 1.0, 8.0, 1000.0])
def test_single_link(demand: float) -> None:
    network = Network.from_planes([Plane.from_cables(2, [0], [1], 4.0)])
    traffic = TrafficMatrix.from_entries("rack", 2, [0], [1], demand)
    assert figure(network, traffic, "total", "total_gbps") == pytest.approx(min(demand, 4.0), rel=1e-6)
    assert figure(network, traffic, "max-min", "total_gbps") == pytest.approx(4.0, rel=1e-6)
    assert figure(network, traffic, "min-max-utilisation", "max_utilisation") == pytest.approx(demand / 4.0)
    assert figure(network, traffic, "min-cost", "cost_gbps_links") == pytest.approx(4.0, rel=1e-6)
    result = ask(network, traffic, "total")
    assert result.binding == ("demand" if demand < 4 else result.binding)
    assert ask(network, traffic, "min-cost:fraction=0.5").binding == "nothing"


def test_two_planes() -> None:
    """A ring and a star: opposite switches of the ring are two hops apart either way, twice over."""
    network = Network.from_planes([plane(nx.cycle_graph(4)), plane(nx.star_graph(3))])
    traffic = TrafficMatrix.from_entries("rack", 4, [1], [3], 10.0)
    assert figure(network, traffic, "total", "total_gbps") == pytest.approx(3.0, rel=1e-6)
    assert figure(network, traffic, "max-min", "total_gbps") == pytest.approx(3.0, rel=1e-6)
    assert figure(network, traffic, "min-cost", "mean_links") == pytest.approx(2.0, rel=1e-6)


def test_fairness_has_levels() -> None:
    """Bertsekas and Gallager's picture: three share a link of 1, the fourth takes what they leave of a link of 2."""
    network = Network.from_planes([Plane.from_cables(3, [0, 1], [1, 2], [1.0, 2.0])])
    traffic = TrafficMatrix.from_entries("rack", 3, [0, 0, 1], [1, 2, 2])
    fair = ask(network, traffic, "max-min")
    assert fair.rates_gbps == pytest.approx([0.5, 0.5, 1.5], rel=1e-6)
    assert [level["demands"] for level in fair.to_json()["levels"]] == [2, 1]


def test_demands_are_weights_of_fairness_and_caps_of_the_total() -> None:
    network = Network.from_planes([Plane.from_cables(2, [0], [1], 4.0, host_switch=[0, 0, 1], access_gbps=9.0)])
    traffic = TrafficMatrix.from_entries("host", 3, [0, 1], [2, 2], [3.0, 1.0])
    assert ask(network, traffic, "max-min").rates_gbps == pytest.approx([3.0, 1.0], rel=1e-6)
    traffic = traffic.scaled(0.5)
    assert ask(network, traffic, "max-min").rates_gbps == pytest.approx([3.0, 1.0], rel=1e-6)
    assert ask(network, traffic, "total").rates_gbps == pytest.approx([1.5, 0.5], rel=1e-6)


def test_equivalent_hosts_are_solved_as_one() -> None:
    """Four hosts at 1 into a fifth at 2: solved as one class, reported one by one."""
    network = Network.from_planes([one_switch(5, [1, 1, 1, 1, 2])])
    traffic = TrafficMatrix.from_entries("host", 5, [0, 1, 2, 3], [4] * 4, 7.0)
    for objective in ("max-min", "total"):
        result = ask(network, traffic, objective)
        assert result.rates_gbps == pytest.approx([0.5] * 4, rel=1e-6)
        assert result.to_json()["rates_gbps"]["mean"] == pytest.approx(0.5, rel=1e-6)


# Against textbook programs.


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
@pytest.mark.parametrize("seed", range(10))
def test_random_racks(seed: int, routing: str) -> None:
    _compare(*random_network(seed), routing)


@pytest.mark.parametrize("seed", range(12))
def test_random_hosts(seed: int) -> None:
    _compare(*random_hosts(seed), "ideal")


def _compare(network: Network, traffic: TrafficMatrix, routing: str) -> None:
    other = reference(network, traffic, routing)
    most = other.concurrent()
    total = figure(network, traffic, "total", "total_gbps", routing=routing)
    assert total == pytest.approx(other.total(), rel=5e-6)
    assert total >= min(most, 1.0) * traffic.total * (1 - TOLERANCE)
    worst = figure(network, traffic, "min-max-utilisation", "max_utilisation", routing=routing)
    assert worst == pytest.approx(1 / most, rel=5e-6)
    half = figure(network, traffic, "min-cost:fraction=0.5", "cost_gbps_links", routing=routing)
    assert half == pytest.approx(other.min_cost(most / 2), rel=1e-5, abs=1e-9)
    full = ask(network, traffic, "min-cost", routing=routing).to_json()
    assert full["carried_gbps"] == pytest.approx(most, rel=5e-6)
    # At the brink a little less to carry can be a good deal cheaper.
    assert full["cost_gbps_links"] <= other.min_cost(most * (1 - 1e-9)) * (1 + 1e-5) + 1e-9
    assert full["cost_gbps_links"] >= 2 * half * (1 - 1e-5)


def few_demands(seed: int, draw: Callable[[int], tuple[Network, TrafficMatrix]]) -> tuple[Network, TrafficMatrix]:
    """A random network, and up to six demands of like size on it."""
    network, traffic = draw(seed)
    random = np.random.default_rng(seed)
    kept = np.sort(random.permutation(traffic.demand_count)[:6])
    demand = random.choice([1.0, 2.0, 5.0], len(kept))
    return network, TrafficMatrix.from_entries(
        traffic.level, traffic.endpoints, traffic.src[kept], traffic.dst[kept], demand
    )


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
@pytest.mark.parametrize("seed", range(8))
def test_fair_rates_of_racks(seed: int, routing: str) -> None:
    network, traffic = few_demands(seed, random_network)
    fair = ask(network, traffic, "max-min", routing=routing).rates_gbps
    assert fair == pytest.approx(reference(network, traffic, routing).max_min(), rel=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_fair_rates_of_hosts(seed: int) -> None:
    network, traffic = few_demands(seed, random_hosts)
    fair = ask(network, traffic, "max-min").rates_gbps
    assert fair == pytest.approx(over_any_path(network, traffic).max_min(), rel=1e-5)


@pytest.mark.parametrize("routing", ["ecmp", "ksp:1"])
@pytest.mark.parametrize("seed", range(8))
def test_filling_is_what_programs_find(seed: int, routing: str) -> None:
    network, traffic = few_demands(seed, random_network)
    filled = ask(network, traffic, "max-min-fill", routing=routing)
    assert filled.solver == "closed-form"
    assert filled.rates_gbps == pytest.approx(over_paths(network, traffic, routing).max_min(), rel=1e-5)
    if routing == "ksp:1":
        solved = ask(network, traffic, "max-min", routing=routing)
        assert filled.rates_gbps == pytest.approx(solved.rates_gbps, rel=1e-5)


# What must hold.


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("seed", range(6))
def test_the_lowest_level_is_k(seed: int, routing: str) -> None:
    network, traffic = few_demands(seed, random_network)
    most = ask(network, traffic, "concurrent", routing=routing).throughput_gbps
    fair = ask(network, traffic, "max-min", routing=routing)
    assert fair.rates_gbps is not None
    assert (fair.rates_gbps / traffic.demand).min() == pytest.approx(most, rel=3e-6)
    assert fair.levels[0].rate == pytest.approx(most, rel=3e-6)
    assert figure(network, traffic.scaled(1e6), "total", "total_gbps", routing=routing) >= (
        fair.rates_gbps.sum() * (1 - 1e-5)
    )


@pytest.mark.parametrize("seed", range(10))
def test_little_traffic_takes_shortest_paths(seed: int) -> None:
    network, traffic = random_network(seed)
    problem, found = stated(network, traffic, "min-cost:fraction=1e-4")
    flow = problem.flow
    nothing = np.zeros(flow.attach.shape)
    hops = problem.distances((np.ones(len(flow.capacity)), nothing, nothing))
    assert found.interval.upper == pytest.approx(found.figures["carried_gbps"] * float(hops @ flow.demand), rel=1e-6)


@pytest.mark.parametrize("objective", ["total", "max-min", "min-cost:fraction=0.7"])
@pytest.mark.parametrize("seed", range(4))
def test_names_of_racks_do_not_matter(seed: int, objective: str) -> None:
    network, traffic = few_demands(seed, random_network)
    order = np.random.default_rng(seed).permutation(traffic.endpoints)
    moved = Network.from_planes(
        [
            Plane.from_cables(
                part.switch_names,
                part.cable_u,
                part.cable_v,
                part.capacity_uv_gbps,
                capacity_back_gbps=part.capacity_vu_gbps,
                racks=part.rack_switch[order],
            )
            for part in network.planes
        ]
    )
    place = np.argsort(order)
    renamed = TrafficMatrix.from_entries(
        "rack", traffic.endpoints, place[traffic.src], place[traffic.dst], traffic.demand
    )
    first, second = ask(network, traffic, objective), ask(moved, renamed, objective)
    assert first.interval.upper == pytest.approx(second.interval.upper, rel=3e-6)
    if objective == "max-min":
        assert first.rates_gbps is not None
        assert second.rates_gbps is not None
        assert np.sort(first.rates_gbps) == pytest.approx(np.sort(second.rates_gbps), rel=1e-5)


@pytest.mark.parametrize("objective", ["total", "max-min", "min-cost"])
def test_the_same_bits_again(objective: str) -> None:
    network, traffic = random_network(3)
    first, second = (ask(network, traffic, objective, threads=1).to_json() for _ in range(2))
    assert first.pop("seconds")
    assert second.pop("seconds")
    assert first == second


def test_the_best_scale_is_a_breakpoint() -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        count = int(random.integers(1, 8))
        distance, demand = random.exponential(size=(2, count))
        distance[random.random(count) < 0.2] = 0.0
        capacity = float(random.exponential() * count)
        scale = best_scale(capacity, distance, demand)
        scales = np.concatenate([[0.0, scale], 1 / distance[distance > 0], random.exponential(size=20)])
        values = scales * capacity + (demand * np.maximum(0, 1 - scales[:, None] * distance)).sum(axis=1)
        assert values[1] == pytest.approx(values.min(), rel=1e-12)


def test_filling_by_hand() -> None:
    """Link 0 limits the first two to 2 each; the third then has 9 - 2 of link 1, at weight 2."""
    usage = state_problem(
        Network.from_planes([Plane.from_cables(3, [0, 1], [1, 2], [4.0, 9.0])]),
        TrafficMatrix.from_entries("rack", 3, [0, 0, 1], [1, 2, 2]),
        parse_routing("ecmp"),
    )
    bundles = usage.bundles()
    assert bundles is not None
    level, link, part = fill(bundles, usage.flow.link_capacity, np.array([1.0, 1.0, 2.0]))
    assert level == pytest.approx([2.0, 2.0, 3.5])
    assert usage.flow.link_capacity[link].tolist() == [4.0, 4.0, 9.0]
    assert part.tolist() == [1.0, 1.0, 1.0]


# What does not go together, and what has no path.


def two_islands() -> tuple[Network, TrafficMatrix]:
    network = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3], 5.0)])
    return network, TrafficMatrix.from_entries("rack", 4, [0, 0], [1, 3], 2.0)


@pytest.mark.parametrize("routing", ["ideal", "ksp:2", "ecmp-split"])
def test_a_pair_without_a_path_gets_nothing(routing: str) -> None:
    network, traffic = two_islands()
    result = ask(network, traffic, "total", routing=routing)
    assert result.rates_gbps == pytest.approx([2.0, 0.0])
    assert result.warnings == (
        "nothing is carried of some demands: 1 rack pair has a demand but no path in any plane (0 -> 3)",
    )
    assert ask(network, traffic, "max-min", routing=routing).rates_gbps == pytest.approx([5.0, 0.0])
    assert ask(network, traffic, "min-max-utilisation", routing=routing).to_json()["max_utilisation"] is None
    with pytest.raises(RoutingError, match=r"a demand has no path, so nothing can be carried whole"):
        ask(network, traffic, "min-cost", routing=routing)


@pytest.mark.parametrize("objective", ["total", "max-min"])
def test_no_pair_has_a_path(objective: str) -> None:
    network, _ = two_islands()
    traffic = TrafficMatrix.from_entries("rack", 4, [0, 1], [2, 3])
    result = ask(network, traffic, objective)
    assert result.rates_gbps == pytest.approx([0.0, 0.0])
    assert result.to_json()["total_gbps"] == 0
    assert result.solver == "none"


@pytest.mark.parametrize(
    ("objective", "options", "message"),
    [
        ("totl", {}, r"unknown objective 'totl' \(did you mean 'total'\?\); allowed: concurrent, max-min"),
        ("total:at=3", {}, r"total: unknown parameter 'at'; allowed: floor"),
        ("min-cost:at=0", {}, r"min-cost: at: input should be greater than 0, found '0'"),
        ("min-cost:fraction=1.5", {}, r"min-cost: fraction: input should be less than or equal to 1"),
        ("min-cost:at=1,fraction=1", {}, r"min-cost: at and fraction cannot both be given"),
        (
            "min-cost:at=3",
            {},
            r"min-cost: at: the matrix does not fit, found 3.0; allowed: at most 0.5 Gb/s per unit demand",
        ),
        (
            "min-cost:at=3",
            {"routing": "ecmp"},
            r"min-cost: at: the matrix does not fit, found 3.0; allowed: at most 0.5 Gb/s per unit demand",
        ),
        (
            "total",
            {"solver": "structured"},
            r"solver 'structured' maximises K only, and no other objective; allowed: auto, columns, highs-",
        ),
        ("max-min-fill", {}, r"max-min-fill needs one path .*, found 'ideal routing'; allowed: ecmp, "),
    ],
)
def test_bad_input(objective: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        solve(*parking_lot(), objective=objective, **options)


def test_filling_needs_one_path() -> None:
    network = Network.from_planes([plane(nx.cycle_graph(4))])
    with pytest.raises(SpecError, match=r"max-min-fill needs one path .*, found '2 paths for one demand'"):
        solve(network, all_to_all(network), objective="max-min-fill", routing="ksp:2")


@pytest.mark.parametrize(
    ("objective", "solver"), [("total", "highs-ipx"), ("max-min", "structured"), ("min-cost", "structured")]
)
def test_a_limit_leaves_bounds(objective: str, solver: str) -> None:
    network = Network.from_planes([plane(nx.random_regular_graph(5, 30, seed=0))])
    result = solve(network, all_to_all(network), objective=objective, tolerance=1e-9, time_limit_s=1e-6)
    assert result.status == "bounds"
    assert result.warnings == (f"{solver}: time limit reached",)


def test_names() -> None:
    assert OBJECTIVES.names() == ["concurrent", "max-min", "max-min-fill", "min-cost", "min-max-utilisation", "total"]
