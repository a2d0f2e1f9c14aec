"""Objectives beside K by the routes of large problems, on small ones: against linear programs and slow filling."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp import _core
from pnet_lp.errors import SolverError, SpecError
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.network import Variant
from pnet_lp.routing import parse_routing
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import SolveContext, program
from pnet_lp.throughput.objectives.max_min import levels, optimum_of, simplex
from pnet_lp.throughput.objectives.max_min.driver import all_levels
from pnet_lp.throughput.objectives.max_min.interior_point import InteriorPoint
from pnet_lp.throughput.objectives.max_min.levels import State, Strategy
from pnet_lp.throughput.objectives.max_min.own_links import OwnLinks
from pnet_lp.throughput.problems.state import state_problem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import SolveOptions
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import random_network


def scaled(traffic: TrafficMatrix, factor: float) -> TrafficMatrix:
    return TrafficMatrix.from_entries(
        traffic.level, traffic.endpoints, traffic.src, traffic.dst, factor * traffic.demand
    )


def slow_filling(usage: np.ndarray, capacity: np.ndarray, demand: np.ndarray) -> np.ndarray:
    """Raise all levels until a link is full, stop its demands, and again."""
    level, waiting = np.zeros(len(demand)), np.ones(len(demand), dtype=bool)
    while waiting.any():
        growing = usage @ (demand * waiting)
        left = capacity - usage @ (demand * level * ~waiting)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = np.where(growing > 1e-12, left / growing, np.inf)
        now = at.min()
        full = at <= now * (1 + 1e-9)
        stopped = waiting & (usage[full] > 0).any(axis=0)
        level[stopped] = now
        waiting &= ~stopped
    return level


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_filling_agrees_with_filling_by_the_book(seed: int) -> None:
    random = np.random.default_rng(seed)
    links, demands = random.integers(1, 8), random.integers(1, 12)
    usage = random.random((links, demands)) * (random.random((links, demands)) < 0.4)
    usage[random.integers(0, links, demands), np.arange(demands)] = 1.0
    capacity, demand = 10 ** random.uniform(-2, 2, links), 10 ** random.uniform(-2, 2, demands)
    of_column = [np.flatnonzero(column) for column in usage.T]
    ptr = np.concatenate([[0], np.cumsum([len(rows) for rows in of_column])])
    core = _core.Bundles(
        capacity,
        demand,
        np.arange(demands + 1),
        ptr,
        np.concatenate(of_column).astype(np.int32),
        np.concatenate([usage[rows, j] for j, rows in enumerate(of_column)]),
    )
    level, link, part = core.fill()
    assert level == pytest.approx(slow_filling(usage, capacity, demand), rel=1e-9)
    assert part == pytest.approx(usage[link, np.arange(demands)])


@pytest.mark.parametrize("objective", ["total", "min-cost", "min-cost:fraction=0.7"])
@pytest.mark.parametrize("seed", range(6))
def test_steps_agree_with_an_interior_point(objective: str, seed: int) -> None:
    network, traffic = random_network(seed)
    traffic = scaled(traffic, 5)
    steps, exact = (
        solve(network, traffic, objective=objective, routing="ksp:3", solver=solver, tolerance=tolerance)
        for solver, tolerance in (("structured", 1e-5), ("highs-ipx", 1e-8))
    )
    assert steps.status == "certified"
    assert steps.solver == "structured"
    assert steps.interval.lower <= exact.interval.upper * (1 + 2e-5)
    assert steps.interval.upper >= exact.interval.lower * (1 - 2e-5)


@pytest.mark.parametrize("routing", ["ecmp", "ecmp-split"])
def test_total_by_steps_over_fixed_splits(routing: str) -> None:
    network = build_network(["jellyfish:k=4"], planes=2, link_gbps=1)
    traffic = build_traffic("all-to-all", network, "rack")
    steps, exact = (
        solve(network, traffic, objective="total", routing=routing, solver=solver)
        for solver in ("structured", "highs-ipx")
    )
    assert steps.status == "certified"
    assert steps.interval.lower == pytest.approx(exact.interval.lower, rel=3e-4)


def test_auto_takes_steps_where_columns_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["fat-tree:k=4"])
    traffic = build_traffic("all-to-all", network, "host")
    taken = []
    for most in (program.SMALL_COLUMNS, 100):
        monkeypatch.setattr(program, "SMALL_COLUMNS", most)
        taken.append(solve(network, traffic, objective="total", routing="ksp:4").solver)
    assert taken == ["highs-ipx", "structured"]


def test_threads_change_no_bit() -> None:
    network = build_network(["jellyfish:k=6"], planes=2, variant="heterogeneous")
    traffic = build_traffic("all-to-all", network, "host")
    traffic = scaled(traffic, 100)
    found = [
        solve(network, traffic, objective="total", routing="ksp:2", solver="structured", threads=threads)
        for threads in (1, 3)
    ]
    assert found[0].iterations > 1
    assert found[0].figures == found[1].figures


def test_first_order_steps_take_neither_levels_nor_any_path() -> None:
    network = build_network(["ring:n=4"])
    traffic = build_traffic("all-to-all", network, "rack")
    for objective, routing in (("max-min", "ksp:2"), ("total", "ideal")):
        with pytest.raises(SpecError, match="solver 'structured' maximises K only"):
            solve(network, traffic, objective=objective, routing=routing, solver="structured")


@pytest.mark.parametrize("seed", range(6))
def test_levels_from_a_warm_start_are_those_from_a_cold_one(seed: int) -> None:
    network, traffic = random_network(seed)
    warm, cold = (
        solve(network, traffic, objective="max-min", routing="ksp:3", solver=solver, tolerance=1e-5)
        for solver in ("highs-simplex", "highs-ipx")
    )
    assert (warm.solver, warm.status) == ("highs-simplex", "certified")
    # Where capacities are far apart the interior point may not get as close.
    assert warm.rates_gbps == pytest.approx(cold.rates_gbps, rel=max(5e-5, 2 * cold.figures["relative_gap"]))


@pytest.mark.parametrize(("variant", "tolerance"), [("homogeneous", 1e-3), ("heterogeneous", 1e-2)])
def test_interior_point_and_simplex_take_turns(tmp_path: Path, variant: Variant, tolerance: float) -> None:
    """Most demands of four planes are at one level, which the interior point fixes at once; others have their own."""
    network = build_network("jellyfish:k=8", planes=4, variant=variant, seed=1)
    traffic = scaled(build_traffic("permutation:kind=pairs", network, "host", seed=1), 100)
    turns, simplex = (
        solve(network, traffic, objective="max-min", routing="ksp:8", solver=solver, tolerance=tolerance)
        for solver in ("auto", "highs-simplex")
    )
    assert turns.status == simplex.status == "certified"
    assert turns.rates_gbps == pytest.approx(simplex.rates_gbps, rel=2 * tolerance)
    assert max(len(level.demands) for level in turns.levels) > 30
    save_result(tmp_path / "turns.json", network, traffic, turns)
    assert verify_file(tmp_path / "turns.json").gap <= tolerance


def test_links_that_others_imply_are_no_rows() -> None:
    """Link 0 carries what 1 carries and more, 2 and 3 are equivalent, and 4 has the paths of 1 but is wider."""
    paths = sp.csr_array(
        [[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0]]
    )
    implied = simplex.implied(paths, np.array([5.0, 5.0, 5.0, 5.0, 10.0]))
    assert implied.tolist() == [False, True, False, True, True]
    # Link 0 does not imply link 1 where it is the wider one.
    assert not simplex.implied(paths[[0, 1]], np.array([5.0, 4.0])).any()


@pytest.mark.parametrize("pairs", [1, 7, 1000])
def test_links_that_others_imply_are_found_some_at_a_time(pairs: int) -> None:
    random = np.random.default_rng(pairs)
    uses = random.random((30, 6)) < 0.4
    uses[:, 0] |= ~uses.any(axis=1)
    capacity = random.integers(1, 3, 30).astype(float)

    def above(a: int, b: int) -> bool:
        """Whether b has all paths of a and is no wider."""
        return bool(uses[b][uses[a]].all() and capacity[a] >= capacity[b])

    expected = [
        any(above(a, b) and (b < a or not above(b, a) or uses[a].sum() < uses[b].sum()) for b in range(30) if a != b)
        for a in range(30)
    ]
    assert simplex.implied(sp.csr_array(uses.astype(float)), capacity, pairs).tolist() == expected
    assert any(expected)


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
def test_levels_that_do_not_fit_are_not_looked_for(routing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["jellyfish:switches=12,ports=5"])
    traffic = build_traffic("random:flows=2", network, "rack")
    whole = solve(network, traffic, routing=routing, objective="max-min", solver="highs-ipx")
    requested = []

    def no_room(_: int, what: str, error: type[SolverError], *, allowed: str) -> None:
        requested.append(what)
        if what.startswith("one more level") and len(requested) > room:
            raise error(f"{what} needs much", allowed=allowed)

    monkeypatch.setattr(levels, "check_fits", no_room)
    room = 2
    found = solve(network, traffic, routing=routing, objective="max-min", solver="highs-ipx")
    (warning,) = found.warnings
    assert warning.startswith(f"levels beyond the {len(found.levels)} found are not known: one more level of ")
    assert warning.endswith(" needs much; allowed: level=rack, fewer planes, a smaller network")
    assert (found.status, whole.status) == ("bounds", "certified")
    assert 1 <= len(found.levels) < len(whole.levels)
    assert found.levels[0].rate == pytest.approx(whole.levels[0].rate)
    requested.clear()
    room = 0
    with pytest.raises(SolverError, match=r"^one more level of 24 demands on \d+ links needs much; allowed: "):
        solve(network, traffic, routing=routing, objective="max-min", solver="highs-ipx")


class Failing:
    """A strategy that fails after the first level of another one."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    def solve(self, state: State) -> Iterator[State]:
        yield next(iter(self._strategy.solve(state)))
        raise SolverError("no")


