"""Draws answered elsewhere: what is stored is what this machine would have stored."""

import functools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import LocalCluster

import pnet_lp as pn
from pnet_lp import interrupts
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.executors import dask, slurm
from pnet_lp.executors.base import EXECUTORS, Travelling, parse_executor
from pnet_lp.experiment import Draw, Experiment, Record, Shard, Store, load_experiment, run_experiment, run_shard

from ..conftest import PATIENCE_S

SPEC = """
title: T
common: {topology: "jellyfish:switches=12,ports=5", level: rack, traffic: permutation}
cases:
  alone: {draws: 6}
  paths: {routing: "ksp:4", draws: 2}
"""


BARE = f"""
import sys
sys.path = [place for place in sys.path if place not in ("", {str(Path(pn.__file__).parents[1])!r})]
from distributed.cli.dask_worker import main
main()
"""
"""A worker without this package, where that is one of a checkout."""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    folder = tmp_path_factory.mktemp("experiments") / "trial"
    folder.mkdir()
    (folder / "spec.yaml").write_text(SPEC)
    return load_experiment(folder)


def lasting(store: Store) -> dict[str, bytes]:
    """All files but those that say what a run took."""
    return {
        str(path.relative_to(store.folder)): path.read_bytes()
        for path in store.folder.rglob("*")
        if path.is_file() and path.name not in ("spent.json", "manifest.json")
    }


def values(records: Iterable[Record]) -> list[list[Any]]:
    return [[draw.answer.to_json() | {"result": {}} for draw in record.draws] for record in records]


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its two workers, each a process."""
    (tmp_path / "empty").mkdir()
    with LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster:
        command = [sys.executable, "-c", BARE, cluster.scheduler_address]
        more = ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--local-directory", str(tmp_path)]
        processes = [
            subprocess.Popen(
                [*command, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path / "empty"
            )
            for _ in range(2)
        ]
        try:
            cluster.wait_for_workers(2, timeout=PATIENCE_S)
            yield cluster.scheduler_address.removeprefix("tcp://"), processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_a_cluster_that_loses_a_worker_stores_the_bytes_of_this_machine(
    trial: Experiment,
    tmp_path: Path,
    workers: tuple[str, list[subprocess.Popen[bytes]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of the workers is killed when the first draw is there; they run our code, which they lack."""
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    expected = values(run_experiment(trial, here))
    address, (first, _) = workers
    executor = parse_executor(f"dask://{address}", None)
    assert (executor.processes, executor.alone) == (2, False)
    found = run_experiment(trial, there, executor=executor, on_draw=lambda _: first.kill())
    assert values(found) == expected
    assert first.wait() == -9
    assert lasting(there) == lasting(here)

    # What is stored is not computed again, and what was changed is.
    spent = {path: path.read_bytes() for path in there.folder.rglob("spent.json")}
    broken = there.folder / "paths" / "draw-1" / "result.json"
    broken.write_text(broken.read_text().replace("certified", "verified"))
    notes: list[str] = []
    assert values(run_experiment(trial, there, executor=executor, on_note=notes.append)) == expected
    assert notes == ["paths, draw 2 of 2: result.json was changed; computed again"]
    assert lasting(there) == lasting(here)
    again = {path for path, data in spent.items() if path.read_bytes() != data}
    assert again == {broken.with_name("spent.json")}

    # Files go along, which the workers have not in their folder, to draws and trials of other questions too.
    monkeypatch.chdir(tmp_path)
    Path("net.edges").write_text("a b 10\nb c 10\nc a 10\nc d 10\n")
    Path("demands.csv").write_text("src,dst,demand\na,b,1\nd,a,1\n")
    keys: dict[str, Any] = {"topology": "net.edges", "traffic": "demands.csv", "level": "rack", "fail_links": 0.3}
    local, remote = (pn.failures(**keys, trials=6, **where) for where in ({}, {"executor": f"dask://{address}"}))
    assert remote.to_json()["trials"] == local.to_json()["trials"]


def test_other_code_is_refused() -> None:
    with pytest.raises(PnetError, match=r"a worker runs other code, found 'sha256:.*; allowed: sha256:other"):
        Travelling(abs, code="sha256:other")(-1)


