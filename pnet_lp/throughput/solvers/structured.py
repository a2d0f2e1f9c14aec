"""The structured solver: restarted Halpern PDHG in Rust, on all cores (docs/solver.md)."""

from __future__ import annotations

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.throughput.problems import ArcProblem, PathProblem, Problem
from pnet_lp.throughput.problems.column_form import ColumnForm
from pnet_lp.throughput.problems.columns import ColumnProblem, joined
from pnet_lp.throughput.problems.merge import merge_planes
from pnet_lp.throughput.solvers.base import SOLVERS, OnProgress, RawSolution, SolveOptions, Solver


@SOLVERS.register(
    "structured", summary="restarted Halpern PDHG on the structure of the problem, in Rust on all cores"
)
class Structured(Solver):
    """First-order method that exploits the structure of the flow problem; the same bits on any number of threads.

    On arc form it never stores a matrix; on path form it plays the game between splits and prices.
    """

    warm_start = frozenset({"arc", "path"})

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the size of the iterate and of one proof."""
        match problem:
            case PathProblem():
                return problem.core.estimate_bytes()
            case _:
                return _core.estimate_structured_bytes(merge_planes(problem.flow).problem.core)

    def solve(self, problem: Problem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve, on arc form with the planes that are alike merged; see :meth:`Solver.solve`."""
        limits, given = options.of_core(on_progress), options.start
        match problem:
            case PathProblem():
                split = None if given is None else problem.checked(given.proof)
                start = None if split is None else (split.weight, joined(split.lengths))
                found = _core.solve_path_form(problem.core, warm_start=start, **limits)
                return RawSolution(
                    problem.proof(found.weight, found.length), found.iterations, found.interrupted
                )
            case ArcProblem():
                merged = merge_planes(problem.flow)
                begin = None
                if given is not None:
                    assert isinstance(given.proof, _core.Proof)
                    took = given.iterations if given.solver == self.name else 0
                    begin = merged.reduce(given.proof), took
                solution = _core.solve_structured(merged.problem.core, warm_start=begin, **limits)
                return RawSolution(merged.expand(solution.proof), solution.iterations, solution.interrupted)
            case _:
                raise SolverError(f"solver {self.name!r} does not take a {type(problem).__name__}")

    def check_columns(self, problem: ColumnProblem) -> None:
        """Raise SolverError where :meth:`solve_columns` would not fit into memory."""
        columns, entries = problem.flow_variables, problem.usage.nnz
        steps = _core.estimate_cheapest_bytes(columns, entries, len(problem.flow.link_capacity))
        # The instance in the core, and with wider indices on its way there.
        check_fits(
            steps + 24 * entries + 24 * columns,
            f"solver {self.name!r} with {columns:,} columns",
            SolverError,
            allowed="fewer paths, level=rack, a smaller network",
        )

    def solve_columns(
        self, form: ColumnForm, options: SolveOptions, on_progress: OnProgress
    ) -> _core.Cheapest:
        """Solve a program over columns without a rate, in which every demand gets a given rate, or any up to that."""
        problem, goal, usage = form.problem, form.goal, form.problem.usage
        columns = problem.demand_of_column
        bundles = _core.Bundles(
            problem.flow.link_capacity,
            goal.upper,
            np.searchsorted(columns, np.arange(problem.demand_count + 1)),
            usage.indptr.astype(np.int64),
            usage.indices.astype(np.int32),
            usage.data,
        )
        return _core.solve_cheapest(
            bundles, form.column_cost, whole=goal.fixes, **options.of_core(on_progress)
        )
