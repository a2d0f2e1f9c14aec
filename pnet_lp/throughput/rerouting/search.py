"""Paths for the demands of links that are down, then for others, until the bounds meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pnet_lp.model import Interval
from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import Certificate
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import div_up, mul_down, sum_down
from pnet_lp.throughput.problems.base import joined, separated
from pnet_lp.throughput.rerouting.keys import Flow, Keys, one_by_one
from pnet_lp.throughput.rerouting.paths import Index, distances, shortest_paths
from pnet_lp.throughput.rerouting.program import STEPS, Program

_MOST_DEMANDS, _MOST_LINKS = 20_000, 10_000
"""Beyond, too many demands use a link."""

_ROUNDS = 200
"""Pricings, at most."""

_ADDED_FIRST, _ADDED = 1_000, 100
"""Demands that get a path after a pricing, at most, with all links up and with some down."""

_CLOSER = 0.1
"""The part of the tolerance to which the bounds meet with all links up, so that what fits still is within it."""

_LEAST = 0.01
"""Lengths are left out that are together this part of the tolerance, as a share of the sum of capacity times length."""

_HOP = 1e-9
"""What a link is longer at most, as a part of the mean length: of equally short paths one with room."""

_EQUAL, _NEGLIGIBLE = 1e-9, 1e-13
"""Parts of a length, and of the sum of all lengths, by which a path is not shorter."""


@brief()
@dataclass(frozen=True, eq=False)
class Rerouted:
    """What is proved with links down.

    Attributes:
        interval: the bounds on K of the demands that are not lost, rounded outwards.
        lengths: those that prove the upper bound; 0 on links that are down.
        steps: of the simplex method.
    """

    interval: Interval
    lengths: Lengths
    steps: int


class Rerouting:
    """The optimum with all links up, and what remains of it with some of them down.

    What is found with links down does not depend on what was asked before.

    Attributes:
        best: the bounds with all links up.
    """

    def __init__(self, problem: FlowProblem, certificate: Certificate, interval: Interval, tolerance: float) -> None:
        self.tolerance = tolerance
        # First-order and interior points give almost every link some length: without the least, most failures leave
        # all lengths as they are.
        length, capacity = joined(certificate.lengths), problem.link_capacity
        part = np.multiply(capacity, length, out=np.zeros(len(length)), where=length > 0)
        order = np.argsort(part, kind="stable")
        length[order[np.cumsum(part[order]) <= _LEAST * tolerance * part.sum()]] = 0.0
        self._distance = distances(problem, length)
        bound = self._bound(problem, length, self._distance, np.zeros(problem.demand_count, dtype=np.bool_))
        self.best = Rerouted(Interval(interval.lower, max(interval.lower, bound)), separated(problem, length), 0)
        paths = one_by_one(problem, interval.lower)
        self._flow = Flow(problem, paths, floats(np.ones(len(paths.owner))))

    @property
    def problem(self) -> FlowProblem:
        """With all links up."""
        return self._flow.problem

    def optimise(self) -> bool:
        """Solve with all links up; returns whether the bounds have met so closely that failures can begin there."""
        nothing = (
            np.zeros(len(self.problem.link_capacity), dtype=np.bool_),
            np.zeros(len(self._distance), dtype=np.bool_),
        )
        goal = _CLOSER * self.tolerance
        self.best, optimum = self._search(*nothing, goal)
        self._flow = optimum()
        self._distance = distances(self.problem, joined(self.best.lengths))
        return self.best.interval.gap <= max(goal, 0.5 * self.tolerance)

    @staticmethod
    def pays(problem: FlowProblem) -> bool:
        """Whether the problem is small enough."""
        return problem.demand_count <= _MOST_DEMANDS and len(problem.link_capacity) <= _MOST_LINKS

    def without(self, down: BoolArray, lost: BoolArray) -> Rerouted | None:
        """Return what is proved with links down, None where too many steps are needed.

        Args:
            down: bool ``[L]``, the links.
            lost: bool ``[J]``, the demands that have no path then, which do not count.
        """
        found, _ = self._search(down, lost, self.tolerance)
        return found if found.interval.gap <= self.tolerance else None

    def _search(self, down: BoolArray, lost: BoolArray, goal: float) -> tuple[Rerouted, Callable[[], Flow]]:
        """Return the best bounds, which have met within ``goal`` or are hard to improve, and what gives their flow."""
        problem = self.problem
        upper, lengths = self._upper(down, lost)
        # Nothing limits the others where all that limited was for demands that are lost.
        rate = upper if np.isfinite(upper) else self.best.interval.upper
        keys = Keys.without(self._flow, down, lost, rate)
        lower = keys.most(keys.load)
        if lower >= (1 - goal) * upper:
            return Rerouted(Interval(lower, max(lower, upper)), lengths, 0), lambda: self._flow
        program, best = Program(problem, keys.load), floats([])
        added = _ADDED if down.any() else _ADDED_FIRST
        program.add(keys, shortest_paths(problem, keys.crowded(keys.load, rate), keys.moved, down))
        for _ in range(_ROUNDS):
            solved = program.run()
            if solved is None:
                break
            share, length = solved
            load = keys.split(program.paths, share)
            attained = keys.most(load)
            if attained > lower:
                lower, best = attained, share
            far = float(length.sum())
            if lower >= (1 - goal) * upper or program.steps > STEPS or far <= 0:
                break
            rate = upper if np.isfinite(upper) else max(rate, attained)
            crowded = keys.crowded(load, rate)
            tied, known = length + _HOP * length.mean() * crowded / crowded.max(), keys.lengths(length)
            np.minimum.at(known, program.paths.owner, program.paths.of_links(length))
            known = known * (1 - _EQUAL) - _NEGLIGIBLE * far
            distance = distances(problem, length, down)
            bound = self._bound(problem, length, distance, lost)
            if bound < upper:
                upper, lengths = bound, separated(problem, length)
            shorter = self._largest(np.flatnonzero((distance < known) & ~lost), added)
            if lower >= (1 - goal) * upper or not len(shorter):
                break
            program.add(keys, shortest_paths(problem, tied, shorter, down))
            # At an optimum of a few paths few links have a length, and others fill up next: where all that has to be
            # carried at the upper bound is too much, other paths are added at once.
            over = load * rate > problem.link_capacity * (1 + goal)
            users = np.setdiff1d(np.union1d(keys.users(over), program.users(over)), shorter)
            program.add(keys, shortest_paths(problem, crowded, self._largest(users, added), down))
        paths = program.paths[np.arange(len(best))]
        return Rerouted(Interval(lower, max(lower, upper)), lengths, program.steps), lambda: keys.flow_with(paths, best)

    def _upper(self, down: BoolArray, lost: BoolArray) -> tuple[float, Lengths]:
        """Return what the lengths with all links up still prove, and these lengths."""
        lengths, upper = self.best.lengths, self.best.interval.upper
        length = joined(lengths)
        if (length[down] > 0).any():
            length = np.where(down, 0.0, length)
            lengths = separated(self.problem, length)
        elif not lost.any():
            return upper, lengths
        bound = self._bound(self.problem, length, self._distance, lost)
        return bound if lost.any() else min(bound, upper), lengths

    def _largest(self, demands: Index, most: int) -> Index:
        """Return the largest of these demands, ``most`` at most, in ascending order."""
        return np.sort(demands[np.argsort(-self.problem.demand[demands], kind="stable")[:most]])

    @staticmethod
    def _bound(problem: FlowProblem, length: FloatArray, distance: FloatArray, lost: BoolArray) -> float:
        """Return what K is at most by these lengths and distances, rounded up."""
        carried = problem.merged_down(sum_down(mul_down(problem.demand[~lost], distance[~lost])))
        return float(div_up(problem.volume(separated(problem, length)), carried)) if carried > 0 else np.inf
