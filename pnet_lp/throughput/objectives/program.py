"""The one place through which objectives have linear programs solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from pnet_lp.errors import SpecError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.registry import parse_expression
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.problems.program import Form
from pnet_lp.throughput.solvers import AUTO, SOLVERS, get_solver, solver_names
from pnet_lp.throughput.solvers.general import Attempt, Best, GeneralSolver, solve_until

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


def solve_form(
    problem: Problem,
    form: Form,
    context: SolveContext,
    prove: Callable[[FloatArray, FloatArray], tuple[A, float]],
    *,
    central: bool = False,
) -> Best[A]:
    """Return the best answer that ``prove`` makes of a form's solutions.

    Args:
        problem: the problem.
        form: its program.
        context: by what to solve it; the gap at which to stop is its tolerance.
        prove: returns an answer and its relative gap, given the primal and the dual solution, zeros where
            there is none.
        central: whether to look for a solution amid all optimal ones, with as many links as can be having a length.

    Raises:
        SpecError: the solver does not take linear programs.
        SolverError: it failed.
    """
    solver = program_solver(lp_solver(context))
    solver.check(problem)
    return solve_until(
        form.lp,
        _attempts(form, context, solver, central),
        lambda value, dual, _: prove(value, dual),
        context.options,
        note=context.clock.note,
    )


def lp_solver(context: SolveContext) -> str:
    """Return the name of the solver for linear programs."""
    return DEFAULT_SOLVER if context.solver == AUTO else context.solver


def program_solver(name: str) -> GeneralSolver:
    """Return the solver called ``name``.

    Raises:
        SpecError: it does not take linear programs.
        SolverError: it is not installed.
    """
    check_program_solver(name)
    solver = get_solver(name)
    assert isinstance(solver, GeneralSolver)
    return solver


def check_program_solver(expression: str) -> None:
    """Raise SpecError unless ``expression`` is ``auto`` or a solver that takes linear programs, installed or not."""
    name = parse_expression(expression)[0]
    if name != AUTO and not issubclass(SOLVERS.get(name).build, GeneralSolver):
        others = [other for other in solver_names() if issubclass(SOLVERS.get(other).build, GeneralSolver)]
        raise SpecError(
            f"solver {name!r} maximises K only, and no other objective",
            where="solver",
            allowed=", ".join([AUTO, *others]),
        )


def _attempts(form: Form, context: SolveContext, solver: GeneralSolver, central: bool) -> Iterator[Attempt]:
    """Yield by which solver to solve, and how, one attempt after the other.

    Where the bounds do not meet, duals were lost, or the tolerance was too loose.  Presolve, which the first attempt of
    HiGHS uses, also leads away from the solution amid all optimal ones.  Where nothing else helps, and the user left
    the choice open, a vertex may.
    """
    tolerance = _STRICTER * context.options.tolerance
    if central:
        yield Attempt(solver, solver.settings(_TIGHTEST, again=True))
    else:
        yield Attempt(solver, solver.settings(tolerance, again=False))
        yield Attempt(solver, solver.settings(0.1 * tolerance, again=True))
    if context.solver == AUTO and len(form.lp.cost) <= SMALL_COLUMNS:
        vertex = program_solver(VERTEX_SOLVER)
        yield Attempt(vertex, vertex.settings(_TIGHTEST, again=False))
