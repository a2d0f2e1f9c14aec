"""``max-min`` by cuts: filling between the cuts around endpoints, and one cut more where rates do not fit."""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.deadline import Deadline
from pnet_lp.errors import SolverError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.flow import build_problem
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import max_min
from pnet_lp.throughput.objectives.max_min import cutting_planes
from pnet_lp.throughput.objectives.max_min.cuts import around_endpoints, cut_of, filled_between
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.problems.base import separated
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

Case = tuple[Network, TrafficMatrix]


def case_of(topology: str, pattern: str, level: str = "host", planes: int = 1) -> Case:
    network = build_network([topology], planes=planes, variant="heterogeneous" if planes > 1 else "homogeneous")
    return network, build_traffic(pattern, network, level)


@pytest.mark.parametrize(
    ("case", "routing"),
    [
        (case_of("fat-tree:k=4", "random"), "ideal"),
        (case_of("fat-tree:k=4", "random"), "ksp:8"),
        (case_of("jellyfish:k=6", "random", planes=2), "ideal"),
    ],
)
def test_where_hosts_limit_their_links_prove_all_levels(tmp_path: Path, case: Case, routing: str) -> None:
    found = solve(*case, objective="max-min", routing=routing)
    assert found.status == "certified"
    assert len(found.levels) > 1
    for level in found.levels:
        assert level.length is not None
        assert not level.length.any()
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] <= 1e-4


def test_cuts_are_added_until_rates_fit(tmp_path: Path) -> None:
    case = case_of("jellyfish:k=6", "random", "rack")
    found = solve(*case, objective="max-min", tolerance=1e-3)
    theirs = solve(*case, objective="max-min", tolerance=1e-3, solver="columns")
    assert found.status == theirs.status == "certified"
    assert found.iterations != theirs.iterations
    assert found.rates_gbps == pytest.approx(theirs.rates_gbps, rel=2e-3)
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] <= 1e-3


def test_a_demand_with_all_that_it_asks_needs_no_cut() -> None:
    network = build_network(["fat-tree:k=4"])
    # Into one host with 100 Gb/s: the demand of 30 leaves 70.
    traffic = TrafficMatrix.from_entries("host", network.host_count, [0, 1], [2, 2], [30.0, 90.0])
    ours = solve(network, traffic, objective="max-min:cap=demand")
    assert ours.status == "certified"
    assert ours.rates_gbps == pytest.approx([30.0, 70.0])
    assert [level.demands.tolist() for level in ours.levels] == [[1]]


def test_cuts_around_endpoints_hold_for_any_path() -> None:
    """What a Gb/s takes of a cut is no more than the distance of the demand by its lengths."""
    network, traffic = case_of("jellyfish:k=4", "random", planes=2)
    problem = ArcProblem(build_problem(network, traffic))
    flow = problem.flow
    cuts = list(around_endpoints(flow))
    for cut in cuts:
        length = np.zeros(len(flow.link_capacity))
        length[cut.link] = cut.length
        assert np.all(problem.distances(separated(flow, length))[cut.demand] >= cut.takes * (1 - 1e-12))
        assert cut.volume == pytest.approx(float(flow.link_capacity[cut.link] @ cut.length))
    filled = filled_between(cuts, flow.demand, np.full(flow.demand_count, np.inf))
    assert filled.part.max() <= 1
    # A cut that rates do not pass is one that fair rates after it do.
    tight = separated(flow, np.append(np.ones(len(flow.capacity)), np.zeros(2 * flow.attach.size)))
    again = filled_between(
        [*cuts, cut := cut_of(problem, tight, 10 * filled.rate)], flow.demand, np.full(flow.demand_count, np.inf)
    )
    assert float(cut.takes @ again.rate[cut.demand]) <= cut.volume * (1 + 1e-9)


