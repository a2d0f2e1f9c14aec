"""The rule by which ``auto`` chooses a solver: constants, measured, and nothing else (docs/solver.md).

What is installed plays no part: HiGHS is a dependency, the other solvers are ours.
"""

from __future__ import annotations

from pnet_lp.throughput.problems import Problem

AUTO = "auto"

SPARSE_DEMANDS_PER_ROW = 8.0
"""Below this many demands per (plane, destination) few paths carry something, and a problem over them is small; with 20
it is about as large as the one over arcs."""


def choose_solver(problem: Problem) -> str:
    """Return ``columns`` for sparse demands on any path, else ``structured``."""
    if problem.form == "path":
        return "structured"
    flow = problem.flow
    return "columns" if flow.demand_count < SPARSE_DEMANDS_PER_ROW * len(flow.rows) else "structured"
