"""Max-min fair rates: none, per unit demand, can rise without lowering one that is smaller or equal.

The rate vector, sorted, is the lexicographically largest (D. Bertsekas, R. Gallager, "Data Networks", 2nd ed. 1992,
section 6.5.2).  Demands are weights, not caps: what is fair is ``t_j = r_j / d_j``, so the lowest level is the K of
``concurrent``.

One linear program for each level (D. Nace, M. Pioro, "Max-min fairness and its applications to routing and
load-balancing in communication networks: a tutorial", IEEE Surveys 10 (2008)): the level t of all active demands rises
while the fixed ones keep their rates.  Any dual prices l prove a bound on t,

    t <= (sum c l - sum over fixed r_j dist_l(j)) / sum over active d_j dist_l(j) = upper,

and with ``w_j = d_j dist_l(j)`` as a part of the last sum no active demand alone gets beyond ``t + (upper - t) / w_j``
while the others keep t.  Those for which this is close to t are saturated, and fixed.  The parts sum to 1, so there is
always one.

:mod:`~.vertices` finds the levels where not too many links limit, :mod:`~.column_generation` elsewhere over any path,
and over given ones where demands are many.  Otherwise, and where it is not enough, :mod:`~.driver` goes from no level
to all and chooses the strategy, which continues from a :class:`~.levels.State`:
:mod:`~.interior_point` solves each level from a cold start, :mod:`~.simplex` each from the basis of the one before.
Where the routing fixes the split, :mod:`~.filling` needs neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from pnet_lp import _core
from pnet_lp.errors import SolverError, TimeLimitError
from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.result import FairLevel, ValueKey
from pnet_lp.model.rounded import div_down, sum_down
from pnet_lp.registry import Params, parse_expression
from pnet_lp.routing import Form
from pnet_lp.throughput.objectives.base import NO_SOLVER, OBJECTIVES, Objective, Optimum, SolveContext, rates_in_words
from pnet_lp.throughput.objectives.max_min.column_generation import by_columns
from pnet_lp.throughput.objectives.max_min.cutting_planes import by_cuts
from pnet_lp.throughput.objectives.max_min.driver import all_levels, strategies
from pnet_lp.throughput.objectives.max_min.filling import choice, optimum_by_filling
from pnet_lp.throughput.objectives.max_min.growing_paths import with_growing_paths
from pnet_lp.throughput.objectives.max_min.levels import Level, State, certified
from pnet_lp.throughput.objectives.max_min.proof import (
    FairRates,
    fairness_figures,
    recheck_filled,
    recheck_levels,
    recheck_prices,
)
from pnet_lp.throughput.objectives.max_min.vertices import at_vertices, over_trees
from pnet_lp.throughput.objectives.min_cost import no_lengths
from pnet_lp.throughput.objectives.program import NO_TIME, SMALL_COLUMNS, check_program_solver, known, lp_solver
from pnet_lp.throughput.problems import Attained, Problem
from pnet_lp.throughput.problems.proof import Flows
from pnet_lp.throughput.solvers import AUTO
from pnet_lp.throughput.solvers.choose import FLOW_SOLVER, eliminates_in_levels
from pnet_lp.throughput.solvers.general import attended
from pnet_lp.units import format_gap, format_short

if TYPE_CHECKING:
    from pnet_lp.verification.second import SavedAnswer, SecondProblem

_SHOWN_LEVELS = 5

_FEW_STEPS = 2_000
"""Of column generation, in all, where an interior point on the whole program can have its turn."""


class FairParams(Params):
    """Parameters of fair rates: whether demands are weights, or limits of rates that all have the same weight."""

    cap: Literal["demand"] | None = Field(
        None, description="demand: all rates rise together, each up to its demand; default: demands are weights"
    )


class Fair(Objective):
    """What the objectives share whose answer is a vector of fair rates.

    Class attributes:
        priced: whether lengths may prove that no demand can get more; otherwise full links do.
    """

    params: FairParams
    unlimited = "demand"
    priced: ClassVar[bool] = False

    headline = ValueKey("total", "gbps", "Gb/s", bounded=False)
    per_demand = True
    levelled = True
    gain = "{} more for those that get least"

    @property
    def apart(self) -> bool:
        """See :attr:`Objective.apart`: each pair has its cap."""
        return self.params.cap is not None

    def weights(self, demand: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return float64 ``[J]`` twice: the weights of demands, Gb/s, and what each gets at most."""
        if self.params.cap is None:
            return demand, floats(np.full(len(demand), np.inf))
        return floats(np.ones(len(demand))), demand

    def filled(self, problem: Problem, context: SolveContext) -> Optimum:
        """Return the optimum where each demand has one path or a fixed split.

        Where what each of them puts on each link is not known in time, all get the same part of what they ask.
        """
        demand = problem.flow.demand
        weight, cap = self.weights(demand)
        try:
            return optimum_by_filling(problem, context, weight, cap)
        except TimeLimitError:
            nothing = known(problem)
            flow = nothing.carrying(demand, min(nothing.interval.lower, float((cap / demand).min())))
            everyone = np.arange(len(demand))
            levels: tuple[FairLevel, ...] = (
                FairLevel(float(div_down(flow.rate, weight).min()), np.inf, ints(everyone)),
            )
            if self.priced and not self.apart:
                # A split is at least as long as the shortest path.
                lengths = Flows.lengths_of_nothing(problem.flow)
                distance = _core.demand_distances(problem.flow.core, *lengths)
                level = Level(flow.rate, everyone, lengths, distance)
                levels = tuple(certified(problem, flow.rate, [level]))
            figures = fairness_figures(sum_down(flow.rate), levels, floats([]) if self.apart else None)
            context.clock.note("certify")
            return Optimum(
                Interval(levels[0].rate, levels[0].upper),
                figures["relative_gap"],
                NO_SOLVER,
                0,
                flow.with_lengths(no_lengths(problem)),
                flow.load,
                flow.rate,
                figures,
                levels,
                warnings=(NO_TIME,),
            )

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No demand has a path: there is no level."""
        return fairness_figures(0.0, ())

    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """See :meth:`Objective.recheck`."""
        assert claim.rates is not None
        second.carry(claim.rates)
        weight, cap = self.weights(second.flow.demand)
        fair = FairRates.of(claim.rates, weight, cap, capped=self.apart)
        levels = recheck_levels(second, fair, claim.levels)
        self.recheck_bounds(second, fair, levels)
        return fairness_figures(claim.rates.total_gbps, levels, fair.satisfied(levels))

    def recheck_bounds(self, second: SecondProblem, rates: FairRates, levels: Sequence[FairLevel]) -> None:
        """Check that no demand can get more than its level says: here, that a full link limits it."""
        recheck_filled(second, rates, levels)

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        levels, unit = figures["levels"], "Gb/s" if self.apart else "Gb/s per unit demand"
        lines = [("total", f"{format_short(figures['total_gbps'])} Gb/s"), rates_in_words(figures)]
        for level in levels[:_SHOWN_LEVELS]:
            noun = "demand" if level["demands"] == 1 else "demands"
            rate = f"{format_short(level['rate_gbps'])} {unit}"
            lines.append(("level", f"{rate} for {level['demands']:,} {noun}"))
        if (hidden := len(levels) - _SHOWN_LEVELS) > 0:
            lines.append(("", f"and {hidden:,} more"))
        if "satisfied" in figures:
            count = figures["satisfied"]
            lines.append(("satisfied", f"{count:,} demand{' gets' if count == 1 else 's get'} all that is requested"))
        gap = figures["relative_gap"]
        known = f"no demand is more than a part of {format_gap(gap)} below what it could get"
        return [*lines, ("proved", known if gap < 1 else "nothing about how much more a demand could get")]


@OBJECTIVES.register(
    "max-min-fill",
    params=FairParams,
    summary="the same by progressive filling, without a solver, where each demand has one path or a fixed split",
    source="Bertsekas, Gallager: Data Networks, Prentice Hall 1992 (2nd ed.), section 6.5.2",
)
class MaxMinFill(Fair):
    """Weighted max-min fairness in closed form."""

    closed_forms = frozenset({"path", "split"})

    def check(self, form: Form, solver: str) -> None:
        """See :meth:`Objective.check`."""
        super().check(form, solver)
        if form == "arc":
            raise choice("ideal routing")

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        return self.filled(problem, context)


@OBJECTIVES.register(
    "max-min",
    params=FairParams,
    summary="max-min fair rates: none, per unit demand, can rise without lowering one that is smaller or equal",
    source="Bertsekas, Gallager: Data Networks, Prentice Hall 1992 (2nd ed.), section 6.5.2",
)
class MaxMin(Fair):
    """Weighted max-min fairness over any split; by filling where the routing fixes the split, or leaves one path."""

    closed_forms = frozenset({"split"})
    priced = True

    def check(self, form: Form, solver: str) -> None:
        """See :meth:`Objective.check`."""
        super().check(form, solver)
        columns = parse_expression(solver)[0] == FLOW_SOLVER
        check_program_solver(solver, form if (form == "arc" or columns) and self.params.cap is None else None)

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        weight, cap = self.weights(problem.flow.demand)
        if problem.fixed or (context.solver == AUTO and problem.most_paths == 1):
            return self.filled(problem, context)
        weighted = problem.weighted(weight) if self.apart else problem
        deadline = context.options.deadline
        tried: list[Optimum] = []
        state: State | None = None
        failure: SolverError | None = None
        interrupted = over = False
        for find in self._attempts(State.zero(weighted, context, cap)):
            try:
                # What is known is not to be lost where the next one takes long even to begin.
                state, interrupted = attended(find, "levels", deadline.to_end_s()) if tried else (find(None), False)
            except SolverError as error:
                failure = error
                continue
            if state is not None:
                tried.append(optimum_of(state, capped=self.apart))
                interrupted = tried[-1].interrupted
            over = deadline.left_s() <= 0
            if tried and (over or interrupted or tried[-1].gap <= context.options.tolerance):
                break
        if not tried:
            assert failure is not None
            raise failure
        # Of the last one, or why it found nothing.
        warnings = tried[-1].warnings or (() if failure is None else (str(failure),))
        if state is None and over:
            warnings = (NO_TIME,)
        best = min(tried, key=lambda found: found.gap)
        iterations = sum(found.iterations for found in tried)
        return replace(best, iterations=iterations, interrupted=interrupted, warnings=best.warnings or warnings)

    def _attempts(self, nothing: State) -> Iterator[Callable[[object], State | None]]:
        """Yield what finds the state after all levels, or None; each is called where those before do not prove it."""
        problem, context = nothing.problem, nothing.context
        auto = context.solver == AUTO
        if auto:
            yield lambda _: by_cuts(nothing)
        if auto and not problem.rough:
            if not self.apart:
                yield lambda _: over_trees(nothing)
                yield lambda _: at_vertices(nothing)
            if problem.form != "path":
                yield lambda _: with_growing_paths(nothing)
        small = True
        if not self.apart and (eliminates_in_levels(problem) if auto else lp_solver(context, problem) == FLOW_SOLVER):
            small = auto and problem.flow_variables <= SMALL_COLUMNS
            yield lambda _: by_columns(nothing, _FEW_STEPS if small else None)
        if small:
            yield lambda _: all_levels(nothing, *strategies(problem, context, capped=self.apart))

    def along(self, problem: Problem, found: Optimum, flow: Attained) -> Optimum:
        """See :meth:`Objective.along`: bounds of levels are those for the rates that demands have now."""
        if problem.most_paths == 1:
            return found  # There is no other flow.
        weight, cap = self.weights(problem.flow.demand)
        weighted = problem.weighted(weight) if self.apart else problem
        known, satisfied = [], np.ones(problem.demand_count, dtype=bool)
        for level in found.levels:
            satisfied[level.demands] = False
            known.append(Level(flow.rate, level.demands, level.lengths, weighted.distances(level.lengths)))
        levels = [
            replace(now, upper=max(now.upper, before.upper))
            for now, before in zip(certified(weighted, flow.rate, known), found.levels, strict=True)
        ]
        least = (flow.rate / cap)[satisfied] if self.apart else None
        figures = fairness_figures(sum_down(flow.rate), levels, least)
        return replace(
            found,
            interval=Interval(levels[0].rate, levels[0].upper) if levels else found.interval,
            gap=figures["relative_gap"],
            certificate=flow.with_lengths(found.certificate.lengths),
            link_load=flow.load,
            rate=flow.rate,
            figures=figures,
            levels=tuple(levels),
        )

    def recheck_bounds(self, second: SecondProblem, rates: FairRates, levels: Sequence[FairLevel]) -> None:
        """See :meth:`Fair.recheck_bounds`."""
        if not levels:
            return
        if any(level.priced[1].shape != (0,) for level in levels):
            recheck_prices(second, rates, levels)
        else:
            super().recheck_bounds(second, rates, levels)


def optimum_of(state: State, *, capped: bool = False) -> Optimum:
    """Return the optimum after the last level, which has the demands that are still active where a limit ended it."""
    assert state.flow is not None
    found, rest = state.levels, ~state.satisfied
    if found:
        # Of the last level are all that no other one has.
        for level in found[:-1]:
            rest[level.demands] = False
        found = (*found[:-1], replace(found[-1], demands=np.flatnonzero(rest)))
    elif state.active.any():
        found = (Level(state.rate, np.flatnonzero(state.active), no_lengths(state.problem), state.rate),)
    levels = certified(state.problem, state.rate, found)
    if state.active.any() and not state.levels:
        levels[-1] = replace(levels[-1], upper=np.inf)
    least = (state.rate / state.cap)[state.satisfied]
    figures = fairness_figures(sum_down(state.rate), levels, least if capped else None)
    lengths = found[0].lengths if found else no_lengths(state.problem)
    first = (levels[0].rate, levels[0].upper) if levels else (float(state.rate.min()), float(state.cap.min()))
    return Optimum(
        Interval(*first),
        figures["relative_gap"],
        state.solver,
        state.iterations,
        state.flow.with_lengths(lengths),
        state.flow.load,
        state.rate,
        figures,
        tuple(levels),
        state.interrupted,
        state.warnings,
    )
