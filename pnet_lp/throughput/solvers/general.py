"""What solvers of linear programs share: the program, attempts until the certificate closes, and how a run stops."""

from __future__ import annotations

import functools
import os
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import numpy as np
from typing_extensions import TypeVar

from pnet_lp import interrupts
from pnet_lp.errors import SolverError, UnsolvedError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.throughput.problems import ConcurrentProblem, Problem
from pnet_lp.throughput.problems.program import ConcurrentForm, LinearProgram, LpSolution
from pnet_lp.throughput.problems.proof import P
from pnet_lp.throughput.solvers.base import OnProgress, RawSolution, SolveOptions, Solver

A = TypeVar("A")
Q = TypeVar("Q", bound=Problem, default=Any)
F = TypeVar("F", bound=ConcurrentForm, default=Any)
X = TypeVar("X", bound=ConcurrentForm)

Settings = Mapping[str, Any]
"""Options of a solver's library, by its own names."""

_TIGHTENING = (1.0, 0.1, 0.01)
"""Factors on the tolerance, one attempt each."""

TIGHTEST = 1e-9
"""The gap to request where a solution has to be as exact as possible."""

_STRICTER = 1e-2
"""What objectives prove of a solution is further from what a solver measures than for ``concurrent``; by this factor
its tolerances are tighter."""

_ENTRIES, _BYTES_PER_ENTRY = 4, 130
"""Entries that a column has in the programs by which memory was measured, and what each further one takes while the
program is built and copied: up to 116 bytes, of paths of 50 links."""

_POLL_S = 0.05
"""How often the waiting thread reports progress and checks for Ctrl-C."""

_PATIENCE_S = 0.8
"""Seconds that a library has once the user asks it to stop, before it is abandoned: an iteration of an interior point
can take minutes."""


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


class Watch:
    """The state shared by a run and the thread that waits for it.

    Attributes:
        iterations: set by the run.
    """

    def __init__(self) -> None:
        self.iterations = 0
        self._stop = threading.Event()
        self._calls: list[Callable[[], object]] = []
        self._raising = threading.Lock()
        self._thread: int | None = None

    @property
    def stopped(self) -> bool:
        """Whether the run should stop."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the run to stop."""
        self._stop.set()
        for call in self._calls:
            call()
        with self._raising:
            if self._thread is not None:
                interrupts.interrupt(self._thread)
                self._thread = None

    def on_stop(self, call: Callable[[], object]) -> None:
        """Call ``call`` on a request to stop, at once if that has happened."""
        self._calls.append(call)
        if self.stopped:
            call()

    def raise_here(self) -> None:
        """On a request to stop, raise KeyboardInterrupt in the calling thread, as Python does in its main thread."""
        self._thread = threading.get_ident()

    def close(self) -> None:
        """Raise nothing any more after this: what was about to be raised is raised here."""
        with self._raising:
            self._thread = None
        interrupts.heard()


class ProgramSolver(Solver, Generic[Q, F]):
    """A solver of the linear programs of all objectives, as its ``programs`` and ``takes_rate`` say."""

    @abstractmethod
    def check_program(self, problem: Q, *, instead: str) -> None:
        """Check that the program of a problem, not yet written, fits into memory.

        Args:
            problem: the problem.
            instead: a solver that takes less and is to be advised; empty where there is none for the objective.

        Raises:
            SolverError: it does not.
        """

    @abstractmethod
    def program_attempts(self, options: SolveOptions, *, central: bool) -> Iterable[Attempt]:
        """Return how to solve a program until what is proved is within the tolerance.

        ``central`` asks for a solution amid all optimal ones, with as many links as can be having a length.
        """

    @abstractmethod
    def run_program(
        self, form: F, settings: Settings, limits: Limits, on_progress: OnProgress
    ) -> tuple[LpSolution, bool]:
        """Solve a program once, and return the solution and whether the user stopped it.

        Raises:
            SolverError: the solver failed.
        """


