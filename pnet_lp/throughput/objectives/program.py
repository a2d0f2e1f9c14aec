"""The one place through which objectives have linear programs solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from pnet_lp.errors import SpecError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.registry import parse_expression
from pnet_lp.throughput.objectives.base import NO_SOLVER, SolveContext
from pnet_lp.throughput.problems import Certified, Problem
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.solvers import AUTO, SOLVERS, get_solver
from pnet_lp.throughput.solvers.base import FRUGAL, Solver
from pnet_lp.throughput.solvers.choose import COLUMN_SOLVER, PROGRAM_SOLVER
from pnet_lp.throughput.solvers.choose import VERTEX_SOLVER as VERTEX_SOLVER  # noqa: PLC0414 - for max-min
from pnet_lp.throughput.solvers.general import TIGHTEST, Attempt, Best, GeneralSolver, ProgramSolver, solve_until

SMALL_COLUMNS = 100_000
"""Up to this many columns an interior point takes seconds, and a vertex is tried where that is not good enough."""

NO_TIME = "time limit reached"
"""How a solve ended before it began."""

A = TypeVar("A")


def solve_program(
    problem: Problem,
    goal: ProgramGoal | None,
    context: SolveContext,
    prove: Callable[[Form, FloatArray, FloatArray], tuple[A, float]],
    without: Callable[[], tuple[A, float]],
    *,
    central: bool = False,
    vertex: bool = True,
) -> Best[A]:
    """Return the best answer that ``prove`` makes of the solutions of a program.

    It is written once it is known that writing and solving it fits into memory.

    Args:
        problem: the problem.
        goal: of the program; None for that of maximum concurrent flow.
        context: by what to solve it; the gap at which to stop is its tolerance.
        prove: returns an answer and its relative gap, given the program, the primal and the dual solution.
        without: the same where there is no solution.
        central: whether to prefer a solution amid all optimal ones, with as many links as can be having a length; there
            are other ways then where the solver gives up, which is an error.
        vertex: whether a vertex is tried where nothing else closes the gap.

    Raises:
        SpecError: the solver does not take linear programs.
        SolverError: it is not installed, it failed, or the program does not fit.
    """
    if problem.rough:
        answer, _ = without()
        context.clock.note("certify")
        return Best(answer, 0, NO_TIME, interrupted=False)
    steps = not central
    frugal = steps and problem.form in SOLVERS.get(FRUGAL).build.programs
    name = lp_solver(context, problem, steps=steps)
    solver = program_solver(name)
    solver.check_program(problem, instead=FRUGAL if frugal else "")

    def report(iterations: int, lower: float, upper: float) -> bool:
        context.on_progress(name, iterations, lower, upper)
        return True

    def attempts() -> Iterator[Attempt]:
        yield from solver.program_attempts(context.options, central=central)
        # Where nothing else helps, and the user left the choice open, a vertex may.
        if vertex and solver.takes_rate and context.solver == AUTO and problem.flow_variables <= SMALL_COLUMNS:
            yield from vertex_solver().attempts([TIGHTEST])

    return solve_until(
        lambda: problem.formulate(goal),
        attempts(),
        prove,
        without,
        context.options,
        report,
        context.clock.note,
        strict=central,
    )


def known(problem: Problem) -> Certified:
    """Return what is known of K without a solution: the flow along shortest paths, and lengths of 1 / capacity."""
    return problem.certify(problem.nothing())


def lp_solver(context: SolveContext, problem: Problem, *, steps: bool = True) -> str:
    """Return the name of the solver for a linear program; none where there is no time for one.

    Args:
        context: by what to solve.
        problem: the problem.
        steps: whether the program has no rate, so that first-order steps can solve it where columns are many.
    """
    if problem.rough:
        return NO_SOLVER
    if context.solver != AUTO:
        return context.solver
    many = steps and problem.form == "path" and problem.flow_variables > SMALL_COLUMNS
    return COLUMN_SOLVER if many else PROGRAM_SOLVER


def program_solver(name: str) -> ProgramSolver:
    """Return the solver called ``name``.

    Raises:
        SpecError: it does not take linear programs.
        SolverError: it is not installed.
    """
    check_program_solver(name, steps=True)
    return cast("ProgramSolver", get_solver(name))


def vertex_solver() -> GeneralSolver:
    """Return the solver that ends at vertices."""
    return cast("GeneralSolver", program_solver(VERTEX_SOLVER))


def check_program_solver(expression: str, *, steps: bool = False) -> None:
    """Raise SpecError unless ``expression`` is ``auto`` or a solver that takes linear programs, installed or not.

    With ``steps``, the program is over columns and has no rate.
    """

    def takes(solver: type[Solver]) -> bool:
        return bool(solver.programs) and (steps or solver.takes_rate)

    name = parse_expression(expression)[0]
    if name != AUTO and not takes(SOLVERS.get(name).build):
        others = (entry.name for entry in SOLVERS if takes(entry.build))
        raise SpecError(
            f"solver {name!r} maximises K only, and no other objective",
            where="solver",
            allowed=", ".join([AUTO, *others]),
        )
