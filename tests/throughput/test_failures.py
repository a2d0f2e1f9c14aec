"""Throughput under failures: closed forms, and lost demands."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.executors.base import this_machine
from pnet_lp.executors.local import Local
from pnet_lp.failures import Failures, RiskGroup
from pnet_lp.model import ThroughputResult
from pnet_lp.questions.failures.answer import FailuresAnswer
from pnet_lp.questions.failures.words import report, write_plot
from pnet_lp.throughput import solve
from pnet_lp.throughput.trials import FailureTrial, failure_trials, throughput_interval
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic


def test_a_plane_less() -> None:
    """All-to-all on K_5: every plane carries 1 per pair."""
    network = build_network(["complete:n=5"], planes=3, link_gbps=1)
    traffic = build_traffic("all-to-all", network, None)
    (trial,) = failure_trials(network, traffic, Failures(planes=(1,)), trials=1, tolerance=1e-7)
    assert trial.throughput_gbps == pytest.approx(2, rel=1e-6)
    assert (trial.lost_demands, trial.lost_share) == (0, 0)


def test_demands_without_a_path_are_counted_and_left_out() -> None:
    """A ring of 6 loses a switch: 5 switches in a row, whose middle links carry 2 * 3 pairs."""
    network = build_network(["ring:n=6"], link_gbps=1)
    traffic = build_traffic("all-to-all", network, None)
    dead = Failures(groups=(RiskGroup(name="one", switches=("2",)),))
    (trial,) = failure_trials(network, traffic, dead, trials=1, tolerance=1e-7)
    assert trial.throughput_gbps == pytest.approx(1 / 6, rel=1e-6)
    assert trial.lost_demands == 10
    assert trial.lost_share == pytest.approx(10 / 30)
    assert trial.result is not None
    assert trial.result.traffic["label"] == "all-to-all between connected racks"


def test_nothing_left() -> None:
    network = build_network(["fat-tree:k=4"], link_gbps=1)
    traffic = build_traffic("permutation", network, None)
    (trial,) = failure_trials(network, traffic, Failures(planes=(0,)), trials=1)
    assert (trial.result, trial.throughput_gbps) == (None, 0)
    assert (trial.lost_demands, trial.lost_share) == (16, 1)


def test_hosts_of_one_class_are_told_apart_by_pair() -> None:
    """Half of the demands are inside racks, and survive when the middle of the network is gone."""
    network = build_network(["leaf-spine:leaves=2,spines=1,hosts_per_leaf=2"], link_gbps=1)
    traffic = build_traffic("all-to-all", network, None)
    gone = Failures(links="100%")
    (trial,) = failure_trials(network, traffic, gone, trials=1, tolerance=1e-7)
    assert trial.lost_demands == 8
    assert trial.throughput_gbps == pytest.approx(1, rel=1e-6)


def test_failures_never_help() -> None:
    network = build_network(["jellyfish:k=4,seed=3"], planes=2, link_gbps=10)
    traffic = build_traffic("all-to-all", network, "rack")
    failures = Failures(links=0.2)
    intact = solve(network, traffic).interval
    trials = failure_trials(network, traffic, failures, trials=4, seed=1)
    values = [trial.throughput_gbps for trial in trials]
    assert len(set(values)) > 1
    assert all(value <= intact.upper for value, trial in zip(values, trials, strict=True) if not trial.lost_demands)
    low, high = throughput_interval(trials) or (0, 0)
    assert low < np.mean(values) < high


def test_no_trial() -> None:
    network = build_network(["ring:n=4"])
    with pytest.raises(SpecError) as caught:
        failure_trials(network, build_traffic("all-to-all", network, None), Failures(links=0.1), trials=0)
    assert str(caught.value) == "trials: out of range, found 0; allowed: 1 to 1000000"


def test_processes_and_equal_draws_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 12 draws of one cable of four, some are equal: they are solved once, and told apart by their numbers."""
    network = build_network(["ring:n=4"], link_gbps=1)
    traffic = build_traffic("all-to-all", network, None)
    solved = 0

    def counted(*given: Any, **options: Any) -> ThroughputResult:
        nonlocal solved
        solved += 1
        return solve(*given, **options)

    monkeypatch.setattr("pnet_lp.throughput.trials.solve", counted)
    failures = Failures(links=0.25)
    found = failure_trials(network, traffic, failures, trials=12, seed=1, solver="structured")
    # The four that are left, and before them the ring without failures, from which they start.
    assert solved == 5
    assert [trial.trial for trial in found] == list(range(12))
    # What is left is a line, whose middle link carries 2 * 2 pairs.
    assert [trial.throughput_gbps for trial in found] == pytest.approx([0.25] * 12, rel=1e-4)
    document = FailuresAnswer(network, traffic, tuple(found)).to_json()
    assert document["quantiles_gbps"]["p5"] == document["quantiles_gbps"]["min"]
    several = failure_trials(
        network, traffic, failures, trials=12, seed=1, solver="structured", executor=this_machine(2)
    )
    assert FailuresAnswer(network, traffic, tuple(several)).to_json() == document


@pytest.mark.parametrize(("requested", "jobs", "each"), [(3, 1, 3), (0, 1, 0), (3, 2, 3), (0, 2, 4), (0, 100, 1)])
def test_threads_of_each_solve(monkeypatch: pytest.MonkeyPatch, requested: int, jobs: int, each: int) -> None:
    """Those that are asked for, and without any asked for all 8 cores, divided among the jobs."""
    found = set()

    def counted(*given: Any, **options: Any) -> ThroughputResult:
        found.add(options["threads"])
        return solve(*given, **options)

    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("pnet_lp.throughput.trials.solve", counted)
    monkeypatch.setattr(Local, "map", lambda _, task, masks: map(task, masks))
    network = build_network(["ring:n=4"], link_gbps=1)
    traffic = build_traffic("all-to-all", network, None)
    failure_trials(network, traffic, Failures(links=0.25), trials=2, executor=this_machine(jobs), threads=requested)
    assert found == {each}


def test_quantiles_are_draws(tmp_path: Path) -> None:
    trials = [FailureTrial(i, None, i, i / 10) for i in range(10)]
    network = build_network(["ring:n=4"])
    answer = FailuresAnswer(network, build_traffic("all-to-all", network, None), tuple(trials))
    document = answer.to_json()
    assert document["quantiles_gbps"]["max"] == 0
    assert (document["lost_demands"], document["lost_share"]) == pytest.approx((4.5, 0.45))
    write_plot(answer, "nothing", tmp_path / "chart.svg")
    assert "throughput, Gb/s" in (tmp_path / "chart.svg").read_text()


def test_a_single_draw_is_no_mean() -> None:
    network = build_network(["ring:n=4"])
    traffic = build_traffic("all-to-all", network, None)
    said = []
    for count in (1, 2):
        trials = tuple(FailureTrial(i, None, 0, 0.0) for i in range(count))
        [grid] = report(FailuresAnswer(network, traffic, trials).to_json())
        said.append(next(iter(grid.columns[1].cells)))
    assert said == ["0 Gb/s per unit demand, one draw", "0 Gb/s per unit demand, the mean of 2 draws"]
