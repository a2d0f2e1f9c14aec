"""SciPy's ``linprog``: the interior point of the HiGHS that SciPy brings, with crossover, in a process of its own.

``linprog`` cannot be stopped, and returns nothing where a limit ends it: the bounds are then those of no flow.  Its
simplex took ten times as long on the programs it was tried on.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers.base import SOLVERS
from pnet_lp.throughput.solvers.general import Limits, Settings, Watch, clip, failed
from pnet_lp.throughput.solvers.worker import SeparateSolver

_OPTIMAL, _LIMIT, _NUMERICAL = 0, 1, 4


@SOLVERS.register("scipy", summary="SciPy's linprog (HiGHS interior point with crossover)")
class ScipyLinprog(SeparateSolver):
    """Interior point with crossover to a vertex; single-threaded."""

    interruptible = False
    bytes_per_column = 1800

    def settings(self, tolerance: float, *, again: bool) -> Settings:
        """Return feasibility and optimality tolerances."""
        feasibility = clip(tolerance * 0.01, 1e-10, 1e-7)
        return {
            "presolve": not again,
            "primal_feasibility_tolerance": feasibility,
            "dual_feasibility_tolerance": feasibility,
            "ipm_optimality_tolerance": clip(tolerance * 0.1, 1e-12, 1e-5),
        }

    def run_here(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """See :meth:`GeneralSolver.run`."""
        del watch
        linprog: Any = importlib.import_module("scipy.optimize").linprog
        options = dict(settings)
        if math.isfinite(limits.time_s):
            options["time_limit"] = limits.time_s
        if limits.iterations is not None:
            options["maxiter"] = limits.iterations
        by_row = sp.csr_array(lp.matrix)
        equal = lp.row_lower == lp.row_upper
        found = linprog(
            lp.cost,
            A_ub=by_row[~equal],
            b_ub=lp.row_upper[~equal],
            A_eq=by_row[equal],
            b_eq=lp.row_upper[equal],
            method="highs-ipm",
            options=options,
        )
        if found.status not in {_OPTIMAL, _LIMIT, _NUMERICAL}:
            raise failed(self.name, found.message)
        stopped = "time limit reached" if "Time limit" in found.message else "iteration limit reached"
        dual = None
        if found.x is not None:
            dual = np.empty(len(lp.row_lower))
            dual[equal] = found.eqlin.marginals
            dual[~equal] = found.ineqlin.marginals
        return LpSolution(
            column_value=found.x,
            row_dual=dual,
            iterations=int(found.nit),
            stopped=stopped if found.status == _LIMIT else "",
        )