LATE = """
import atexit, os, signal

from pnet_lp.executors.base import parse_executor

def task(number):
    atexit.register(os.kill, os.getpid(), signal.SIGTERM)
    return number

if __name__ == "__main__":
    print(list(parse_executor("local", 2).map(task, [1, 2, 3])))
"""
"""Workers that are terminated while they exit."""


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_a_worker_that_is_terminated_while_it_exits_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(LATE)
    found = subprocess.run(
        [sys.executable, tmp_path / "late.py"], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (found.stdout, found.stderr, found.returncode) == ("[1, 2, 3]\n", "", 0)


def test_draws_come_in_order_whoever_is_done_first(trial: Experiment, tmp_path: Path) -> None:
    class Backwards(EXECUTORS.get("local").build):  # type: ignore[misc]
        def run(self, function, tasks):  # type: ignore[no-untyped-def]
            yield from reversed(list(super().run(function, tasks)))

    executor = Backwards(EXECUTORS.get("local").validate({}), None)
    found: list[Record] = list(run_experiment(trial, Store(tmp_path), executor=executor))
    assert [record.case for record in found] == ["alone", "paths"]
    assert [draw.index for record in found for draw in record.draws] == [*range(6), *range(2)]


@pytest.mark.parametrize(
    ("text", "jobs", "message"),
    [
        ("dusk", None, "unknown executor 'dusk' (did you mean 'dask'?); allowed: dask, local, slurm"),
        (3, None, "executor: not an executor, found 3; allowed: a text such as 'local'"),
        ("dask", None, "dask: no scheduler is named; allowed: dask://HOST:PORT, such as dask://10.0.0.1:8786"),
        ("dask://host", None, "dask: no scheduler is named, found 'host'; allowed: dask://HOST:PORT, such as "),
        ("dask://host:x", None, "dask: no scheduler is named, found 'host:x'; allowed: dask://HOST:PORT"),
        ("slurm:on=local,gb=8", None, "slurm: gb has a meaning with on=slurm only"),
        ("slurm:minutes=0", None, "slurm: minutes: input should be greater than or equal to 1, found '0'"),
        (
            "slurm://host",
            None,
            "slurm: takes no address, found 'slurm://host'; allowed: slurm:partition=batch,minutes=120",
        ),
        ("local://host:1", None, "local: takes no address, found 'local://host:1'; allowed: local"),
        ("dask://host:1", 2, "dask: a cluster has as many processes as it has workers, found 'jobs=2'; allowed: "),
    ],
)
def test_faults(text: str, jobs: int | None, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_executor(text, jobs)
    assert str(caught.value).startswith(message)


def killed_once(share: Callable[[], Any], killed: Path) -> Any:
    """Work off a share, but die before the first time."""
    try:
        killed.touch(exist_ok=False)  # two that begin at once must not both die
    except FileExistsError:
        return share()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("it lives")


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[slurm.Slurm, list[Any]]]:
    """What submits jobs as Slurm has them as processes of this machine, two at a time, and those begun."""
    executor = parse_executor(f"slurm:on=local,folder={tmp_path / 'jobs'}", 2)
    assert isinstance(executor, slurm.Slurm)
    begun, submit = [], executor._submitting.submit

    def submitted(share: Callable[[], Any]) -> Any:
        begun.append(submit(functools.partial(killed_once, share, tmp_path / "killed")))
        return begun[-1]

    monkeypatch.setattr(executor._submitting, "submit", submitted)
    # Seconds for which it expects the results of a job that has died, should the disk be slow.
    monkeypatch.setattr("submitit.core.core.Job._results_timeout_s", 0.5)
    yield executor, begun
    for job in begun:
        job._process.wait()


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_a_job_that_dies_is_begun_again(trial: Experiment, tmp_path: Path, jobs: tuple[slurm.Slurm, list[Any]]) -> None:
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    expected = values(run_experiment(trial, here))
    executor, begun = jobs
    assert (executor.processes, executor.alone, executor.threads(0)) == (2, False, 1)
    assert values(run_experiment(trial, there, executor=executor)) == expected
    assert lasting(there) == lasting(here)
    assert len(begun) == 3


def test_jobs_that_always_die_are_one_sentence(jobs: tuple[slurm.Slurm, list[Any]]) -> None:
    executor, begun = jobs
    died = r"^slurm: a job died 3 times; the draws of a sweep done so far are stored, found '.*log\.err'$"
    with pytest.raises(PnetError, match=died):
        list(executor.run(os._exit, [7]))
    assert len(begun) == 3


def test_a_job_that_slurm_has_ended_without_a_result_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm's accounting is not looked at: what ``squeue`` does not list has ended."""
    begun: list[str] = []

    def submit(share: Callable[[], Any]) -> Any:
        begun.append(str(len(begun)))
        result, paths = tmp_path / begun[-1], SimpleNamespace(result_pickle=tmp_path / begun[-1], stderr="log.err")
        if len(begun) > died:
            result.touch()
        return SimpleNamespace(job_id=begun[-1], paths=paths, result=share, cancel=lambda **_: None)

    monkeypatch.setitem(slurm._LOOK_S, "slurm", 0.0)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0, stdout=""))
    executor = slurm.Slurm.__new__(slurm.Slurm)
    executor._params, executor._jobs = slurm.SlurmParams(folder=str(tmp_path / "jobs")), 1
    monkeypatch.setattr(executor, "_submitting", SimpleNamespace(submit=submit), raising=False)
    died = 2
    assert list(executor.map(abs, [-1, 2])) == [1, 2]
    died = 9
    with pytest.raises(
        PnetError, match=r"^slurm: a job died 3 times; the draws of a sweep done so far are stored, found 'log\.err'$"
    ):
        list(executor.map(abs, [-1, 2]))


