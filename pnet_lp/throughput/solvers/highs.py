"""HiGHS as reference solver: interior point (IPX, HiPO), PDLP and simplex on the LP in compressed columns.

Q. Huangfu, J. A. J. Hall, "Parallelizing the dual revised simplex method" (2018); IPX: L. Schork, J. Gondzio,
"Implementation of an interior point method with basis preconditioning" (2020); PDLP: H. Lu et al., "cuPDLP-C" (2023).
Crossover is off: the certificate needs no vertex, and finding one takes longer than the interior solution.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import numpy as np

from pnet_lp.errors import SolverError, UnsolvedError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.stdout import muted
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers.base import SOLVERS
from pnet_lp.throughput.solvers.general import GeneralSolver, Limits, Settings, Watch, clip, failed

CONVERGED = frozenset({"Optimal", "Unknown"})
"""Model statuses after a method met its own criteria: "Unknown" where HiGHS then finds violations above its own."""

_INTERIOR_ITERATIONS = 1000
"""After these an interior point has stalled; those that end need some dozens."""

FAILED = frozenset({"Infeasible", "Unbounded", "Primal infeasible or unbounded", "Solve error", "Not Set"})

_Tolerances: TypeAlias = Mapping[str, tuple[float, float, float]]


class _Highs(GeneralSolver):
    """What the HiGHS methods have in common.

    ``bytes_per_column`` was measured on Jellyfish all-to-all with 38,000 to 780,000 columns: 980 to 1,170 for IPX and
    PDLP, 1,130 to 1,390 for simplex.

    Class attributes:
        method: value of the HiGHS option ``solver``.
        parallel: whether it runs on several threads.
        iteration_limit: the HiGHS option that limits iterations.
        iteration_count: the field of the HiGHS info and callbacks that counts them.
        most_iterations: where the user sets no limit.
        tolerances: HiGHS options that should give a proved relative gap of t: each is t times a factor, between two
            limits.
    """

    method: ClassVar[str]
    parallel: ClassVar[bool] = False
    iteration_limit: ClassVar[str]
    iteration_count: ClassVar[str]
    most_iterations: ClassVar[int | None] = None
    tolerances: ClassVar[_Tolerances]

    @classmethod
    def installed(cls) -> bool:
        """Whether highspy is installed and was built with the method."""
        return importlib.util.find_spec("highspy") is not None and _offers(cls.method)

    def settings(self, tolerance: float, *, again: bool) -> Settings:
        """See :meth:`GeneralSolver.settings`."""
        # The duals may have been lost: undoing presolve needs a basis to know where some of them belong, and an
        # interior solution has none.
        limits = self.tolerances.items()
        return {"presolve": "off" if again else "choose"} | {
            key: clip(tolerance * factor, lowest, highest) for key, (factor, lowest, highest) in limits
        }

    def run(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """See :meth:`GeneralSolver.run`."""
        highs = silent()
        # Threads of HiGHS that have nothing to do are busy waiting.
        threads = limits.threads if self.parallel else 1
        set_options(highs, {"solver": self.method, "run_crossover": "off", "threads": threads, **settings})
        if math.isfinite(limits.time_s):
            set_options(highs, {"time_limit": limits.time_s})
        iterations = self.most_iterations if limits.iterations is None else limits.iterations
        if iterations is not None:
            set_options(highs, {self.iteration_limit: iterations})
        pass_model(highs, lp)

        def note(event: Any) -> None:
            watch.iterations = max(int(getattr(event.data_out, self.iteration_count)), watch.iterations)
            if watch.stopped:
                event.interrupt()

        highs.cbIpmInterrupt.subscribe(note)
        highs.cbSimplexInterrupt.subscribe(note)
        highs.run()
        # The pool of threads belongs to the thread that ran, which ends soon.
        highs.resetGlobalScheduler(False)
        status = highs.modelStatusToString(highs.getModelStatus())
        if status in FAILED:
            raise failed(self.name, status)
        solution = highs.getSolution()
        found = solution.value_valid and solution.dual_valid
        return LpSolution(
            column_value=array_of(solution.col_value) if found else None,
            row_dual=array_of(solution.row_dual) if found else None,
            iterations=max(int(getattr(highs.getInfo(), self.iteration_count)), 0),
            stopped="" if status in CONVERGED else status.lower(),
        )


class _InteriorPoint(_Highs):
    """What the interior points of HiGHS have in common."""

    bytes_per_column = 1400
    most_iterations = _INTERIOR_ITERATIONS
    iteration_limit = "ipm_iteration_limit"
    iteration_count = "ipm_iteration_count"

    tolerances: ClassVar[_Tolerances] = {
        "primal_feasibility_tolerance": (0.01, 1e-10, 1e-7),
        "dual_feasibility_tolerance": (0.01, 1e-10, 1e-7),
        "ipm_optimality_tolerance": (0.1, 1e-12, 1e-5),
    }


@SOLVERS.register("highs-ipx", summary="HiGHS interior point (IPX) without crossover")
class HighsIpx(_InteriorPoint):
    """Interior point with a basis preconditioner; single-threaded."""

    method = "ipx"


@SOLVERS.register("highs-hipo", summary="HiGHS interior point (HiPO) without crossover")
class HighsHipo(_InteriorPoint):
    """Interior point with a sparse factorisation; parallel."""

    install_hint = "pip install 'highspy[extras]'"
    method = "hipo"
    parallel = True

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the LP and the Cholesky factor, which fills in: measured 193 MB for 6,832 rows, 878 MB for 19,900."""
        return super().estimate_bytes(problem) + int(600 * problem.size[0] ** 1.45)


