"""The dual simplex of the HiGHS that SciPy brings."""

import numpy as np
import scipy.sparse as sp

from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers import SOLVERS
from pnet_lp.throughput.solvers.general import GeneralSolver, Limits, Settings, Watch, failed


@SOLVERS.register("dual-simplex", summary="SciPy's linprog (HiGHS dual simplex)")
class DualSimplex(GeneralSolver):
    """A vertex; single-threaded, and for small problems."""

    interruptible = False
    bytes_per_column = 2000

    def settings(self, tolerance: float, *, again: bool) -> Settings:
        """Return the options that should give a proved relative gap of ``tolerance``."""
        del tolerance
        return {"presolve": not again}

    def run(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """Solve ``lp``."""
        from scipy.optimize import linprog

        del watch
        rows, equal = sp.csr_array(lp.matrix), lp.row_lower == lp.row_upper
        found = linprog(
            lp.cost,
            A_ub=rows[~equal],
            b_ub=lp.row_upper[~equal],
            A_eq=rows[equal],
            b_eq=lp.row_upper[equal],
            method="highs-ds",
            options={**settings, "time_limit": limits.time_s},
        )
        if found.status > 1:
            raise failed(self.name, found.message)
        dual = None
        if found.x is not None:
            dual = np.empty(len(lp.row_lower))
            dual[equal], dual[~equal] = found.eqlin.marginals, found.ineqlin.marginals
        return LpSolution(found.x, dual, int(found.nit), "" if found.status == 0 else "time limit reached")
