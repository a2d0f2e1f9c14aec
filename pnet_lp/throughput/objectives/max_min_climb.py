"""From one level of ``max-min`` to the next: which programs are solved, by what, and whom each of them fixes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.deadline import OVER
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.objectives.max_min_level import (
    Step,
    bound_of,
    given_up,
    lowest_of,
    solve_level,
    stuck_at,
)
from pnet_lp.throughput.objectives.program import VERTEX_SOLVER, lp_solver
from pnet_lp.throughput.problems import Attained, Problem
from pnet_lp.throughput.problems.columns import ColumnProblem
from pnet_lp.throughput.problems.cuts import Cuts
from pnet_lp.throughput.proofs.checks import SAME, SLACK
from pnet_lp.throughput.solvers import AUTO, get_solver
from pnet_lp.throughput.solvers.highs import HighsSimplex

if TYPE_CHECKING:
    from pnet_lp.throughput.solvers.highs_levels import LevelFound, Levels

_BYTES_PER_LENGTH, _BYTES_PER_RATE = 8, 18
"""What a level keeps until the end, of each link and each demand."""

_LEVELS_PER_SPARE = 4
"""For so many levels there is to be room for another one in the end, when all of them are told of."""

_MANY = 0.1
"""A program fixes many demands where it fixes at least this part of those that are free."""

_IN_A_ROW = 4
"""So many programs of an interior point may fix fewer, one after the other, before columns are tried."""

_NEAR = 0.9
"""A demand is as good as stuck where links of its own allow it only this part of the tolerance more than it has."""


def climbed(problem: Problem, context: SolveContext) -> Climb:
    """Return all levels.

    Where an interior point fixes many demands at once, levels are few, and each is solved from nothing.  From where it
    does not they are solved over columns, each from the basis of the one before; and from where that fails, by an
    interior point again.
    """
    climb = Climb(problem, context)
    if problem.form == "path" and context.solver in (AUTO, VERTEX_SOLVER):
        while not climb.ended:
            if context.solver == AUTO:
                climb.start_again(least=_MANY)
            known = len(climb.steps)
            if not climb.ended:
                climb.go_on()
            if len(climb.steps) == known:
                break
    climb.start_again()
    return climb


class Climb:
    """From one level to the next.

    Attributes:
        rate: float64 ``[J]``, Gb/s that each demand gets.
        held: float64 ``[J]``, Gb/s that each of those that are fixed gets in later programs, 0 for the others.
        free: bool ``[J]``, which of them no level has fixed.
        steps: the levels, lowest first.
        attained: the last flow.
        solver, iterations, interrupted, warnings: as of :class:`Optimum`.
    """

    attained: Attained

    def __init__(self, problem: Problem, context: SolveContext) -> None:
        self._problem, self._context = problem, context
        self.rate = floats(np.zeros(problem.demand_count))
        self.held = self.rate
        self.free = np.ones(problem.demand_count, dtype=bool)
        self.steps: list[Step] = []
        self.solver = lp_solver(context, problem, steps=False)
        self.iterations, self.interrupted = 0, False
        self.warnings: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether all demands are fixed, or a limit ended it."""
        return not self.free.any() or bool(self.warnings) or (self.interrupted and bool(self.steps))

    def go_on(self) -> None:
        """Solve each level over columns from the basis of the one before, as far as that goes."""
        from pnet_lp.throughput.solvers.highs_levels import Levels  # noqa: PLC0415 - brings SciPy

        problem, context = self._problem, self._context
        assert isinstance(problem, ColumnProblem)
        solver = get_solver(VERTEX_SOLVER)
        assert isinstance(solver, HighsSimplex)
        solver.check(problem, instead="")
        demand, tolerance = problem.flow.demand, context.options.tolerance
        rate = self.held
        crossing = context.solver == AUTO
        levels, last = Levels(problem, solver, self.free, rate, crossing=crossing), None
        alike: list[tuple[LevelFound, BoolArray]] = []
        short: SolverError | None = None
        while self.free.any():
            try:
                self._check_fits()
            except SolverError as error:
                if last is None:
                    raise
                short = error
                break
            try:
                found = levels.solve(context.options, self.iterations)
            except SolverError:
                break
            self.iterations += found.iterations
            if found.stopped:
                if last is None:
                    # What can be said without a solution is said below.
                    self._context = replace(context, options=replace(context.options, deadline=OVER))
                else:
                    self.warnings = (f"{solver.name}: {found.stopped}",)
                self.interrupted = found.interrupted
                break
            context.clock.note("solve")
            rate = np.where(self.free, demand * found.rate, rate)
            upper, part = bound_of(demand, rate, self.free, found.volume, found.distance)
            stuck = stuck_at(found.rate, upper, part, self.free, tolerance)
            if not stuck.any():
                break
            last = found
            if alike and found.rate > alike[0][0].rate * (1 + SLACK):
                self._note(levels, alike)
                alike = []
            alike.append((found, stuck))
            # All that are at the limit of their own paths are stuck as well: a program would find one after the other.
            full = self.free & ~stuck & (self._cuts.most <= demand * found.rate * (1 + SAME))
            if full.any():
                length = self._cuts.lengths(full)
                alike.append((replace(found, length=length, distance=levels.distances(length)), full))
            before = self.free
            self._fix(floats(rate), stuck | full)
            near = self._near(found.rate)
            if near.any():
                self._note(levels, alike)
                self._note_near(self.rate, near)
                alike = []
            rate = np.where(self.free, rate, self.held)
            stuck = before & ~self.free
            context.clock.note("certify")
            try:
                levels.hold(stuck, rate, found, int(np.argmax(part)))
            except SolverError:
                break
        if last is not None:
            if alike:
                self._note(levels, alike)
            if short is not None:
                self.warnings = (self._unknown(short),)
            self.solver = solver.name
            self.attained = problem.attain(last.flow, self.rate)
            self.rate = self.attained.rate
            self.steps[-1] = replace(self.steps[-1], rate=self.rate, factor=self.attained.factor)

    def _note(self, levels: Levels, alike: list[tuple[LevelFound, BoolArray]]) -> None:
        """Note the demands that are stuck at one rate, for different reasons, as one level: lengths add up."""
        problem = self._problem
        assert isinstance(problem, ColumnProblem)
        fixed = np.any([stuck for _, stuck in alike], axis=0)
        # In the same measure, so that all of them have a part in the bound.
        scaled = (
            found.length * np.count_nonzero(stuck) / float(problem.flow.demand[stuck] @ found.distance[stuck])
            for found, stuck in alike
        )
        length = sum(scaled, start=np.zeros(len(problem.flow.link_capacity)))
        lengths = problem.proof(np.ones(problem.flow_variables), length).lengths
        free = self.free | fixed
        self.steps.append(Step(self.rate, 1.0, free, fixed, lengths, levels.distances(length)))

    def start_again(self, *, least: float = 0.0) -> None:
        """Solve the program of each level that is left, from nothing.

        Args:
            least: part of the free demands; it ends where some programs in a row fix fewer, and where an interior
                point does not close the gap.  0 for no end.
        """
        problem, few = self._problem, 0
        while not self.ended:
            try:
                self._check_fits()
                found = solve_level(problem, self.held, self.free, self._context, vertex=not least)
            except KeyboardInterrupt:
                if not self.steps:
                    raise
                self.interrupted = True
                break
            except SolverError as error:
                if not self.steps:
                    raise
                self.warnings = (self._unknown(error),)
                break
            step, attained = found.answer
            ended = found.interrupted or self._context.options.deadline.left_s() <= 0
            many = np.count_nonzero(step.fixed) >= _MANY * np.count_nonzero(step.free)
            hair = given_up(np.ones_like(step.free), self._context.options.tolerance)
            # A flow that has to be scaled down by more takes from all that have been fixed.
            loses = bool(self.steps) and 1 - step.factor > hair
            proved = step.proved and not (least and loses)
            level = lowest_of(step.rate, problem.flow.demand, step.free)
            near = self._near(level, wanted=not loses and not (many and proved))
            if least and not proved and not near.any() and not ended:
                break
            if ended and loses:
                step, attained = replace(step, rate=self.rate, factor=1.0), self.attained
            self.attained, factor = attained, step.factor
            if proved or not near.any():
                self.steps.append(step)
                self._fix(step.rate, step.fixed)
                factor = 1.0
            self._note_near(step.rate, near & self.free, factor)
            self.iterations += found.iterations
            self.interrupted, self.warnings = self.interrupted or found.interrupted, found.warnings
            few = 0 if many else few + 1
            if least and few == _IN_A_ROW:
                break

    def _near(self, level: float, *, wanted: bool = True) -> BoolArray:
        """Return bool ``[J]``: the free demands that links of their own allow hardly more than ``level``."""
        if not wanted or self._problem.form != "path":
            return np.zeros_like(self.free)
        least = level * self._problem.flow.demand
        return self.free & (self._cuts.most <= (1 + _NEAR * self._context.options.tolerance) * least)

    def _note_near(self, rate: FloatArray, near: BoolArray, factor: float = 1.0) -> None:
        """Fix demands at ``rate``, and note as one level so many of them as leave little room on their cuts together.

        Args:
            rate: float64 ``[J]``, Gb/s.
            near: bool ``[J]``, which.
            factor: of the flow in which they get it, where no level of it has been noted yet.
        """
        problem = self._problem
        if not near.any():
            return
        assert isinstance(problem, ColumnProblem)
        room = np.maximum(self._cuts.most - rate, 0.0)
        waiting = np.flatnonzero(near)[np.argsort(room[near], kind="stable")]
        while waiting.size:
            try:
                self._check_fits()
            except SolverError:
                # Those that are left have a program of their own, or it is said there that they have none.
                break
            allowed = _NEAR * self._context.options.tolerance * np.minimum.accumulate(rate[waiting])
            together = np.cumsum(room[waiting]) <= allowed
            count = max(int(np.argmin(np.append(together, False))), 1)
            group = np.zeros_like(near)
            group[waiting[:count]] = True
            lengths = problem.proof(np.ones(problem.flow_variables), self._cuts.lengths(group)).lengths
            self.steps.append(Step(rate, factor, self.free, group, lengths, problem.distances(lengths)))
            self._fix(rate, group)
            waiting, factor = waiting[count:], 1.0

    @cached_property
    def _cuts(self) -> Cuts:
        assert isinstance(self._problem, ColumnProblem)
        return Cuts.of(self._problem)

    def _fix(self, rate: FloatArray, stuck: BoolArray) -> None:
        """Let those that are ``stuck``, bool ``[J]``, keep what they get in ``rate``, Gb/s ``[J]``, but for a hair."""
        less = (1 - given_up(self.free, self._context.options.tolerance)) * rate
        self.rate, self.free = rate, self.free & ~stuck
        self.held = floats(np.where(self.free, 0.0, np.minimum(np.where(stuck, less, self.held), rate)))

    def _check_fits(self) -> None:
        """Raise SolverError where one more level does not fit: how many there will be shows only at the end."""
        flow, demands = self._problem.flow, self._problem.demand_count
        links = len(flow.capacity) + 2 * flow.attach.size
        more = 1 + len(self.steps) // _LEVELS_PER_SPARE
        check_fits(
            more * (_BYTES_PER_LENGTH * links + _BYTES_PER_RATE * demands),
            f"one more level of {demands:,} demands on {links:,} links",
            SolverError,
            allowed="level=rack, fewer planes, a smaller network",
        )

    def _unknown(self, error: SolverError) -> str:
        return f"levels beyond the {len(self.steps)} found are not known: {error}"
