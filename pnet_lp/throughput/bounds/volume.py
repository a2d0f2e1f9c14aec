"""Bounds from one length for all links: how much link a demand takes, against how much there is."""

from __future__ import annotations

import math

import numpy as np

from pnet_lp.throughput.bounds.witness import EqualLengths
from pnet_lp.throughput.problems import FlowProblem


def bound_by_volume(problem: FlowProblem, link_hops: float) -> tuple[float, EqualLengths]:
    """Return the smaller of two bounds, and its lengths.

    Links between switches have length 1.  Access links have length 0, or at host level also 1: every demand then takes
    two more.

    Args:
        problem: the problem.
        link_hops: a lower bound on the sum of demand times hops between switches; ``inf`` for a pair without a path.
    """
    core = float(problem.capacity.sum())
    bounds = [(_ratio(core, link_hops), EqualLengths(1.0, 0.0))]
    access = float(problem.access_up.sum() + problem.access_down.sum())
    if math.isfinite(access):
        total = link_hops + 2.0 * float(problem.demand.sum())
        bounds.append((_ratio(core + access, total), EqualLengths(1.0, 1.0)))
    return min(bounds, key=lambda bound: bound[0])


def _ratio(volume: float, needed: float) -> float:
    if needed == 0:
        return math.inf
    return 0.0 if np.isinf(needed) else volume / needed
