"""Switches that no demand tells apart are solved as one, and proved one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp import _core
from pnet_lp.failures import Failures, fail
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.servers import Servers
from pnet_lp.throughput import build_problem, solve
from pnet_lp.throughput.problems import ArcProblem, FlowProblem
from pnet_lp.throughput.problems.equivalent import equivalent_switches
from pnet_lp.throughput.problems.merge import merge
from pnet_lp.throughput.problems.parallel import merge_links
from pnet_lp.throughput.solvers import get_solver
from pnet_lp.throughput.solvers.base import SolveOptions
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import random_network

CLOS = ("fat-tree:k=4", "fat-tree:k=6", "leaf-spine:leaves=6,spines=5,hosts_per_leaf=4", "bcube:n=3,k=1")


def broken(seed: int) -> tuple[Network, TrafficMatrix]:
    """A network with cores that hosts do not tell apart until cables fail, under sparse traffic."""
    random = np.random.default_rng(seed)
    network = build_network(str(random.choice(CLOS)), planes=int(random.integers(1, 3)))
    network = fail(network, Failures(links=float(random.choice([0.0, 0.03, 0.1]))), seed=seed)
    pattern = str(random.choice(["random:flows=1", "random:flows=3", "gravity", "hotspot"]))
    return network, build_traffic(pattern, network, seed=seed)


def connected(case: tuple[Network, TrafficMatrix]) -> ArcProblem:
    """The problem of those demands that have a path."""
    found = ArcProblem(build_problem(*case)).connected()[0]
    assert isinstance(found, ArcProblem)
    return found


def problem_of(topology: str, pattern: str = "all-to-all") -> FlowProblem:
    network = build_network(topology)
    return build_problem(network, build_traffic(pattern, network))


@pytest.mark.parametrize(
    ("topology", "classes"),
    [
        ("fat-tree:k=8", 32 + 8 + 1),  # edge switches; one a pod; one core
        ("leaf-spine:leaves=6,spines=5,hosts_per_leaf=4", 6 + 1),
        ("hypercube:d=4", 16),  # hosts everywhere
        ("jellyfish:switches=20,ports=8,hosts=40", 20),
    ],
)
def test_classes_of_known_networks(topology: str, classes: int) -> None:
    problem = problem_of(topology)
    found = equivalent_switches(problem)
    assert found.max() + 1 == classes
    assert len(np.unique(found[problem.attach[0]])) == len(np.unique(problem.attach[0]))


def test_switches_without_demands_are_told_apart_by_those_with() -> None:
    # On a ring of six, two opposite switches talk: both sides are one.
    ring = Plane.from_cables(6, range(6), [1, 2, 3, 4, 5, 0], 1.0, racks=range(6))
    traffic = TrafficMatrix.from_entries("rack", 6, [0], [3], [1.0])
    problem = build_problem(Network.from_planes([ring]), traffic)
    assert equivalent_switches(problem).tolist() == [0, 1, 2, 3, 2, 1]
    assert merge_links(problem).problem.capacity.tolist() == [2.0] * 6


def test_one_slow_cable_tells_switches_apart() -> None:
    speed = [1.0, 1.0, 1.0, 1.0, 1.0, 0.5]
    plane = Plane.from_cables(5, [0, 0, 0, 1, 1, 1], [2, 3, 4, 2, 3, 4], speed, racks=[0, 1])
    problem = build_problem(Network.from_planes([plane]), TrafficMatrix.from_entries("rack", 2, [0], [1], [1.0]))
    assert equivalent_switches(problem).tolist() == [0, 1, 2, 2, 3]
    cost = np.where(problem.head == 3, 2.0, 1.0)
    assert equivalent_switches(problem, cost).tolist() == [0, 1, 2, 3, 4]


def test_links_between_equivalent_switches_carry_nothing() -> None:
    # Two spines, joined: what one sends to the other serves nobody.
    plane = Plane.from_cables(4, [0, 0, 1, 1, 2], [2, 3, 2, 3, 3], 1.0, racks=[0, 1])
    traffic = TrafficMatrix.from_entries("rack", 2, [0], [1], [1.0])
    for solver in ("columns", "structured"):
        found = solve(Network.from_planes([plane]), traffic, solver=solver, tolerance=1e-6)
        assert found.status == "certified"
        assert found.interval.lower == pytest.approx(2.0, rel=1e-5)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_merged_and_as_given_it_has_the_same_bounds(seed: int) -> None:
    flow = connected(broken(seed)).flow
    merged = merge(flow)
    options = SolveOptions(tolerance=1e-6).of_core(lambda *_: True)
    proof = _core.solve_columns(merged.problem.core, **options).proof
    whole = merged.expand(proof)
    again = merged.expand(merged.reduce(whole))
    one, many, back = (
        _core.evaluate(problem.core, found)
        for problem, found in ((merged.problem, proof), (flow, whole), (flow, again))
    )
    for name in ("lower", "upper"):
        assert getattr(many, name) == pytest.approx(getattr(one, name), rel=1e-9)
        assert getattr(back, name) == pytest.approx(getattr(one, name), rel=1e-9)


def moved(proof: _core.Proof, flow: FlowProblem, order: list[int]) -> _core.Proof:
    """The same flow and lengths where the planes are in another order."""
    arcs = [np.arange(flow.arc_ptr[p], flow.arc_ptr[p + 1]) for p in order]
    rows = np.concatenate([np.flatnonzero(flow.rows[:, 0] == p) for p in order])
    entries = [np.arange(proof.split_ptr[r], proof.split_ptr[r + 1]) for r in rows]
    entry = np.concatenate(entries)
    return _core.Proof(
        proof.length[np.concatenate(arcs)],
        proof.up_length[order],
        proof.down_length[order],
        proof.share[order],
        np.cumsum([0, *map(len, entries)], dtype=np.int32),
        proof.split_arc[entry],
        proof.split_fraction[entry],
    )


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), copied=st.booleans())
def test_a_plane_after_its_copy_proves_what_it_does_elsewhere(seed: int, *, copied: bool) -> None:
    network, traffic = random_network(seed)
    one, other = network.planes[0], random_network(seed + 1)[0].planes[0]
    if other.switch_count != one.switch_count:
        other = Plane.from_cables(one.switch_count, [0], [1], 1.0, racks=range(one.switch_count))
    after, apart = (
        build_problem(Network.from_planes(planes), traffic) for planes in ([one, one, other], [one, other, one])
    )
    solver = get_solver("structured" if copied else "highs-simplex")
    proof = solver.solve(ArcProblem(after), SolveOptions(tolerance=1e-4), lambda *_: True).proof
    if not copied:
        # Any lengths are a proof; those of a simplex method are mostly the same in both copies.
        length = proof.length * np.random.default_rng(seed).uniform(0.5, 2.0, len(proof.length))
        rest = proof.up_length, proof.down_length, proof.share, proof.split_ptr, proof.split_arc, proof.split_fraction
        proof = _core.Proof(length, *rest)
    found, same = _core.evaluate(after.core, proof), _core.evaluate(apart.core, moved(proof, after, [0, 2, 1]))
    assert found.upper == pytest.approx(same.upper, rel=1e-12)
    assert found.lower == pytest.approx(same.lower, rel=1e-12)
    arcs = np.split(found.load, after.arc_ptr[1:-1])
    assert np.allclose(np.concatenate([arcs[0], arcs[2], arcs[1]]), same.load, rtol=1e-12, atol=0)
    if copied:
        # By first-order steps both carry the same, by a simplex method rarely.
        assert np.array_equal(arcs[0], arcs[1])


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_a_flow_that_members_carry_unequally_is_reduced_all_the_same(seed: int) -> None:
    problem = connected(broken(seed))
    merged = merge(problem.flow)
    proof = get_solver("highs-simplex").solve(problem, SolveOptions(tolerance=1e-6), lambda *_: True).proof
    reduced = _core.evaluate(merged.problem.core, merged.reduce(proof))
    lower, upper = problem.bounds(proof)
    # A walk drawn by capacity is as long as its classes' mean lengths say, and no shorter than the shortest path.
    assert 0 < reduced.lower <= reduced.upper <= upper * (1 + 1e-9)
    assert lower <= reduced.upper * (1 + 1e-9)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), objective=st.sampled_from(["concurrent", "total", "min-cost"]))
def test_agrees_with_highs(seed: int, objective: str) -> None:
    case = broken(seed)
    if objective == "min-cost":
        objective += f":at={0.9 * solve(*case).interval.lower!r}"
    ours, theirs = (
        solve(*case, objective=objective, solver=name, tolerance=1e-6) for name in ("columns", "highs-simplex")
    )
    assert ours.status == theirs.status == "certified"
    assert ours.interval.lower == pytest.approx(theirs.interval.lower, rel=4e-6)


@pytest.mark.parametrize("seed", range(6))
def test_fair_rates_agree_with_highs(seed: int) -> None:
    ours, theirs = (solve(*broken(seed), objective="max-min", solver=name) for name in ("auto", "highs-simplex"))
    assert ours.status == theirs.status == "certified"
    np.testing.assert_allclose(np.sort(ours.rates_gbps), np.sort(theirs.rates_gbps), rtol=1e-3)


def test_a_warm_start_needs_no_iteration() -> None:
    case = broken(7)
    first = solve(*case, solver="structured", tolerance=1e-5)
    again = solve(*case, solver="structured", tolerance=1e-5, start=first.certificate)
    assert first.iterations >= again.iterations == 0


def test_switches_whose_links_share_their_capacity_stay_apart() -> None:
    scale_up = build_network("single-switch:hosts=2").planes[0]
    network = build_network("leaf-spine:leaves=2,spines=4,hosts_per_leaf=4", servers=Servers(scale_up, "ends"))
    traffic = build_traffic("random:flows=2", network, seed=1)
    problem = build_problem(network.graph, traffic.on_graph(network))
    assert problem.partner is not None
    shared = np.flatnonzero(problem.partner != np.arange(len(problem.tail)))
    found = equivalent_switches(problem)
    alone = np.bincount(found)[found] == 1
    assert alone[problem.tail[shared]].all()
    assert alone[problem.head[shared]].all()
    assert np.bincount(found).max() == 4  # the spines
    agree = [
        solve(network, traffic, solver=name, tolerance=1e-6).interval.lower for name in ("columns", "highs-simplex")
    ]
    assert agree[0] == pytest.approx(agree[1], rel=1e-5)