def test_squeue_that_never_answers_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, cancelled = list[Any](), list[Any]()

    def squeue(command: list[str], **_: Any) -> SimpleNamespace:
        looks.append(command)
        # The first time it answers late.
        answers = len(looks) == slurm._UNANSWERED
        return SimpleNamespace(returncode=int(not answers), stdout="7\n", stderr="slurm_load_jobs error:\nNo route\n")

    monkeypatch.setitem(slurm._LOOK_S, "slurm", 0.0)
    monkeypatch.setattr(subprocess, "run", squeue)
    executor = slurm.Slurm.__new__(slurm.Slurm)
    executor._params, executor._jobs = slurm.SlurmParams(folder=str(tmp_path / "jobs")), 1
    paths = SimpleNamespace(result_pickle=tmp_path / "none")
    job = SimpleNamespace(job_id="7", paths=paths, cancel=lambda **given: cancelled.append(given))
    monkeypatch.setattr(executor, "_submitting", SimpleNamespace(submit=lambda _: job), raising=False)
    sentence = (
        "slurm: squeue has not answered for ten minutes, found 'No route'; "
        "allowed: the same command again; a sweep does not repeat stored draws"
    )
    with pytest.raises(PnetError) as caught:
        list(executor.run(abs, [-1]))
    assert (str(caught.value), len(looks), len(cancelled)) == (sentence, 2 * slurm._UNANSWERED, 1)


def counted_and_fatal(task: tuple[Path, int]) -> int:
    """Note in a file that a task was begun; task 2 dies the first time."""
    log, number = task
    with log.open("a") as file:
        file.write(f"{number}\n")
    if number == 2 and log.read_text().count("2\n") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_what_a_lost_job_had_done_is_not_done_again(tmp_path: Path, jobs: tuple[slurm.Slurm, list[Any]]) -> None:
    executor, begun = jobs
    (tmp_path / "killed").touch()
    executor._jobs = 1
    log = tmp_path / "log"
    assert list(executor.map(counted_and_fatal, [(log, i) for i in range(4)])) == [0, 1, 4, 9]
    assert (log.read_text().split(), len(begun)) == (["0", "1", "2", "2", "3"], 2)
    # What was stored for the time of the run is gone.
    assert not list((tmp_path / "jobs").glob("results-*"))


def test_jobs_of_other_code_are_refused(tmp_path: Path) -> None:
    found = slurm._Share(Travelling(abs, code="sha256:other"), [(0, 1)], tmp_path)()
    assert isinstance(found, PnetError)
    assert ": a worker runs other code, found 'sha256:" in str(found)


@pytest.mark.parametrize("lost", [False, True])
def test_shards_together_are_a_run(trial: Experiment, tmp_path: Path, lost: bool) -> None:
    whole, parts, executor = Store(tmp_path / "whole"), Store(tmp_path / "parts"), parse_executor("local", None)
    expected = values(run_experiment(trial, whole))
    for number in (1, 2) if lost else (3, 1, 2):
        shard = Shard(number, 3)
        draws = list(run_shard(trial, parts, shard, executor=executor, on_note=pytest.fail))
        assert len(draws) == (3, 3, 2)[number - 1]
        # All cases are in each.
        assert {draw.case for draw in draws} == {"alone", "paths"} or number == 3
    done: list[Draw] = []
    assert values(run_experiment(trial, parts, on_draw=done.append)) == expected
    assert lasting(parts) == lasting(whole)


def test_a_port_that_takes_connections_and_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "_PATIENCE_S", 0.2)
    monkeypatch.setattr(interrupts, "abandon", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = "{}:{}".format(*silent.getsockname())
        with pytest.raises(PnetError, match=f"^dask: no scheduler answers, found '{address}'; allowed: "):
            parse_executor(f"dask://{address}", None)


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_the_loss_of_a_scheduler_is_one_sentence_and_what_is_done_is_kept(tmp_path: Path) -> None:
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "spec.yaml").write_text(SPEC.replace("draws: 6", "draws: 2000"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = "{}:{}".format(*free.getsockname())
    more = ["--no-dashboard", "--local-directory", str(tmp_path)]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    begin = [sys.executable, "-m"]
    scheduler = subprocess.Popen(
        [*begin, "distributed.cli.dask_scheduler", "--host", f"tcp://{address}", "--no-dashboard"], **quiet
    )
    worker = subprocess.Popen(
        [*begin, "distributed.cli.dask_worker", f"tcp://{address}", "--no-nanny", "--nthreads", "1", *more], **quiet
    )
    sweep = subprocess.Popen(
        [*begin, "pnet_lp", "sweep", "trial", "--executor", f"dask://{address}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        stored = tmp_path / "results" / "trial" / "alone" / "draw-0" / "result.json"
        while not stored.exists() and sweep.poll() is None:
            time.sleep(0.05)
        scheduler.kill()
        _, errors = sweep.communicate(timeout=PATIENCE_S)
    finally:
        for process in (sweep, worker, scheduler):
            process.kill()
            process.wait()
    sentence = f"Error: dask: the scheduler is gone; the draws done so far are stored, found '{address}'\n"
    assert (sweep.returncode, errors) == (1, sentence)
    assert stored.exists()
