"""The one place through which objectives have linear programs solved."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.choose import AUTO
from pnet_lp.throughput.forms import Form, LinearProgram
from pnet_lp.throughput.objectives.base import Means
from pnet_lp.throughput.solvers import get_solver, solver_names
from pnet_lp.throughput.solvers.general import GeneralSolver, Limits, Settings
from pnet_lp.throughput.split_problem import SplitProblem

DEFAULT_SOLVER = "highs-ipx"
VERTEX_SOLVER = "highs-simplex"

SMALL_COLUMNS = 100_000
"""Up to this many columns a vertex is looked for where an interior solution is not good enough."""

_TIGHTEST = 1e-9
"""Gap to ask for where a solution is wanted that is as exact as can be."""

_STRICTER = 1e-2
"""What objectives prove of a solution is further from what a solver measures than for ``concurrent``; by this factor
its tolerances are tighter."""

A = TypeVar("A")


@dataclass(frozen=True, eq=False)
class LpSolution:
    """A primal and a dual solution, feasible and optimal up to tolerances; zeros where the solver has none.

    Attributes:
        column_value: float64 ``[columns]``.
        row_dual: float64 ``[rows]``, those of ``<=`` rows are <= 0.
        iterations: in the solver's own unit.
        stopped: empty where the solver met its own criteria, else what ended it.
    """

    column_value: FloatArray
    row_dual: FloatArray
    iterations: int
    stopped: str = ""


def solve_lp(
    lp: LinearProgram,
    solver: GeneralSolver,
    settings: Settings,
    *,
    time_s: float = math.inf,
    threads: int = 0,
) -> LpSolution:
    """Return what ``solver`` finds for ``lp``.

    Args:
        lp: the program.
        solver: one that takes programs.
        settings: see :meth:`GeneralSolver.settings`.
        time_s: seconds of wall time.
        threads: 0 for all cores.

    Raises:
        KeyboardInterrupt: the user stopped it.
        SolverError: it failed.
    """
    limits = Limits(time_s, iterations=None, threads=threads or os.cpu_count() or 1)
    found, interrupted = solver.solve_program(lp, settings, limits, lambda *_: True)
    if interrupted:
        raise KeyboardInterrupt
    if found.column_value is None or found.row_dual is None:
        nothing = np.zeros(len(lp.cost)), np.zeros(len(lp.row_lower))
        return LpSolution(*nothing, found.iterations, found.stopped or "no solution")
    return LpSolution(found.column_value, found.row_dual, found.iterations, found.stopped)


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
    chosen = program_solver(lp_solver(means))
    if not isinstance(form.problem, SplitProblem):
        chosen.check(form.problem)
    deadline = time.monotonic() + means.options.time_limit_s
    best: tuple[A, float] | None = None
    iterations = 0
    message = ""
    for solver, settings in _attempts(form, means, chosen, central):
        left = max(deadline - time.monotonic(), 0.0)
        solution = solve_lp(form.lp, solver, settings, time_s=left, threads=means.options.threads)
        means.clock.note("solve")
        iterations += solution.iterations
        answer, gap = prove(solution)
        means.clock.note("certify")
        if best is None or gap < best[1]:
            best = answer, gap
        message = f"{solver.name}: {solution.stopped}" if solution.stopped else ""
        if gap <= means.options.tolerance or solution.stopped:
            break
    assert best is not None
    return best[0], iterations, message


def lp_solver(means: Means) -> str:
    """Return the name of the solver for linear programs."""
    return DEFAULT_SOLVER if means.solver == AUTO else means.solver


def program_solver(name: str) -> GeneralSolver:
    """Return the solver called ``name``.

    Raises:
        SpecError: it does not take linear programs.
        SolverError: it is not installed.
    """
    solver = get_solver(name)
    if not isinstance(solver, GeneralSolver):
        others = [other for other in solver_names() if other != name]
        raise SpecError(
            f"solver {name!r} maximises K only, and no other objective", allowed=", ".join([AUTO, *others])
        )
    return solver


def _attempts(
    form: Form, means: Means, solver: GeneralSolver, central: bool
) -> Iterator[tuple[GeneralSolver, Settings]]:
    """Yield by which solver to solve, and how, one attempt after the other.

    Where the bounds do not meet, duals were lost, or the tolerance was too loose.  Presolve, which the first attempt of
    HiGHS uses, also leads away from the solution amid all optimal ones.  Where nothing else helps, and the user left
    the choice open, a vertex may.
    """
    tolerance = _STRICTER * means.options.tolerance
    if central:
        yield solver, solver.settings(_TIGHTEST, again=True)
    else:
        yield solver, solver.settings(tolerance, again=False)
        yield solver, solver.settings(0.1 * tolerance, again=True)
    if means.solver == AUTO and len(form.lp.cost) <= SMALL_COLUMNS:
        vertex = program_solver(VERTEX_SOLVER)
        yield vertex, vertex.settings(_TIGHTEST, again=False)
