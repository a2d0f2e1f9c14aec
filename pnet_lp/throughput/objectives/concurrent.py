"""``concurrent``: the largest K such that every demand d gets K d.

Maximum concurrent flow: F. Shahrokhi, D. W. Matula, "The maximum concurrent flow problem", JACM 37 (1990).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pnet_lp.errors import SolverError
from pnet_lp.model import Interval
from pnet_lp.model.result import ValueKey
from pnet_lp.throughput.objectives.base import (
    CLOSED_FORM,
    CONCURRENT,
    OBJECTIVES,
    Objective,
    Optimum,
    SolveContext,
    proved,
)
from pnet_lp.throughput.problems import Certified, Problem
from pnet_lp.throughput.solvers import (
    AUTO,
    RawSolution,
    SolveOptions,
    choose_solver,
    get_solver,
    second_choice,
)
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from pnet_lp.throughput.proofs.second import SavedAnswer, SecondProblem


@OBJECTIVES.register(CONCURRENT, summary="the largest K such that K times the traffic matrix can be carried")
class Concurrent(Objective):
    """Maximum concurrent flow, by any solver."""

    headline = ValueKey("throughput", "gbps", "Gb/s per unit demand")
    rated = False
    closed_forms = frozenset({"split"})

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        found = problem.solved()
        if found is not None:
            context.clock.note("certify")
            name, iterations, interrupted, message = CLOSED_FORM, 0, False, ""
        else:
            name, raw, found = _solved(problem, context)
            iterations, interrupted, message = raw.iterations, raw.interrupted, raw.message
        return Optimum(
            self.value(found.interval),
            found.interval.gap,
            name,
            iterations,
            found.certificate,
            found.load,
            found.interval.lower,
            self.figures(found.interval),
            interrupted=interrupted,
            warnings=(message,) if message else (),
        )

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """A demand without a path: K = 0."""
        return self.figures(Interval(0.0, 0.0))

    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """See :meth:`Objective.recheck`."""
        del claim
        return self.figures(second.rate_bounds())

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        value = f"{format_gbps(figures['throughput_gbps'])} Gb/s per unit demand"
        return [("throughput", value), proved(figures, self.headline)]

    def value(self, rate: Interval) -> Interval:
        """Return the bounds on the value where those on K are ``rate``."""
        return rate

    def figures(self, rate: Interval) -> dict[str, Any]:
        """Return the document's first keys; the lower bound is attained."""
        return {
            "throughput_gbps": rate.lower,
            "lower_bound_gbps": rate.lower,
            "upper_bound_gbps": rate.upper,
            "relative_gap": rate.gap,
        }


def _solved(problem: Problem, context: SolveContext) -> tuple[str, RawSolution, Certified]:
    """Return the solver, what it returned, and what that proves; by a second one where the first may not end."""
    if context.solver != AUTO:
        return context.solver, *_solved_by(context.solver, problem, context, context.options)
    options = context.options
    first, most = choose_solver(problem, options.tolerance), options.max_iterations
    second = second_choice(first, options.tolerance)
    if second is None or (most is not None and most <= second[1]) or not _fits(second[0], problem):
        return first, *_solved_by(first, problem, context, options)
    raw, found = _solved_by(first, problem, context, replace(options, max_iterations=second[1]))
    if found.interval.gap <= options.tolerance or raw.interrupted or options.deadline.left_s() == 0:
        return first, raw, found
    left = None if most is None else most - raw.iterations
    more, other = _solved_by(second[0], problem, context, replace(options, max_iterations=left))
    more = replace(more, iterations=raw.iterations + more.iterations)
    return second[0], more, other if other.interval.gap <= found.interval.gap else found


def _fits(name: str, problem: Problem) -> bool:
    try:
        get_solver(name).check(problem)
    except SolverError:
        return False
    return True


def _solved_by(
    name: str, problem: Problem, context: SolveContext, options: SolveOptions
) -> tuple[RawSolution, Certified]:
    """Return what a solver returned, and what that proves."""
    solver = get_solver(name)
    solver.check(problem)

    def report(iterations: int, lower: float, upper: float) -> bool:
        context.on_progress(name, iterations, lower, upper)
        return True

    raw = solver.solve(problem, options, report)
    context.clock.note("solve")
    found = problem.certify(raw.proof)
    context.clock.note("certify")
    return raw, found
