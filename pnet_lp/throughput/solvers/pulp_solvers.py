"""PuLP, for the solvers that it knows: CBC, which PuLP 3 brings, HiGHS, or CPLEX, Gurobi, SCIP and others if installed.

PuLP holds a program as Python objects, so this is the slowest interface to any of them, in a process of its own like
every solver that cannot be stopped.  PuLP 4 has other objects than PuLP 3; both take a program as a dictionary.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from pydantic import Field

from pnet_lp.errors import SolverError
from pnet_lp.extras import install_command, installed
from pnet_lp.registry import Params
from pnet_lp.throughput.problems.program import LinearProgram, LpSolution
from pnet_lp.throughput.solvers.base import SOLVERS
from pnet_lp.throughput.solvers.general import Limits, Settings, Watch, clip, failed
from pnet_lp.throughput.solvers.worker import SeparateSolver

_CBC = frozenset({"PULP_CBC_CMD", "COIN_CMD"})

_HIGHS = "HiGHS"
"""PuLP's name of the solver that is always there: pnet-lp needs it too."""

_OPTIMAL = 1
_FAILED = {-1: "infeasible", -2: "unbounded"}
_EQUAL, _AT_MOST = 0, -1
"""Numbers of statuses and of kinds of rows, the same in all versions."""


class PulpParams(Params):
    """Parameters of ``pulp``."""

    solver: str = Field(
        default="",
        description="PuLP's name of a solver, such as GUROBI; empty for PuLP's default, or HiGHS where it has none",
    )


@SOLVERS.register("pulp", params=PulpParams, summary="any solver that PuLP finds (CBC, CPLEX, Gurobi, ...)")
class Pulp(SeparateSolver):
    """Whatever PuLP finds."""

    params: PulpParams
    interruptible = False
    install_hint = install_command("pulp")
    bytes_per_column = 6000

    @classmethod
    def installed(cls) -> bool:
        """Whether PuLP is installed; which solvers it finds shows when it solves."""
        return installed("pulp")

    def settings(self, tolerance: float, *, again: bool) -> Settings:
        """Return the feasibility tolerance, which PuLP has no common option for: only CBC and HiGHS get it."""
        return {"feasibility": clip(tolerance * 0.1, 1e-10, 1e-7), "presolve": not again}

    def run_here(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """See :meth:`GeneralSolver.run`."""
        del watch
        pulp = importlib.import_module("pulp")
        solver = self._solver(pulp, settings, limits)
        variables, program = pulp.LpProblem.fromDict(_program(lp))
        found = program.solve(solver)
        status = int(getattr(found, "status", found))
        if status in _FAILED:
            raise failed(self.name, _FAILED[status])
        # What stands in no row and costs nothing, as K in some objectives, reaches no solver and gets no value.
        used = (np.diff(lp.start) > 0) | (lp.cost != 0)
        values = [variables[f"x{i}"].varValue if used[i] else 0.0 for i in range(len(used))]
        rows = program.constraints
        duals = [row.pi for row in (rows() if callable(rows) else rows.values())]
        complete = None not in values and None not in duals
        optimal = getattr(program, "sol_status", status) == _OPTIMAL
        return LpSolution(
            column_value=np.array(values, dtype=np.float64) if complete else None,
            row_dual=np.array(duals, dtype=np.float64) if complete else None,
            iterations=0,
            stopped="" if optimal else "stopped before the optimum",
        )

    def _solver(self, pulp: Any, settings: Settings, limits: Limits) -> Any:
        available = pulp.listSolvers(onlyAvailable=True)
        name = self.params.solver or (pulp.LpSolverDefault.name if pulp.LpSolverDefault else _HIGHS)
        if name not in available:
            raise SolverError(f"PuLP finds no solver {name!r}", allowed=", ".join(available) or None)
        options: dict[str, Any] = {"msg": False}
        if math.isfinite(limits.time_s):
            options["timeLimit"] = limits.time_s
        if name in _CBC:
            options["options"] = [
                f"primalTolerance {settings['feasibility']}",
                f"dualTolerance {settings['feasibility']}",
                f"presolve {'on' if settings['presolve'] else 'off'}",
                *([] if limits.iterations is None else [f"maxIterations {limits.iterations}"]),
            ]
        elif name == _HIGHS:
            options |= {
                "primal_feasibility_tolerance": settings["feasibility"],
                "dual_feasibility_tolerance": settings["feasibility"],
                "presolve": "choose" if settings["presolve"] else "off",
            }
            if limits.iterations is not None:
                options["simplex_iteration_limit"] = limits.iterations
        return pulp.getSolver(name, **options)


def _program(lp: LinearProgram) -> dict[str, Any]:
    """Return the program as PuLP writes it to JSON, with variables x0, x1, ... and the rows in the order of ``lp``."""
    by_row = sp.csr_array(lp.matrix)
    by_row.sort_indices()
    index, value, start = by_row.indices.tolist(), by_row.data.tolist(), by_row.indptr.tolist()
    bounds = zip(lp.row_lower.tolist(), lp.row_upper.tolist(), strict=True)
    return {
        "parameters": {"name": "throughput", "sense": 1, "status": 0, "sol_status": 0},
        "objective": {
            "name": "cost",
            "coefficients": [{"name": f"x{i}", "value": float(lp.cost[i])} for i in np.flatnonzero(lp.cost).tolist()],
        },
        "variables": [{"name": f"x{i}", "cat": "Continuous", "lowBound": 0} for i in range(len(lp.cost))],
        "constraints": [
            {
                "name": f"r{row}",
                "sense": _EQUAL if lower == upper else _AT_MOST,
                "coefficients": [
                    {"name": f"x{index[k]}", "value": value[k]} for k in range(start[row], start[row + 1])
                ],
                "constant": -upper,
            }
            for row, (lower, upper) in enumerate(bounds)
        ],
        "sos1": [],
        "sos2": [],
    }
