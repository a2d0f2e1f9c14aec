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

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, ints
from pnet_lp.model.result import FairLevel
from pnet_lp.routing import Form as RoutingForm
from pnet_lp.throughput.objectives.base import OBJECTIVES, Optimum, SolveContext
from pnet_lp.throughput.objectives.fair_levels import (
    Fair,
    fairness_figures,
    fairness_gap,
    recheck_filled,
)
from pnet_lp.throughput.objectives.max_min_climb import climbed
from pnet_lp.throughput.objectives.max_min_fill import optimum_by_filling
from pnet_lp.throughput.objectives.max_min_level import Step, bound_of
from pnet_lp.throughput.objectives.program import check_program_solver
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.proofs.checks import SAME, SLACK

if TYPE_CHECKING:
    from pnet_lp.throughput.proofs.second import SecondProblem


@OBJECTIVES.register(
    "max-min",
    summary="max-min fair rates: none, per unit demand, can rise without lowering one that is smaller or equal",
    source="D. Bertsekas, R. Gallager, Data Networks, 2nd ed. (1992), section 6.5.2",
)
class MaxMin(Fair):
    """Weighted max-min fairness over any split; by filling where the routing fixes the split."""

    closed_forms = frozenset({"split"})

    def check(self, form: RoutingForm, solver: str) -> None:
        """See :meth:`Objective.check`."""
        super().check(form, solver)
        check_program_solver(solver)

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        if problem.fixed:
            return optimum_by_filling(problem, context)
        climb = climbed(problem, context)
        levels = _levels(problem, climb.rate, climb.steps)
        if climb.free.any():
            # A limit was reached: what is still free stays where it is, and nothing says that it could get no more.
            levels[-1] = replace(levels[-1], upper=np.inf)
        attained = climb.attained
        return Optimum(
            Interval(levels[0].rate, levels[0].upper),
            fairness_gap(levels),
            climb.solver,
            climb.iterations,
            attained.with_lengths(climb.steps[0].lengths),
            attained.load,
            climb.rate,
            fairness_figures(climb.rate, levels),
            levels=tuple(levels),
            interrupted=climb.interrupted,
            warnings=climb.warnings,
        )

    def recheck_levels(self, second: SecondProblem, rate: FloatArray, levels: Sequence[FairLevel]) -> None:
        """See :meth:`Fair.recheck_levels`."""
        if not any(level.up_length.size for level in levels):
            recheck_filled(second, rate, levels)
            return
        demand = second.flow.demand
        own = rate / demand
        for i, level in enumerate(levels):
            lengths = second.normalised(second.checked_lengths(level))
            takes = demand * second.distances(lengths)
            # Nobody has to keep more than the bound: whoever is above it could give way to a smaller one.
            kept = takes * np.minimum(own * (1 + level.margin), level.upper)
            # Half of the slack that the claim was made with, so that sums in another order do not decide.
            left = second.volume(lengths) * (1 + SLACK / 2) - kept.sum() + kept[level.demands]
            own_takes = takes[level.demands]
            second.check.require(
                math.isinf(level.upper)
                or np.all((left <= own_takes * level.upper * (1 + SAME)) & (own_takes > 0)),
                f"no demand of level {i} can get more than {level.upper:.9g}",
                f"a demand of level {i} could get more than is claimed, {level.upper!r}",
            )


def _levels(problem: Problem, rate: FloatArray, steps: list[Step]) -> list[FairLevel]:
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
        # Lengths by which those that are fixed take nearly everything turn a hair of their rates into a gap.
        shrunk *= step.factor
        # What a later solve rounded away of a small rate holds nobody back.
        kept = rate / shrunk
        then = step.rate / step.factor
        held = np.where(kept < then * (1 - SLACK), kept, then)
        volume = problem.flow.volume(step.lengths)
        upper, part = bound_of(problem.flow.demand, held, step.free, volume, step.distance)
        least = float(part[members].min())
        most = np.inf
        if least > 0:
            before = float((kept / problem.flow.demand)[members].min())
            most = before + max(upper - before, 0.0) / least
            # A demand that is still free may have got less than it held then, which leaves more to the others.
            takes = problem.flow.demand * step.distance
            kept = takes * np.minimum(kept / problem.flow.demand, most)
            left = (1 + SLACK) * volume - kept.sum() + kept[members]
            most += max(float((left / takes[members]).max()) - most, 0.0)
        levels.append(FairLevel(reached, most, 1.0 / shrunk - 1.0, ints(members), *step.lengths))
    return levels[::-1]
