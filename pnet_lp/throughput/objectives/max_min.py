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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.deadline import OVER
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model import Interval
from pnet_lp.model.arrays import BoolArray, FloatArray, floats, ints
from pnet_lp.model.result import FairLevel
from pnet_lp.routing import Form as RoutingForm
from pnet_lp.throughput.objectives.base import OBJECTIVES, Optimum, SolveContext
from pnet_lp.throughput.objectives.fair_levels import (
    Fair,
    fairness_figures,
    fairness_gap,
    recheck_filled,
)
from pnet_lp.throughput.objectives.max_min_fill import optimum_by_filling
from pnet_lp.throughput.objectives.program import (
    VERTEX_SOLVER,
    check_program_solver,
    formulate,
    lp_solver,
    solve_form,
)
from pnet_lp.throughput.problems import Attained, Lengths, Problem
from pnet_lp.throughput.problems.columns import ColumnProblem
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.proofs.checks import SAME, SLACK
from pnet_lp.throughput.solvers import AUTO, get_solver
from pnet_lp.throughput.solvers.general import Best
from pnet_lp.throughput.solvers.highs import HighsSimplex

if TYPE_CHECKING:
    from pnet_lp.throughput.proofs.second import SecondProblem
    from pnet_lp.throughput.solvers.highs_levels import LevelFound, Levels

_BYTES_PER_LENGTH, _BYTES_PER_RATE = 8, 18
"""What a level keeps until the end, of each link and each demand."""

_LEVELS_PER_SPARE = 4
"""For so many levels there is to be room for another one in the end, when all of them are told of."""

_MANY = 0.1
"""An interior point goes on as long as each program fixes at least this part of the free demands."""

_STEPS_PER_ROW = 5
"""Of the simplex for each link and demand, up to which its first program is waited for.  Permutations with many levels
take one to four; traffic between all pairs takes more, and longer than an interior point."""

_IN_A_ROW = 4
"""So many programs of an interior point may fix less than that, one after the other, before columns are tried."""

_GIVEN_UP = 1e-6
"""Part of its rate, in tolerances, that a demand gives up once it is fixed.  Many that are fixed exactly leave later
programs no room: their prices are without bound, and what was rounded makes them infeasible."""

_MOST_GIVEN_UP = 1e-8

_PART = 0.25
"""A demand is fixed where it can get beyond its level by at most this part of the tolerance."""


@dataclass(frozen=True, eq=False)
class _Step:
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
        climb = _climbed(problem, context)
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
        earlier = np.zeros(len(demand), dtype=bool)
        for i, level in enumerate(levels):
            lengths = second.normalised(second.checked_lengths(level))
            takes = demand * second.distances(lengths)
            # Nobody has to keep more than the bound: whoever is above it could give way to a smaller one.
            kept = takes * np.minimum(np.where(earlier, own * (1 + level.margin), own), level.upper)
            # Half of the slack that the claim was made with, so that sums in another order do not decide.
            left = second.volume(lengths) * (1 + SLACK / 2) - kept.sum() + kept[level.demands]
            own_takes = takes[level.demands]
            second.check.require(
                math.isinf(level.upper)
                or np.all((left <= own_takes * level.upper * (1 + SAME)) & (own_takes > 0)),
                f"no demand of level {i} can get more than {level.upper:.9g}",
                f"a demand of level {i} could get more than is claimed, {level.upper!r}",
            )
            earlier[level.demands] = True


def _climbed(problem: Problem, context: SolveContext) -> _Climb:
    """Return all levels.

    Where an interior point fixes many demands at once, levels are few, and each is solved from nothing.  From where it
    does not they are solved over columns, each from the basis of the one before, unless the first takes too many steps;
    and from where that fails, by an interior point again.
    """
    climb, steps = _Climb(problem, context), None
    if problem.form == "path" and context.solver == AUTO:
        steps = _STEPS_PER_ROW * (len(problem.flow.link_capacity) + problem.demand_count)
    if problem.form == "path" and context.solver in (AUTO, VERTEX_SOLVER):
        while not climb.ended:
            if context.solver == AUTO:
                climb.start_again(least=_MANY)
            known = len(climb.steps)
            if not climb.ended:
                climb.go_on(steps)
            if len(climb.steps) == known:
                break
    climb.start_again()
    return climb


