"""The structured solver: restarted Halpern PDHG in Rust, on all cores (docs/solver.md)."""

from __future__ import annotations

import sys

from pnet_lp import _core
from pnet_lp.throughput.merge import merge_planes
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.solvers.base import OnProgress, RawSolution, SolveOptions, Solver, register


@register
class Structured(Solver):
    """First-order method that exploits the structure of the flow problem; the same bits on any number of threads."""

    name = "structured"
    summary = "restarted Halpern PDHG on the structure of the problem, in Rust on all cores"

    def estimate_bytes(self, problem: FlowProblem) -> int:
        """Return the size of the iterate and of one proof."""
        return _core.estimate_structured_bytes(merge_planes(problem).problem.core)

    def solve(self, problem: FlowProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve with the planes that are alike merged; see :meth:`Solver.solve`."""
        merged = merge_planes(problem)
        solution = _core.solve_structured(
            merged.problem.core,
            tolerance=options.tolerance,
            max_iterations=sys.maxsize if options.max_iterations is None else options.max_iterations,
            time_limit_s=options.time_limit_s,
            threads=options.threads,
            on_progress=on_progress,
        )
        return RawSolution(merged.expand(solution.proof), solution.iterations, solution.interrupted)
