"""The one place through which objectives have linear programs solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from pnet_lp.errors import SpecError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.registry import parse_expression
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.problems.column_form import ColumnForm
from pnet_lp.throughput.problems.columns import ColumnProblem
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.solvers import AUTO, SOLVERS, get_solver, solver_names
from pnet_lp.throughput.solvers.general import Attempt, Best, GeneralSolver, solve_until
from pnet_lp.throughput.solvers.structured import Structured

DEFAULT_SOLVER = "highs-ipx"
VERTEX_SOLVER = "highs-simplex"
STRUCTURED = "structured"

SMALL_COLUMNS = 100_000
"""Up to this many columns an interior point takes seconds, and a vertex is looked for where that is not good enough."""

_TIGHTEST = 1e-9
"""Gap to ask for where a solution is wanted that is as exact as can be."""

_STRICTER = 1e-2
"""What objectives prove of a solution is further from what a solver measures than for ``concurrent``; by this factor
its tolerances are tighter."""

A = TypeVar("A")


def formulate(
    problem: Problem, context: SolveContext, goal: ProgramGoal | None = None, *, steps: bool = True
) -> Form:
    """Return the program of a problem, once it is known that writing and solving it fits into memory.

    Args:
        problem: the problem.
        context: by what it will be solved.
        goal: of the program; None for that of maximum concurrent flow.
        steps: whether first-order steps over columns may solve it; see :func:`lp_solver`.

    Raises:
        SpecError: the solver does not take linear programs.
        SolverError: it is not installed, or the program does not fit.
    """
    name = lp_solver(context, problem, steps=steps)
    if name == STRUCTURED:
        assert isinstance(problem, ColumnProblem)
        _steps().check_columns(problem)
    else:
        # First-order steps take linear programs over columns, and over arcs maximise K only.
        takes_columns = steps and problem.form == "path"
        program_solver(name).check(problem, instead=STRUCTURED if takes_columns else "")
    return problem.formulate(goal)


def solve_form(
    problem: Problem,
    form: Form,
    context: SolveContext,
    prove: Callable[[FloatArray, FloatArray], tuple[A, float]],
    *,
    central: bool = False,
    vertex: bool = True,
) -> Best[A]:
    """Return the best answer that ``prove`` makes of a form's solutions.

    Args:
        problem: the problem.
        form: its program, by :func:`formulate`.
        context: by what to solve it; the gap at which to stop is its tolerance.
        prove: returns an answer and its relative gap, given the primal and the dual solution, zeros where
            there is none.
        central: whether to look for a solution amid all optimal ones, with as many links as can be having a length.
        vertex: whether a vertex is looked for where nothing else closes the gap.

    Raises:
        SpecError: the solver does not take linear programs.
        SolverError: it failed.
    """
    # First-order steps end where they are, which is amid nothing.
    name = lp_solver(context, problem, steps=not central)
    if name == STRUCTURED:
        assert isinstance(form, ColumnForm)
        return _by_steps(form, context, prove)
    solver = program_solver(name)
    return solve_until(
        form.lp,
        _attempts(form, context, solver, central, vertex),
        lambda value, dual, _: prove(value, dual),
        context.options,
        note=context.clock.note,
    )


def lp_solver(context: SolveContext, problem: Problem, *, steps: bool = True) -> str:
    """Return the name of the solver for linear programs: first-order steps, if they do, where columns are many."""
    if context.solver != AUTO:
        return context.solver
    many = steps and problem.form == "path" and problem.flow_variables > SMALL_COLUMNS
    return STRUCTURED if many else DEFAULT_SOLVER


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


def check_program_solver(expression: str, *, steps: bool = False) -> None:
    """Raise SpecError unless ``expression`` is ``auto`` or a solver that takes linear programs, installed or not.

    With ``steps``, first-order steps over columns do as well.
    """
    name = parse_expression(expression)[0]
    more = {STRUCTURED} if steps else set()
    if name not in {AUTO, *more} and not issubclass(SOLVERS.get(name).build, GeneralSolver):
        others = [
            other
            for other in solver_names()
            if other in more or issubclass(SOLVERS.get(other).build, GeneralSolver)
        ]
        raise SpecError(
            f"solver {name!r} maximises K only, and no other objective",
            where="solver",
            allowed=", ".join([AUTO, *others]),
        )


def _by_steps(
    form: ColumnForm,
    context: SolveContext,
    prove: Callable[[FloatArray, FloatArray], tuple[A, float]],
) -> Best[A]:
    """Solve by first-order steps over columns; once more where what is proved is further from what they measure."""
    solver = _steps()

    def report(iterations: int, lower: float, upper: float) -> bool:
        context.on_progress(solver.name, iterations, lower, upper)
        return True

    best: tuple[A, float] | None = None
    iterations, interrupted = 0, False
    for factor in (0.5, 0.05):
        options = replace(context.options, tolerance=factor * context.options.tolerance)
        found = solver.solve_columns(
            form,
            replace(options, max_iterations=_left(options.max_iterations, iterations)),
            report,
        )
        context.clock.note("solve")
        iterations += found.iterations
        interrupted = found.interrupted
        answer, gap = prove(*form.as_solution(found.weight, found.length))
        context.clock.note("certify")
        if best is None or gap < best[1]:
            best = answer, gap
        if gap <= context.options.tolerance or interrupted or context.options.deadline.left_s() == 0:
            break
    assert best is not None
    return Best(best[0], iterations, "", interrupted)


def _steps() -> Structured:
    solver = get_solver(STRUCTURED)
    assert isinstance(solver, Structured)
    return solver


def _left(most: int | None, done: int) -> int | None:
    return None if most is None else max(most - done, 0)


def _attempts(
    form: Form, context: SolveContext, solver: GeneralSolver, central: bool, vertex: bool
) -> Iterator[Attempt]:
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
    if vertex and context.solver == AUTO and len(form.lp.cost) <= SMALL_COLUMNS:
        simplex = program_solver(VERTEX_SOLVER)
        yield Attempt(simplex, simplex.settings(_TIGHTEST, again=False))
