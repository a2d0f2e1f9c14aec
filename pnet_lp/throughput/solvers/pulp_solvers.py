"""PuLP, for the solvers that it knows: CBC, which it brings, or CPLEX, Gurobi, SCIP and others where installed.

PuLP holds a program as Python objects, so this is the slowest interface to any of them, in a process of its own like
every solver that cannot be stopped.
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


class PulpParams(Params):
    """Parameters of ``pulp``."""

    solver: str = Field(
        default="", description="PuLP's name of a solver, such as GUROBI; empty for PuLP's default"
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
        """Return the feasibility tolerance, which PuLP has no common option for: only CBC gets it."""
        return {"feasibility": clip(tolerance * 0.1, 1e-10, 1e-7), "presolve": not again}

    def run_here(self, lp: LinearProgram, settings: Settings, limits: Limits, watch: Watch) -> LpSolution:
        """See :meth:`GeneralSolver.run`."""
        del watch
        pulp = importlib.import_module("pulp")
        solver = self._solver(pulp, settings, limits)
        program, variables, constraints = _program(pulp, lp)
        status = program.solve(solver)
        if status in {pulp.LpStatusInfeasible, pulp.LpStatusUnbounded}:
            raise failed(self.name, pulp.LpStatus[status])
        values = [variable.varValue for variable in variables]
        duals = [constraint.pi for constraint in constraints]
        complete = None not in values and None not in duals
        optimal = program.sol_status == pulp.LpSolutionOptimal
        return LpSolution(
            column_value=np.array(values, dtype=np.float64) if complete else None,
            row_dual=np.array(duals, dtype=np.float64) if complete else None,
            iterations=0,
            stopped="" if optimal else "stopped before the optimum",
        )

    def _solver(self, pulp: Any, settings: Settings, limits: Limits) -> Any:
        available = pulp.listSolvers(onlyAvailable=True)
        name = self.params.solver or (pulp.LpSolverDefault.name if pulp.LpSolverDefault else "")
        if name not in available:
            raise SolverError(
                f"PuLP finds no solver {name!r}" if name else "PuLP finds no solver",
                allowed=", ".join(available) or None,
            )
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
        return pulp.getSolver(name, **options)


def _program(pulp: Any, lp: LinearProgram) -> tuple[Any, list[Any], list[Any]]:
    """Return the program as PuLP's objects, with its variables and constraints in the order of ``lp``."""
    program = pulp.LpProblem("throughput", pulp.LpMinimize)
    variables = [pulp.LpVariable(f"x{i}", 0) for i in range(len(lp.cost))]
    costly = np.flatnonzero(lp.cost)
    program += pulp.LpAffineExpression([(variables[i], float(lp.cost[i])) for i in costly])
    by_row = sp.csr_array(lp.matrix)
    by_row.sort_indices()
    index, value, start = by_row.indices.tolist(), by_row.data.tolist(), by_row.indptr.tolist()
    constraints = []
    for row, (lower, upper) in enumerate(zip(lp.row_lower.tolist(), lp.row_upper.tolist(), strict=True)):
        entries = range(start[row], start[row + 1])
        constraint = pulp.LpConstraint(
            pulp.LpAffineExpression([(variables[index[k]], value[k]) for k in entries]),
            pulp.LpConstraintEQ if lower == upper else pulp.LpConstraintLE,
            f"r{row}",
            upper,
        )
        program.addConstraint(constraint)
        constraints.append(constraint)
    return program, variables, constraints
