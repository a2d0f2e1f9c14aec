"""OR-Tools: PDLP and GLOP through MathOpt, in a process of their own.

PDLP: D. Applegate et al., "Practical large-scale linear programming using primal-dual hybrid gradient" (NeurIPS 2021),
the method's original implementation.  GLOP is a sparse simplex.
"""

from __future__ import annotations

import datetime
import importlib
import math
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from pnet_lp.extras import install_command, installed
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers.base import SOLVERS
from pnet_lp.throughput.solvers.general import Limits, Settings, Watch, clip, failed
from pnet_lp.throughput.solvers.worker import SeparateSolver

_CONVERGED = frozenset({"OPTIMAL", "IMPRECISE"})
_STOPPED = frozenset({"FEASIBLE", "NO_SOLUTION_FOUND"})

_SHARDS = 32
"""Parts into which PDLP divides its sums; it rounds by them, so that they must not depend on the number of threads, as
they do by default.  Its documentation asks for 4 a thread."""


class _OrTools(SeparateSolver):
    """What the methods of OR-Tools have in common.

    Class attributes:
        solver_type: name of the method in MathOpt.
    """

    solver_type: ClassVar[str]
    install_hint = install_command("ortools")

    @classmethod
    def installed(cls) -> bool:
        """Whether OR-Tools is installed; it is not loaded, because highspy could not be loaded after it."""
        return installed("ortools")

    def parameters_proto(self, settings: Settings, limits: Limits) -> Any:
        """Return MathOpt's parameters for the method."""
        raise NotImplementedError

    def run_here(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """See :meth:`GeneralSolver.run`."""
        mathopt = importlib.import_module("ortools.math_opt.python.mathopt")
        stops = importlib.import_module("ortools.util.python.solve_interrupter")
        parameters = self.parameters_proto(settings, limits)
        if math.isfinite(limits.time_s):
            parameters.time_limit = datetime.timedelta(seconds=limits.time_s)
        parameters.iteration_limit = limits.iterations
        interrupter = stops.SolveInterrupter()
        watch.on_stop(interrupter.interrupt)
        result = mathopt.solve(
            mathopt.Model.from_model_proto(_model(lp)),
            mathopt.SolverType[self.solver_type],
            params=parameters,
            interrupter=interrupter,
        )
        reason = result.termination.reason.name
        if reason not in _CONVERGED | _STOPPED:
            raise failed(self.name, f"{reason}: {result.termination.detail}")
        statistics = result.solve_stats
        iterations = int(statistics.simplex_iterations + statistics.first_order_iterations)
        # GLOP does not report which limit it met.
        stopped = "time limit reached"
        if watch.stopped:
            stopped = "interrupted by user"
        elif limits.iterations is not None and iterations >= limits.iterations:
            stopped = "iteration limit reached"
        solution = result.solutions[0].to_proto() if result.solutions else None
        return LpSolution(
            column_value=_dense(solution.primal_solution.variable_values, len(lp.cost)) if solution else None,
            row_dual=_dense(solution.dual_solution.dual_values, len(lp.row_lower)) if solution else None,
            iterations=iterations,
            stopped="" if reason in _CONVERGED else stopped,
        )


@SOLVERS.register("ortools-pdlp", summary="OR-Tools first-order method (PDLP)")
class OrToolsPdlp(_OrTools):
    """First-order method, on all cores; the same bits on any number of them."""

    solver_type = "PDLP"
    bytes_per_column = 2400

    def settings(self, tolerance: float, *, again: bool) -> Settings:
        """Return the residual tolerance, for residuals in the Euclidean norm relative to the data."""
        del again
        return {"residual": clip(tolerance * 0.01, 1e-11, 1e-4), "gap": clip(tolerance * 0.1, 1e-11, 1e-4)}

    def parameters_proto(self, settings: Settings, limits: Limits) -> Any:
        """See :meth:`_OrTools.parameters_proto`."""
        mathopt = importlib.import_module("ortools.math_opt.python.mathopt")
        found = mathopt.SolveParameters(threads=limits.threads)
        found.pdlp.num_shards = _SHARDS
        criteria = found.pdlp.termination_criteria.detailed_optimality_criteria
        for part in ("primal_residual", "dual_residual", "objective_gap"):
            tolerance = settings["gap" if part == "objective_gap" else "residual"]
            setattr(criteria, f"eps_optimal_{part}_absolute", tolerance)
            setattr(criteria, f"eps_optimal_{part}_relative", tolerance)
        return found


@SOLVERS.register("ortools-glop", summary="OR-Tools simplex (GLOP), for small problems")
class OrToolsGlop(_OrTools):
    """Simplex; single-threaded."""

    solver_type = "GLOP"
    bytes_per_column = 3000

    def settings(self, tolerance: float, *, again: bool) -> Settings:
        """Return the feasibility tolerance; a vertex has no gap of its own."""
        del again
        return {"feasibility": clip(tolerance * 0.1, 1e-10, 1e-8)}

    def parameters_proto(self, settings: Settings, limits: Limits) -> Any:
        """See :meth:`_OrTools.parameters_proto`."""
        del limits
        mathopt = importlib.import_module("ortools.math_opt.python.mathopt")
        found = mathopt.SolveParameters()
        found.glop.primal_feasibility_tolerance = settings["feasibility"]
        found.glop.dual_feasibility_tolerance = settings["feasibility"]
        return found


def _model(lp: LinearProgram) -> Any:
    model = importlib.import_module("ortools.math_opt.model_pb2").ModelProto()
    rows, columns = len(lp.row_lower), len(lp.cost)
    model.variables.ids.extend(range(columns))
    model.variables.lower_bounds.extend([0.0] * columns)
    model.variables.upper_bounds.extend([math.inf] * columns)
    model.variables.integers.extend([False] * columns)
    costly = np.flatnonzero(lp.cost)
    model.objective.linear_coefficients.ids.extend(costly.tolist())
    model.objective.linear_coefficients.values.extend(lp.cost[costly].tolist())
    model.linear_constraints.ids.extend(range(rows))
    model.linear_constraints.lower_bounds.extend(lp.row_lower.tolist())
    model.linear_constraints.upper_bounds.extend(lp.row_upper.tolist())
    by_row = sp.csr_array(lp.matrix)
    by_row.sort_indices()
    row = np.repeat(np.arange(rows), np.diff(by_row.indptr))
    model.linear_constraint_matrix.row_ids.extend(row.tolist())
    model.linear_constraint_matrix.column_ids.extend(by_row.indices.tolist())
    model.linear_constraint_matrix.coefficients.extend(by_row.data.tolist())
    return model


def _dense(values: Any, size: int) -> FloatArray:
    """Return MathOpt's sparse vector as an array."""
    found = np.zeros(size)
    found[np.asarray(values.ids, dtype=np.int64)] = values.values
    return found
