"""Objectives: what is optimised, one file each; :mod:`~pnet_lp.throughput.objectives.base` says what one is.

Each turns a problem into an :class:`Optimum`: a value between two bounds, a flow that attains the one and lengths that
prove the other; and each says how a saved answer is checked a second time.  Linear programs go to a solver through
:mod:`~pnet_lp.throughput.objectives.program` and nowhere else.
"""

from pnet_lp.throughput.objectives.base import (
    CONCURRENT,
    NO_SOLVER,
    OBJECTIVES,
    Clock,
    Objective,
    Optimum,
    SolveContext,
    parse_objective,
)

__all__ = ["CONCURRENT", "NO_SOLVER", "OBJECTIVES", "Clock", "Objective", "Optimum", "SolveContext", "parse_objective"]
