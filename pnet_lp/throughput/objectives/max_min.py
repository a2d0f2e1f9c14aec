"""``max-min``: rates per unit demand of which none can rise without lowering a smaller one.

The rate vector, sorted, is the lexicographically largest (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed. 1992,
section 6.5.2).  Demands are weights, not caps: what is fair is ``t_j = r_j / d_j``, so the lowest level is the K of
``concurrent``.

One linear program for each level (D. Nace, M. Pioro, "Max-min fairness and its applications to routing and
load-balancing in communication networks: a tutorial", IEEE Surveys 10 (2008)): the level t of all demands that are
still free grows while the fixed ones keep their rates.  Any lengths l prove a bound on t,

    t <= (sum c l - sum over fixed r_j dist_l(j)) / sum over free d_j dist_l(j) = upper,

and with ``w_j = d_j dist_l(j)`` as a part of the last sum no free demand alone gets beyond ``t + (upper - t) / w_j``
while the others keep t.  Those for which this is close to t are fixed.  The parts sum to 1, so there is always one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pnet_lp.model import Interval
from pnet_lp.model.arrays import BoolArray, FloatArray, floats, ints
from pnet_lp.model.result import FairLevel
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.forms import Form, Head, formulate
from pnet_lp.throughput.objectives.base import Means, Objective, Optimum, Stated, register
from pnet_lp.throughput.objectives.fairness import fairness_figures, fairness_gap
from pnet_lp.throughput.objectives.max_min_fill import optimum_by_filling
from pnet_lp.throughput.objectives.rates import Attained, Lengths, Rated, attain, volume, with_lengths
from pnet_lp.throughput.objectives.run import LpSolution, lp_solver, solve_form
from pnet_lp.throughput.split_problem import SplitProblem

ROUNDING = 1e-12
"""How far sums may be off, relatively, and more than that."""

_PART = 0.25
"""A demand is fixed where it can get beyond its level by at most this part of the tolerance."""


@dataclass(frozen=True, eq=False)
class _Step:
    """One level as solved.

    Attributes:
        attained: what all demands get.
        free: which demands were free.
        fixed: which of them this level fixes.
        lengths: of the bound.
        distance: float64 ``[J]``, by these lengths.
    """

    attained: Attained
    free: BoolArray
    fixed: BoolArray
    lengths: Lengths
    distance: FloatArray


@register(
    "max-min",
    summary="rates per unit demand such that none can rise without lowering a smaller one",
    source="D. Bertsekas, R. Gallager, Data Networks, 2nd ed. (1992), section 6.5.2",
)
class MaxMin(Objective):
    """Weighted max-min fairness over any split; by filling where the routing fixes the split."""

    per_demand = True

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No demand has a path: there is no level."""
        return fairness_figures(np.zeros(0), ())

    def optimise(self, problem: Stated, means: Means) -> Optimum:
        """See :meth:`Objective.optimise`."""
        assert not isinstance(problem, FixedSplit)
        if isinstance(problem, SplitProblem):
            return optimum_by_filling(problem, means)
        demand = problem.flow.demand
        deadline = time.monotonic() + means.options.time_limit_s
        free = np.ones(len(demand), dtype=bool)
        rate = floats(np.zeros(len(demand)))
        steps: list[_Step] = []
        iterations, message = 0, ""
        while free.any() and not message:
            left = replace(means.options, time_limit_s=max(deadline - time.monotonic(), 0.0))
            step, spent, message = _solve_level(problem, rate, free, replace(means, options=left))
            steps.append(step)
            rate = step.attained.rate
            free = free & ~step.fixed
            iterations += spent
        levels = _levels(problem, rate, steps)
        if free.any():
            # A limit was reached: what is still free stays where it is, and nothing says that it could get no more.
            levels[-1] = replace(levels[-1], upper=np.inf)
        last = steps[-1].attained
        return Optimum(
            Interval(levels[0].rate, levels[0].upper),
            fairness_gap(levels),
            lp_solver(means),
            iterations,
            with_lengths(last.certificate, steps[0].lengths),
            last.load,
            rate=rate,
            figures=fairness_figures(rate, levels),
            levels=tuple(levels),
            warnings=(message,) if message else (),
        )


