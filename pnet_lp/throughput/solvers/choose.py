"""The rule by which ``auto`` chooses a solver: constants, measured, and nothing else (docs/solver.md).

What is installed plays no part: HiGHS is a dependency, the structured solver is ours.
"""

from __future__ import annotations

import numpy as np

from pnet_lp.throughput.problems import Problem

AUTO = "auto"

SPARSE_DEMANDS_PER_ROW = 4.0
"""Below this many demands per (plane, destination) and without access limits, the first-order method needs tens of
thousands of iterations instead of hundreds."""

SMALL_FLOW_VARIABLES = 100_000
"""Up to this many arc-flow variables an interior-point method solves such a sparse problem sooner."""


def choose_solver(problem: Problem) -> str:
    """Return ``highs-ipx`` for small problems with sparse demands that only core links limit, else ``structured``.

    Over given paths it is always ``structured``.
    """
    if problem.form == "path":
        return "structured"
    flow = problem.flow
    sparse = flow.demand_count < SPARSE_DEMANDS_PER_ROW * len(flow.rows)
    unlimited = bool(np.isinf(flow.access_up).all() and np.isinf(flow.access_down).all())
    small = problem.flow_variables <= SMALL_FLOW_VARIABLES
    return "highs-ipx" if sparse and unlimited and small else "structured"
