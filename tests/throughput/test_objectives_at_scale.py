"""Objectives beside K by the routes of large problems, on small ones: against linear programs and slow filling."""

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
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import max_min_climb, program
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import highs_levels
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


def test_steps_do_not_climb_levels_nor_take_any_path() -> None:
    network = build_network(["ring:n=4"])
    traffic = build_traffic("all-to-all", network, "rack")
    for objective, routing in (("max-min", "ksp:2"), ("total", "ideal")):
        with pytest.raises(SpecError, match="solver 'structured' maximises K only"):
            solve(network, traffic, objective=objective, routing=routing, solver="structured")


@pytest.mark.parametrize("seed", range(6))
def test_levels_from_one_basis_to_the_next_are_those_from_nothing(seed: int) -> None:
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
    """Link 0 carries what 1 carries and more, 2 and 3 are alike, and 4 is wider than 1 but weighs more."""
    weights = sp.csr_array(
        [
            [1.0, 1.0, 1.0, 0.0],
            [0.0, 1.0, 1.0, 0.0],
            [0.0, 0.0, 1.0, 1.0],
            [0.0, 0.0, 1.0, 1.0],
            [0.0, 3.0, 3.0, 0.0],
        ]
    )
    implied = highs_levels.implied(weights, np.array([5.0, 5.0, 5.0, 5.0, 10.0]))
    assert implied.tolist() == [False, True, False, True, False]
    # Of 1 and 4 each fits without the other as soon as neither is the narrower one throughout.
    assert not highs_levels.implied(weights[[0, 1]], np.array([5.0, 4.0])).any()


@pytest.mark.parametrize("pairs", [1, 7, 1000])
def test_links_that_others_imply_are_found_some_at_a_time(
    pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(highs_levels, "_PAIRS", pairs)
    random = np.random.default_rng(pairs)
    weights = np.maximum(random.integers(-3, 3, (30, 6)), 0).astype(float)
    weights[:, 0] += weights.sum(axis=1) == 0
    capacity = random.integers(1, 3, 30).astype(float)

    def above(a: int, b: int) -> bool:
        """Whether b has all columns of a, and weighs each at least as much as a weighs any."""
        used = weights[a] > 0
        most, least = weights[a][used].max() / capacity[a], weights[b][weights[b] > 0].min() / capacity[b]
        return bool((weights[b][used] > 0).all() and most <= least)

    wanted = [
        any(
            above(a, b) and (b < a or not above(b, a) or (weights[a] > 0).sum() < (weights[b] > 0).sum())
            for b in range(30)
            if a != b
        )
        for a in range(30)
    ]
    assert highs_levels.implied(sp.csr_array(weights), capacity).tolist() == wanted
    assert any(wanted)


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
def test_levels_that_do_not_fit_are_not_looked_for(routing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["jellyfish:switches=12,ports=5"])
    traffic = build_traffic("random:flows=2", network, "rack")
    whole = solve(network, traffic, routing=routing, objective="max-min")
    asked = []

    def no_room(_: int, what: str, error: type[SolverError], *, allowed: str) -> None:
        asked.append(what)
        if what.startswith("one more level") and len(asked) > room:
            raise error(f"{what} needs much", allowed=allowed)

    monkeypatch.setattr(max_min_climb, "check_fits", no_room)
    room = 2
    found = solve(network, traffic, routing=routing, objective="max-min")
    (warning,) = found.warnings
    assert warning.startswith(
        f"levels beyond the {len(found.levels)} found are not known: one more level of "
    )
    assert warning.endswith(" needs much; allowed: level=rack, fewer planes, a smaller network")
    assert (found.status, whole.status) == ("bounds", "certified")
    assert 1 <= len(found.levels) < len(whole.levels)
    assert found.levels[0].rate == pytest.approx(whole.levels[0].rate)
    asked.clear()
    room = 0
    with pytest.raises(
        SolverError, match=r"^one more level of 24 demands on \d+ links needs much; allowed: "
    ):
        solve(network, traffic, routing=routing, objective="max-min")


@pytest.mark.parametrize(
    ("many", "steps", "solver"),
    [(0.0, 1, "highs-ipx"), (2.0, 1, "highs-simplex"), (2.0, 0, "highs-simplex")],
    ids=["all at once", "few at once", "each by crossover"],
)
def test_levels_are_solved_by_what_ends_soonest(
    many: float, steps: int, solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way is taken, rates are the same and certified."""
    network = build_network(["jellyfish:k=4,seed=2"], planes=2, variant="heterogeneous", link_gbps=1)
    traffic = build_traffic("permutation", network, "host")
    plain = solve(network, traffic, objective="max-min", routing="ksp:3", solver="highs-ipx", tolerance=1e-5)
    monkeypatch.setattr(max_min_climb, "_MANY", many)
    monkeypatch.setattr(highs_levels, "_STEPS_PER_ROW", steps)
    # However many the columns are: first-order steps, which other objectives then take, do not climb.
    monkeypatch.setattr(program, "SMALL_COLUMNS", 10)
    found = solve(network, traffic, objective="max-min", routing="ksp:3", tolerance=1e-5)
    assert (found.solver, found.status) == (solver, "certified")
    assert found.rates_gbps == pytest.approx(plain.rates_gbps, rel=5e-5)


def test_levels_begin_again_where_the_simplex_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second level on, the cold route goes on from the rates found."""
    from pnet_lp.errors import SolverError

    network = build_network(["jellyfish:k=4,seed=2"], planes=2, variant="heterogeneous", link_gbps=1)
    traffic = build_traffic("permutation", network, "host")
    asked = {"objective": "max-min", "routing": "ksp:3", "tolerance": 1e-5, "solver": "highs-simplex"}
    whole = solve(network, traffic, **asked)
    assert len(whole.levels) > 2
    calls = 0
    run = highs_levels.Levels.solve

    def fails(self: highs_levels.Levels, *given: object) -> highs_levels.LevelFound:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise SolverError("no")
        return run(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(highs_levels.Levels, "solve", fails)
    found = solve(network, traffic, **asked)
    assert found.status == "certified"
    assert found.rates_gbps == pytest.approx(whole.rates_gbps, rel=5e-5)