def test_demands_that_need_not_cross_a_cut_have_no_part_in_it() -> None:
    """Also where rates just pass it, so that nobody is left out for taking little."""
    network, traffic = case_of("jellyfish:k=4", "random", planes=2)
    problem = ArcProblem(build_problem(network, traffic))
    flow = problem.flow
    length = np.zeros(len(flow.link_capacity))
    length[next(iter(around_endpoints(flow))).link] = 1
    lengths = separated(flow, length)
    distance = problem.distances(lengths)
    assert distance.any()
    assert not distance.all()
    rate = 0.999 * flow.demand * flow.volume(lengths) / float(distance @ flow.demand)
    cut = cut_of(problem, lengths, rate)
    assert cut.takes.min() > 0
    assert cut.demand.tolist() == np.flatnonzero(distance).tolist()


def test_a_limit_leaves_bounds_of_all_demands(tmp_path: Path) -> None:
    case = case_of("hypercube:d=5", "random", "rack")
    found = solve(*case, objective="max-min", time_limit_s=1e-3)
    assert found.status == "bounds"
    assert found.figures["relative_gap"] < 1
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] == pytest.approx(found.figures["relative_gap"])


def test_levels_of_endpoints_look_for_no_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be as many levels as endpoints, and distances of all demands for each of them take far too long."""
    case = case_of("fat-tree:k=4", "bimodal")

    def refused(*_: object) -> None:
        raise AssertionError("distances of all demands")

    monkeypatch.setattr(ArcProblem, "distances", refused)
    found = solve(*case, objective="max-min")
    assert found.status == "certified"
    assert len(found.levels) > 10
    assert sum(len(level.demands) for level in found.levels) == case[1].demand_count


def test_cuts_of_many_links_have_all_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[float] = []
    search = cutting_planes._largest

    def timed(*args: Any) -> Any:
        left.append(args[2].deadline.left_s())
        return search(*args)

    monkeypatch.setattr(cutting_planes, "_largest", timed)
    case = case_of("torus:dims=8x8", "random", "rack")
    parts = []
    for many in (10**6, 0):
        left.clear()
        monkeypatch.setattr(cutting_planes, "_MANY_LINKS", many)
        assert solve(*case, objective="max-min", deadline=Deadline(1000)).status == "certified"
        assert len(left) > 1
        parts.append((left[0] <= 250, left[1] <= 250))
    assert parts == [(True, True), (True, False)]


def test_what_is_slow_to_begin_loses_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Cuts leave bounds, and what comes after them does not look at the clock."""
    case = case_of("hypercube:d=5", "random", "rack")
    over = threading.Event()

    def slow(_: object) -> None:
        over.wait(30)

    monkeypatch.setattr(max_min, "over_trees", lambda _: None)
    monkeypatch.setattr(max_min, "at_vertices", lambda _: None)
    monkeypatch.setattr(max_min, "with_growing_paths", slow)
    began = time.monotonic()
    found = solve(*case, objective="max-min", time_limit_s=0.4, tolerance=1e-9)
    over.set()
    assert time.monotonic() - began < 10
    assert found.status == "bounds"
    assert any("time limit" in warning for warning in found.warnings)
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] == pytest.approx(found.figures["relative_gap"])


def test_what_fails_after_cuts_loses_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    case = case_of("hypercube:d=5", "random", "rack")

    def fails(*_: object) -> None:
        raise SolverError("no room for columns")

    for name in ("over_trees", "at_vertices", "with_growing_paths", "by_columns", "all_levels"):
        monkeypatch.setattr(max_min, name, fails)
    found = solve(*case, objective="max-min", tolerance=1e-12)
    assert found.status == "bounds"
    assert found.warnings == ("no room for columns",)
    assert 0 < found.interval.lower < found.interval.upper < np.inf
    save_result(path := tmp_path / "a.json", *case, found)
    assert verify_file(path).figures["relative_gap"] == pytest.approx(found.figures["relative_gap"])
    monkeypatch.setattr(max_min, "by_cuts", fails)
    with pytest.raises(SolverError, match="no room for columns"):
        solve(*case, objective="max-min")
