"""Solvers in a process of their own: what becomes of it when it fails, is stopped, or prints."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pnet_lp.deadline import Deadline
from pnet_lp.errors import SolverError
from pnet_lp.scratch import ScratchFolder
from pnet_lp.throughput import build_problem
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.solvers import OnProgress, RawSolution, SolveOptions
from pnet_lp.throughput.solvers.worker import SeparateSolver, _Worker

from ..conftest import PATIENCE_S
from .conftest import random_network

BACKEND = """
import os, subprocess, sys, time
import numpy as np
from pnet_lp.errors import SolverError
from pnet_lp.registry import NoParams
from pnet_lp.throughput.problems.program import LpSolution
from pnet_lp.throughput.solvers.worker import SeparateSolver


class Backend(SeparateSolver):
    name = "backend"
    bytes_per_column = 1

    def __init__(self, task, stops=True):
        super().__init__(NoParams())
        self.task = task
        self.interruptible = stops

    def settings(self, tolerance, *, again):
        return {}

    def run_here(self, lp, settings, limits, watch):
        print("a library says hello")
        found = LpSolution(np.zeros(len(lp.cost)), np.zeros(len(lp.row_lower)), os.getpid())
        if self.task == "refuse":
            raise SolverError("no")
        if self.task == "raise":
            raise ZeroDivisionError("by zero")
        if self.task == "die":
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(1)
        if self.task == "run":
            program = subprocess.Popen(["sleep", "600"])
            with open(os.path.join(os.environ["TMPDIR"], "model.mps"), "w") as file:
                file.write("half of a model")
            with open(os.environ["PIDS"], "a") as file:
                file.write(f"{os.getpid()} {program.pid} ")
            program.wait()
        if self.task == "wait":
            while not watch.stopped or not self.interruptible:
                time.sleep(0.01)
            return LpSolution(None, None, 77, "interrupted by user")
        return found
"""


@pytest.fixture
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[SeparateSolver]:
    (tmp_path / "lp_backend.py").write_text(BACKEND)
    monkeypatch.syspath_prepend(tmp_path)
    import lp_backend

    found: type[SeparateSolver] = lp_backend.Backend
    yield found
    _Worker.end_all()


@pytest.fixture(scope="module")
def problem() -> ArcProblem:
    return ArcProblem(build_problem(*random_network(0)))


def run(solver: SeparateSolver, problem: ArcProblem, stop: OnProgress = lambda *_: True) -> RawSolution:
    return solver.solve(problem, SolveOptions(), stop)


def test_a_worker_is_kept(backend: type, problem: ArcProblem) -> None:
    first, second = run(backend("solve"), problem), run(backend("solve"), problem)
    # This backend gives its process as the number of iterations.
    assert first.iterations == second.iterations != os.getpid()
    lower, upper = problem.bounds(first.proof)
    assert 0 <= lower <= upper < np.inf


@pytest.mark.skipif(os.name != "posix", reason="asks for processes by signal")
@pytest.mark.parametrize("last_words", [b"", b"\x80\x05"], ids=["nothing", "part of a job"])
def test_a_worker_ends_with_whoever_started_it(last_words: bytes, backend: type, problem: ArcProblem) -> None:
    pid = run(backend("solve"), problem).iterations
    (worker,) = _Worker._idle[os.getpid(), "backend"]
    assert worker._process.stdin is not None
    worker._process.stdin.write(last_words)
    worker._process.stdin.close()
    assert worker._process.wait(timeout=PATIENCE_S) == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert run(backend("solve"), problem).iterations != pid


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("refuse", r"^no$"),
        ("raise", r"^backend failed: by zero$"),
        ("die", r"^the process of backend ended without an answer, found '?out of luck"),
    ],
)
def test_failures(backend: type, problem: ArcProblem, task: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        run(backend(task), problem)
    assert run(backend("solve"), problem).iterations > 0


@pytest.mark.parametrize("stops", [True, False])
def test_stopped_at_once_and_later(
    backend: type, problem: ArcProblem, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine it takes long to answer.
    monkeypatch.setattr("pnet_lp.throughput.solvers.general._PATIENCE_S", PATIENCE_S)
    run(backend("solve"), problem)  # How long a process takes to start is not what is measured.
    begin = time.monotonic()
    for patience in (0.0, 1.5):
        since = time.monotonic()
        found = run(
            backend("wait", stops),
            problem,
            lambda *_, since=since, patience=patience: time.monotonic() < since + patience,
        )
        assert found.interrupted
        assert found.iterations == (77 if stops else 0)
        assert found.message == ("backend: interrupted by user" if stops else "backend: abandoned")
        lower, upper = problem.bounds(found.proof)
        assert 0 < lower < upper < np.inf
    assert time.monotonic() < begin + PATIENCE_S


def test_time_limit_is_kept_for_a_library_that_does_not(backend: type, problem: ArcProblem) -> None:
    found = backend("wait", False).solve(problem, SolveOptions(deadline=Deadline(0.2)), lambda *_: True)
    assert not found.interrupted
    assert found.message == "backend: time limit reached"


SOLVE = """
import sys; sys.path[:0] = sys.argv[1:]
from lp_backend import Backend
from pnet_lp.throughput import build_problem
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.solvers import SolveOptions
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

network = build_network(["ring:n=4"])
problem = ArcProblem(build_problem(network, build_traffic("all-to-all", network, "rack")))
Backend("run").solve(problem, SolveOptions(), lambda *_: True)
"""


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # One that nobody has waited for, as where process 1 does not, has ended all the same.
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return state.stdout[:1] in "Z"


def wait_for(what: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    deadline = time.monotonic() + seconds
    while not what() and time.monotonic() < deadline:
        time.sleep(0.05)
    return what()


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
@pytest.mark.parametrize("killed", ["parent", "worker", "both"])
def test_nothing_is_left_of_whoever_is_killed(
    backend: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    del backend
    folder, pids = tmp_path / "tmp", tmp_path / "pids"
    folder.mkdir()
    environment = os.environ | {"TMPDIR": str(folder), "PIDS": str(pids)}
    parent = subprocess.Popen([sys.executable, "-c", SOLVE, str(tmp_path)], env=environment, stderr=subprocess.PIPE)
    assert wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    worker, program = map(int, pids.read_text().split())
    if killed != "parent":
        os.kill(worker, signal.SIGKILL)
    if killed != "worker":
        parent.kill()
    _, stderr = parent.communicate(timeout=PATIENCE_S)
    if killed == "worker":
        assert b"SolverError: the process of backend ended without an answer" in stderr
    if killed == "both":
        # Nobody is left who could.  The folder goes when the next one is made.
        os.kill(program, signal.SIGKILL)
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        ScratchFolder().remove()
    assert wait_for(lambda: ended(worker) and ended(program))
    assert wait_for(lambda: not list(folder.iterdir()))
