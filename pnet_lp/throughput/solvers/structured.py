"""The structured solver: restarted Halpern PDHG in Rust, on all cores (docs/solver.md)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model import PathCertificate
from pnet_lp.throughput.problems import ConcurrentProblem, PathProblem, Problem
from pnet_lp.throughput.problems.base import ColumnProblem, joined
from pnet_lp.throughput.problems.column_form import ColumnForm
from pnet_lp.throughput.problems.merge import merge
from pnet_lp.throughput.problems.program import LpSolution
from pnet_lp.throughput.solvers.base import SOLVERS, InitialPoint, OnProgress, RawSolution, SolveOptions
from pnet_lp.throughput.solvers.general import Attempt, Limits, ProgramSolver, Settings

_CLOSER = (0.5, 0.05)
"""Factors on the tolerance of programs, one attempt each: the proved gap is larger than the one that is measured."""


@SOLVERS.register("structured", summary="restarted Halpern PDHG on the structure of the problem, in Rust on all cores")
class Structured(ProgramSolver[ColumnProblem, ColumnForm]):
    """First-order method that exploits the structure of the flow problem; the same bits on any number of threads.

    On arc form it never stores a matrix; on path form it plays the game between splits and prices.
    """

    warm_start = frozenset({"arc", "path"})
    programs = frozenset({"path", "split"})
    takes_rate = False

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the size of the iterate and of one proof."""
        estimate: int = _METHODS[problem.form].estimate_bytes(problem)
        return estimate

    def solve(self, problem: ConcurrentProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve, on arc form with parallel links and proportional planes merged; see :meth:`Solver.solve`."""
        given = options.initial
        if given is not None and given.solver != self.name:
            given = replace(given, iterations=0)
        found: RawSolution = _METHODS[problem.form].solve(problem, given, options.of_core(on_progress))
        return found

    def check_program(self, problem: ColumnProblem, *, instead: str) -> None:
        """See :meth:`ProgramSolver.check_program`."""
        del instead
        columns, entries = problem.flow_variables, problem.most_entries
        steps = _core.estimate_cheapest_bytes(columns, entries, len(problem.flow.link_capacity))
        # The instance in the core, and with wider indices while it is copied there.
        check_fits(
            steps + 24 * entries + 24 * columns,
            f"solver {self.name!r} with {columns:,} columns",
            SolverError,
            allowed="fewer paths, level=rack, a smaller network",
        )

    def program_attempts(self, options: SolveOptions, *, central: bool) -> Iterable[Attempt]:
        """See :meth:`ProgramSolver.program_attempts`."""
        del central
        for i, factor in enumerate(_CLOSER):
            if i == 0 or options.deadline.left_s() > 0:
                yield Attempt(self, {"tolerance": factor * options.tolerance})

    def run_program(
        self, form: ColumnForm, settings: Settings, limits: Limits, on_progress: OnProgress
    ) -> tuple[LpSolution, bool]:
        """Take first-order steps over columns; see :meth:`ProgramSolver.run_program`."""
        problem, goal, usage = form.problem, form.goal, form.problem.usage
        bundles = _core.Bundles(
            problem.flow.link_capacity,
            goal.upper,
            np.searchsorted(problem.demand_of_column, np.arange(problem.demand_count + 1)),
            usage.indptr.astype(np.int64),
            usage.indices.astype(np.int32),
            usage.data,
        )
        found = _core.solve_cheapest(
            bundles,
            form.column_cost,
            whole=goal.fixes,
            max_iterations=sys.maxsize if limits.iterations is None else limits.iterations,
            time_limit_s=limits.time_s,
            threads=limits.threads,
            on_progress=on_progress,
            **settings,
        )
        value, dual = form.as_solution(found.weight, found.length)
        return LpSolution(value, dual, found.iterations), found.interrupted


class _OverArcs:
    """Over any path, by destination."""

    @staticmethod
    def estimate_bytes(problem: Problem) -> int:
        return _core.estimate_structured_bytes(merge(problem.flow).problem.core)

    @staticmethod
    def solve(
        problem: ConcurrentProblem[_core.Proof], given: InitialPoint[_core.Proof] | None, limits: dict[str, Any]
    ) -> RawSolution[_core.Proof]:
        merged = merge(problem.flow)
        start = None if given is None else (merged.reduce(given.proof), given.iterations)
        found = _core.solve_structured(merged.problem.core, warm_start=start, **limits)
        return RawSolution(merged.expand(found.proof), found.iterations, found.interrupted)


class _OverPaths:
    """Over given paths."""

    @staticmethod
    def estimate_bytes(problem: PathProblem) -> int:
        return problem.core.estimate_bytes()

    @staticmethod
    def solve(
        problem: PathProblem, given: InitialPoint[PathCertificate] | None, limits: dict[str, Any]
    ) -> RawSolution[PathCertificate]:
        start = None if given is None else (given.proof.weight, problem.to_core(joined(given.proof.lengths)))
        found = _core.solve_path_form(problem.core, warm_start=start, **limits)
        proof = problem.proof(found.weight, problem.of_core(found.length))
        return RawSolution(proof, found.iterations, found.interrupted)


_METHODS: dict[str, type[Any]] = {"arc": _OverArcs, "path": _OverPaths}
"""By the form of the problem."""
