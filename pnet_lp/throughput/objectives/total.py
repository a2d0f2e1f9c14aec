"""``total``: the largest sum of rates, none above its demand.

Maximum multicommodity flow with caps.  Any lengths l >= 0 prove a bound: a demand j that gets r_j takes at least
``r_j dist_l(j)`` of the volume ``sum c l``, and what it is worth beyond that is at most ``d_j max(0, 1 - dist_l(j))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.result import ValueKey
from pnet_lp.routing import Form
from pnet_lp.throughput.objectives.base import OBJECTIVES, Objective, Optimum, SolveContext, proved, rates_in_words
from pnet_lp.throughput.objectives.program import check_program_solver, formulate, lp_solver, solve_form
from pnet_lp.throughput.problems import Attained, Lengths, Problem
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.units import format_gbps
from pnet_lp.verification.rounded import add_up, mul_up, sub_up, sum_up

if TYPE_CHECKING:
    from pnet_lp.verification.second import SavedAnswer, SecondProblem


@OBJECTIVES.register("total", summary="the largest sum of rates, no demand served beyond what it asks")
class Total(Objective):
    """Maximum multicommodity flow."""

    headline = ValueKey("total", "gbps", "Gb/s")
    per_demand = True
    unlimited = "demand"
    gain = "{} more in total"

    def check(self, form: Form, solver: str) -> None:
        """See :meth:`Objective.check`."""
        super().check(form, solver)
        check_program_solver(solver, steps=form != "arc")

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No demand has a path: the sum is 0."""
        return _figures(Interval(0.0, 0.0))

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        demand = problem.flow.demand
        goal = ProgramGoal.of(
            problem.flow,
            upper=demand,
            served_cost=np.full(len(demand), -1.0),
            # No demand gets more than it requests.
            rate_scale=1.0,
        )
        form = formulate(problem, context, goal)

        def prove(value: FloatArray, dual: FloatArray) -> tuple[tuple[Attained, Lengths, Interval], float]:
            attained = form.attain(value, dual, np.minimum(form.served(value), demand))
            lengths = form.lengths(dual)
            scale, upper = best_scale(problem.flow.volume(lengths), problem.distances(lengths), demand)
            lower = float(attained.rate.sum())
            # Where both are the sum of the demands they may differ by the rounding of sums.
            interval = Interval(lower, max(lower, upper))
            length, up, down = lengths
            return (attained, (scale * length, scale * up, scale * down), interval), interval.gap

        found = solve_form(problem, form, context, prove)
        attained, lengths, interval = found.answer
        return Optimum(
            interval,
            interval.gap,
            lp_solver(context, problem),
            found.iterations,
            attained.with_lengths(lengths),
            attained.load,
            attained.rate,
            _figures(interval),
            interrupted=found.interrupted,
            warnings=found.warnings,
        )

    def along(self, problem: Problem, found: Optimum, flow: Attained) -> Optimum:
        """See :meth:`Objective.along`."""
        del problem
        lower = float(flow.rate.sum())
        interval = Interval(lower, max(lower, found.interval.upper))
        return replace(
            found,
            interval=interval,
            gap=interval.gap,
            certificate=flow.with_lengths(found.certificate.lengths),
            link_load=flow.load,
            rate=flow.rate,
            figures=_figures(interval),
        )

    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """See :meth:`Objective.recheck`."""
        rates = claim.rates
        assert rates is not None
        second.check.require(np.all(rates.most <= 1), "no demand gets more than it asks", "a rate is above its demand")
        second.carry(rates)
        worth = np.maximum(sub_up(1.0, second.distances(second.lengths)), 0.0)
        beyond = second.merged_up(sum_up(mul_up(second.flow.demand, worth)))
        upper = float(add_up(second.volume(second.lengths), beyond))
        return _figures(second.ordered(rates.total_gbps, upper))

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        total = f"{format_gbps(figures['total_gbps'])} Gb/s"
        return [("total", total), rates_in_words(figures), proved(figures, self.headline)]


def best_scale(capacity: float, distance: FloatArray, demand: FloatArray) -> tuple[float, float]:
    """Return the scale s >= 0 at which ``s capacity + sum d max(0, 1 - s dist)`` is smallest, and that value.

    The function is convex and piecewise linear with breakpoints at ``1 / dist``, so one of them, or 0, is the place.

    Args:
        capacity: sum of capacity times length over all links.
        distance: float64 ``[J]``, >= 0, finite.
        demand: float64 ``[J]``, > 0.
    """
    order = np.argsort(-distance, kind="stable")
    distance, demand = distance[order], demand[order]
    takes = distance * demand
    # What demands with a later breakpoint than the i-th still take off, per unit of s: the slope is capacity less that.
    later = np.append(np.cumsum(takes[::-1])[::-1][1:], 0.0)
    first = int(np.argmax(later <= capacity))
    if takes.sum() <= capacity or distance[first] == 0:
        return 0.0, float(demand.sum())
    scale = 1.0 / distance[first]
    return scale, float(scale * capacity + (demand * np.maximum(0.0, 1.0 - scale * distance)).sum())


def _figures(interval: Interval) -> dict[str, float]:
    return {
        "total_gbps": interval.lower,
        "lower_bound_gbps": interval.lower,
        "upper_bound_gbps": interval.upper,
        "relative_gap": interval.gap,
    }
