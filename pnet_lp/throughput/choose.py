"""The rule by which ``auto`` chooses a solver: constants, measured by benchmarks/auto_rule.py, and nothing else.

What is installed plays no part: HiGHS is a dependency, the structured solver is ours.
"""

from __future__ import annotations

from pnet_lp.throughput.problem import FlowProblem

AUTO = "auto"

SPARSE_DEMANDS_PER_ROW = 4.0
"""Below this many demands per (plane, destination), the first-order method needs many more iterations."""

SMALL_FLOW_VARIABLES = 40_000
"""Up to this many arc-flow variables an interior-point method solves a sparse problem sooner."""


def choose_solver(problem: FlowProblem) -> str:
    """Return ``highs-ipx`` for small problems with sparse demands, ``structured`` for all others."""
    sparse = problem.demand_count < SPARSE_DEMANDS_PER_ROW * len(problem.rows)
    if sparse and problem.flow_variables <= SMALL_FLOW_VARIABLES:
        return "highs-ipx"
    return "structured"
