"""Solvers of the flow problem, one file each; :mod:`~pnet_lp.throughput.solvers.base` says what a solver is.

Nothing here decides which solver is used by default, and nothing a solver returns is believed: both belong to
:mod:`pnet_lp.throughput.solve`.
"""

from pnet_lp.throughput.solvers.base import (
    SOLVERS,
    InitialPoint,
    OnProgress,
    RawSolution,
    SolveOptions,
    Solver,
    get_solver,
    solver_names,
)
from pnet_lp.throughput.solvers.choose import AUTO, choose_solver, is_symmetric, turns

__all__ = [
    "AUTO",
    "SOLVERS",
    "InitialPoint",
    "OnProgress",
    "RawSolution",
    "SolveOptions",
    "Solver",
    "choose_solver",
    "get_solver",
    "is_symmetric",
    "solver_names",
    "turns",
]
