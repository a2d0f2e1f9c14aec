"""HiGHS as reference solver: interior point (IPX, HiPO), PDLP and simplex on the LP in compressed columns.

Q. Huangfu, J. A. J. Hall, "Parallelizing the dual revised simplex method" (2018); IPX: L. Schork, J. Gondzio,
"Implementation of an interior point method with basis preconditioning" (2020); PDLP: H. Lu et al., "cuPDLP-C" (2023).
Crossover is off: the certificate needs no vertex, and finding one takes longer than the interior solution.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.forms import Form, LinearProgram, formulate, lp_size
from pnet_lp.throughput.proof import Proof
from pnet_lp.throughput.solvers.base import OnProgress, Problem, RawSolution, SolveOptions, Solver, register

_POLL_S = 0.05
"""How often the waiting thread reports progress and looks for Ctrl-C."""

_CONVERGED = frozenset({"Optimal", "Unknown"})
"""Model statuses after a method met its own criteria: "Unknown" where HiGHS then finds violations above its own."""

_FAILED = frozenset({"Infeasible", "Unbounded", "Primal infeasible or unbounded", "Solve error", "Not Set"})


@dataclass(frozen=True, eq=False)
class _Attempt:
    proof: Proof
    gap: float
    status: str
    iterations: int
    interrupted: bool


class _Highs(Solver):
    """What the HiGHS methods have in common.

    Class attributes:
        method: value of the HiGHS option ``solver``.
        bytes_per_column: peak memory per column of the LP, everything included: measured on Jellyfish all-to-all
            with 38,000 to 780,000 columns (980 to 1,170 for IPX and PDLP, 1,130 to 1,390 for simplex), and rounded up.
        iteration_limit: the HiGHS option that limits iterations.
        iteration_count: the field of the HiGHS info and callbacks that counts them.
    """

    method: ClassVar[str]
    bytes_per_column: ClassVar[int]
    iteration_limit: ClassVar[str]
    iteration_count: ClassVar[str]

    @classmethod
    def installed(cls) -> bool:
        """Whether highspy is installed and was built with the method."""
        return importlib.util.find_spec("highspy") is not None and _offers(cls.method)

    def method_options(self, tolerance: float) -> dict[str, object]:
        """Return the HiGHS options of the method that should give a proved relative gap of ``tolerance``."""
        raise NotImplementedError

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the measured peak per column times the columns."""
        return self.bytes_per_column * lp_size(problem)[1]

    def solve(self, problem: Problem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve by HiGHS; see :meth:`Solver.solve`."""
        deadline = time.monotonic() + options.time_limit_s
        form = formulate(problem)
        highs = _silent()
        # HiGHS takes half of the cores where it is not told.
        threads = options.threads or os.cpu_count() or 1
        _set(highs, {"solver": self.method, "run_crossover": "off", "threads": threads})
        _accept(highs.passModel(_model(form.lp)), "the linear program")
        attempts: list[_Attempt] = []
        tried: dict[str, object] = {}
        # HiGHS stops on residuals of the whole LP, the certificate needs every link: where the one did not give the
        # other, the tolerances are too loose for this problem.  Or the duals were lost: undoing presolve needs a
        # basis to tell where some of them belong, and an interior solution has none.
        for factor, presolve in ((1.0, "choose"), (0.1, "off"), (0.01, "off")):
            previous, tried = tried, {"presolve": presolve, **self.method_options(options.tolerance * factor)}
            if tried == previous:
                break
            highs.clearSolver()
            left = max(deadline - time.monotonic(), 0.0)
            _set(highs, {"time_limit": highs.getRunTime() + left, **tried})
            if options.max_iterations is not None:
                done = sum(attempt.iterations for attempt in attempts)
                _set(highs, {self.iteration_limit: max(options.max_iterations - done, 0)})
            attempts.append(self._attempt(highs, form, on_progress))
            if attempts[-1].gap <= options.tolerance or attempts[-1].status not in _CONVERGED:
                break
        last, best = attempts[-1], min(attempts, key=lambda attempt: attempt.gap)
        message = "" if last.status in _CONVERGED else f"{self.name}: {last.status.lower()}"
        iterations = sum(attempt.iterations for attempt in attempts)
        return RawSolution(best.proof, iterations, last.interrupted, message)

    def _attempt(self, highs: Any, form: Form, on_progress: OnProgress) -> _Attempt:
        """Run HiGHS with the options it has, and evaluate what it found."""
        interrupted, finished = self._run(highs, on_progress)
        status, iterations, proof = "Abandoned", 0, None
        if finished:
            status = highs.modelStatusToString(highs.getModelStatus())
            iterations = max(int(getattr(highs.getInfo(), self.iteration_count)), 0)
            solution = highs.getSolution()
            if status in _FAILED:
                raise SolverError(f"{self.name} failed on a problem that has a solution", found=status)
            if solution.value_valid and solution.dual_valid:
                proof = form.proof(_array(solution.col_value), _array(solution.row_dual))
        proof = proof or form.nothing()
        lower, upper = form.bounds(proof)
        gap = (upper - lower) / upper if upper > 0 else 0.0
        return _Attempt(proof, gap, status, iterations, interrupted)

    def _run(self, highs: Any, on_progress: OnProgress) -> tuple[bool, bool]:
        """Run in a second thread, so that Ctrl-C is seen here; return whether it was stopped, and whether it ended.

        A run that does not end when stopped goes on in the background until its limits or the process end.
        """
        stop = threading.Event()
        done = threading.Event()
        iterations = 0

        def watch(event: Any) -> None:
            nonlocal iterations
            iterations = max(int(getattr(event.data_out, self.iteration_count)), iterations)
            if stop.is_set():
                event.interrupt()

        def run() -> None:
            try:
                highs.run()
                # The pool of threads belongs to the thread that ran, which ends here.
                highs.resetGlobalScheduler(False)
            finally:
                done.set()

        highs.clearCallbacks()
        highs.cbIpmInterrupt.subscribe(watch)
        highs.cbSimplexInterrupt.subscribe(watch)
        threading.Thread(target=run, name=self.name, daemon=True).start()
        while not done.is_set():
            try:
                if not done.wait(_POLL_S) and not stop.is_set() and not on_progress(iterations, 0.0, np.inf):
                    stop.set()
            except KeyboardInterrupt:
                if stop.is_set():
                    break  # An iteration can take minutes; whoever asks twice does not wait for its end.
                stop.set()
            if stop.is_set() and not self.interruptible:
                break
        return stop.is_set(), done.is_set()


@register
class HighsIpx(_Highs):
    """Interior point with a basis preconditioner; single-threaded."""

    name = "highs-ipx"
    summary = "HiGHS interior point (IPX) without crossover"
    method = "ipx"
    bytes_per_column = 1400
    iteration_limit = "ipm_iteration_limit"
    iteration_count = "ipm_iteration_count"

    def method_options(self, tolerance: float) -> dict[str, object]:
        """Return feasibility and optimality tolerances."""
        return _interior_tolerances(tolerance)


@register
class HighsHipo(_Highs):
    """Interior point with a sparse factorisation; parallel."""

    name = "highs-hipo"
    summary = "HiGHS interior point (HiPO) without crossover"
    install_hint = "pip install 'highspy[extras]'"
    method = "hipo"
    bytes_per_column = 1400
    iteration_limit = "ipm_iteration_limit"
    iteration_count = "ipm_iteration_count"

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the LP and the Cholesky factor, which fills in: measured 193 MB for 6,832 rows, 878 MB for 19,900."""
        return super().estimate_bytes(problem) + int(600 * lp_size(problem)[0] ** 1.45)

    def method_options(self, tolerance: float) -> dict[str, object]:
        """Return feasibility and optimality tolerances."""
        return _interior_tolerances(tolerance)


@register
class HighsPdlp(_Highs):
    """First-order method; HiGHS offers no way to stop it but its limits, so a stopped run is abandoned."""

    name = "highs-pdlp"
    summary = "HiGHS first-order method (cuPDLP-C on the CPU)"
    interruptible = False
    method = "pdlp"
    bytes_per_column = 1200
    iteration_limit = "pdlp_iteration_limit"
    iteration_count = "pdlp_iteration_count"

    def method_options(self, tolerance: float) -> dict[str, object]:
        """Return residual tolerances (relative, 2-norm) and the relative gap."""
        residual = _clip(tolerance * 0.01, 1e-10, 1e-4)
        return {
            "primal_feasibility_tolerance": residual,
            "dual_feasibility_tolerance": residual,
            "pdlp_optimality_tolerance": _clip(tolerance * 0.1, 1e-12, 1e-4),
        }


@register
class HighsSimplex(_Highs):
    """Dual simplex: exact vertices, for small problems."""

    name = "highs-simplex"
    summary = "HiGHS dual simplex, for small problems"
    method = "simplex"
    bytes_per_column = 1500
    iteration_limit = "simplex_iteration_limit"
    iteration_count = "simplex_iteration_count"

    def method_options(self, tolerance: float) -> dict[str, object]:
        """Return feasibility tolerances; a vertex has no gap of its own."""
        feasibility = _clip(tolerance * 0.1, 1e-10, 1e-7)
        return {"primal_feasibility_tolerance": feasibility, "dual_feasibility_tolerance": feasibility}


def _interior_tolerances(tolerance: float) -> dict[str, object]:
    feasibility = _clip(tolerance * 0.01, 1e-10, 1e-7)
    return {
        "primal_feasibility_tolerance": feasibility,
        "dual_feasibility_tolerance": feasibility,
        "ipm_optimality_tolerance": _clip(tolerance * 0.1, 1e-12, 1e-5),
    }


def _clip(value: float, lowest: float, highest: float) -> float:
    return min(max(value, lowest), highest)


def _highspy() -> Any:
    """Return the module, loaded when first used: it is large, and optional for whoever uses another solver."""
    return importlib.import_module("highspy")


def _silent() -> Any:
    highs = _highspy().Highs()
    highs.setOptionValue("output_flag", False)
    return highs


@functools.cache
def _offers(method: str) -> bool:
    """Whether the installed HiGHS accepts the method (HiPO is an optional part of it)."""
    status = _silent().setOptionValue("solver", method)
    return bool(status == _highspy().HighsStatus.kOk)


def _set(highs: Any, options: Mapping[str, object]) -> None:
    for key, value in options.items():
        _accept(highs.setOptionValue(key, value), f"option {key} = {value!r}")


def _accept(status: Any, what: str) -> None:
    if status == _highspy().HighsStatus.kError:
        raise SolverError(f"HiGHS {_silent().version()} refuses {what}")


def _model(lp: LinearProgram) -> Any:
    highspy = _highspy()
    model = highspy.HighsLp()
    columns = len(lp.cost)
    model.num_col_ = columns
    model.num_row_ = len(lp.row_lower)
    model.col_cost_ = lp.cost
    model.col_lower_ = np.zeros(columns)
    model.col_upper_ = np.full(columns, np.inf)
    model.row_lower_ = lp.row_lower
    model.row_upper_ = lp.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = lp.start
    model.a_matrix_.index_ = lp.index
    model.a_matrix_.value_ = lp.value
    return model


def _array(values: Any) -> FloatArray:
    return np.asarray(values, dtype=np.float64)
