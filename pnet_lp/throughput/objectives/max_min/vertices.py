"""Each level at a vertex, by the simplex method over paths (``crates/pnet-core/src/mcf/columns/vertex``) or trees.

Its matrix is as large as there are tight links, however many demands there are, and a level begins at the vertex of the
one before: what takes programs most, many levels of few demands each, is nearly free.  Rates are exact but for
rounding, and have to be, as bounds of later levels depend on what lower ones leave: fixed demands are not relaxed.

Where most pairs have demands and links are few, all that goes to a destination has one tree instead of a path for each
source (``crates/pnet-core/src/mcf/columns/trees``): a step moves what goes through a switch, not one pair of many.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.throughput.objectives.max_min.column_generation import Levels, OverAnyPath, OverGivenPaths, by_levels
from pnet_lp.throughput.objectives.max_min.levels import State
from pnet_lp.throughput.problems import Attained, Problem

MOST_DEMANDS = 100_000
"""Over paths, each level looks at all of them."""

_DENSE, _SPARSE = 0.25, 6.0
"""There are trees where such a part of all pairs have demands, at least, and switches have so many links on average, at
most: where more links limit, a vertex has more than trees gain."""

_MOST_ENTRIES = 20_000_000
"""Arcs and switches in all trees, at most."""

_PART = 2
"""Of the time left it has one part in so many, unless most demands have their rates then: what comes next does not
continue from it."""


class AtVertices(OverAnyPath):
    """The simplex method over any path."""

    relaxation = 0.0
    attempts = 1
    search: ClassVar[Any] = _core.FairVertices

    def attain(self, rate: FloatArray) -> Attained:
        """See :meth:`Levels.attain`.

        Raises:
            SolverError: numbers have lost their precision.
        """
        try:
            return super().attain(floats(np.minimum(rate, self._found.served())))
        except _core.InvalidError as error:
            raise SolverError(f"a vertex has lost its precision: {error}") from None


class AtVerticesOfPaths(OverGivenPaths):
    """The simplex method over given paths."""

    relaxation = AtVertices.relaxation
    attempts = AtVertices.attempts
    search = _core.FairSplitVertices

    def amount(self) -> FloatArray:
        """See :meth:`OverGivenPaths.amount`."""
        return floats(self._found.carried())

    def attain(self, rate: FloatArray) -> Attained:
        """See :meth:`Levels.attain`."""
        problem, amount = self.problem, self.amount()
        served = np.bincount(problem.demand_of_column, weights=amount, minlength=problem.demand_count)
        return problem.attain(amount, floats(np.minimum(rate, served)))


class AtTrees(AtVertices):
    """The same over trees."""

    search = _core.FairTrees

    def estimate_bytes(self) -> int:
        """See :meth:`Levels.estimate_bytes`."""
        return _core.estimate_fair_trees_bytes(self._merged.problem.core)


_SEARCHES: dict[str, Any] = {"arc": AtVertices, "shortest": AtVertices, "path": AtVerticesOfPaths}
"""By the form of the problem."""


def has_trees(problem: Problem) -> bool:
    """Whether vertices are found over trees, one for each destination."""
    flow = problem.flow
    sources, destinations = len(np.unique(flow.src)), len(np.unique(flow.dst))
    arcs, switches = len(flow.tail), int(flow.node_count.sum())
    return (
        problem.form != "path"
        and problem.demand_count >= _DENSE * sources * destinations
        and arcs <= _SPARSE * switches
        and destinations * (arcs + switches) <= _MOST_ENTRIES
    )


def over_trees(state: State) -> State | None:
    """Return the state after as many levels as are found over trees; None where there are none.

    Args:
        state: before the first level.

    Raises:
        SolverError: it does not fit into memory, or numbers have lost their precision.
    """
    return _after(state, AtTrees(state.problem)) if has_trees(state.problem) else None


def at_vertices(state: State) -> State | None:
    """Return the state after as many levels as are found over paths; None where there are too many demands.

    Args:
        state: before the first level.

    Raises:
        SolverError: it does not fit into memory, or numbers have lost their precision.
    """
    problem = state.problem
    return None if problem.demand_count > MOST_DEMANDS else _after(state, _SEARCHES[problem.form](problem))


def _after(state: State, search: Levels) -> State:
    """Return the state after as many levels as a search finds in its part of the time."""
    options = state.context.options
    context = replace(state.context, options=replace(options, deadline=options.deadline.parts(_PART)))
    found = by_levels(replace(state, context=context), search, longer=options.deadline)
    return replace(found, context=state.context)
