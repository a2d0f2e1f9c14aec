"""One level of ``max-min``: the program in which it grows, the bound on it, and the demands that are stuck."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.model import Interval
from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.objectives.program import formulate, solve_form
from pnet_lp.throughput.problems import Attained, Lengths, Problem
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.proofs.checks import SLACK
from pnet_lp.throughput.solvers.general import Best

_SMALL = 0.02
"""A demand is not fixed where its part in the bound is below this part of the mean: all that the others give up could
be its own, and so they could give up hardly anything."""

_GIVEN_UP, _LOOSE = 1e-6, 1e-3
"""Part of its rate, in tolerances, that a demand gives up at most once it is fixed; more by the factor by which the
tolerance is above a thousandth, where more room does no harm."""

_MOST_GIVEN_UP = 1e-7
"""Part of its rate that no tolerance makes a demand give up more than."""

_PART = 0.25
"""A demand is fixed where it can get beyond its level by at most this part of the tolerance."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """One level as solved.

    Attributes:
        rate: float64 ``[J]``, Gb/s that each demand got.
        factor: what was left of the rates when the flow had been scaled down until it fits.
        free: which demands were free.
        fixed: which of them this level fixes.
        lengths: of the bound.
        distance: float64 ``[J]``, by these lengths.
        proved: whether the bound is close enough; else the demand with the largest part in it is fixed all the same.
    """

    rate: FloatArray
    factor: float
    free: BoolArray
    fixed: BoolArray
    lengths: Lengths
    distance: FloatArray
    proved: bool = True


def bound_of(
    demand: FloatArray, rate: FloatArray, free: BoolArray, volume: float, distance: FloatArray
) -> tuple[float, FloatArray]:
    """Return the bound on the level of the ``free`` demands, and the part ``w`` ``[J]`` of each in it.

    Args:
        demand: float64 ``[J]``.
        rate: float64 ``[J]``, Gb/s, what the others get.
        free: bool ``[J]``.
        volume: of any lengths >= 0.
        distance: float64 ``[J]``, by these lengths.
    """
    takes = np.where(free, demand * distance, 0.0)
    total = float(takes.sum())
    if total <= 0:
        return np.inf, takes
    held = float((rate * distance)[~free].sum())
    # Where the bound is met to the last bit, or beyond, a demand with hardly a part in it would count as stuck.
    return (volume - held + SLACK * (volume + held)) / total, takes / total


def solve_level(
    problem: Problem, rate: FloatArray, free: BoolArray, context: SolveContext, *, vertex: bool
) -> Best[tuple[Step, Attained]]:
    """Return where the level of the free demands ends, found from nothing, and the flow in which they get so much.

    Args:
        problem: the problem.
        rate: float64 ``[J]``, Gb/s that the others get.
        free: bool ``[J]``.
        context: by what to solve it.
        vertex: whether a vertex is looked for where an interior point does not prove the level.

    Raises:
        SolverError: the solver failed, or the program does not fit into memory.
    """
    demand = problem.flow.demand
    fixed = np.where(free, 0.0, rate)
    goal = ProgramGoal.of(
        problem.flow,
        weight=np.where(free, demand, 0.0),
        lower=fixed,
        upper=fixed,
        rate_cost=-float(demand.sum()),
    )
    form = formulate(problem, context, goal, steps=False)

    def prove(value: FloatArray, dual: FloatArray) -> tuple[tuple[Step, Attained], float]:
        step, attained = _prove(problem, form, value, dual, free, fixed, context.options.tolerance)
        volume = problem.flow.volume(step.lengths)
        upper, _ = bound_of(demand, step.rate, free, volume, step.distance)
        reached = lowest_of(step.rate, demand, free)
        # The bound is divided among many demands, each of which is to be close.
        return (step, attained), Interval(reached, upper).gap / _PART * np.sqrt(int(free.sum()))

    # The more demands have a part in the bound, the more are fixed at once.
    return solve_form(problem, form, context, prove, central=True, vertex=vertex)


def _prove(
    problem: Problem,
    form: Form,
    value: FloatArray,
    dual: FloatArray,
    free: BoolArray,
    fixed: FloatArray,
    tolerance: float,
) -> tuple[Step, Attained]:
    demand = problem.flow.demand
    attained = form.attain(value, dual, np.where(free, demand * form.rate(value), fixed))
    length, up, down = map(floats, form.lengths(dual))
    lengths = length, up, down
    distance = problem.distances(lengths)
    upper, part = bound_of(demand, attained.rate, free, problem.flow.volume(lengths), distance)
    reached = lowest_of(attained.rate, demand, free)
    blocked = stuck_at(reached, upper, part, free, tolerance)
    proved = bool(blocked.any())
    blocked[int(np.argmax(np.where(free, part, -1.0)))] = True
    return Step(attained.rate, attained.factor, free, blocked, lengths, distance, proved), attained


def stuck_at(reached: float, upper: float, part: FloatArray, free: BoolArray, tolerance: float) -> BoolArray:
    """Return bool ``[J]``: the ``free`` demands that can get hardly more, also when the others give up a hair."""
    between = upper - reached + 2 * given_up(free, tolerance) * reached
    return free & (part > 0) & (between <= _PART * tolerance * reached * part)


def given_up(free: BoolArray, tolerance: float) -> float:
    """Return the part of its rate that a demand gives up when it is fixed, one of those that are ``free``.

    Many that are fixed exactly leave later programs no room: their prices are without bound, and what was rounded makes
    them infeasible.
    """
    most = _GIVEN_UP * tolerance * max(1.0, tolerance / _LOOSE)
    return min(_MOST_GIVEN_UP, most, 0.5 * _PART * tolerance * _SMALL / max(int(free.sum()), 1))


def lowest_of(rate: FloatArray, demand: FloatArray, free: BoolArray) -> float:
    """Return the least rate per unit demand of those that are ``free``, bool ``[J]``."""
    return float((rate[free] / demand[free]).min())
