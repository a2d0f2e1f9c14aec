"""From no level to all: which strategy goes next."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from pnet_lp.errors import SolverError, UnsolvedError
from pnet_lp.throughput.objectives.base import SolveContext
from pnet_lp.throughput.objectives.max_min.interior_point import InteriorPoint, equal_parts
from pnet_lp.throughput.objectives.max_min.levels import State, Strategy
from pnet_lp.throughput.objectives.max_min.own_links import OwnLinks
from pnet_lp.throughput.objectives.program import VERTEX_SOLVER, known
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.solvers import AUTO


def strategies(problem: Problem, context: SolveContext, *, capped: bool) -> tuple[Sequence[Strategy], Strategy]:
    """Return the strategies that take turns, and the one that takes over where they find no more.

    The simplex knows no caps on demands.

    Where an interior point fixes many demands at once, levels are few.  From where it does not, the simplex solves each
    from the basis of the one before; and from where that fails, an interior point has its turn again.
    """
    columns = problem.over_columns
    if columns is None or capped:
        return (), InteriorPoint(None)
    from pnet_lp.throughput.objectives.max_min.simplex import Simplex  # noqa: PLC0415 - brings SciPy

    own = OwnLinks(columns)
    auto = context.solver == AUTO
    turns: list[Strategy] = [InteriorPoint(own, partial=True)] if auto else []
    if auto or context.solver == VERTEX_SOLVER:
        turns.append(Simplex(own, steps_per_row=1 if auto else None))
    return turns, InteriorPoint(own)


def all_levels(state: State, turns: Sequence[Strategy], last: Strategy) -> State:
    """Return the state in which no demand is active, or in which a limit ended it.

    Args:
        state: after any number of levels.
        turns: strategies that continue from each other, until the last of them finds no level.
        last: the strategy that continues from there.

    Where no strategy finds a first level, rates are those of shortest paths.

    Raises:
        SolverError: the first level does not fit into memory, or its solver is missing.
    """
    for strategy in itertools.cycle(turns):
        before = len(state.levels)
        with suppress(UnsolvedError):  # another strategy may find the first level
            state = further(state, strategy)
        if state.ended or (strategy is turns[-1] and len(state.levels) == before):
            break
    try:
        return further(state, last)
    except UnsolvedError as error:
        shortest = equal_parts(state, known(state.problem))
        return replace(state, rate=shortest.rate, flow=shortest, warnings=(f"no level is known: {error}",))


def further(state: State, strategy: Strategy) -> State:
    """Return the state as far as one strategy gets.

    Raises:
        SolverError: it has no level.
    """
    if state.ended:
        return state
    try:
        for found in strategy.solve(state):
            state = found
    except KeyboardInterrupt:
        if not state.levels:
            raise
        return replace(state, interrupted=True)
    except SolverError as error:
        if not state.levels:
            raise
        unknown = f"levels beyond the {len(state.levels)} found are not known: {error}"
        return replace(state, warnings=(unknown,))
    return state
