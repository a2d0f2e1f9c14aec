"""The linear program on classes of what is alike, by the simplex of HiGHS (docs/solver.md)."""

from __future__ import annotations

import math
from dataclasses import replace

from pnet_lp.errors import SolverError
from pnet_lp.model import ColourCertificate
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.problems import ArcProblem, Problem
from pnet_lp.throughput.solvers.base import SOLVERS, OnProgress, RawSolution, SolveOptions, Solver, get_solver
from pnet_lp.throughput.solvers.general import Attempt, GeneralSolver, solve_until

_TIGHTEST = 1e-9
"""The gap to ask for: the program is small, and a vertex exact."""

_BYTES_PER_LINK = 600
"""Of the core's graph, its folding and the arrays of the certificate; measured."""


@SOLVERS.register(
    "symmetric", summary="a small linear program on what colour refinement finds alike, by HiGHS"
)
class Symmetric(Solver):
    """For networks with alike switches: solves once for each kind of destination, whatever the number of hosts."""

    forms = frozenset({"arc"})

    def estimate_bytes(self, problem: Problem) -> int:
        """Return the size of the graph in which classes are looked for."""
        return _BYTES_PER_LINK * (len(problem.flow.tail) + 2 * problem.flow.attach.size)

    def proof_bytes(self, problem: Problem) -> int:
        """Return 0: a proof in colours is a part of the above."""
        del problem
        return 0

    def solve(self, problem: Problem, options: SolveOptions, on_progress: OnProgress) -> RawSolution:
        """Solve on classes; see :meth:`Solver.solve`."""
        assert isinstance(problem, ArcProblem)
        colours = problem.colours
        if colours is None:
            raise SolverError(
                "too little is alike in the network and its traffic",
                where="solver",
                found=self.name,
                allowed="auto, structured, columns",
            )

        def prove(value: FloatArray, dual: FloatArray, found: bool) -> tuple[ColourCertificate, float]:
            proof = colours.certificate(value, dual) if found else colours.nothing()
            lower, upper = problem.bounds(proof)
            if math.isinf(upper):
                # On the way of a simplex method, lengths can miss every demand.
                proof = replace(proof, class_length=colours.nothing().class_length)
                lower, upper = problem.bounds(proof)
            return proof, (upper - lower) / upper if upper > 0 else 0.0

        solvers = [get_solver(name) for name in ("highs-simplex", "highs-ipx")]
        attempts = [
            Attempt(solver, solver.settings(_TIGHTEST, again=again))
            for solver in solvers
            if isinstance(solver, GeneralSolver)
            for again in (False, True)
        ]
        best = solve_until(colours.program(), attempts, prove, options, on_progress)
        return RawSolution(best.answer, best.iterations, best.interrupted, best.message)
