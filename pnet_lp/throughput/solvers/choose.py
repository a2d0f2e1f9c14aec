"""The rule by which ``auto`` chooses a solver: constants, measured, and nothing else (docs/solver.md).

What is installed plays no part: HiGHS is a dependency, the other solvers are ours.
"""

from __future__ import annotations

import numpy as np

from pnet_lp.throughput.problems import Problem

AUTO = "auto"

SPARSE_DEMANDS_PER_ROW = 8.0
"""Below this many demands per (plane, destination) few paths carry something, and a problem over them is small; with 20
it is about as large as the one over arcs."""

FEW_DEMANDS_PER_ROW = 4.0
"""Below this many, and without access limits, first-order steps over arcs are tens of thousands."""

SMALL_FLOW_VARIABLES = 100_000
"""Up to this many arc-flow variables an interior point takes seconds, whatever capacities and tolerance are."""


def choose_solver(problem: Problem) -> str:
    """Return ``columns`` for sparse demands on any path, ``highs-ipx`` for the small among them, else ``structured``.

    Over given paths it is always ``structured``, as it is for small problems that access links limit.
    """
    if problem.form == "path":
        return "structured"
    flow = problem.flow
    demands, rows = flow.demand_count, len(flow.rows)
    if problem.flow_variables > SMALL_FLOW_VARIABLES:
        return "columns" if demands < SPARSE_DEMANDS_PER_ROW * rows else "structured"
    unlimited = bool(np.isinf(flow.access_up).all() and np.isinf(flow.access_down).all())
    return "highs-ipx" if unlimited and demands < FEW_DEMANDS_PER_ROW * rows else "structured"
