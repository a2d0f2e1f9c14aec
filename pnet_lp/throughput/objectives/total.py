"""``total``: the largest sum of rates, none above its demand.

Maximum multicommodity flow with caps.  Any lengths l >= 0 prove a bound: a demand j that gets r_j takes at least
``r_j dist_l(j)`` of the volume ``sum c l``, and what it is worth beyond that is at most ``d_j max(0, 1 - dist_l(j))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from pnet_lp.errors import InfeasibleError, RoutingError, TimeLimitError
from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.result import ValueKey
from pnet_lp.model.rounded import add_up, div_down, mul_down, mul_up, sub_down, sub_up, sum_down, sum_up
from pnet_lp.registry import Params
from pnet_lp.routing import Form as RoutingForm
from pnet_lp.throughput.objectives.base import (
    OBJECTIVES,
    Objective,
    Optimum,
    SolveContext,
    missing,
    proved,
    rates_in_words,
)
from pnet_lp.throughput.objectives.min_cost import largest, no_lengths
from pnet_lp.throughput.objectives.program import check_program_solver, known, lp_solver, solve_goal
from pnet_lp.throughput.problems import Attained, Lengths, Problem
from pnet_lp.throughput.problems.answers import Answer
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.solvers.choose import FLOW_SOLVER, TINY_FLOW_VARIABLES
from pnet_lp.throughput.solvers.general import Best
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from pnet_lp.verification.second import SavedAnswer, SecondProblem

_FEW_STEPS = 500
"""Within which all demands have to be seen to fit together, where that is to be asked first."""

_ROUNDING, _SMALL = 1e-12, 1e-12
"""By what part a distance may be rounded; and what part of a bound is no loss."""


class TotalParams(Params):
    """Parameters of ``total``: what every demand gets at least."""

    floor: float = Field(0.0, ge=0, le=1, description="part of its demand that every demand gets at least")


@OBJECTIVES.register(
    "total", params=TotalParams, summary="the largest sum of rates, no demand served beyond what it asks"
)
class Total(Objective):
    """Maximum multicommodity flow."""

    params: TotalParams

    headline = ValueKey("total", "gbps", "Gb/s")
    per_demand = True
    unlimited = "demand"
    gain = "{} more in total"

    def check(self, form: RoutingForm, solver: str) -> None:
        """See :meth:`Objective.check`."""
        super().check(form, solver)
        check_program_solver(solver, form)

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No demand has a path: the sum is 0.

        Raises:
            RoutingError: there is a floor.
        """
        if self.params.floor:
            raise RoutingError(
                "total: a demand has no path, so no floor above 0 can be met", allowed="total without floor, or max-min"
            )
        return _figures(Interval(0.0, 0.0))

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        demand, floor = problem.flow.demand, self.params.floor
        if (everything := self._everything(problem, context)) is not None:
            return everything
        known_floor, unknown = self._known_floor(problem, context) if floor else (0.0, "")
        goal = ProgramGoal.of(
            problem.flow,
            lower=known_floor * demand,
            upper=demand,
            served_cost=np.full(len(demand), -1.0),
            # No demand gets more than it requests.
            rate_scale=1.0,
        )

        def bounded(attained: Attained, lengths: Lengths) -> tuple[tuple[Attained, Lengths, Interval], float]:
            volume, distance = problem.flow.volume(lengths), problem.distances(lengths)
            # The bound is for the floor that is met: what rounding leaves missing counts as gap.
            met = min(floor, float(div_down(attained.rate, demand).min()))
            scale = best_scale(volume, distance, demand, met)
            if _ROUNDING * demand.max() > _SMALL * scale * volume:
                # A demand far beyond what fits is worth nothing if its distance is 1, and too much if that is rounded.
                scale *= 1 + _ROUNDING
            upper = _bound(problem.flow, demand, float(mul_up(scale, volume)), mul_down(scale, distance), met)
            interval = Interval(sum_down(attained.rate), upper)
            length, up, down = lengths
            gap = self.gap(self._figures(interval, attained.rate, demand))
            return (attained, (scale * length, scale * up, scale * down), interval), gap

        def prove(answer: Answer) -> tuple[tuple[Attained, Lengths, Interval], float]:
            attained = answer.attain(floats(np.clip(answer.served(), known_floor * demand, demand)))
            return bounded(attained, answer.lengths())

        def without() -> tuple[tuple[Attained, Lengths, Interval], float]:
            nothing = known(problem)
            return bounded(nothing.carrying(demand, 1.0), nothing.certificate.lengths)

        name = lp_solver(context, problem)
        try:
            found, name = solve_goal(problem, goal, context, prove, without)
        except TimeLimitError:
            # Of fixed splits, what each demand puts on links is not known yet, but all demands together are no less.
            attained = known(problem).carrying(demand, 1.0)
            nothing = np.zeros(len(problem.flow.capacity)), *np.zeros((2, *problem.flow.attach.shape))
            most = Interval(sum_down(attained.rate), problem.flow.merged_up(sum_up(demand)))
            found = Best((attained, nothing, most), 0, "time limit reached", interrupted=False)
            context.clock.note("certify")
        attained, lengths, interval = found.answer
        figures = self._figures(interval, attained.rate, demand)
        short = bool(unknown) and self.shortfall(figures) > context.options.tolerance
        return Optimum(
            interval,
            self.gap(figures),
            name,
            found.iterations,
            attained.with_lengths(lengths),
            attained.load,
            attained.rate,
            figures,
            interrupted=found.interrupted,
            warnings=((unknown,) if short else ()) + found.warnings,
        )

    def along(self, problem: Problem, found: Optimum, flow: Attained) -> Optimum:
        """See :meth:`Objective.along`."""
        demand, lengths = problem.flow.demand, found.certificate.lengths
        met = min(self.params.floor, float(div_down(flow.rate, demand).min()))
        upper = _bound(problem.flow, demand, problem.flow.volume(lengths), problem.distances(lengths), met)
        interval = Interval(sum_down(flow.rate), upper)
        return replace(
            found,
            interval=interval,
            gap=self.gap(figures := self._figures(interval, flow.rate, problem.flow.demand)),
            certificate=flow.with_lengths(found.certificate.lengths),
            link_load=flow.load,
            rate=flow.rate,
            figures=figures,
        )

    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """See :meth:`Objective.recheck`."""
        rates = claim.rates
        assert rates is not None
        second.check.require(np.all(rates.most <= 1), "no demand gets more than it asks", "a rate is above its demand")
        second.carry(rates)
        distance, demand = second.distances(second.lengths), second.flow.demand
        # Both bounds are for the floor that the rates meet, which the figures say.
        floor = min(self.params.floor, float(rates.least.min()))
        upper = _bound(second, demand, second.volume(second.lengths), distance, floor)
        return self._with_floor(_figures(second.ordered(rates.total_gbps, upper)), float(rates.least.min()))

    def gap(self, figures: Mapping[str, Any]) -> float:
        """See :meth:`Objective.gap`: what is missing of the floor counts, too."""
        return max(super().gap(figures), self.shortfall(figures))

    def shortfall(self, figures: Mapping[str, Any]) -> float:
        """See :meth:`Objective.shortfall`."""
        floor = self.params.floor
        return missing(figures.get("floor", 0.0), floor) if floor else 0.0

    def outstanding(self, document: Mapping[str, Any]) -> str:
        """See :meth:`Objective.outstanding`."""
        short = self.shortfall(document) > document["tolerance"]
        return "the floor was met" if short else super().outstanding(document)

    def _figures(self, interval: Interval, rate: FloatArray, demand: FloatArray) -> Mapping[str, Any]:
        return self._with_floor(_figures(interval), float((rate / demand).min()))

    def _with_floor(self, figures: Mapping[str, Any], least: float) -> Mapping[str, Any]:
        """Return the figures with the part that every demand gets, where there is a floor: no more than that."""
        return {**figures, "floor": min(least, self.params.floor)} if self.params.floor else figures

    def _everything(self, problem: Problem, context: SolveContext) -> Optimum | None:
        """Return the optimum where all demands are soon seen to fit together, else None."""
        if lp_solver(context, problem) != FLOW_SOLVER or problem.flow_variables <= TINY_FLOW_VARIABLES:
            return None
        options = context.options
        most = _FEW_STEPS if options.max_iterations is None else min(options.max_iterations, _FEW_STEPS)
        search = largest(
            problem, replace(context, options=replace(options, max_iterations=most)), enough=1.0, lacking=np.inf
        )
        if search.answer.interval.lower < 1:
            return None
        demand, attained = problem.flow.demand, search.answer.carrying(problem.flow.demand, 1.0)
        interval = Interval(sum_down(attained.rate), problem.flow.merged_up(sum_up(demand)))
        figures = self._figures(interval, attained.rate, demand)
        if self.gap(figures) > options.tolerance:
            return None
        return Optimum(
            interval,
            self.gap(figures),
            FLOW_SOLVER,
            search.iterations,
            attained.with_lengths(no_lengths(problem)),
            attained.load,
            attained.rate,
            figures,
            interrupted=search.interrupted,
        )

    def _known_floor(self, problem: Problem, context: SolveContext) -> tuple[float, str]:
        """Return the floor, or the largest that is known to fit, and what to say where no larger one is found to.

        Raises:
            InfeasibleError: the floors do not fit together: the largest that do are K, at most 1.
        """
        floor = self.params.floor
        most = largest(problem, context, enough=floor).answer.interval
        if floor > most.upper:
            raise InfeasibleError(
                "the floors do not fit together",
                where="total: floor",
                found=floor,
                allowed=f"at most {most.lower:.9g}, which is the largest part that all demands can get",
            )
        if floor <= most.lower:
            return floor, ""
        return most.lower, (
            f"whether a floor of {floor:.9g} fits is not known: the largest that does is at least {most.lower:.9g} "
            f"and at most {most.upper:.9g}"
        )

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        total = f"{format_gbps(figures['total_gbps'])} Gb/s"
        lines = [("total", total), rates_in_words(figures), proved(figures, self.headline)]
        if self.params.floor:
            lines.insert(1, ("floor", f"every demand gets at least {100 * figures['floor']:.9g} % of what it asks"))
        return lines