def _bound(
    problem: Rated, rate: FloatArray, free: BoolArray, lengths: Lengths, distance: FloatArray
) -> tuple[float, FloatArray]:
    """Return the bound on the level of the ``free`` demands, and the part ``w`` ``[J]`` of each in it.

    Args:
        problem: the problem.
        rate: float64 ``[J]``, Gb/s, what the others get.
        free: bool ``[J]``.
        lengths: any, >= 0.
        distance: float64 ``[J]``, by these lengths.
    """
    takes = np.where(free, problem.flow.demand * distance, 0.0)
    total = float(takes.sum())
    if total <= 0:
        return np.inf, takes
    held = float((rate * distance)[~free].sum())
    whole = volume(problem.flow, lengths)
    # Where the bound is met to the last bit, or beyond, a demand with hardly a part in it would count as stuck.
    return (whole - held + ROUNDING * (whole + held)) / total, takes / total


def _solve_level(problem: Rated, rate: FloatArray, free: BoolArray, means: Means) -> tuple[_Step, int, str]:
    demand = problem.flow.demand
    fixed = np.where(free, 0.0, rate)
    head = Head.of(
        problem.flow,
        weight=np.where(free, demand, 0.0),
        lower=fixed,
        upper=fixed,
        rate_cost=-float(demand.sum()),
    )
    form = formulate(problem, head)

    def prove(solution: LpSolution) -> tuple[_Step, float]:
        step = _prove(problem, form, solution, free, fixed, means.options.tolerance)
        upper, _ = _bound(problem, step.attained.rate, free, step.lengths, step.distance)
        reached = _lowest(step.attained.rate, demand, free)
        # The bound is divided among many demands, each of which is to be close.
        return step, Interval(reached, upper).gap / _PART * np.sqrt(int(free.sum()))

    # The more demands have a part in the bound, the more are fixed at once.
    return solve_form(form, means, prove, central=True)


def _prove(
    problem: Rated, form: Form, solution: LpSolution, free: BoolArray, fixed: FloatArray, tolerance: float
) -> _Step:
    demand = problem.flow.demand
    attained = attain(
        problem, form, solution, np.where(free, demand * form.rate(solution.column_value), fixed)
    )
    lengths = form.lengths(solution.row_dual)
    distance = problem.distances(*lengths)
    upper, part = _bound(problem, attained.rate, free, lengths, distance)
    reached = _lowest(attained.rate, demand, free)
    blocked = free & ((upper - reached) <= _PART * tolerance * reached * part) & (part > 0)
    blocked[int(np.argmax(np.where(free, part, -1.0)))] = True
    return _Step(attained, free, blocked, lengths, distance)


def _lowest(rate: FloatArray, demand: FloatArray, free: BoolArray) -> float:
    return float((rate[free] / demand[free]).min())


def _levels(problem: Rated, rate: FloatArray, steps: list[_Step]) -> list[FairLevel]:
    """Return the levels, each with the bound that held when it was solved.

    Later levels scale all rates down by a hair, until what the solver found fits exactly.  The bound of a level is that
    for the rates before this: for those after it, it would be worse by as many hairs as the earlier levels are wider.
    """
    level = rate / problem.flow.demand
    levels = []
    shrunk = 1.0
    for i, step in reversed(list(enumerate(steps))):
        members = np.flatnonzero(step.fixed if i + 1 < len(steps) else step.free)
        reached = float(level[members].min())
        upper, part = _bound(problem, step.attained.rate, step.free, step.lengths, step.distance)
        least = float(part[members].min())
        beyond = max(upper - reached, 0.0) / least if least > 0 else np.inf
        lengths = (floats(lengths) for lengths in step.lengths)
        levels.append(FairLevel(reached, reached + beyond, 1.0 / shrunk - 1.0, ints(members), *lengths))
        shrunk *= step.attained.factor
    return levels[::-1]
