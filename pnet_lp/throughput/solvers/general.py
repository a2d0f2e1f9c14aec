"""What solvers of linear programs share: the program, attempts until the certificate closes, and how a run stops."""

from __future__ import annotations

import os
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.forms import Form, LinearProgram, formulate, lp_size
from pnet_lp.throughput.proof import Proof
from pnet_lp.throughput.solvers.base import OnProgress, Problem, RawSolution, SolveOptions, Solver

Settings = Mapping[str, object]
"""Options of a solver's library, by its own names."""

_TIGHTENING = (1.0, 0.1, 0.01)
"""Factors on the tolerance, one attempt each."""

_POLL_S = 0.05
"""How often the waiting thread reports progress and looks for Ctrl-C."""

_GRACE_S = 2.0
"""Seconds past the time limit after which a library that does not keep it is stopped."""


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes:
        time_s: seconds of wall time, possibly infinite.
        iterations: in the library's own unit; None for its own limit.
        threads: at least 1.
    """

    time_s: float
    iterations: int | None
    threads: int


@dataclass(frozen=True, eq=False)
class LpSolution:
    """What a library found; all of it is judged by the certificate.

    Attributes:
        column_value: float64 ``[columns]``, or None where it found none.
        row_dual: float64 ``[rows]``, those of ``<=`` rows <= 0 in a minimisation; or None.
        iterations: in the library's own unit; 0 where it does not say.
        stopped: empty where the method met its own criteria, else what ended it, such as ``time limit reached``.
    """

    column_value: FloatArray | None
    row_dual: FloatArray | None
    iterations: int
    stopped: str = ""


class Watch:
    """What a run and whoever waits for it tell each other.

    Attributes:
        iterations: set by the run.
    """

    def __init__(self) -> None:
        self.iterations = 0
        self._stop = threading.Event()
        self._calls: list[Callable[[], object]] = []

    @property
    def stopped(self) -> bool:
        """Whether the run should stop."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the run to stop."""
        self._stop.set()
        for call in self._calls:
            call()

    def on_stop(self, call: Callable[[], object]) -> None:
        """Call ``call`` when asked to stop, at once if that has happened."""
        self._calls.append(call)
        if self.stopped:
            call()


@dataclass(frozen=True, eq=False)
class _Attempt:
    proof: Proof
    gap: float
    stopped: str
    iterations: int
    interrupted: bool


class GeneralSolver(Solver):
    """A solver of linear programs; a subclass says how its library runs once.

    Class attributes:
        bytes_per_column: peak memory per column of the LP, everything included, measured and rounded up.
    """

    bytes_per_column: ClassVar[int]

    @abstractmethod
    def settings(self, tolerance: float, *, again: bool) -> Settings:
        """Return the options that should give a proved relative gap of ``tolerance``.

        ``again`` says that looser ones did not.  Options equal to those of the attempt before end the attempts.
        """

    @abstractmethod
    def run(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """Solve ``lp``; called in a thread of its own.

        Raises:
            SolverError: the library failed, or calls the program, which has a solution, infeasible or unbounded.
        """

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the measured peak per column times the columns."""
        return self.bytes_per_column * lp_size(problem)[1]

    def solve(self, problem: Problem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve the linear program; see :meth:`Solver.solve`."""
        deadline = time.monotonic() + options.time_limit_s
        form = formulate(problem)
        attempts: list[_Attempt] = []
        settings: Settings | None = None
        # A library stops on residuals of the whole LP, the certificate needs every link: where the one did not give
        # the other, the tolerances are too loose for this problem.
        for factor in _TIGHTENING:
            previous, settings = settings, self.settings(options.tolerance * factor, again=bool(attempts))
            if settings == previous:
                break
            done = sum(attempt.iterations for attempt in attempts)
            limits = Limits(
                time_s=max(deadline - time.monotonic(), 0.0),
                iterations=None if options.max_iterations is None else max(options.max_iterations - done, 0),
                threads=options.threads or os.cpu_count() or 1,
            )
            attempts.append(self._attempt(form, settings, limits, on_progress))
            if attempts[-1].gap <= options.tolerance or attempts[-1].stopped:
                break
        last, best = attempts[-1], min(attempts, key=lambda attempt: attempt.gap)
        message = f"{self.name}: {last.stopped}" if last.stopped else ""
        iterations = sum(attempt.iterations for attempt in attempts)
        return RawSolution(best.proof, iterations, last.interrupted, message)

    def _attempt(self, form: Form, settings: Settings, limits: Limits, on_progress: OnProgress) -> _Attempt:
        """Run once, and evaluate what was found."""
        found, interrupted = self.solve_program(form.lp, settings, limits, on_progress)
        if found.column_value is None or found.row_dual is None:
            proof = form.nothing()
        else:
            proof = form.proof(found.column_value, found.row_dual)
        lower, upper = form.bounds(proof)
        if np.isinf(upper) and found.column_value is not None:
            # On the way of a simplex method, lengths can miss every demand.
            proof = form.proof(found.column_value, np.zeros(len(form.lp.row_lower)))
            lower, upper = form.bounds(proof)
        gap = (upper - lower) / upper if upper > 0 else 0.0
        return _Attempt(proof, gap, found.stopped, found.iterations, interrupted)

    def solve_program(
        self, lp: LinearProgram, settings: Settings, limits: Limits, on_progress: OnProgress
    ) -> tuple[LpSolution, bool]:
        """Run in a second thread, so that Ctrl-C is seen here; return what was found, and whether the user stopped it.

        Objectives have their programs solved here, and prove what comes back themselves.

        A run that does not end when stopped goes on in the background until its limits or the process end.
        """
        watch = Watch()
        done = threading.Event()
        answer: list[LpSolution | BaseException] = []

        def run() -> None:
            try:
                answer.append(self.run(lp, settings, limits, watch))
            except BaseException as error:
                answer.append(error)
            finally:
                done.set()

        threading.Thread(target=run, name=self.name, daemon=True).start()
        overdue = time.monotonic() + limits.time_s + _GRACE_S
        interrupted = late = False
        while not done.is_set():
            try:
                if done.wait(_POLL_S):
                    break
                if not watch.stopped:
                    interrupted = not on_progress(watch.iterations, 0.0, np.inf)
                    late = time.monotonic() > overdue
            except KeyboardInterrupt:
                if interrupted:
                    break  # An iteration can take minutes; whoever asks twice does not wait for its end.
                interrupted = True
            if (interrupted or late) and not watch.stopped:
                watch.stop()
            if watch.stopped and not self.interruptible:
                break
        # An answer that came just when the run was stopped is as good as any other.
        found = answer[0] if answer else None
        if found is None or (watch.stopped and isinstance(found, Exception)):
            return LpSolution(None, None, 0, "time limit reached" if late else "abandoned"), interrupted
        if isinstance(found, LpSolution):
            return found, interrupted
        raise found


def clip(value: float, lowest: float, highest: float) -> float:
    """Return ``value``, at least ``lowest`` and at most ``highest``."""
    return min(max(value, lowest), highest)


def failed(name: str, status: object) -> SolverError:
    """Return the error for a status that a problem with a solution cannot have."""
    return SolverError(f"{name} failed on a problem that has a solution", found=str(status))
