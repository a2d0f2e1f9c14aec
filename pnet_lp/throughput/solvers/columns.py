"""Column generation: first-order steps over some paths, and the shortest paths under their prices (docs/solver.md)."""

from __future__ import annotations

from pnet_lp import _core
from pnet_lp.throughput.problems import ConcurrentProblem, Problem
from pnet_lp.throughput.problems.merge import merge_planes
from pnet_lp.throughput.solvers.base import SOLVERS, OnProgress, RawSolution, SolveOptions, Solver


@SOLVERS.register("columns", summary="column generation over the paths worth having, in Rust on all cores")
class Columns(Solver):
    """For few demands a switch: only the paths that carry something, or soon might, are variables.

    The same bits on any number of threads.
    """

    forms = frozenset({"arc"})

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the size of the paths, of the iterate over them, and of the distances in all planes."""
        return _core.estimate_columns_bytes(merge_planes(problem.flow).problem.core)

    def solve(self, problem: ConcurrentProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve with the proportional planes merged; see :meth:`Solver.solve`."""
        merged = merge_planes(problem.flow)
        found = _core.solve_columns(merged.problem.core, **options.of_core(on_progress))
        return RawSolution(merged.expand(found.proof), found.iterations, found.interrupted)
