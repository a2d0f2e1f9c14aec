"""Column generation: some paths, and the shortest paths under their prices (docs/solver.md)."""

from __future__ import annotations

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import floats
from pnet_lp.throughput.problems import ConcurrentProblem, Problem
from pnet_lp.throughput.problems.answers import FlowAnswer
from pnet_lp.throughput.problems.merge import merge_planes
from pnet_lp.throughput.problems.program import ProgramGoal
from pnet_lp.throughput.solvers.base import SOLVERS, OnProgress, RawSolution, SolveOptions, Solver


@SOLVERS.register("columns", summary="column generation over the paths worth having, in Rust on all cores")
class Columns(Solver):
    """For few demands a switch: only the paths that carry something, or soon might, are variables.

    The same bits on any number of threads.
    """

    forms = frozenset({"arc"})
    programs = frozenset({"arc"})
    takes_rate = False

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the size of the paths, of the iterate over them, and of the distances in all planes."""
        return _core.estimate_columns_bytes(merge_planes(problem.flow).problem.core)

    def solve(self, problem: ConcurrentProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve with the proportional planes merged; see :meth:`Solver.solve`."""
        merged = merge_planes(problem.flow)
        found = _core.solve_columns(merged.problem.core, **options.of_core(on_progress))
        return RawSolution(merged.expand(found.proof), found.iterations, found.interrupted)

    def check_flow(self, problem: Problem) -> None:
        """Raise SolverError where :meth:`solve_flow` would not fit into memory."""
        needed = _core.estimate_cheapest_flow_bytes(merge_planes(problem.flow).problem.core)
        check_fits(
            needed + self.proof_bytes(problem),
            f"solver {self.name!r} with {problem.demand_count:,} demands",
            SolverError,
            allowed="level=rack, fewer planes, a smaller network",
        )

    def solve_flow(
        self, problem: Problem, goal: ProgramGoal, options: SolveOptions, on_progress: OnProgress
    ) -> RawSolution[FlowAnswer]:
        """Solve a goal without a rate, in which all of what a demand gets beyond a common part of it is worth the same.

        The problem is one without disconnected demands; see :meth:`Solver.solve`.
        """
        flow = problem.flow
        worth = float(-goal.served_cost[0]) if goal.served_cost.any() else np.inf
        merged = merge_planes(flow.weighted(goal.upper), goal.arc_cost)
        found = _core.solve_cheapest_flow(
            merged.problem.core,
            merged.of_arcs(goal.arc_cost),
            worth=worth,
            floor=float((goal.lower / goal.upper).min()),
            **options.of_core(on_progress),
        )
        proof = merged.expand(found.proof)
        part = floats(found.served * goal.upper / flow.demand)
        return RawSolution(FlowAnswer(flow, proof, part, goal.lower), found.iterations, found.interrupted)
