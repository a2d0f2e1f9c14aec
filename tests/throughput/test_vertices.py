"""``max-min`` from vertex to vertex: the rates of the whole program, and proofs that hold."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pnet_lp import _core
from pnet_lp.deadline import Deadline
from pnet_lp.errors import SolverError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.flow import Lengths, build_problem
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import max_min
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.objectives.max_min import column_generation, vertices
from pnet_lp.throughput.objectives.max_min.levels import State
from pnet_lp.throughput.objectives.max_min.vertices import AtVertices, at_vertices
from pnet_lp.throughput.objectives.program import NO_TIME
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.solvers import SolveOptions
from pnet_lp.throughput.solvers.base import OnProgress
from pnet_lp.throughput.verify import verify_file
from pnet_lp.traffic import build_traffic

from .conftest import case_of, random_network

Case = tuple[Network, TrafficMatrix]


@pytest.fixture
def nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other search for levels."""
    monkeypatch.setattr(max_min, "by_cuts", lambda _: None)
    monkeypatch.setattr(max_min, "over_trees", lambda _: None)
    monkeypatch.setattr(max_min, "with_growing_paths", None)
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
        case_of("jellyfish:k=4", "gravity", "host"),
        case_of("torus:dims=3x4", "random:flows=2"),
        case_of("hyperx:dims=4,k=3", "skewed"),
        case_of("fat-tree:k=4", "all-to-all", planes=2, equal=True),
    ],
)
def test_rates_are_those_of_the_whole_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    ours = solve(*case, objective="max-min")
    monkeypatch.undo()
    theirs = solve(*case, objective="max-min", solver="highs-simplex")
    assert ours.status == theirs.status == "certified"
    assert ours.figures["relative_gap"] <= 1e-6
    assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)
    save_result(path := tmp_path / "a.json", *case, ours)
    assert verify_file(path).figures["relative_gap"] <= 1e-6


@pytest.mark.usefixtures("nothing_else")
@pytest.mark.parametrize(
    ("case", "routing"),
    [
        (case_of("jellyfish:k=4", "random:flows=2", planes=2), "ksp:4"),
        (case_of("jellyfish:k=4", "permutation", "host"), "ksp:3"),
        (case_of("jellyfish:k=4", "gravity", "host"), "edge-disjoint:2"),
        (case_of("torus:dims=3x4", "skewed"), "ecmp-lp"),
        (case_of("fat-tree:k=4", "random:flows=3", planes=2, equal=True), "ksp:8"),
    ],
)
def test_rates_over_given_paths_are_those_of_the_whole_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case, routing: str
) -> None:
    ours = solve(*case, objective="max-min", routing=routing)
    monkeypatch.undo()
    theirs = solve(*case, objective="max-min", routing=routing, solver="highs-simplex")
    assert ours.status == theirs.status == "certified"
    assert ours.figures["relative_gap"] <= 1e-6
    assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)
    save_result(path := tmp_path / "a.json", *case, ours)
    assert verify_file(path).figures["relative_gap"] <= 1e-6


@pytest.mark.usefixtures("nothing_else")
def test_the_first_level_begins_near_its_vertex() -> None:
    # 254 steps; 537 from a gap of 2 %, and 1,005 with all flow pushed into the basis, too.
    found = solve(*case_of("xpander:d=5,k=10", "random:flows=8"), objective="max-min", routing="ksp:32")
    assert found.status == "certified"
    assert found.iterations < 400


@pytest.mark.usefixtures("nothing_else")
def test_a_level_far_above_the_one_before_starts_anew(tmp_path: Path) -> None:
    # All send to one rack, and little; what they send elsewhere gets more than ten times as much.
    case = case_of("polarfly:q=7,p=0", "hotspot")
    found = solve(*case, objective="max-min")
    assert found.status == "certified"
    rates = [level.rate for level in found.levels]
    assert rates[-1] > 10 * rates[0]
    # 2,618 steps; 9,245 from where the level before ended.
    assert found.iterations < 6_000
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] < 1e-9


@pytest.mark.parametrize("routing", ["ecmp-lp", "ksp:1"])
def test_where_each_demand_has_one_path_rates_are_filled(tmp_path: Path, routing: str) -> None:
    case = case_of("polarfly:q=5,p=0", "gravity")
    found = solve(*case, objective="max-min", routing=routing)
    assert found.status == "certified"
    assert found.solver == "closed-form"
    other = solve(*case, objective="max-min", routing=routing, solver="highs-simplex")
    assert found.rates_gbps == pytest.approx(other.rates_gbps, rel=2e-3)
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] < 1e-9


