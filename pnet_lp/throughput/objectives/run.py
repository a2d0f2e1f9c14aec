"""The one place through which objectives have linear programs solved, by HiGHS."""

from __future__ import annotations

import importlib
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from pnet_lp.errors import SolverError, SpecError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.choose import AUTO
from pnet_lp.throughput.forms import Form, LinearProgram
from pnet_lp.throughput.objectives.base import Means
from pnet_lp.throughput.solvers import get_solver
from pnet_lp.throughput.split_problem import SplitProblem

DEFAULT_SOLVER = "highs-ipx"
VERTEX_SOLVER = "highs-simplex"

METHODS = {"highs-ipx": "ipx", "highs-hipo": "hipo", "highs-pdlp": "pdlp", "highs-simplex": "simplex"}
"""Solvers that take a linear program, and what HiGHS calls their methods."""

SMALL_COLUMNS = 100_000
"""Up to this many columns a vertex is looked for where an interior solution is not good enough."""

_TIGHTEST = 1e-10
"""HiGHS takes no smaller tolerance."""

_CONVERGED = frozenset({"Optimal", "Unknown"})
"""Model statuses after a method met its own criteria: "Unknown" where HiGHS then finds violations above its own."""

_FAILED = frozenset({"Infeasible", "Unbounded", "Primal infeasible or unbounded", "Solve error"})

A = TypeVar("A")


@dataclass(frozen=True)
class LpOptions:
    """How to solve a linear program.

    Attributes:
        tolerance: of residuals and of the relative gap, as the solver measures them.
        time_limit_s: seconds.
        threads: 0 for all cores.
        presolve: whether to simplify the program first.
    """

    tolerance: float = 1e-8
    time_limit_s: float = math.inf
    threads: int = 0
    presolve: bool = True


@dataclass(frozen=True, eq=False)
class LpSolution:
    """A primal and a dual solution, feasible and optimal up to tolerances; zeros where the solver has none.

    Attributes:
        column_value: float64 ``[columns]``.
        row_dual: float64 ``[rows]``, those of ``<=`` rows are <= 0.
        status: how the solver ended, in its words.
        iterations: in the solver's own unit.
    """

    column_value: FloatArray
    row_dual: FloatArray
    status: str
    iterations: int

    @property
    def converged(self) -> bool:
        """Whether the solver met its own criteria."""
        return self.status in _CONVERGED


def solve_lp(lp: LinearProgram, solver: str, options: LpOptions) -> LpSolution:
    """Return what the solver called ``solver`` finds for ``lp``.

    Raises:
        SpecError: the solver does not take linear programs, or there is none of that name.
        SolverError: it is not installed, or failed.
    """
    _check_takes_programs(solver)
    highspy = importlib.import_module("highspy")
    highs = highspy.Highs()
    tolerance = min(max(options.tolerance, _TIGHTEST), 1e-4)
    settings: dict[str, Any] = {
        "output_flag": False,
        "solver": METHODS[solver],
        "run_crossover": "off",
        "threads": options.threads or os.cpu_count() or 1,
        "presolve": "choose" if options.presolve else "off",
        "time_limit": options.time_limit_s,
        "primal_feasibility_tolerance": tolerance,
        "dual_feasibility_tolerance": tolerance,
        "ipm_optimality_tolerance": tolerance,
        "pdlp_optimality_tolerance": tolerance,
    }
    for key, value in settings.items():
        highs.setOptionValue(key, value)
    highs.passModel(_model(highspy, lp))
    highs.run()
    highs.resetGlobalScheduler(False)
    status = highs.modelStatusToString(highs.getModelStatus())
    if status in _FAILED:
        raise SolverError(f"{solver} failed on a problem that has a solution", found=status)
    info, found = highs.getInfo(), highs.getSolution()
    counts = (info.ipm_iteration_count, info.simplex_iteration_count, info.pdlp_iteration_count)
    valid = found.value_valid and found.dual_valid
    return LpSolution(
        np.asarray(found.col_value) if valid else np.zeros(len(lp.cost)),
        np.asarray(found.row_dual) if valid else np.zeros(len(lp.row_lower)),
        status,
        sum(max(int(count), 0) for count in counts),
    )


def solve_form(
    form: Form, means: Means, prove: Callable[[LpSolution], tuple[A, float]], *, central: bool = False
) -> tuple[A, int, str]:
    """Return the best answer that ``prove`` makes of a form's solutions, the iterations, and a message or none.

    Args:
        form: the program.
        means: by what to solve it; the gap at which to stop is its tolerance.
        prove: returns an answer and its relative gap.
        central: whether to look for a solution amid all optimal ones, with as many links as can be having a length.

    Raises:
        SpecError: the solver does not take linear programs.
        SolverError: it failed.
    """
    _check_takes_programs(lp_solver(means))
    if not isinstance(form.problem, SplitProblem):
        get_solver(lp_solver(means)).check(form.problem)
    deadline = time.monotonic() + means.options.time_limit_s
    best: tuple[A, float] | None = None
    iterations = 0
    message = ""
    for solver, options in _attempts(form, means, central):
        left = max(deadline - time.monotonic(), 0.0)
        solution = solve_lp(form.lp, solver, replace(options, time_limit_s=left))
        means.clock.note("solve")
        iterations += solution.iterations
        answer, gap = prove(solution)
        means.clock.note("certify")
        if best is None or gap < best[1]:
            best = answer, gap
        message = "" if solution.converged else f"{solver}: {solution.status.lower()}"
        if gap <= means.options.tolerance or not solution.converged:
            break
    assert best is not None
    return best[0], iterations, message


def lp_solver(means: Means) -> str:
    """Return the name of the solver for linear programs."""
    return DEFAULT_SOLVER if means.solver == AUTO else means.solver


def _check_takes_programs(solver: str) -> None:
    get_solver(solver)
    if solver not in METHODS:
        raise SpecError(
            f"solver {solver!r} maximises K only, and no other objective", allowed=", ".join([AUTO, *METHODS])
        )


def _attempts(form: Form, means: Means, central: bool) -> Iterator[tuple[str, LpOptions]]:
    """Yield by which solver to solve, and how, one attempt after the other.

    Undoing presolve needs a basis to tell where some duals belong, and an interior solution has none: where the bounds
    do not meet, the duals were lost, or the tolerance was too loose.  Presolve also leads away from the solution amid
    all optimal ones.  Where nothing else helps, and the user left the choice open, a vertex may.
    """
    tolerance, solver = means.options.tolerance, lp_solver(means)
    options = LpOptions(tolerance=1e-3 * tolerance, threads=means.options.threads)
    if central:
        yield solver, replace(options, tolerance=_TIGHTEST, presolve=False)
    else:
        yield solver, options
        yield solver, replace(options, tolerance=1e-4 * tolerance, presolve=False)
    if means.solver == AUTO and len(form.lp.cost) <= SMALL_COLUMNS:
        yield VERTEX_SOLVER, replace(options, tolerance=_TIGHTEST)


def _model(highspy: Any, lp: LinearProgram) -> Any:
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