class _Climb:
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
        self.steps: list[_Step] = []
        self.solver = lp_solver(context, problem, steps=False)
        self.iterations, self.interrupted = 0, False
        self.warnings: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether all demands are fixed, or a limit ended it."""
        return not self.free.any() or bool(self.warnings) or (self.interrupted and bool(self.steps))

    def go_on(self, steps: int | None) -> None:
        """Solve each level over columns from the basis of the one before, as far as that goes.

        Args:
            steps: of the simplex that the first program, which is solved from nothing, may take; None for any number.
        """
        from pnet_lp.throughput.solvers.highs_levels import Levels  # noqa: PLC0415 - brings SciPy

        problem, context = self._problem, self._context
        assert isinstance(problem, ColumnProblem)
        solver = get_solver(VERTEX_SOLVER)
        assert isinstance(solver, HighsSimplex)
        solver.check(problem, instead="")
        demand, tolerance = problem.flow.demand, context.options.tolerance
        rate = self.held
        levels, last = Levels(problem, solver, self.free, rate), None
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
                found = levels.solve(context.options, self.iterations, None if last else steps)
            except SolverError:
                break
            if last is None and found.stopped and found.iterations == steps:
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
            upper, part = _bound(demand, rate, self.free, found.volume, found.distance)
            stuck = self.free & _stuck(found.rate, upper, part, tolerance)
            if not stuck.any():
                break
            last = found
            if alike and found.rate > alike[0][0].rate * (1 + SLACK):
                self._note(levels, alike)
                alike = []
            alike.append((found, stuck))
            # All that are at the limit of their own paths are stuck as well: a program would find one after the other.
            full = self.free & ~stuck & (levels.alone <= demand * found.rate * (1 + SAME))
            if full.any():
                alike.append((levels.by_cuts(full, found), full))
                stuck |= full
            self._fix(floats(rate), stuck)
            rate = np.where(self.free, rate, self.held)
            context.clock.note("certify")
            try:
                levels.hold(stuck, rate, found, int(np.argmax(part)))
            except SolverError:
                break
        if last is not None:
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
        self.steps.append(_Step(self.rate, 1.0, free, fixed, lengths, levels.distances(length)))

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
                found = _solve_level(problem, self.held, self.free, self._context, vertex=not least)
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
            if least and not step.proved and not ended:
                break
            self.attained = attained
            self.steps.append(step)
            self._fix(step.rate, step.fixed)
            self.iterations += found.iterations
            self.interrupted, self.warnings = self.interrupted or found.interrupted, found.warnings
            few = few + 1 if np.count_nonzero(step.fixed) < least * np.count_nonzero(step.free) else 0
            if few == _IN_A_ROW:
                break

    def _fix(self, rate: FloatArray, stuck: BoolArray) -> None:
        self.rate, self.free = rate, self.free & ~stuck
        given_up = np.where(stuck, (1 - _given_up(self._context.options.tolerance)) * rate, self.held)
        self.held = floats(np.where(self.free, 0.0, np.minimum(given_up, rate)))

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


def _bound(
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


def _solve_level(
    problem: Problem, rate: FloatArray, free: BoolArray, context: SolveContext, *, vertex: bool
) -> Best[tuple[_Step, Attained]]:
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

    def prove(value: FloatArray, dual: FloatArray) -> tuple[tuple[_Step, Attained], float]:
        step, attained = _prove(problem, form, value, dual, free, fixed, context.options.tolerance)
        volume = problem.flow.volume(step.lengths)
        upper, _ = _bound(demand, step.rate, free, volume, step.distance)
        reached = _lowest(step.rate, demand, free)
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
) -> tuple[_Step, Attained]:
    demand = problem.flow.demand
    attained = form.attain(value, dual, np.where(free, demand * form.rate(value), fixed))
    length, up, down = map(floats, form.lengths(dual))
    lengths = length, up, down
    distance = problem.distances(lengths)
    upper, part = _bound(demand, attained.rate, free, problem.flow.volume(lengths), distance)
    reached = _lowest(attained.rate, demand, free)
    blocked = free & _stuck(reached, upper, part, tolerance)
    proved = bool(blocked.any())
    blocked[int(np.argmax(np.where(free, part, -1.0)))] = True
    return _Step(attained.rate, attained.factor, free, blocked, lengths, distance, proved), attained


def _stuck(reached: float, upper: float, part: FloatArray, tolerance: float) -> BoolArray:
    """Return bool ``[J]``: the demands that can get hardly more, also when the others give up a hair."""
    between = upper - reached + 2 * _given_up(tolerance) * reached
    return (between <= _PART * tolerance * reached * part) & (part > 0)


def _given_up(tolerance: float) -> float:
    return min(_GIVEN_UP * tolerance, _MOST_GIVEN_UP)


def _lowest(rate: FloatArray, demand: FloatArray, free: BoolArray) -> float:
    return float((rate[free] / demand[free]).min())


def _levels(problem: Problem, rate: FloatArray, steps: list[_Step]) -> list[FairLevel]:
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
        # What a later solve rounded away of a small rate holds nobody back.
        kept = rate / shrunk
        then = step.rate
        held = np.where(kept < then * (1 - SLACK), kept, then)
        volume = problem.flow.volume(step.lengths)
        upper, part = _bound(problem.flow.demand, held, step.free, volume, step.distance)
        least = float(part[members].min())
        most = np.inf
        if least > 0:
            most = reached + max(upper - reached, 0.0) / least
            # A demand that is still free may have got less than it held then, which leaves more to the others.
            takes = problem.flow.demand * step.distance
            kept = takes * np.minimum(np.where(step.free, rate, kept) / problem.flow.demand, most)
            left = (1 + SLACK) * volume - kept.sum() + kept[members]
            most += max(float((left / takes[members]).max()) - most, 0.0)
        levels.append(FairLevel(reached, most, 1.0 / shrunk - 1.0, ints(members), *step.lengths))
        shrunk *= step.factor
    return levels[::-1]
