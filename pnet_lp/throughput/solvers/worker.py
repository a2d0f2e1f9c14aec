"""Runs of a solver in a process of their own.

For libraries that do not stop on request, or that cannot be loaded beside others: OR-Tools and highspy each bring a
HiGHS of another version under the same symbols, and whichever is loaded second fails.

A worker is kept for the next program, since starting one takes half a second, more than a small program itself.  Jobs
and answers are pickled over its standard input and output; a ``None`` asks the running job to stop.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from typing import Any, ClassVar, NoReturn

from pnet_lp.errors import SolverError
from pnet_lp.scratch import ScratchFolder
from pnet_lp.stdout import divert
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers.general import GeneralSolver, Limits, Settings, Watch

_EXIT_S = 5.0

_LIBRARIES_BYTES = 100_000_000
"""Resident size of a worker without a job; 70 to 90 MB were measured."""


class SeparateSolver(GeneralSolver):
    """A general solver whose library runs in a process of its own; subclasses define :meth:`run_here`."""

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the measured peak per column of both processes times the columns, and what the libraries take."""
        return _LIBRARIES_BYTES + super().estimate_bytes(problem)

    def run(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """Run in a worker, which ends when stopped if the library cannot stop by itself."""
        worker = _Worker.take(self.name)
        try:
            worker.send((self, lp, settings, limits))
            watch.on_stop(worker.ask_to_stop if self.interruptible else worker.kill)
            failure, answer = worker.receive()
        except (EOFError, OSError, pickle.UnpicklingError):
            last = worker.end()
            raise SolverError(f"the process of {self.name} ended without an answer", found=last) from None
        if watch.stopped:
            worker.end()
        else:
            worker.give_back()
        if failure is not None:
            raise failure
        return answer

    def run_here(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """Do what :meth:`run` promises, in the worker."""
        raise NotImplementedError


class _Worker:
    """A process that solves one program after the other."""

    _idle: ClassVar[dict[tuple[int, str], list[_Worker]]] = {}
    """Those without a job, by the process they belong to (which may have been forked) and the solver."""

    _running: ClassVar[set[_Worker]] = set()
    """All that have not been ended."""

    _ending: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, name: str) -> None:
        self._key = (os.getpid(), name)
        self._folder = ScratchFolder()
        path = os.pathsep.join(os.path.abspath(place) for place in sys.path)  # noqa: PTH100 - "" is the working directory
        # What a library leaves behind when it is killed goes with the folder.
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._folder.path)
        self._log = tempfile.TemporaryFile(dir=self._folder.path)  # noqa: SIM115 - closed by kill
        # A session of its own: Ctrl-C in the terminal is for the process that waits, which then stops this one.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import main; main()", self._folder.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **places, "PYTHONPATH": path},
            start_new_session=True,
        )
        self._running.add(self)

    @classmethod
    def take(cls, name: str) -> _Worker:
        """Return an idle worker of the solver, or a new one."""
        with contextlib.suppress(IndexError):
            while True:
                idle = cls._idle.get((os.getpid(), name), []).pop()
                if idle._process.poll() is None:
                    return idle
                idle.end()
        return cls(name)

    @classmethod
    def end_all(cls) -> None:
        """End the workers of this process, those too whose answers nobody waits for any more."""
        for worker in list(cls._running):
            if worker._key[0] == os.getpid():
                worker.end()

    def send(self, message: object) -> None:
        """Send a job, or None to stop it; OSError if the worker has ended."""
        assert self._process.stdin is not None
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()

    def receive(self) -> tuple[Exception | None, LpSolution]:
        """Return the failure of the job sent, or None, and its answer.

        EOFError or UnpicklingError if the worker has ended.
        """
        assert self._process.stdout is not None
        found: tuple[Exception | None, LpSolution] = pickle.load(self._process.stdout)
        return found

    def ask_to_stop(self) -> None:
        """Ask the library to stop; the answer comes as to any other job."""
        with contextlib.suppress(OSError, ValueError):
            self.send(None)

    def give_back(self) -> None:
        """Keep the worker for the next program."""
        self._idle.setdefault(self._key, []).append(self)

    def kill(self) -> None:
        """Kill the process and what it started; :meth:`receive`, in another thread, then raises EOFError."""
        # Until it has been waited for, its number, and that of its group, belongs to no other, even if it has ended.
        if self._process.returncode is None:
            if sys.platform == "win32":
                self._process.kill()
            else:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> str | None:
        """Kill the process and clean up; return the last line that it wrote to its standard error, if any."""
        self.kill()
        with self._ending:
            # At the end of the process somebody may be waiting for it, who then ends it as well.
            if self not in self._running:
                return None
            self._running.remove(self)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_S)
        for pipe in (self._process.stdin, self._process.stdout):
            # What could not be sent any more is written when a pipe is closed.
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").split("\n")
        self._log.close()
        self._folder.remove()
        return next((line.strip() for line in reversed(lines) if line.strip()), None)


atexit.register(_Worker.end_all)


def _leave_nothing(folder: str) -> NoReturn:
    """End this process, with the programs that its library runs, and remove their temporary files."""
    shutil.rmtree(folder, ignore_errors=True)
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main() -> None:
    """Be a worker: solve what comes in, until nothing does."""
    # What a library prints must not get between the answers.
    answers = os.fdopen(divert(), "wb")
    jobs: queue.SimpleQueue[tuple[Any, Watch]] = queue.SimpleQueue()

    def listen() -> None:
        watch = Watch()
        while True:
            try:
                message = pickle.load(sys.stdin.buffer)
            except Exception:
                # The other process has ended, perhaps in the middle of a job.
                _leave_nothing(sys.argv[1])
            if message is None:
                watch.stop()
            else:
                watch = Watch()
                jobs.put((message, watch))

    threading.Thread(target=listen, daemon=True).start()
    while True:
        (solver, lp, settings, limits), watch = jobs.get()
        failure, answer = None, None
        try:
            answer = solver.run_here(lp, settings, limits, watch)
        except SolverError as error:
            failure = error
        # Whatever it is, it goes to the process that waits.
        except Exception as error:
            failure = SolverError(f"{solver.name} failed: {error}")
        pickle.dump((failure, answer), answers)
        answers.flush()
