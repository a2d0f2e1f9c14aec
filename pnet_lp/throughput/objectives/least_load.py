"""Among the flows that give demands the rates found, the one whose loads add up to least: no demand takes a detour.

A second stage with these rates fixed, at a cost of 1 for each Gb/s on a link between switches.  As for ``min-cost``,
any lengths l >= 0 prove that the total load is at least ``sum r_j dist_{1+l}(j) - sum c l``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.rounded import div_down, mul_down, sum_up
from pnet_lp.routing import Routing
from pnet_lp.throughput.objectives.base import Objective, Optimum, SolveContext
from pnet_lp.throughput.objectives.min_cost import cost_bound, no_lengths
from pnet_lp.throughput.objectives.program import solve_program
from pnet_lp.throughput.problems import Attained, Problem
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.solvers import AUTO


def check_least_load(goal: Objective, routing: Routing) -> None:
    """Raise SpecError where objective or routing leave no flow to choose."""
    if routing.form == "split" or routing.most_paths == 1:
        raise SpecError(
            "the routing leaves no flow to choose",
            where="least_load",
            found=routing.expression,
            allowed="ideal, ecmp-lp or ksp:8",
        )
    if type(goal).along is Objective.along:
        raise SpecError(
            "the objective has chosen the flow", where="least_load", found=goal.expression, allowed="another objective"
        )


def with_least_load(
    goal: Objective, problem: Problem, found: Optimum, context: SolveContext
) -> tuple[Optimum, Interval | None]:
    """Return an optimum with the flow of least total load, and the bounds on that load, Gb/s times links.

    Where the time is over, or rounding costs the proof of the rates, the optimum stays as it is, with a warning
    and without such bounds.

    Raises:
        SolverError: the solver failed, or the program does not fit into memory.
    """
    rates = goal.carried(problem, found)
    if found.interrupted or context.options.deadline.left_s() == 0:
        return _kept(found, "the time was over before these were looked for"), None
    cost = np.ones(len(problem.flow.capacity))
    program = ProgramGoal.of(problem.flow, lower=rates, upper=rates, arc_cost=cost, rate_scale=1.0)
    # A solver that maximises K only has found the rates; how they are carried is another program.
    second = replace(context, solver=AUTO)

    def prove(form: Form, value: FloatArray, dual: FloatArray) -> tuple[tuple[Attained, float] | None, float]:
        flow = form.attain(value, dual, rates)
        lengths = form.lengths(dual)
        least = max(cost_bound(problem, flow.rate, each, cost) for each in (lengths, no_lengths(problem)))
        return (flow, least), Interval(least, sum_up(flow.load)).gap

    best = solve_program(problem, program, second, prove, lambda: (None, np.inf))
    if best.answer is None:
        kept = _kept(found, "the time was over before they were found")
        return replace(kept, interrupted=best.interrupted), None
    flow, least = best.answer
    total = sum_up(flow.load)
    restated = goal.along(problem, found, flow)
    if restated.gap > context.options.tolerance >= found.gap:
        # Rounding takes a part of 1e-9 from all rates, which can be much of what proves a small one.
        return _kept(found, "with them the rates are not certified within the tolerance"), None
    # Loads may be shown for other rates, in proportion.
    shown = sum_up(restated.link_load)
    scale = float(div_down(shown, total)) if total else 1.0
    bounds = Interval(float(mul_down(min(least, total), scale)), shown)
    iterations = found.iterations + best.iterations
    return replace(restated, iterations=iterations, interrupted=best.interrupted, stated=None), bounds


def _kept(found: Optimum, why: str) -> Optimum:
    return replace(found, warnings=(*found.warnings, f"the loads are not the least ones: {why}"))
