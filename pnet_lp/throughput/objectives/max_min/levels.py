"""A level of max-min fairness and what it proves; the state after some levels; and what continues from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import BoolArray, FloatArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.result import FairLevel
from pnet_lp.model.rounded import div_down, div_up, mul_down, sub_down, sub_up, sum_down
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.objectives.program import lp_solver
from pnet_lp.throughput.problems import Attained, Lengths, Problem

Index: TypeAlias = npt.NDArray[np.integer[Any]]
"""Of demands or links."""

_SLACK, _SLACK_PER_LINK = 1e-14, 2.3e-16
"""Part of a volume that is added to it, so that others can check bounds which are differences of sums: distances are
rounded, at each link of a path, by those who compute them."""

_ROUNDS = 100
"""Of raising a bound; each lets others keep more, and is nearly always the last."""

_SMALL = 0.02
"""A demand with less than this part of the mean part in the bound is not fixed: what the others are relaxed by could
all be its own."""

_RELAXATION, _MOST_RELAXATION, _LOOSE = 1e-6, 1e-7, 1e-3
"""Part of its rate by which a demand is relaxed, in tolerances, and at most; more by the factor by which the tolerance
is above a thousandth, where more room does no harm."""

PART = 0.25
"""A demand is saturated where it can get beyond its level by at most this part of the tolerance."""

_BYTES_PER_LENGTH, _BYTES_PER_RATE, _LEVELS_PER_SPARE = 8, 16, 4
"""What a level keeps until the end, of each link and each demand; and for how many levels there is to be room for
another one in the end, when all of them are reported."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Level:
    """One level as solved.

    Attributes:
        rate: float64 ``[J]``, Gb/s that each demand got.
        demands: integers, those that it fixes.
        lengths: dual prices of the links.
        distance: float64, of each demand's shortest path by these, or less.
        crossing: integers, the demands that ``distance`` is of, sorted; None for all, ``[J]``.
        factor: by which the flow was scaled down until it fit.
        satisfied: whether it fixes demands because they have what they ask; nothing else is proved then.
    """

    rate: FloatArray
    demands: Index
    lengths: Lengths
    distance: FloatArray
    crossing: Index | None = None
    factor: float = 1.0
    satisfied: bool = False


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class State:
    """Some levels, lowest first, and the demands that none of them fixes.

    Attributes:
        problem: the problem.
        context: by what to solve what remains.
        rate: float64 ``[J]``, Gb/s that each demand gets.
        kept: float64 ``[J]``, Gb/s that each fixed demand gets in later programs, relaxed; 0 for the others.
        active: bool ``[J]``, the demands that are not fixed.
        levels: those found.
        flow: the last flow; None before there is one.
        cap: float64 ``[J]``, Gb/s that each demand gets at most; infinite where nothing but links limits it.
        satisfied: bool ``[J]``, those that are fixed because they have that.
        solver, iterations, interrupted, warnings: as of :class:`Optimum`.
    """

    problem: Problem
    context: SolveContext
    rate: FloatArray
    kept: FloatArray
    active: BoolArray
    solver: str
    cap: FloatArray
    satisfied: BoolArray
    levels: tuple[Level, ...] = ()
    flow: Attained | None = None
    iterations: int = 0
    interrupted: bool = False
    warnings: tuple[str, ...] = ()

    @classmethod
    def zero(cls, problem: Problem, context: SolveContext, cap: FloatArray | None = None) -> Self:
        """Return the state before the first level, with a ``cap`` ``[J]``, Gb/s, on what each demand gets."""
        nothing = floats(np.zeros(problem.demand_count))
        active = np.ones(problem.demand_count, dtype=bool)
        most = floats(np.full(problem.demand_count, np.inf)) if cap is None else cap
        return cls(problem, context, nothing, nothing, active, lp_solver(context, problem, steps=False), most, ~active)

    @property
    def tolerance(self) -> float:
        """Relative gap within which each level is to be proved."""
        return self.context.options.tolerance

    @property
    def ended(self) -> bool:
        """Whether all demands are fixed, or a limit ended it."""
        return not self.active.any() or bool(self.warnings) or (self.interrupted and self.flow is not None)

    def fix(self, rate: FloatArray, saturated: BoolArray | Index, by: float | None = None) -> Self:
        """Return the state in which the ``saturated``, a mask or indices, keep their ``rate``, Gb/s ``[J]``, relaxed.

        That is ``by`` a part of it, or by :func:`relaxation`.
        """
        relaxed = (1 - (relaxation(self.active, self.tolerance) if by is None else by)) * rate
        active, kept = self.active.copy(), self.kept.copy()
        active[saturated] = False
        kept[saturated] = relaxed[saturated]
        kept = np.where(active, 0.0, np.minimum(kept, rate))
        return replace(self, rate=rate, active=active, kept=floats(kept))

    def satisfy(self, level: Level) -> Self:
        """Return the state in which the demands that a level fixes have all that they ask."""
        satisfied = self.satisfied.copy()
        satisfied[level.demands] = True
        return replace(self.fix(level.rate, level.demands), satisfied=satisfied)

    def add(self, level: Level) -> Self:
        """Return the state with one more level, whose demands are or will be fixed.

        Arcs that are one link get one length, which changes no distance and no volume.
        """
        core, up, down = level.lengths
        level = replace(level, lengths=(self.problem.flow.tied(core), up, down))
        return replace(self, levels=(*self.levels, level))

    def check_fits(self, demands: int | None = None) -> None:
        """Raise SolverError where one more level does not fit: how many there will be shows only at the end.

        It keeps something of all ``demands``, or of so many.
        """
        flow, demands = self.problem.flow, self.problem.demand_count if demands is None else demands
        links = len(flow.capacity) + 2 * flow.attach.size
        more = 1 + len(self.levels) // _LEVELS_PER_SPARE
        check_fits(
            more * (_BYTES_PER_LENGTH * links + _BYTES_PER_RATE * demands),
            f"one more level of {demands:,} demands on {links:,} links",
            SolverError,
            allowed="level=rack, fewer planes, a smaller network",
        )