@pytest.mark.usefixtures("nothing_else")
def test_many_levels_of_few_demands(tmp_path: Path) -> None:
    case = case_of("jellyfish:k=4", "gravity", "host")
    found = solve(*case, objective="max-min")
    assert found.status == "certified"
    assert len(found.figures["levels"]) > 20
    assert found.figures["relative_gap"] < 1e-6
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] < 1e-6


@pytest.mark.usefixtures("nothing_else")
def test_levels_of_a_backbone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A tree of 30 switches with 8 more cables: most levels fill a cut, which later ones cannot cross.
    random = np.random.default_rng(1)
    pairs = {(int(random.integers(v)), v) for v in range(1, 30)}
    while len(pairs) < 37:
        u, v = sorted(random.choice(30, 2, replace=False).tolist())
        pairs.add((u, v))
    ends = sorted(pairs)
    speeds = random.choice([1.0, 10.0, 100.0], len(ends))
    network = Network.from_planes([Plane.from_cables(30, [u for u, _ in ends], [v for _, v in ends], list(speeds))])
    traffic = build_traffic("gravity", network, "rack", seed=1)
    ours = solve(network, traffic, objective="max-min")
    assert ours.status == "certified"
    assert len(ours.levels) > 40
    assert ours.figures["relative_gap"] < 1e-6
    save_result(path := tmp_path / "a.json", network, traffic, ours)
    assert verify_file(path).figures["relative_gap"] < 1e-6
    monkeypatch.undo()
    theirs = solve(network, traffic, objective="max-min", solver="highs-simplex")
    assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)


def test_levels_worked_out_by_hand() -> None:
    plane = Plane.from_cables(3, [0, 0, 1], [2, 1, 2], [10.0, 4.0, 4.0])
    traffic = TrafficMatrix.from_entries("rack", 3, [0, 0, 1], [1, 2, 2], [1.0, 1.0, 3.0])
    found = solve(Network.from_planes([plane]), traffic, objective="max-min")
    # Out of 1 go 8 Gb/s, half of them by way of 0, which leaves 6 of 10 Gb/s from 0 to 2: 5, and 1 of 5 from 0 to 1.
    assert found.rates_gbps == pytest.approx([5.0, 5.0, 8.0], rel=1e-11)
    assert found.figures["relative_gap"] < 1e-9


