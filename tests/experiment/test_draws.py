"""Draws: what their seeds decide, what is reused, and that the number of processes decides nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pnet_lp.questions.throughput.answer as throughput
from pnet_lp.errors import PnetError, TrafficError
from pnet_lp.executors.base import this_machine
from pnet_lp.experiment import Experiment, Store, load_experiment, run_experiment
from pnet_lp.seeds import derive_seed
from pnet_lp.threads import processor_seconds
from pnet_lp.throughput import solve
from pnet_lp.throughput.verify import verify_file
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from ..conftest import PATIENCE_S

SPEC = """
title: Trial
baseline: serial
common: {topology: "jellyfish:k=4", traffic: permutation, routing: ksp:2, draws: 3, seed: 5}
cases:
  serial: {}
  two:
    grid: {planes: [2], variant: [homogeneous, heterogeneous]}
    name: "{variant}"
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    (tmp_path / "spec.yaml").write_text(SPEC)
    return load_experiment(tmp_path)


def lasting(folder: Path) -> dict[str, bytes]:
    """Everything that a run has written but for timings."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        # The manifest says what the draws took.
        if path.is_file() and path.name not in {"spent.json", "manifest.json"}
    }


def test_a_draw_is_what_its_seed_gives(experiment: Experiment, tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    records = {record.case: record for record in run_experiment(experiment, store)}
    seeds = (5, derive_seed(5, "draw", 1), derive_seed(5, "draw", 2))
    for record in records.values():
        assert record.seeds == seeds
    for seed, draw in zip(seeds, records["heterogeneous"].draws, strict=True):
        network = build_network(["jellyfish:k=4"], planes=2, variant="heterogeneous", seed=seed)
        traffic = build_traffic("permutation", network, seed=seed)
        expected = solve(network, traffic, routing="ksp:2", seed=seed)
        proved = draw.answer.headline
        assert (proved.lower, proved.upper) == (expected.interval.lower, expected.interval.upper)
        assert draw.answer.document["network"]["fingerprint"] == network.fingerprint
        assert draw.answer.document["traffic"]["fingerprint"] == traffic.fingerprint
        assert verify_file(store.proof("heterogeneous", draw.index)).interval.lower == pytest.approx(
            draw.answer.headline.lower, rel=1e-9
        )
    # Cases of one experiment see the same traffic, so that their ratio is one of networks.
    patterns = {
        tuple(draw.answer.document["traffic"]["fingerprint"] for draw in record.draws) for record in records.values()
    }
    assert len(patterns) == 1


def test_more_draws_keep_those_there_are(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "results")
    solved: list[int] = []

    def counted(*args: object, seed: int, **kwargs: object) -> object:
        solved.append(seed)
        return solve(*args, seed=seed, **kwargs)

    monkeypatch.setattr(throughput, "solve", counted)
    [first, *_] = run_experiment(experiment.reduced(draws=2, cases=["serial"]), store)
    assert len(solved) == 2
    [second, *_] = run_experiment(experiment.reduced(draws=3, cases=["serial"]), store)
    assert solved == [*first.seeds, second.seeds[2]]
    assert second.draws[:2] == first.draws


def test_the_number_of_processes_changes_no_byte(experiment: Experiment, tmp_path: Path) -> None:
    found = {}
    for jobs in (1, 2):
        seen: list[tuple[str, int]] = []
        store = Store(tmp_path / f"results-{jobs}")
        records = list(
            run_experiment(
                experiment, store, jobs=jobs, on_draw=lambda draw, to=seen: to.append((draw.case, draw.index))
            )
        )
        found[jobs] = [(record.case, record.seeds, record.values()) for record in records]
        assert seen == [(name, i) for name in experiment.cases for i in range(3)]
    assert found[1] == found[2]
    assert lasting(tmp_path / "results-1") == lasting(tmp_path / "results-2")
    assert len(lasting(tmp_path / "results-1")) == 1 + 2 * 9


def test_a_draw_that_fails_on_another_process_fails_as_here(experiment: Experiment, tmp_path: Path) -> None:
    broken = experiment.cases["serial"].model_copy(update={"traffic": "stride:s=16"})
    experiment = experiment.model_copy(update={"cases": {"serial": broken}})
    messages = []
    for jobs in (1, 2):
        with pytest.raises(TrafficError) as caught:
            list(run_experiment(experiment, Store(tmp_path / "results"), jobs=jobs))
        messages.append(str(caught.value))
        assert caught.value.exit_code == 2
    assert messages[0] == messages[1]


def test_results_come_in_the_order_of_tasks() -> None:
    assert list(this_machine(2).map(abs, [-3, 1, -2])) == [3, 1, 2]
    assert list(this_machine(2).map(abs, [-3])) == [3]
    assert list(this_machine(2).map(abs, [])) == []


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(PnetError) as caught:
        list(this_machine(2).map(os._exit, [9, 9]))
    assert str(caught.value) == ("a worker process was killed, perhaps for lack of memory; allowed: fewer --jobs")


def test_stopping_early_neither_waits_nor_prints(capfd: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    for _ in range(8):
        # One process answers while the other may still be starting.
        found = this_machine(2).map(time.sleep, [0, 600, 600])
        assert next(found) is None
        found.close()
    assert time.monotonic() - began < PATIENCE_S
    assert capfd.readouterr() == ("", "")


def gone(group: int) -> bool:
    """Whether every process of a group ends within some seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(os.name == "nt", reason="no process groups as terminals have them")
def test_ctrl_c_leaves_what_is_done(tmp_path: Path) -> None:
    """As from a terminal: the signal reaches every process of the group."""
    (tmp_path / "trial").mkdir()
    # Draws by the hundred, so that the signal finds some done and some not.
    spec = SPEC.replace("draws: 3", "draws: 300")
    (tmp_path / "trial" / "spec.yaml").write_text(spec)
    command = [sys.executable, "-m", "pnet_lp", "sweep", str(tmp_path / "trial"), "--jobs", "2"]
    command += ["--results", str(tmp_path / "results")]
    process = subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        results = tmp_path / "results" / "trial"
        until = time.monotonic() + PATIENCE_S
        while not all((results / "serial" / f"draw-{i}" / "result.json").exists() for i in range(3)):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130, errors
    assert output == ""
    assert errors.startswith("Error: interrupted; 0 of 3 cases are stored in "), errors
    assert errors.endswith("; the same command continues from there\n")
    assert not list(results.rglob(".*")), "half-written files"
    assert gone(process.pid)
    whole = {path.parent for path in results.rglob("result.json")}
    assert 3 <= len(whole) < 900
    for folder in whole:
        assert json.loads((folder / "result.json").read_text())["result"]["status"] == "certified"

    experiment = load_experiment(tmp_path / "trial").reduced(draws=3)
    before = (results / "serial" / "draw-0" / "spent.json").read_bytes()
    assert len(list(run_experiment(experiment, Store(results), jobs=2))) == 3
    assert (results / "serial" / "draw-0" / "spent.json").read_bytes() == before


def test_processes_that_go_on_count_too(tmp_path: Path) -> None:
    """As those of solvers do, which serve draw after draw."""
    work = "import sys, time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\nsys.stdin.read()"
    before = processor_seconds()
    with subprocess.Popen(
        [sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        without = processor_seconds(tmp_path) - before
        going_on = processor_seconds() - before
    after = processor_seconds() - before
    if Path("/proc/self/task").exists():
        assert going_on >= 0.25
        assert without < going_on
    assert after >= 0.25
