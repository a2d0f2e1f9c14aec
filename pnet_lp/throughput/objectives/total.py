"""``total``: the largest sum of rates, none above its demand.

Maximum multicommodity flow with caps.  Any lengths l >= 0 prove a bound: a demand j that gets r_j takes at least
``r_j dist_l(j)`` of the volume ``sum c l``, and what it is worth beyond that is at most ``d_j max(0, 1 - dist_l(j))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.forms import Form, Head, formulate
from pnet_lp.throughput.objectives.base import Means, Objective, Optimum, Stated, register
from pnet_lp.throughput.objectives.rates import Rated, attain, volume, with_lengths
from pnet_lp.throughput.objectives.run import LpSolution, lp_solver, solve_form


@register("total", summary="the largest sum of rates, no demand served beyond what it asks")
class Total(Objective):
    """Maximum multicommodity flow."""

    per_demand = True

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No demand has a path: the sum is 0."""
        return _figures(Interval(0.0, 0.0))

    def optimise(self, problem: Stated, means: Means) -> Optimum:
        """See :meth:`Objective.optimise`."""
        assert not isinstance(problem, FixedSplit)
        flow = problem.flow
        head = Head.of(
            flow,
            upper=flow.demand,
            served_cost=np.full(flow.demand_count, -1.0),
            # Nobody gets more than the demand.
            rate_scale=1.0,
        )
        form = formulate(problem, head)

        def prove(solution: LpSolution) -> tuple[Optimum, float]:
            found = _prove(problem, form, solution, lp_solver(means))
            return found, found.gap

        found, iterations, message = solve_form(form, means, prove)
        return replace(found, iterations=iterations, warnings=(message,) if message else ())


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


def _prove(problem: Rated, form: Form, solution: LpSolution, solver: str) -> Optimum:
    demand = problem.flow.demand
    rate = np.minimum(form.served(solution.column_value), demand)
    attained = attain(problem, form, solution, rate)
    lengths = form.lengths(solution.row_dual)
    scale, upper = best_scale(volume(problem.flow, lengths), problem.distances(*lengths), demand)
    lower = float(attained.rate.sum())
    # Where both are the sum of the demands they may differ by the rounding of sums.
    interval = Interval(lower, max(lower, upper))
    return Optimum(
        interval,
        interval.gap,
        solver,
        0,
        with_lengths(attained.certificate, lengths, scale),
        attained.load,
        rate=attained.rate,
        figures=_figures(interval),
        unlimited="demand",
    )


def _figures(interval: Interval) -> dict[str, float]:
    return {
        "total_gbps": interval.lower,
        "lower_bound_gbps": interval.lower,
        "upper_bound_gbps": interval.upper,
        "relative_gap": interval.gap,
    }