@SOLVERS.register("highs-pdlp", summary="HiGHS first-order method (cuPDLP-C on the CPU)")
class HighsPdlp(_Highs):
    """First-order method; HiGHS offers no way to stop it but its limits, so a stopped run is abandoned."""

    interruptible = False
    method = "pdlp"
    bytes_per_column = 1200
    iteration_limit = "pdlp_iteration_limit"
    iteration_count = "pdlp_iteration_count"

    # Residuals are relative, in the 2-norm.
    tolerances: ClassVar[_Tolerances] = {
        "primal_feasibility_tolerance": (0.01, 1e-10, 1e-4),
        "dual_feasibility_tolerance": (0.01, 1e-10, 1e-4),
        "pdlp_optimality_tolerance": (0.1, 1e-12, 1e-4),
    }


@SOLVERS.register("highs-simplex", summary="HiGHS dual simplex, for small problems")
class HighsSimplex(_Highs):
    """Dual simplex: exact vertices, for small problems."""

    method = "simplex"
    bytes_per_column = 1500
    iteration_limit = "simplex_iteration_limit"
    iteration_count = "simplex_iteration_count"

    # A vertex has no gap of its own.
    tolerances: ClassVar[_Tolerances] = {
        "primal_feasibility_tolerance": (0.1, 1e-10, 1e-7),
        "dual_feasibility_tolerance": (0.1, 1e-10, 1e-7),
    }


def highspy_module() -> Any:
    """Return HiGHS, loaded when first used: it is large, and not needed by other solvers."""
    return importlib.import_module("highspy")


def silent() -> Any:
    """Return a new HiGHS that prints nothing."""
    _print_banner()
    highs = highspy_module().Highs()
    highs.setOptionValue("output_flag", False)
    return highs


@functools.cache
def _print_banner() -> None:
    """Have the first HiGHS of the process print its banner, which no option turns off, where nobody reads it."""
    with muted():
        highspy_module().Highs()


@functools.cache
def _offers(method: str) -> bool:
    """Whether the installed HiGHS accepts the method (HiPO is an optional part of it)."""
    status = silent().setOptionValue("solver", method)
    return bool(status == highspy_module().HighsStatus.kOk)


def set_options(highs: Any, options: Settings) -> None:
    """Set options of HiGHS by their names; SolverError where it has none of that name or value."""
    for key, value in options.items():
        accept(highs.setOptionValue(key, value), f"option {key} = {value!r}")


def accept(status: Any, what: str) -> None:
    """Raise SolverError where HiGHS calls ``what`` an error."""
    if status == highspy_module().HighsStatus.kError:
        raise SolverError(f"HiGHS {silent().version()} refuses {what}")


def pass_model(highs: Any, lp: LinearProgram, column_upper: FloatArray | None = None) -> None:
    """Hand HiGHS a program, with upper bounds of its columns where there are any.

    Raises:
        UnsolvedError: HiGHS refuses it, as it does numbers that are too large for it.
    """
    columns, rows = len(lp.cost), len(lp.row_lower)
    # As arrays: item by item, as the fields of a HighsLp are set, large programs would take seconds in which neither
    # Ctrl-C nor the clock is heard.
    status = highs.passModel(
        columns,
        rows,
        len(lp.index),
        int(highspy_module().MatrixFormat.kColwise),
        int(highspy_module().ObjSense.kMinimize),
        0.0,
        lp.cost,
        np.zeros(columns),
        np.full(columns, np.inf) if column_upper is None else column_upper,
        lp.row_lower,
        lp.row_upper,
        lp.start,
        lp.index,
        lp.value,
        np.zeros(columns, dtype=np.int32),
    )
    if status == highspy_module().HighsStatus.kError:
        raise UnsolvedError(f"HiGHS {highs.version()} refuses the linear program")


def array_of(values: Any) -> FloatArray:
    """Return numbers of HiGHS as an array."""
    return np.asarray(values, dtype=np.float64)
