"""The one place through which objectives have linear programs solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from pnet_lp.errors import SpecError
from pnet_lp.model.arrays import FloatArray
from pnet_lp.registry import parse_expression
from pnet_lp.routing import Form as RoutingForm
from pnet_lp.throughput.objectives.base import NO_SOLVER, SolveContext
from pnet_lp.throughput.problems import Certified, Problem
from pnet_lp.throughput.problems.answers import Answer, ProgramAnswer
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.solvers import AUTO, SOLVERS, get_solver
from pnet_lp.throughput.solvers.base import FRUGAL, Solver
from pnet_lp.throughput.solvers.choose import COLUMN_SOLVER, FLOW_SOLVER, PROGRAM_SOLVER, eliminates_demands
from pnet_lp.throughput.solvers.choose import VERTEX_SOLVER as VERTEX_SOLVER  # noqa: PLC0414 - for max-min
from pnet_lp.throughput.solvers.general import TIGHTEST, Attempt, Best, GeneralSolver, ProgramSolver, solve_until

if TYPE_CHECKING:
    from pnet_lp.throughput.solvers.columns import Columns

SMALL_COLUMNS = 100_000
"""Up to this many columns an interior point takes seconds, and a vertex is tried where that is not good enough."""

_CLOSER = 0.9
"""Factor on the tolerance of column generation."""

NO_TIME = "time limit reached"
"""How a solve ended before it began."""

A = TypeVar("A")


def solve_goal(
    problem: Problem,
    goal: ProgramGoal,
    context: SolveContext,
    prove: Callable[[Answer], tuple[A, float]],
    without: Callable[[], tuple[A, float]],
) -> tuple[Best[A], str]:
    """Return the best answer to a goal without a rate, and the name of the last solver that looked for it.

    Args:
        problem: the problem.
        goal: what is looked for, equally much worth for all demands.
        context: by what to solve it; the gap at which to stop is its tolerance.
        prove: returns an answer and its relative gap.
        without: the same where there is no solution.

    Raises:
        SpecError: the solver does not take it.
        SolverError: it is not installed, it failed, or the problem does not fit.
    """

    def of_program(form: Form, value: FloatArray, dual: FloatArray) -> tuple[A, float]:
        return prove(ProgramAnswer(form, value, dual))

    name = lp_solver(context, problem)
    if name != FLOW_SOLVER:
        return solve_program(problem, goal, context, of_program, without), name
    return solve_again(problem, goal, context, prove, solve_flow(problem, goal, context, prove, without))


def solve_again(
    problem: Problem,
    goal: ProgramGoal,
    context: SolveContext,
    prove: Callable[[Answer], tuple[A, float]],
    found: Flow[A],
) -> tuple[Best[A], str]:
    """Return the better of what column generation has found and what the program gives, where that is of use."""
    options = context.options
    done = found.gap <= options.tolerance or found.best.interrupted or options.deadline.left_s() <= 0
    small = problem.flow_variables <= SMALL_COLUMNS
    if done or context.solver != AUTO or not (small or problem.listed):
        return found.best, FLOW_SOLVER
    best = found.best.answer, found.gap

    def better(form: Form, value: FloatArray, dual: FloatArray) -> tuple[A, float]:
        return min(best, prove(ProgramAnswer(form, value, dual)), key=lambda pair: pair[1])

    name = PROGRAM_SOLVER if small else COLUMN_SOLVER
    again = solve_program(problem, goal, replace(context, solver=name), better, lambda: best)
    return replace(again, iterations=found.best.iterations + again.iterations), name


@dataclass(frozen=True)
class Flow(Generic[A]):
    """What column generation found, and its relative gap."""

    best: Best[A]
    gap: float


def solve_flow(
    problem: Problem,
    goal: ProgramGoal,
    context: SolveContext,
    prove: Callable[[Answer], tuple[A, float]],
    without: Callable[[], tuple[A, float]],
) -> Flow[A]:
    """Return the answer of column generation to a goal; see :func:`solve_goal`."""
    solver = cast("Columns", get_solver(FLOW_SOLVER))
    solver.check_flow(problem)

    def report(iterations: int, lower: float, upper: float) -> bool:
        context.on_progress(FLOW_SOLVER, iterations, lower, upper)
        return True

    if context.options.deadline.left_s() <= 0:
        answer, gap = without()
        context.clock.note("certify")
        return Flow(Best(answer, 0, f"{FLOW_SOLVER}: {NO_TIME}", interrupted=False), gap)

    # What is proved is further from the optimum than what is measured, by what rounding takes.
    options = replace(context.options, tolerance=_CLOSER * context.options.tolerance)
    raw = solver.solve_flow(problem, goal, options, report)
    context.clock.note("solve")
    answer, gap = prove(raw.proof)
    late = context.options.deadline.left_s() <= 0
    if gap > context.options.tolerance:
        answer, gap = min((answer, gap), without(), key=lambda pair: pair[1])
    context.clock.note("certify")
    message = f"{FLOW_SOLVER}: {NO_TIME}" if late and gap > context.options.tolerance else ""
    return Flow(Best(answer, raw.iterations, message, raw.interrupted), gap)


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
    # Column generation, which writes no program, leaves rates less exact.
    solver = program_solver(name := _writing(problem, steps=steps) if name == FLOW_SOLVER else name)
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
    if steps and eliminates_demands(problem):
        return FLOW_SOLVER
    return _writing(problem, steps=steps)


def _writing(problem: Problem, *, steps: bool) -> str:
    """Return the name of the solver of a program that is written as a whole; see :func:`lp_solver`."""
    many = steps and problem.form == "path" and problem.flow_variables > SMALL_COLUMNS
    return COLUMN_SOLVER if many else PROGRAM_SOLVER


def program_solver(name: str) -> ProgramSolver:
    """Return the solver called ``name``.

    Raises:
        SpecError: it does not take linear programs.
        SolverError: it is not installed.
    """
    solver = get_solver(name)
    assert isinstance(solver, ProgramSolver)
    return solver


def vertex_solver() -> GeneralSolver:
    """Return the solver that ends at vertices."""
    return cast("GeneralSolver", program_solver(VERTEX_SOLVER))


def check_program_solver(expression: str, form: RoutingForm | None = None) -> None:
    """Raise SpecError unless ``expression`` is ``auto`` or a solver that takes linear programs, installed or not.

    With a ``form`` of routing, the program is of that form and has no rate.
    """

    def takes(solver: type[Solver]) -> bool:
        if form is None:
            return bool(solver.programs) and solver.takes_rate
        return form in solver.programs

    name = parse_expression(expression)[0]
    if name != AUTO and not takes(SOLVERS.get(name).build):
        others = (entry.name for entry in SOLVERS if takes(entry.build))
        raise SpecError(
            f"solver {name!r} maximises K only, and no other objective",
            where="solver",
            allowed=", ".join([AUTO, *others]),
        )
