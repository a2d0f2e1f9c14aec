"""Solvers in a process of their own: what becomes of it when it fails, is stopped, or prints."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from pnet_lp.deadline import Deadline
from pnet_lp.errors import SolverError
from pnet_lp.throughput import build_problem
from pnet_lp.throughput.problems import ArcProblem
from pnet_lp.throughput.solvers import OnProgress, RawSolution, SolveOptions
from pnet_lp.throughput.solvers.worker import SeparateSolver, _Worker

from .conftest import random_network

BACKEND = """
import os, sys, time
import numpy as np
from pnet_lp.errors import SolverError
from pnet_lp.throughput.problems.program import LpSolution
from pnet_lp.throughput.solvers.worker import SeparateSolver


class Backend(SeparateSolver):
    name = "backend"
    summary = "does as the file says"
    bytes_per_column = 1

    def __init__(self, task, stops=True):
        super().__init__()
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
    _Worker.end_idle()


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
    assert worker._process.wait(timeout=30) == 0
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
def test_stopped_at_once_and_later(backend: type, problem: ArcProblem, stops: bool) -> None:
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
    assert time.monotonic() < begin + 30


def test_time_limit_is_kept_for_a_library_that_does_not(backend: type, problem: ArcProblem) -> None:
    found = backend("wait", False).solve(problem, SolveOptions(deadline=Deadline(0.2)), lambda *_: True)
    assert not found.interrupted
    assert found.message == "backend: time limit reached"
