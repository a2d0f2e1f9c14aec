"""Demands at the limit of their own links: all columns of each cross links that carry hardly more than it has."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pnet_lp.errors import SolverError
from pnet_lp.model.arrays import BoolArray, FloatArray
from pnet_lp.throughput.objectives.max_min.levels import Level, State
from pnet_lp.throughput.problems.base import ColumnProblem
from pnet_lp.throughput.problems.cuts import Cuts

_NEAR = 0.9
"""A demand is as good as saturated where its own links allow it only this part of the tolerance more than it has."""


class OwnLinks:
    """What their own links allow the demands of ``problem``."""

    def __init__(self, problem: ColumnProblem) -> None:
        self.problem = problem

    @cached_property
    def cuts(self) -> Cuts:
        """The links that all columns of a demand cross."""
        return Cuts.of(self.problem)

    def near(self, state: State, level: float) -> BoolArray:
        """Return bool ``[J]``: the active demands that their own links allow hardly more than ``level``."""
        least = level * self.problem.flow.demand
        return state.active & (self.cuts.most <= (1 + _NEAR * state.tolerance) * least)

    def fix(self, state: State, rate: FloatArray, near: BoolArray) -> State:
        """Return the state in which demands are fixed: each level has as many as leave little room together.

        Those ``near`` ``[J]`` get their ``rate`` ``[J]``, Gb/s.
        """
        if not near.any():
            return state
        problem = self.problem
        room = np.maximum(self.cuts.most - rate, 0.0)
        waiting = np.flatnonzero(near)[np.argsort(room[near], kind="stable")]
        while waiting.size:
            try:
                state.check_fits()
            except SolverError:
                # The next program finds those that remain, or reports that there is no memory for it.
                break
            allowed = _NEAR * state.tolerance * np.minimum.accumulate(rate[waiting])
            together = np.cumsum(room[waiting]) <= allowed
            count = max(int(np.argmin(np.append(together, False))), 1)
            group = np.sort(waiting[:count])
            among = np.zeros_like(near)
            among[group] = True
            lengths = problem.proof(np.ones(problem.flow_variables), self.cuts.lengths(among)).lengths
            level = Level(rate, group, lengths, problem.distances(lengths))
            state = state.add(level).fix(rate, group)
            waiting = waiting[count:]
        return state
