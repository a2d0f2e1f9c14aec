"""Parallel links are solved as one link, and proved as many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp import _core
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.servers import Servers
from pnet_lp.throughput import build_problem, solve
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.problems.merge import merge
from pnet_lp.throughput.problems.parallel import merge_links
from pnet_lp.throughput.solvers import get_solver
from pnet_lp.throughput.solvers.base import SolveOptions
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import random_network


def doubled(seed: int) -> tuple[Network, TrafficMatrix]:
    """A random network in which cables are doubled and trebled, at other speeds; those of 0 one way included."""
    network, traffic = random_network(seed)
    random = np.random.default_rng(seed)
    planes = []
    for plane in network.planes:
        cable = np.repeat(np.arange(plane.cable_count), random.integers(1, 4, plane.cable_count))
        speed = random.choice([0.5, 1.0, 3.0], len(cable))
        there, back = plane.capacity_uv_gbps[cable] * speed, plane.capacity_vu_gbps[cable] * speed
        u, v = plane.cable_u[cable], plane.cable_v[cable]
        planes.append(
            Plane.from_cables(plane.switch_count, u, v, there, capacity_back_gbps=back, racks=plane.rack_switch)
        )
    return Network.from_planes(planes), traffic


def columns(case: tuple[Network, TrafficMatrix]) -> tuple[ArcProblem, _core.Proof]:
    problem = ArcProblem(build_problem(*case))
    return problem, get_solver("columns").solve(problem, SolveOptions(tolerance=1e-6), lambda *_: True).proof


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_as_one_link_and_as_many_it_has_the_same_bounds(seed: int) -> None:
    problem, proof = columns(doubled(seed))
    merged = merge_links(problem.flow)
    assert merged.problem.capacity.sum() == pytest.approx(problem.flow.capacity.sum())
    as_one = merged.reduce(proof)
    again = merged.expand(as_one)
    one, many, back = (
        _core.evaluate(flow.core, found)
        for flow, found in ((merged.problem, as_one), (problem.flow, proof), (problem.flow, again))
    )
    for name in ("lower", "upper"):
        assert getattr(one, name) == pytest.approx(getattr(many, name), rel=1e-9)
        assert getattr(back, name) == pytest.approx(getattr(many, name), rel=1e-9)
    np.testing.assert_array_equal(again.split_arc, proof.split_arc)
    np.testing.assert_allclose(again.split_fraction, proof.split_fraction, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("objective", "solver"), [("concurrent", "structured"), ("total", "columns"), ("min-cost", "columns")]
)
def test_agrees_with_highs(seed: int, objective: str, solver: str) -> None:
    case = doubled(seed)
    if objective == "min-cost":
        objective += f":at={0.9 * solve(*case).interval.lower!r}"
    ours, theirs = (solve(*case, objective=objective, solver=name, tolerance=1e-6) for name in (solver, "highs-ipx"))
    assert ours.status == theirs.status == "certified"
    # The cost is of what is carried, which may be less than what was requested by a part of the tolerance.
    assert ours.interval.lower == pytest.approx(theirs.interval.lower, rel=4e-6)


def test_fair_rates_are_those_of_one_fast_link() -> None:
    many, one = (build_network(f"hyperx:dims=3x3,k={k},t=2,host_gbps=1000", link_gbps=60 / k) for k in (4, 1))
    traffic = build_traffic("random:flows=2", one, seed=1)
    apart, merged = (solve(net, traffic, objective="max-min", solver="columns", tolerance=1e-4) for net in (many, one))
    assert apart.status == merged.status == "certified"
    np.testing.assert_allclose(np.sort(apart.rates_gbps), np.sort(merged.rates_gbps), rtol=1e-3)


def test_a_warm_start_needs_no_iteration() -> None:
    case = doubled(3)
    first = solve(*case, solver="structured", tolerance=1e-5)
    again = solve(*case, solver="structured", tolerance=1e-5, start=first.certificate)
    assert first.iterations > again.iterations == 0
    assert again.interval.upper <= first.interval.upper * (1 + 1e-9)


def test_what_is_not_parallel_is_left_alone() -> None:
    network = build_network("hypercube:d=3")
    problem = build_problem(network, build_traffic("all-to-all", network))
    assert merge_links(problem).problem is problem
    assert merge(problem).problem is problem


def test_links_of_other_costs_stay_apart() -> None:
    plane = Plane.from_cables(2, [0, 0, 0], [1, 1, 1], [1.0, 2.0, 4.0], racks=range(2))
    problem = build_problem(Network.from_planes([plane]), TrafficMatrix.from_entries("rack", 2, [0], [1], [1.0]))
    cost = np.where(problem.capacity == 2.0, 5.0, 1.0)
    assert sorted(merge_links(problem).problem.capacity) == [7.0, 7.0]
    apart = merge_links(problem, cost)
    assert sorted(apart.problem.capacity[apart.problem.tail == 0]) == [2.0, 5.0]
    assert sorted(apart.of_arcs(cost)[apart.problem.tail == 0]) == [1.0, 5.0]


def test_links_that_share_their_capacity_stay_apart() -> None:
    scale_up = build_network("single-switch:hosts=2").planes[0]
    network = build_network("single-switch:hosts=4", planes=2, servers=Servers(scale_up, "ends", 2))
    traffic = build_traffic("all-to-all", network)
    problem = build_problem(network.graph, traffic.on_graph(network))
    assert problem.partner is not None
    pairs = problem.partner != np.arange(len(problem.tail))
    merged = merge_links(problem)
    assert np.isin(np.flatnonzero(pairs), merged.first).all()


def test_hyperx_with_many_cables_between_two_switches() -> None:
    """Paths that differ by the choice of parallel links alone would be as many as 19 to the power of their length."""
    network = build_network("hyperx:dims=4x4,k=19,t=40")
    traffic = build_traffic("permutation", network, seed=1)
    problem = build_problem(network, traffic)
    assert len(problem.tail) == 19 * len(merge(problem).problem.tail)
    assert solve(network, traffic, tolerance=1e-4).status == "certified"
