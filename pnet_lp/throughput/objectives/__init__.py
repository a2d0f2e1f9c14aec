"""Objectives: what is asked of a network, one file each; :mod:`~pnet_lp.throughput.objectives.base` says what one is.

Each turns a problem into an :class:`Optimum`: a value between two bounds, a flow that attains the one and lengths that
prove the other.  Linear programs go to a solver through :mod:`~pnet_lp.throughput.objectives.run` and nowhere else.
:mod:`~pnet_lp.throughput.objectives.recheck` computes the bounds a second time, from the arrays alone.
"""

from pnet_lp.throughput.objectives.base import (
    CONCURRENT,
    OBJECTIVES,
    Clock,
    Means,
    Objective,
    Optimum,
    Stated,
    check_storable,
    parse_objective,
)

__all__ = [
    "CONCURRENT",
    "OBJECTIVES",
    "Clock",
    "Means",
    "Objective",
    "Optimum",
    "Stated",
    "check_storable",
    "parse_objective",
]