class GeneralSolver(ProgramSolver[Problem, ConcurrentForm]):
    """A solver of linear programs by a library; a subclass says how that runs once.

    Class attributes:
        bytes_per_column: peak memory per column of the LP, everything included, measured and rounded up, where a
            column has :data:`_ENTRIES` entries.
    """

    forms = frozenset({"arc", "shortest", "path"})
    programs = frozenset({"arc", "path", "split"})
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
        """Return the measured peak per column times the columns, and more where paths are long."""
        return program_bytes(problem, self.bytes_per_column)

    def attempts(self, tolerances: Iterable[float]) -> list[Attempt]:
        """Return an attempt for each tolerance."""
        return [Attempt(self, self.settings(tolerance, again=i > 0)) for i, tolerance in enumerate(tolerances)]

    def solve(self, problem: ConcurrentProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve the linear program of K; see :meth:`Solver.solve`."""
        # A library stops on residuals of the whole LP, the certificate needs every link: where the one did not give
        # the other, the tolerances are too loose for this problem.
        attempts = self.attempts(options.tolerance * factor for factor in _TIGHTENING)
        return solve_concurrent(problem, attempts, options, on_progress)

    def check_program(self, problem: Problem, *, instead: str) -> None:
        """See :meth:`ProgramSolver.check_program`."""
        self.check(problem, instead=instead)

    def program_attempts(self, options: SolveOptions, *, central: bool) -> Iterable[Attempt]:
        """See :meth:`ProgramSolver.program_attempts`.

        Where the bounds do not meet, duals were lost, or the tolerance was too loose.  Presolve, which the first
        attempt of HiGHS uses, also leads away from the solution amid all optimal ones.
        """
        if central:
            return [Attempt(self, self.settings(TIGHTEST, again=True))]
        tolerance = _STRICTER * options.tolerance
        return self.attempts([tolerance, 0.1 * tolerance])

    def run_program(
        self, form: ConcurrentForm, settings: Settings, limits: Limits, on_progress: OnProgress
    ) -> tuple[LpSolution, bool]:
        """See :meth:`ProgramSolver.run_program`."""
        run = functools.partial(self.run, form.lp, settings, limits)
        return run_attended(run, self, limits, on_progress)


def program_bytes(problem: Problem, bytes_per_column: int) -> int:
    """Return what a program takes: what was measured per column, and more where columns have more entries."""
    _, columns, entries = problem.size
    return bytes_per_column * columns + _BYTES_PER_ENTRY * max(entries - _ENTRIES * columns, 0)


def attended(
    work: Callable[[Watch], A],
    name: str,
    limit_s: float,
    on_progress: OnProgress = lambda *_: True,
    *,
    patience_s: float = 0.0,
    late_s: float | None = None,
    stops: bool = False,
    more_s: Callable[[], float] = lambda: 0.0,
) -> tuple[A | None, bool]:
    """Call ``work`` in a second thread, so that Ctrl-C and the clock are heard here.

    Work that does not end soon when stopped is left in the background until its limits or the process end; where the
    time is over, none begins.

    Args:
        work: what to do; it can see in its argument whether it should stop.
        name: of the thread.
        limit_s: seconds that it has, possibly infinite.
        on_progress: see :class:`OnProgress`.
        patience_s: seconds that it has once the user stops it.
        late_s: seconds past the limit until it is asked to stop, and again until it is left behind; by default a
            quarter of these.
        stops: whether it ends when asked to; otherwise nobody waits for that.
        more_s: returns the seconds that it has yet once these are over.

    Returns:
        What it returned, None where it did not end, and whether the user stopped it.
    """
    if limit_s <= 0:
        return None, False
    late_s = patience_s / 4 if late_s is None else late_s
    watch, done = Watch(), threading.Event()
    found: list[A] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            try:
                found.append(work(watch))
            except BaseException as error:
                failure.append(error)
            watch.close()
        except KeyboardInterrupt:
            pass  # Raised by the watch when the work was done.
        finally:
            done.set()

    thread = threading.Thread(target=run, name=name, daemon=True)
    interrupted = late = False
    try:
        thread.start()
        last = time.monotonic() + limit_s + 2 * late_s
        while not done.is_set():
            if not watch.stopped and time.monotonic() >= last - late_s:
                last += more_s()
                late = time.monotonic() >= last - late_s
            if (interrupted or late) and not watch.stopped:
                watch.stop()
                last = min(last, time.monotonic() + (patience_s if stops else 0.0))
            if time.monotonic() >= last:
                break
            try:
                if not done.wait(_POLL_S) and not watch.stopped:
                    interrupted = not on_progress(watch.iterations, 0.0, np.inf)
            except KeyboardInterrupt:
                if interrupted:
                    break
                interrupted = True
    finally:
        if not done.is_set():
            watch.stop()
            interrupts.abandon(thread)
    # An answer that came just when the work was stopped is as good as any other.
    if found:
        return found[0], interrupted
    if failure and not watch.stopped:
        raise failure[0]
    return None, interrupted


def run_attended(
    run: Callable[[Watch], LpSolution], solver: Solver, limits: Limits, on_progress: OnProgress
) -> tuple[LpSolution, bool]:
    """Run a library by :func:`attended`, and return what it found, and whether the user stopped it."""
    found, interrupted = attended(
        run, solver.name, limits.time_s, on_progress, patience_s=_PATIENCE_S, stops=solver.interruptible
    )
    return found or LpSolution(None, None, 0, _left_behind(interrupted)), interrupted


def _left_behind(interrupted: bool) -> str:
    return "abandoned" if interrupted else "time limit reached"


@dataclass(frozen=True)
class Attempt:
    """How to solve a program: by which solver, and with which options."""

    solver: ProgramSolver
    settings: Settings


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Best(Generic[A]):
    """The best answer of several attempts.

    Attributes:
        answer: what was made of the solution.
        iterations: of all attempts, in the solvers' own units.
        message: how the last attempt ended where that is worth a warning, else empty.
        interrupted: whether the user stopped it.
    """

    answer: A
    iterations: int
    message: str
    interrupted: bool

    @property
    def warnings(self) -> tuple[str, ...]:
        """The message, if there is one."""
        return (self.message,) if self.message else ()


def solve_concurrent(
    problem: ConcurrentProblem[P], attempts: Iterable[Attempt], options: SolveOptions, on_progress: OnProgress
) -> RawSolution[P]:
    """Solve the program of K, attempt by attempt, until its bounds meet."""

    def prove(form: ConcurrentForm[P], value: FloatArray, dual: FloatArray) -> tuple[P, float]:
        proof = form.proof(value, dual)
        lower, upper = problem.bounds(proof)
        if np.isinf(upper):
            # Before the optimum of a simplex method, lengths can miss every demand.
            proof = form.proof(value, np.zeros_like(dual))
            lower, upper = problem.bounds(proof)
        return proof, _gap(lower, upper)

    def without() -> tuple[P, float]:
        proof = problem.nothing()
        return proof, _gap(*problem.bounds(proof))

    best = solve_until(problem.program, attempts, prove, without, options, on_progress)
    return RawSolution(best.answer, best.iterations, best.interrupted, best.message)


def _gap(lower: float, upper: float) -> float:
    return (upper - lower) / upper if upper > 0 else 0.0


def solve_until(
    program: Callable[[], X],
    attempts: Iterable[Attempt],
    prove: Callable[[X, FloatArray, FloatArray], tuple[A, float]],
    without: Callable[[], tuple[A, float]],
    options: SolveOptions,
    on_progress: OnProgress = lambda *_: True,
    note: Callable[[str], None] = lambda _: None,
    *,
    strict: bool = False,
) -> Best[A]:
    """Solve a program, attempt by attempt, until what a solution proves is within the tolerance.

    Args:
        program: returns the program, which may take long: it is left behind like a library when the time is over.
        attempts: at least one; one like that before it is skipped.
        prove: returns an answer and its relative gap, given the program, the primal and the dual solution.
        without: the same where there is no solution.
        options: how far and how long.
        on_progress: see :class:`OnProgress`.
        note: called with ``solve`` and ``certify`` after each.
        strict: whether it is an error where every attempt gives up; otherwise that is a message.

    Raises:
        SolverError: every attempt failed, or the program has too many entries.
    """

    def build(watch: Watch) -> X:
        watch.raise_here()
        return program()

    form, interrupted = attended(build, "program", options.deadline.left_s(), on_progress)
    if form is None:
        note("solve")
        answer, _ = without()
        note("certify")
        name = next(iter(attempts)).solver.name
        return Best(answer, 0, f"{name}: {_left_behind(interrupted)}", interrupted)
    best: tuple[A, float] | None = None
    previous: Attempt | None = None
    failure: SolverError | None = None
    iterations, message = 0, ""
    for attempt in attempts:
        if attempt == previous:
            continue
        previous = attempt
        limits = Limits(
            time_s=options.deadline.left_s(),
            iterations=None if options.max_iterations is None else max(options.max_iterations - iterations, 0),
            threads=options.threads or os.cpu_count() or 1,
        )
        try:
            solution, interrupted = attempt.solver.run_program(form, attempt.settings, limits, on_progress)
            note("solve")
            iterations += solution.iterations
            value, dual = solution.column_value, solution.row_dual
            found = value is not None and dual is not None
            judge = without if value is None or dual is None else functools.partial(prove, form, value, dual)
            try:
                answer, gap = judge()
            except KeyboardInterrupt:
                # What was found is worth its proof, which takes one pass over the links.
                interrupted = True
                answer, gap = judge()
            if found and solution.stopped and gap > options.tolerance:
                # What a method has half-way can be worse than what is known without it.
                answer, gap = min((answer, gap), without(), key=lambda pair: pair[1])
        except SolverError as error:
            # Where numbers are far apart one attempt may fail and another not.
            failure = error
            continue
        note("certify")
        if best is None or gap < best[1]:
            best = answer, gap
        ended = solution.stopped or ("" if found else "no solution")
        message = f"{attempt.solver.name}: {ended}" if ended else ""
        if gap <= options.tolerance or solution.stopped or interrupted:
            break
    if best is None:
        assert failure is not None
        if strict or not isinstance(failure, UnsolvedError):
            raise failure
        best, message = without(), str(failure)
        note("certify")
    return Best(best[0], iterations, message, interrupted)


def clip(value: float, lowest: float, highest: float) -> float:
    """Return ``value``, at least ``lowest`` and at most ``highest``."""
    return min(max(value, lowest), highest)


def failed(name: str, status: object) -> UnsolvedError:
    """Return the error for a status that a problem with a solution cannot have."""
    return UnsolvedError(f"{name} failed on a problem that has a solution", found=str(status))
