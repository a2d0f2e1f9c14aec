"""``max-min`` over any path by programs over the paths in use: the rates of the whole program, and proofs that hold."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import floats
from pnet_lp.model.flow import build_problem
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import max_min
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.objectives.max_min import growing_paths
from pnet_lp.throughput.objectives.max_min.growing_paths import OverPathsInUse, with_growing_paths
from pnet_lp.throughput.objectives.max_min.levels import State
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import SolveOptions
from pnet_lp.throughput.verify import verify_file

from .conftest import case_of

Case = tuple[Network, TrafficMatrix]


@pytest.fixture
def nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other way to the levels."""
    monkeypatch.setattr(max_min, "by_cuts", lambda _: None)
    monkeypatch.setattr(max_min, "by_columns", None)
    monkeypatch.setattr(max_min, "all_levels", None)


@pytest.mark.usefixtures("nothing_else")
@pytest.mark.parametrize(
    "case",
    [
        case_of("jellyfish:k=4", "permutation"),
        case_of("jellyfish:k=4", "random:flows=2", planes=2),
        case_of("jellyfish:k=4", "random:flows=2", planes=3, equal=True),
        case_of("jellyfish:k=4", "permutation", "host"),
        case_of("torus:dims=3x4", "random:flows=2"),
        case_of("hyperx:dims=4,k=3", "skewed"),
    ],
)
@pytest.mark.parametrize(("objective", "other"), [("max-min", "highs-simplex"), ("max-min:cap=demand", "highs-ipx")])
def test_rates_are_those_of_the_whole_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case, objective: str, other: str
) -> None:
    ours = solve(*case, objective=objective)
    monkeypatch.undo()
    theirs = solve(*case, objective=objective, solver=other, tolerance=1e-3)
    assert ours.status == theirs.status == "certified"
    assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)
    save_result(path := tmp_path / "a.json", *case, ours)
    assert verify_file(path).figures["relative_gap"] <= 1e-4


def test_paths_in_use_grow_until_none_is_shorter() -> None:
    flow = build_problem(*case_of("jellyfish:k=6", "random:flows=2", planes=2))
    in_use = _core.PathsInUse(
        flow.core, tolerance=1e-4, max_iterations=1, time_limit_s=np.inf, threads=1, on_progress=lambda *_: True
    )
    random = np.random.default_rng(3)
    none = floats(np.zeros(flow.attach.shape))
    for _ in range(3):
        lengths = floats(random.random(len(flow.capacity))), none, none
        before = OverPathsInUse.now(flow, in_use)
        listed = before.core.distances(floats(np.concatenate([part.ravel() for part in lengths])))
        nearest = before.distances(lengths)
        assert np.all(nearest <= listed * (1 + 1e-12))
        assert in_use.add(*lengths) == np.count_nonzero(nearest < listed * (1 - 1e-9))
        after = OverPathsInUse.now(flow, in_use)
        assert after.flow_variables >= before.flow_variables
        listed = after.core.distances(floats(np.concatenate([part.ravel() for part in lengths])))
        assert listed == pytest.approx(nearest, rel=1e-9)
        assert in_use.add(*lengths) == 0


def test_a_flow_over_paths_in_use_is_one_over_links() -> None:
    flow = build_problem(*case_of("jellyfish:k=4", "permutation", planes=2))
    in_use = _core.PathsInUse(
        flow.core, tolerance=1e-4, max_iterations=9, time_limit_s=np.inf, threads=1, on_progress=lambda *_: True
    )
    over = OverPathsInUse.now(flow, in_use)
    random = np.random.default_rng(1)
    weight = over.normalised(floats(random.random(over.flow_variables)))
    rate = floats(flow.demand * random.random(flow.demand_count))
    of_paths = over.loads(floats(weight * rate[over.demand_of_column]))[: len(flow.capacity)]
    found = _core.evaluate(flow.weighted(rate).core, in_use.proof(weight, rate))
    # Flows to one destination that pass each other in both directions of a cable are taken off.
    assert np.all(found.load <= found.lower * of_paths * (1 + 1e-12))
    assert found.lower >= (1 - 1e-9) * (flow.capacity / of_paths).min()
    with pytest.raises(_core.CoreError):
        in_use.proof(weight[1:], flow.demand)
    with pytest.raises(_core.CoreError):
        in_use.add(flow.capacity[1:], np.ones(flow.attach.shape), np.ones(flow.attach.shape))
    with pytest.raises(_core.CoreError, match="at least 0"):
        in_use.add(-flow.capacity, np.ones(flow.attach.shape), np.ones(flow.attach.shape))
    with pytest.raises(_core.CoreError, match="above 0"):
        in_use.proof(weight, 0 * rate)


def test_too_many_paths_leave_it_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of("jellyfish:k=4", "permutation")
    monkeypatch.setattr(growing_paths, "SMALL_COLUMNS", 1)
    monkeypatch.setattr(max_min, "by_cuts", lambda _: None)
    assert solve(*case, objective="max-min").status == "certified"


@pytest.mark.usefixtures("nothing_else")
def test_the_number_of_threads_changes_no_bit() -> None:
    case = case_of("jellyfish:k=6", "random:flows=2")
    one, two = (solve(*case, objective="max-min", threads=n) for n in (1, 2))
    assert np.array_equal(one.rates_gbps, two.rates_gbps)
    assert [level.upper for level in one.levels] == [level.upper for level in two.levels]


def test_a_limit_of_iterations_leaves_what_is_proved() -> None:
    problem = ArcProblem(build_problem(*case_of("torus:dims=4x4", "random:flows=2")))
    options = SolveOptions(max_iterations=60)
    state = with_growing_paths(State.zero(problem, SolveContext(options=options)))
    assert state is not None
    assert 0 < state.iterations <= 60
    assert state.levels
    assert state.active.any()
    assert state.warnings
    whole = with_growing_paths(State.zero(problem, SolveContext()))
    assert whole is not None
    assert not whole.active.any()
    known = ~state.active
    assert state.rate[known] == pytest.approx(whole.rate[known], rel=1e-4)


def test_where_a_program_fails_the_levels_before_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = ArcProblem(build_problem(*case_of("torus:dims=4x4", "random:flows=2")))
    whole = with_growing_paths(State.zero(problem, SolveContext()))
    calls, found = itertools.count(), growing_paths.solve_level

    def fails(*args: Any, **keys: Any) -> object:
        if next(calls) == 3:
            raise SolverError("numbers ran out")
        return found(*args, **keys)

    monkeypatch.setattr(growing_paths, "solve_level", fails)
    state = with_growing_paths(State.zero(problem, SolveContext()))
    assert whole is not None
    assert state is not None
    assert 0 < len(state.levels) < len(whole.levels)
    assert state.warnings == (f"levels beyond the {len(state.levels)} found are not known: numbers ran out",)
    calls = itertools.count(3)
    with pytest.raises(SolverError, match="numbers ran out"):
        with_growing_paths(State.zero(problem, SolveContext()))