class Strategy(Protocol):
    """A way to find further levels."""

    def solve(self, state: State) -> Iterator[State]:
        """Yield states with more and more levels, until all demands are fixed or the strategy gets no further.

        Raises:
            SolverError: it failed, or the next level does not fit into memory.
        """


def bound_of(
    demand: FloatArray, rate: FloatArray, active: BoolArray, volume: float, distance: FloatArray
) -> tuple[float, FloatArray]:
    """Return the bound on the level of the ``active`` demands, and the part ``w`` ``[J]`` of each in it.

    Those that are not active get their ``rate`` ``[J]``, Gb/s.  Any dual prices >= 0 will do: ``volume`` is the sum of
    capacity times price, ``distance`` ``[J]`` the length of each demand's shortest path by them.
    """
    takes = mul_down(np.where(active, demand, 0.0), distance)
    total = float(sum_down(takes))
    if total <= 0:
        return np.inf, takes
    left = sub_up(volume * (1 + _SLACK), sum_down(mul_down(rate[~active], distance[~active])))
    # Where the bound is met to the last bit, or beyond, a demand with hardly a part in it would count as saturated.
    return float(left) / total, floats(takes / total)


def saturated_at(
    reached: float, upper: float, part: FloatArray, active: BoolArray, tolerance: float, by: float | None = None
) -> BoolArray:
    """Return bool ``[J]``: the ``active`` demands that can get hardly more, also when the others are relaxed.

    That is ``by`` a part of their rates, or by :func:`relaxation`.
    """
    between = upper - reached + 2 * (relaxation(active, tolerance) if by is None else by) * reached
    return active & (part > 0) & (between <= PART * tolerance * reached * part)


def relaxation(active: BoolArray, tolerance: float) -> float:
    """Return the part of its rate, about 1e-8, by which a demand is relaxed when it is fixed, one of the ``active``.

    Many that are fixed exactly leave later programs no interior, and rounding makes them infeasible.
    """
    most = _RELAXATION * tolerance * max(1.0, tolerance / _LOOSE)
    return min(_MOST_RELAXATION, most, 0.5 * PART * tolerance * _SMALL / max(int(active.sum()), 1))


def lowest_of(rate: FloatArray, demand: FloatArray, active: BoolArray) -> float:
    """Return the least rate per unit demand of the ``active``, bool ``[J]``."""
    return float((rate[active] / demand[active]).min())


def certified(problem: Problem, rate: FloatArray, levels: Sequence[Level]) -> list[FairLevel]:
    """Return the levels at the final ``rate`` ``[J]``, lowest first, each with the bound that its lengths prove.

    Later levels scale all rates down a little, until what the solver found fits exactly.  The bound is that for the
    rates that demands have in the end, as the proof is checked with these.
    """
    demand = problem.flow.demand
    own = div_down(rate, demand)
    slack = _SLACK + _SLACK_PER_LINK * int(problem.flow.node_count.max())
    found = []
    for level in levels:
        members, here = level.demands, slice(None) if level.crossing is None else level.crossing
        place = members if level.crossing is None else np.searchsorted(level.crossing, members)
        takes, have = mul_down(demand[here], level.distance), own[here]
        volume = problem.flow.volume(level.lengths) * (1 + slack)
        most = np.inf
        if takes[place].min() > 0:
            # The lower the bound, the less those above it keep: it rises until it holds.
            most = float(have[place].max())
            for _ in range(_ROUNDS):
                kept = mul_down(takes, np.minimum(have, most))
                left = np.maximum(sub_up(volume, sub_down(sum_down(kept), kept[place])), 0.0)
                needed = float(div_up(left, takes[place]).max())
                if needed <= most:
                    break
                most = needed
        attained = float(div_down(rate[members], demand[members]).min())
        found.append(FairLevel(attained, most, ints(members)).by(*level.lengths))
    return sorted(found, key=lambda level: level.rate)
