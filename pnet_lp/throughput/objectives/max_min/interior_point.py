"""Each level by an interior point from a cold start: few programs where many demands are saturated together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.throughput.objectives.max_min.levels import (
    PART,
    Level,
    State,
    bound_of,
    lowest_of,
    relaxation,
    saturated_at,
)
from pnet_lp.throughput.objectives.max_min.own_links import OwnLinks
from pnet_lp.throughput.objectives.min_cost import no_lengths
from pnet_lp.throughput.objectives.program import known, solve_program
from pnet_lp.throughput.problems import Attained, Certified, Lengths
from pnet_lp.throughput.problems.program import Form, ProgramGoal
from pnet_lp.throughput.solvers.general import Best

MANY = 0.1
"""Part of the active demands."""

_IN_A_ROW = 4
"""So many programs may fix fewer, one after the other, before another strategy is tried."""


class InteriorPoint:
    """One program for each level.

    Args:
        own: what their own links allow the demands; None over any path.
        many: a program fixes many demands where it fixes at least this part of the active ones.
        partial: whether to end where some programs in a row do not fix many, and where one does not close its gap;
            otherwise all demands get fixed, by a vertex where an interior point does not prove a level.
    """

    def __init__(self, own: OwnLinks | None, *, many: float = MANY, partial: bool = False) -> None:
        self._own, self._many, self._partial = own, many, partial

    def solve(self, state: State) -> Iterator[State]:
        """See :meth:`Strategy.solve`."""
        partial, few = self._partial, 0
        relaxed = relaxation(np.ones_like(state.active), state.tolerance)
        while not state.ended:
            state.check_fits()
            found = solve_level(state, vertex=not partial)
            level, flow, proved = found.answer
            if level.satisfied:
                state = replace(
                    state.satisfy(level),
                    flow=flow,
                    iterations=state.iterations + found.iterations,
                    interrupted=state.interrupted or found.interrupted,
                )
                yield state
                continue
            over = found.interrupted or state.context.options.deadline.left_s() <= 0
            many = len(level.demands) >= self._many * np.count_nonzero(state.active)
            # A flow that has to be scaled down by more takes from all that have been fixed.
            loses = bool(state.levels) and 1 - level.factor > relaxed
            proved = proved and not (partial and loses)
            near = np.zeros_like(state.active)
            if self._own is not None and not loses and not (many and proved):
                near = self._own.near(state, lowest_of(level.rate, state.problem.flow.demand, state.active))
            if partial and not proved and not near.any() and not over:
                return
            if over and loses and state.flow is not None:
                level, flow = replace(level, rate=state.rate), state.flow
            if proved or not near.any():
                state = state.add(level).fix(level.rate, level.demands)
            if self._own is not None:
                state = self._own.fix(state, level.rate, near & state.active)
            state = replace(
                state,
                flow=flow,
                iterations=state.iterations + found.iterations,
                interrupted=state.interrupted or found.interrupted,
                warnings=found.warnings,
            )
            yield state
            few = 0 if many else few + 1
            if partial and few == _IN_A_ROW:
                return


def equal_parts(state: State, nothing: Certified) -> Attained:
    """Return the flow along which all demands get the same part, where ``nothing`` is known but that flow."""
    demand = state.problem.flow.demand
    return nothing.carrying(demand, min(nothing.interval.lower, float((state.cap / demand).min())))


def solve_level(state: State, *, vertex: bool, by: float | None = None) -> Best[tuple[Level, Attained, bool]]:
    """Return the next level from a cold start, the flow in which demands get it, and whether it is proved.

    Where it is not, it fixes the demand with the largest part in its bound.  With ``vertex``, a vertex is looked for
    where an interior point does not prove it.  What is fixed is relaxed ``by`` this part.

    Raises:
        SolverError: the solver failed, or the program does not fit into memory.
    """
    problem, active, context = state.problem, state.active, state.context
    demand = problem.flow.demand
    kept = np.where(active, 0.0, state.kept)
    goal = ProgramGoal.of(
        problem.flow, weight=np.where(active, demand, 0.0), lower=kept, upper=kept, rate_cost=-float(demand.sum())
    )

    def bounded(flow: Attained, lengths: Lengths) -> tuple[tuple[Level, Attained, bool], float]:
        distance = problem.distances(lengths)
        upper, part = bound_of(demand, flow.rate, active, problem.flow.volume(lengths), distance)
        reached = lowest_of(flow.rate, demand, active)
        fixed = saturated_at(reached, upper, part, active, state.tolerance, by)
        proved = bool(fixed.any())
        fixed[int(np.argmax(np.where(active, part, -1.0)))] = True
        level = Level(flow.rate, np.flatnonzero(fixed), lengths, distance, factor=flow.factor)
        # The bound is divided among many demands, each of which is to be close.
        return (level, flow, proved), Interval(reached, upper).gap / PART * np.sqrt(int(active.sum()))

    def prove(form: Form, value: FloatArray, dual: FloatArray) -> tuple[tuple[Level, Attained, bool], float]:
        reached = form.rate(value)
        flow = form.attain(value, dual, np.where(active, np.minimum(demand * reached, state.cap), kept))
        if np.any(satisfied := active & (state.cap <= demand * reached * flow.factor)):
            # That all of these can have as much is a proof in itself, whatever else the solver has found.
            having = np.flatnonzero(satisfied)
            level = Level(flow.rate, having, no_lengths(problem), demand, factor=flow.factor, satisfied=True)
            return (level, flow, True), 0.0
        length, up, down = map(floats, form.lengths(dual))
        return bounded(flow, (length, up, down))

    def without() -> tuple[tuple[Level, Attained, bool], float]:
        nothing = known(problem)
        lengths = problem.lengths_of_all or nothing.certificate.lengths
        return bounded(state.flow or equal_parts(state, nothing), lengths)

    # The more demands have a part in the bound, the more are fixed at once.
    return solve_program(problem, goal, context, prove, without, central=True, vertex=vertex)
