"""Column generation: some paths, and the shortest paths under their prices (docs/solver.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model import PathCertificate
from pnet_lp.model.arrays import floats
from pnet_lp.throughput.problems import ConcurrentProblem, Problem
from pnet_lp.throughput.problems.answers import Answer, FlowAnswer, SplitAnswer
from pnet_lp.throughput.problems.merge import merge
from pnet_lp.throughput.problems.paths import PathProblem
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.solvers.base import SOLVERS, OnProgress, RawSolution, SolveOptions, Solver

_SECONDS_PER_DEMAND = 4e-6
"""What comes after the last step takes, about."""


@SOLVERS.register("columns", summary="column generation over the paths worth having, in Rust on all cores")
class Columns(Solver):
    """For few demands a switch: only the paths that carry something, or soon might, are variables.

    The same bits on any number of threads.
    """

    forms = frozenset({"arc", "shortest", "path"})
    programs = frozenset({"arc", "path"})
    takes_rate = False

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the size of the paths, of the iterate over them, and of the distances in all planes."""
        estimate: int = _OVER[problem.form].estimate_bytes(problem)
        return estimate

    def solve(self, problem: ConcurrentProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve, over any path with parallel links and proportional planes merged; see :meth:`Solver.solve`."""
        found: RawSolution = _OVER[problem.form].solve(problem, _finishing(problem, options).of_core(on_progress))
        return found

    def check_flow(self, problem: Problem) -> None:
        """Raise SolverError where :meth:`solve_flow` would not fit into memory."""
        check_fits(
            _OVER[problem.form].estimate_flow_bytes(problem) + self.proof_bytes(problem),
            f"solver {self.name!r} with {problem.demand_count:,} demands",
            SolverError,
            allowed="level=rack, fewer planes, a smaller network",
        )

    def solve_flow(
        self, problem: Problem, goal: ProgramGoal, options: SolveOptions, on_progress: OnProgress
    ) -> RawSolution[Answer]:
        """Solve a goal without a rate, in which all of what a demand gets beyond a common part of it is worth the same.

        The problem is one without disconnected demands; see :meth:`Solver.solve`.
        """
        worth = float(-goal.served_cost[0]) if goal.served_cost.any() else np.inf
        floor = float((goal.lower / goal.upper).min())
        how = {"worth": worth, "floor": floor, **_finishing(problem, options).of_core(on_progress)}
        found: RawSolution[Answer] = _OVER[problem.form].solve_flow(problem, goal, how)
        return found


def _finishing(problem: ConcurrentProblem, options: SolveOptions) -> SolveOptions:
    """Return options that leave time for the last pricing, and for making a proof of what was found."""
    seconds = _SECONDS_PER_DEMAND * problem.flow.demand_count
    return replace(options, deadline=options.deadline.reserving(seconds))


class _ByDestination:
    @staticmethod
    def estimate_bytes(problem: Problem) -> int:
        return _core.estimate_columns_bytes(merge(problem.flow).problem.core)

    @staticmethod
    def solve(problem: ConcurrentProblem[_core.Proof], limits: dict[str, Any]) -> RawSolution[_core.Proof]:
        merged = merge(problem.flow)
        found = _core.solve_columns(merged.problem.core, **limits)
        return RawSolution(merged.expand(found.proof), found.iterations, found.interrupted)

    @staticmethod
    def estimate_flow_bytes(problem: Problem) -> int:
        return _core.estimate_cheapest_flow_bytes(merge(problem.flow).problem.core)

    @staticmethod
    def solve_flow(problem: Problem, goal: ProgramGoal, how: dict[str, Any]) -> RawSolution[Answer]:
        flow = problem.flow
        merged = merge(flow.weighted(goal.upper), goal.arc_cost)
        found = _core.solve_cheapest_flow(merged.problem.core, merged.of_arcs(goal.arc_cost), **how)
        proof = merged.expand(found.proof)
        part = floats(found.served * goal.upper / flow.demand)
        return RawSolution(FlowAnswer(flow, proof, part, goal.lower), found.iterations, found.interrupted)


class _OverGivenPaths:
    @staticmethod
    def estimate_bytes(problem: PathProblem) -> int:
        return _core.estimate_split_bytes(problem.core)

    @staticmethod
    def solve(problem: PathProblem, limits: dict[str, Any]) -> RawSolution[PathCertificate]:
        found = _core.solve_split(problem.core, **limits)
        proof = problem.proof(found.weight, problem.of_core(found.length))
        return RawSolution(proof, found.iterations, found.interrupted)

    @staticmethod
    def estimate_flow_bytes(problem: PathProblem) -> int:
        return _core.estimate_cheapest_split_bytes(problem.core)

    @staticmethod
    def solve_flow(problem: PathProblem, goal: ProgramGoal, how: dict[str, Any]) -> RawSolution[Answer]:
        core = problem.weighted(goal.upper).core
        cost = np.zeros(len(problem.flow.link_capacity))
        cost[: len(goal.arc_cost)] = goal.arc_cost
        found = _core.solve_cheapest_split(core, problem.to_core(floats(cost)), **how)
        amount = floats(found.weight * goal.upper[problem.demand_of_column])
        answer = SplitAnswer(problem, amount, problem.of_core(found.length))
        return RawSolution(answer, found.iterations, found.interrupted)


_OVER: dict[str, type[Any]] = {"arc": _ByDestination, "shortest": _ByDestination, "path": _OverGivenPaths}
"""By the form of the problem."""