def planes_of_mixed_graphs() -> tuple[State, OwnLinks]:
    network = build_network(["jellyfish:k=4,seed=2"], planes=2, variant="heterogeneous", link_gbps=1)
    traffic = build_traffic("permutation", network, "host")
    problem = state_problem(network, traffic, parse_routing("ksp:3"))
    columns = problem.over_columns
    assert columns is not None
    return State.zero(problem, SolveContext(options=SolveOptions(tolerance=1e-5))), OwnLinks(columns)


def turns_of(name: str, own: OwnLinks) -> list[Strategy]:
    return {
        "all by an interior point": [],
        "few at a time": [InteriorPoint(own, many=2.0, partial=True), simplex.Simplex(own, steps_per_row=1)],
        "each by crossover": [simplex.Simplex(own, steps_per_row=0)],
        "the simplex alone": [simplex.Simplex(own, steps_per_row=None)],
    }[name]


@pytest.mark.parametrize(
    ("name", "solver"),
    [
        ("all by an interior point", "highs-ipx"),
        ("few at a time", "highs-simplex"),
        ("each by crossover", "highs-simplex"),
        ("the simplex alone", "highs-simplex"),
    ],
)
def test_every_order_of_strategies_finds_the_same_levels(
    name: str, solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However many the columns are: first-order steps, which other objectives then take, do not solve levels.
    monkeypatch.setattr(program, "SMALL_COLUMNS", 10)
    state, own = planes_of_mixed_graphs()
    found = optimum_of(all_levels(state, turns_of(name, own), InteriorPoint(own)))
    assert found.solver == solver
    assert found.gap <= 1e-5
    plain = optimum_of(all_levels(state, [], InteriorPoint(own)))
    assert found.rate == pytest.approx(plain.rate, rel=5e-5)


def test_an_interior_point_fixes_levels_one_by_one() -> None:
    """Each state it yields has fixed more than the one before, at rates that no later one lowers noticeably."""
    state, own = planes_of_mixed_graphs()
    states = list(InteriorPoint(own).solve(state))
    assert len(states) > 2
    for earlier, later in itertools.pairwise(states):
        assert later.levels[: len(earlier.levels)] == earlier.levels
        assert later.active.sum() < earlier.active.sum()
        assert later.rate[~earlier.active] == pytest.approx(earlier.rate[~earlier.active], rel=1e-6)
    assert not states[-1].active.any()


def test_levels_continue_where_a_strategy_fails() -> None:
    """What was found before is kept, and a warning says what is not known."""
    state, own = planes_of_mixed_graphs()
    found = all_levels(state, [], Failing(InteriorPoint(own)))
    assert found.warnings == (f"levels beyond the {len(found.levels)} found are not known: no",)
    assert found.active.any()
    assert optimum_of(found).gap == 1.0


def test_the_interior_point_continues_where_the_simplex_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    state, own = planes_of_mixed_graphs()
    turns = [simplex.Simplex(own, steps_per_row=None)]
    whole = optimum_of(all_levels(state, turns, InteriorPoint(own)))
    assert len(whole.levels) > 2
    solve_program, calls = simplex.ColumnProgram.solve, itertools.count()

    def fails(self: simplex.ColumnProgram, state: State) -> simplex.Vertex:
        if next(calls):
            raise SolverError("no")
        return solve_program(self, state)

    monkeypatch.setattr(simplex.ColumnProgram, "solve", fails)
    found = optimum_of(all_levels(state, turns, InteriorPoint(own)))
    assert found.gap <= 1e-5
    assert found.rate == pytest.approx(whole.rate, rel=5e-5)