def _bound(
    merged: FlowProblem | SecondProblem, demand: FloatArray, volume: float, distance: FloatArray, floor: float
) -> float:
    """Return ``volume + sum d max(0, 1 - dist) - floor sum d max(0, dist - 1)``, rounded up.

    What is farther than 1 gets its floor all the same, and takes more than that is worth.
    """
    beyond = sum_up(mul_up(demand, np.maximum(sub_up(1.0, distance), 0.0)))
    farther = sum_down(mul_down(mul_down(floor, demand), np.maximum(sub_down(distance, 1.0), 0.0)))
    return float(sub_up(add_up(volume, merged.merged_up(beyond)), merged.merged_down(farther)))


def best_scale(capacity: float, distance: FloatArray, demand: FloatArray, floor: float = 0.0) -> float:
    """Return the scale s >= 0 at which the bound ``s capacity + sum d f(s dist)`` is smallest.

    Here ``f(x) = 1 - x`` where that is positive, else ``floor`` times that: what is too far gets its floor only.  The
    function is convex and piecewise linear with breakpoints at ``1 / dist``, so one of them, or 0, is the place.

    Args:
        capacity: sum of capacity times length over all links.
        distance: float64 ``[J]``, >= 0, finite.
        demand: float64 ``[J]``, > 0.
        floor: the part of each demand that is met anyway.
    """
    order = np.argsort(-distance, kind="stable")
    distance, demand = distance[order], demand[order]
    takes = distance * demand
    # Floors take their part at every scale.
    capacity, takes = capacity - floor * float(takes.sum()), (1 - floor) * takes
    # What demands with a later breakpoint than the i-th still take off, per unit of s: the slope is capacity less that.
    later = np.append(np.cumsum(takes[::-1])[::-1][1:], 0.0)
    first = int(np.argmax(later <= capacity))
    if takes.sum() <= capacity or distance[first] == 0:
        return 0.0
    return float(1.0 / distance[first])


def _figures(interval: Interval) -> dict[str, float]:
    return {
        "total_gbps": interval.lower,
        "lower_bound_gbps": interval.lower,
        "upper_bound_gbps": interval.upper,
        "relative_gap": interval.gap,
    }