@given(
    seed=st.integers(0, 1_000_000), routing=st.sampled_from(["ideal", "ksp:2", "ksp:5", "edge-disjoint:3", "ecmp-lp"])
)
@example(seed=130, routing="ideal")  # The last demand is a tiny part of the others, and nothing seemed to stop it.
def test_rates_are_those_of_another_search(seed: int, routing: str) -> None:
    case = random_network(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(max_min, "by_cuts", lambda _: None)
        patch.setattr(max_min, "over_trees", lambda _: None)
        ours = solve(*case, objective="max-min", routing=routing)
    theirs = solve(*case, objective="max-min", routing=routing, solver="highs-simplex", tolerance=1e-5)
    assert ours.status == "certified"
    if theirs.status == "certified":
        assert ours.rates_gbps is not None
        # A demand of a millionth of the others gets what these leave within the tolerance.
        little = 1e-5 * float(ours.rates_gbps.max())
        assert ours.rates_gbps == pytest.approx(theirs.rates_gbps, rel=1e-3, abs=little)


@pytest.mark.usefixtures("nothing_else")
@pytest.mark.parametrize("routing", ["ideal", "ksp:8"])
def test_the_number_of_threads_changes_no_bit(routing: str) -> None:
    case = case_of("jellyfish:k=6", "random:flows=2")
    one, two = (solve(*case, objective="max-min", routing=routing, threads=n) for n in (1, 2))
    assert np.array_equal(one.rates_gbps, two.rates_gbps)
    assert [level.upper for level in one.levels] == [level.upper for level in two.levels]


def test_a_limit_of_iterations_leaves_what_is_proved() -> None:
    problem = ArcProblem(build_problem(*case_of("torus:dims=4x4", "random:flows=2")))
    whole = at_vertices(State.zero(problem, SolveContext()))
    assert whole is not None
    assert not whole.active.any()
    most = whole.iterations - 1
    some = at_vertices(State.zero(problem, SolveContext(options=SolveOptions(max_iterations=most))))
    assert some is not None
    assert 0 < some.iterations <= most
    assert some.warnings == (f"columns: levels beyond the {len(some.levels) - 1} found are not known",)
    assert some.active.any()
    assert np.array_equal(some.levels[0].demands, whole.levels[0].demands)


class Counted(Deadline):
    """Over after so many looks at it."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def left_s(self) -> float:
        """See :meth:`Deadline.left_s`."""
        self.times -= 1
        return 0.0 if self.times < 0 else super().left_s()


class Stopped(AtVertices):
    """Proves nothing of a level once its time is over."""

    def next(self, kept: FloatArray, options: SolveOptions, report: OnProgress) -> tuple[_core.FairLevel, Lengths]:
        """See :meth:`Levels.next`."""
        found, lengths = super().next(kept, options, report)
        over = options.deadline.left_s() == 0
        return found, (np.ones_like(lengths[0]), lengths[1], lengths[2]) if over else lengths


def test_where_few_demands_are_active_it_continues_beyond_its_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = ArcProblem(build_problem(*case_of("jellyfish:k=4", "gravity", "host")))
    whole = at_vertices(State.zero(problem, SolveContext()))
    assert whole is not None
    levels = len(whole.levels)
    monkeypatch.setitem(vertices._SEARCHES, "arc", Stopped)
    # It is looked at once at first, and three times for each level: few demands are active at the last but one.
    monkeypatch.setattr(Deadline, "parts", lambda *_: Counted(3 * levels - 5))
    for few, found_all in ((0.0, False), (0.5, True)):
        monkeypatch.setattr(column_generation, "_FEW", few)
        state = at_vertices(State.zero(problem, SolveContext()))
        assert state is not None
        assert (not state.active.any()) == found_all
        assert (len(state.levels) == levels) == found_all
        assert state.warnings == (() if found_all else (f"columns: {NO_TIME}",))


@pytest.mark.parametrize(("worst", "status"), [(0.01, "certified"), (0.0, "bounds")])
def test_levels_follow_one_that_is_hardly_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worst: float, status: str
) -> None:
    case = case_of("jellyfish:k=4", "random:flows=2")
    expected = solve(*case, objective="max-min", solver="highs-simplex")
    for name in ("by_cuts", "over_trees", "with_growing_paths", "by_columns", "all_levels"):
        monkeypatch.setattr(max_min, name, lambda *_: None)
    nobody = np.zeros(case[1].demand_count, dtype=bool)
    monkeypatch.setattr(column_generation, "saturated_at", lambda *_: nobody)
    monkeypatch.setattr(column_generation, "_WORST", worst)
    found = solve(*case, objective="max-min")
    assert found.status == status
    assert (found.rates_gbps == pytest.approx(expected.rates_gbps, rel=2e-3)) == (status == "certified")
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] == pytest.approx(found.figures["relative_gap"], rel=1e-3, abs=1e-9)


def test_small_demands_do_not_feel_what_large_ones_lose_by_rounding(tmp_path: Path) -> None:
    case = case_of("slim-fly:q=5,p=0", "bimodal", "rack")
    state = at_vertices(State.zero(ArcProblem(build_problem(*case)), SolveContext()))
    assert state is not None
    assert state.flow is not None
    assert not state.active.any()
    assert 1 - state.flow.factor < 5e-14
    found = solve(*case, objective="max-min")
    assert found.figures["relative_gap"] < 3e-5
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] < 3e-5


def test_too_many_demands_leave_it_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of("jellyfish:k=4", "permutation")
    monkeypatch.setattr(vertices, "MOST_DEMANDS", 1)
    monkeypatch.setattr(max_min, "by_cuts", lambda _: None)
    assert solve(*case, objective="max-min").status == "certified"


def test_many_links_may_limit() -> None:
    case = case_of("random-regular:n=100,degree=10", "random:flows=16", planes=2)
    found = at_vertices(State.zero(ArcProblem(build_problem(*case)), SolveContext()))
    assert found is not None
    assert not found.active.any()
    assert np.count_nonzero(found.levels[0].lengths[0]) > 1_500
    assert max_min.optimum_of(found).gap < 1e-5


def test_where_steps_end_what_is_known_is_kept() -> None:
    case = case_of("random-regular:n=100,degree=10", "random:flows=16", planes=2)
    few = SolveContext(options=SolveOptions(max_iterations=200))
    found = at_vertices(State.zero(ArcProblem(build_problem(*case)), few))
    assert found is not None
    assert found.warnings == ("columns: levels beyond the 0 found are not known",)
    # The first steps end within 2 %.
    rate = found.rate / case[1].demand
    assert rate.min() > 0.97 * solve(*case, tolerance=1e-3).interval.lower


def test_lost_precision_leaves_it_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise _core.InvalidError("demand: not finite")

    case = case_of("jellyfish:k=4", "permutation")
    monkeypatch.setattr(vertices.OverAnyPath, "attain", fails)
    with pytest.raises(SolverError, match="lost its precision: demand: not finite"):
        at_vertices(State.zero(ArcProblem(build_problem(*case)), SolveContext()))
    monkeypatch.setattr(max_min, "by_cuts", lambda _: None)
    monkeypatch.setattr(max_min, "by_columns", lambda *_: None)
    assert solve(*case, objective="max-min").status == "certified"
