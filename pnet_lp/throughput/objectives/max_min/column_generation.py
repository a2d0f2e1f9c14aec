"""Each level over paths that mattered so far, which continues from level to level.

By column generation over any path or over given ones, programs have only these paths and the links that mattered
(``crates/pnet-core/src/mcf/columns/fair.rs``).  :mod:`~.vertices` has another search for one level after the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np

from pnet_lp import _core
from pnet_lp.deadline import Deadline
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.flow import Lengths
from pnet_lp.throughput.objectives.max_min.levels import PART, Level, State, bound_of, saturated_at
from pnet_lp.throughput.objectives.program import NO_TIME
from pnet_lp.throughput.problems import Attained, Problem
from pnet_lp.throughput.problems.answers import FlowAnswer
from pnet_lp.throughput.problems.base import separated
from pnet_lp.throughput.problems.merge import merge
from pnet_lp.throughput.problems.paths import PathProblem
from pnet_lp.throughput.solvers import SolveOptions
from pnet_lp.throughput.solvers.base import OnProgress
from pnet_lp.throughput.solvers.choose import FLOW_SOLVER

_CLOSER = 0.1
"""Part of the tolerance of one demand, were all saturated together, to which a level is solved."""

_LOSS = 0.01
"""Part by which a flow may have to be scaled down, in tolerances."""

_ROUNDING = 2.5e-14
"""Part of a volume that bounds lack by rounding, and as rates are scaled in the end until they fit."""

_FEW = 0.5
"""Part of the demands that may be active where a search continues beyond its part of the time."""

_WORST, _SAME = 0.01, 2.0
"""Part by which a demand may be below its bound where it is fixed although that is more than the tolerance, as no
attempt brings more; and the factor up to which others take part in the bound that are fixed with it."""


def by_columns(state: State, most: int | None = None) -> State:
    """Return the state after all levels, or as many as are found, by column generation.

    Args:
        state: before the first level.
        most: steps of the interior point, in all levels.

    Raises:
        SolverError: it does not fit into memory.
    """
    return by_levels(state, _LEVELS[state.problem.form](state.problem), most)


def by_levels(state: State, levels: Levels, most: int | None = None, *, longer: Deadline | None = None) -> State:
    """Return the state after all levels, or as many as are found, one after the other.

    Where a limit, or the precision of numbers, ends it, the last level has all demands that are still active.

    Args:
        state: before the first level.
        levels: the search for them.
        most: its steps, in all levels.
        longer: when it ends at the latest if few demands are active when its time is over.

    Raises:
        SolverError: it does not fit into memory.
    """
    problem, demand, context = state.problem, state.problem.flow.demand, state.context
    check_fits(
        levels.estimate_bytes(),
        f"solver {FLOW_SOLVER!r} with {problem.demand_count:,} demands",
        SolverError,
        allowed="level=rack, fewer planes, a smaller network",
    )
    state = replace(state, solver=FLOW_SOLVER)

    def report(done: int, lower: float, upper: float) -> bool:
        context.on_progress(FLOW_SOLVER, state.iterations + done, lower, upper)
        return True

    of_one = state.tolerance / len(demand)
    options = replace(context.options, tolerance=_CLOSER * PART * of_one)
    levels.begin(options, report)
    attempts = 0
    while state.active.any():
        state.check_fits()
        if (limit := context.options.max_iterations) is not None:
            options = replace(options, max_iterations=max(limit - state.iterations, 0))
        found, lengths = levels.next(state.kept, options, report)
        state = replace(state, iterations=state.iterations + found.iterations)
        context.clock.note("solve")
        distance = problem.distances(lengths)
        over = found.interrupted or options.deadline.left_s() <= 0
        if longer is not None and over and not found.interrupted and state.active.mean() <= _FEW:
            options, longer = replace(options, deadline=longer), None
            over = options.deadline.left_s() <= 0
            if not over:
                continue
        reached = found.rate * found.fits
        rate = floats(np.where(state.active, demand * reached, state.kept))
        volume, takes = problem.flow.volume(lengths), float((demand * distance)[state.active].sum())
        upper, part = bound_of(demand, rate, state.active, volume, distance)
        # What is fixed fits up to this, so that no bound is closer.
        within = abs(upper - reached) + (1 - found.fits + 2 * levels.relaxation * of_one) * reached
        within += _ROUNDING * volume / takes if takes > 0 else np.inf
        saturated = saturated_at(reached, reached + within, part, state.active, state.tolerance)
        proved = 1 - found.fits <= _LOSS * state.tolerance and bool(saturated.any())
        attempts = 0 if proved else attempts + 1
        many = any(end is not None and state.iterations >= end for end in (most, limit))
        if not proved and attempts == levels.attempts and not (over or many):
            # Later levels are to be known as well as they can be.
            close = (part > 0) & (part >= part.max() / _SAME) & (within <= _WORST * reached * part)
            saturated = state.active & close
            proved = 1 - found.fits <= state.tolerance and bool(saturated.any())
        if not proved and (over or many or attempts >= levels.attempts):
            unknown = NO_TIME if over else f"levels beyond the {len(state.levels)} found are not known"
            state = replace(state, interrupted=found.interrupted, warnings=(f"{FLOW_SOLVER}: {unknown}",))
            state = state.add(Level(rate, np.flatnonzero(state.active), lengths, distance, factor=found.fits))
            state = replace(state, rate=rate)
            break
        if proved:
            state = state.add(Level(rate, np.flatnonzero(saturated), lengths, distance, factor=found.fits))
            state = state.fix(rate, saturated, levels.relaxation * of_one)
            attempts = 0
        else:
            levels.begin(options, report)
        context.clock.note("certify")
    flow = levels.attain(state.rate)
    context.clock.note("certify")
    return replace(state, flow=flow, rate=flow.rate)


class Levels(Protocol):
    """The search for one level after the other.

    Class attributes:
        relaxation: part of its rate by which a demand is relaxed when it is fixed, in tolerances of one demand.
        attempts: at a level that is not proved, each from the beginning.
    """

    relaxation: ClassVar[float]
    attempts: ClassVar[int]

    def estimate_bytes(self) -> int:
        """Return about how much memory it takes."""

    def begin(self, options: SolveOptions, report: OnProgress) -> None:
        """Forget all levels, and look for first paths."""

    def next(self, kept: FloatArray, options: SolveOptions, report: OnProgress) -> tuple[_core.FairLevel, Lengths]:
        """Return the largest common rate of the demands of which nothing is ``kept`` ``[J]``, Gb/s, and its proof."""

    def attain(self, rate: FloatArray) -> Attained:
        """Return ``rate`` ``[J]``, Gb/s, along the flow of the last level."""


class OverAnyPath:
    """Column generation over any path.

    Class attributes:
        search: that of the core.
    """

    relaxation: ClassVar[float] = 0.02
    attempts: ClassVar[int] = 3
    search: ClassVar[Any] = _core.FairFlow

    def __init__(self, problem: Problem) -> None:
        self._flow, self._merged = problem.flow, merge(problem.flow)

    def estimate_bytes(self) -> int:
        """See :meth:`Levels.estimate_bytes`."""
        return _core.estimate_fair_flow_bytes(self._merged.problem.core)

    def begin(self, options: SolveOptions, report: OnProgress) -> None:
        """See :meth:`Levels.begin`."""
        self._found = self.search(self._merged.problem.core, **options.of_core(report))

    def next(self, kept: FloatArray, options: SolveOptions, report: OnProgress) -> tuple[_core.FairLevel, Lengths]:
        """See :meth:`Levels.next`."""
        found = self._found.level(kept, **options.of_core(report))
        return found, self._merged.lengths(*separated(self._merged.problem, found.length))

    def attain(self, rate: FloatArray) -> Attained:
        """See :meth:`Levels.attain`."""
        proof = self._merged.expand(self._found.proof())
        return FlowAnswer(self._flow, proof, floats(rate / self._flow.demand), rate).attain(rate)


class OverGivenPaths:
    """Column generation over given paths.

    Class attributes:
        search: that of the core.
    """

    relaxation: ClassVar[float] = OverAnyPath.relaxation
    attempts: ClassVar[int] = OverAnyPath.attempts
    search: ClassVar[Any] = _core.FairSplit

    def __init__(self, problem: PathProblem) -> None:
        self.problem = problem

    def estimate_bytes(self) -> int:
        """See :meth:`Levels.estimate_bytes`."""
        return _core.estimate_fair_split_bytes(self.problem.core)

    def begin(self, options: SolveOptions, report: OnProgress) -> None:
        """See :meth:`Levels.begin`."""
        self._found = self.search(self.problem.core, **options.of_core(report))

    def next(self, kept: FloatArray, options: SolveOptions, report: OnProgress) -> tuple[_core.FairLevel, Lengths]:
        """See :meth:`Levels.next`."""
        found = self._found.level(kept, **options.of_core(report))
        return found, separated(self.problem.flow, self.problem.of_core(found.length))

    def amount(self) -> FloatArray:
        """Return float64 ``[N]``: what each path carries by the flow of the last level, Gb/s."""
        return floats(self._found.weight() * self.problem.flow.demand[self.problem.demand_of_column])

    def attain(self, rate: FloatArray) -> Attained:
        """See :meth:`Levels.attain`."""
        return self.problem.attain(self.amount(), rate)


_LEVELS: dict[str, Any] = {"arc": OverAnyPath, "shortest": OverAnyPath, "path": OverGivenPaths}
"""By the form of the problem."""
