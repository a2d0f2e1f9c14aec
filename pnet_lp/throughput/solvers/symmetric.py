"""The linear program on equivalence classes of switches, endpoints and links, by HiGHS (docs/solver.md)."""

from __future__ import annotations

from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import SolverError
from pnet_lp.throughput.problems import ConcurrentProblem, Problem
from pnet_lp.throughput.solvers.base import SOLVERS, OnProgress, RawSolution, SolveOptions, Solver
from pnet_lp.throughput.solvers.general import TIGHTEST, solve_concurrent
from pnet_lp.throughput.solvers.highs import HighsIpx, HighsSimplex

_LARGE = 30_000
"""Variables above which an interior point is sooner than a simplex method."""

_BYTES_PER_LINK = 600
"""Of the core's graph, its folding and the arrays of the certificate; measured."""


@SOLVERS.register("symmetric", summary="a small linear program on equivalence classes of switches and links, by HiGHS")
class Symmetric(Solver):
    """For networks with equivalent switches: solves once for each kind of destination, whatever the number of hosts."""

    forms = frozenset({"arc"})

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the size of the graph in which classes are searched."""
        return _BYTES_PER_LINK * (len(problem.flow.tail) + 2 * problem.flow.attach.size)

    def proof_bytes(self, problem: Problem) -> int:
        """Return 0: a quotient certificate is a part of the above."""
        del problem
        return 0

    def reduced(self, problem: Problem, deadline: Deadline = NEVER) -> ConcurrentProblem:
        """Return the quotient; see :meth:`Solver.reduced`."""
        quotient = problem.quotient(deadline)
        if quotient is None:
            raise SolverError(
                "the network and its traffic have too many equivalence classes",
                where="solver",
                found=self.name,
                allowed="auto, structured, columns",
            )
        return quotient

    def solve(self, problem: ConcurrentProblem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve the program of the quotient; see :meth:`Solver.solve`."""
        attempts = [
            attempt
            for solver in ((HighsIpx, HighsSimplex) if problem.flow_variables > _LARGE else (HighsSimplex, HighsIpx))
            for attempt in solver(self.params).attempts([TIGHTEST, TIGHTEST])
        ]
        return solve_concurrent(problem, attempts, options, on_progress)
