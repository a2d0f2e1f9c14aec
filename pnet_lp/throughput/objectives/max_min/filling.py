"""Progressive filling, where each demand has one path or one fixed split.

D. Bertsekas, R. Gallager, "Data Networks" (2nd ed., 1992), section 6.5.2: all rates rise together until a link is full;
its demands stop there, the others continue.  Rates are fair if and only if each demand uses a full link on which no
other gets more, which is the proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import SolverError, SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.paths import OffsetArray
from pnet_lp.model.result import FairLevel
from pnet_lp.model.rounded import add_up, div_down, div_up, mul_down, mul_up, sub_up, sum_down, totals_down, totals_up
from pnet_lp.throughput.objectives.base import CLOSED_FORM, Optimum, SolveContext
from pnet_lp.throughput.objectives.max_min.proof import fairness_figures
from pnet_lp.throughput.problems import FlowProblem, Problem

if TYPE_CHECKING:
    import scipy.sparse as sp

_BYTES_PER_ENTRY, _BYTES_PER_DEMAND = 40, 200
"""Peak of filling: the columns in the core and their transpose, and what is reported of each demand and level."""


def fill(usage: sp.csc_array, capacity: FloatArray, demand: FloatArray) -> tuple[FloatArray, OffsetArray, FloatArray]:
    """Return the fair rates ``[J]``, Gb/s per unit demand, a bottleneck link of each, and what a unit puts on it.

    Args:
        usage: float64 ``[L, J]``, what a unit of each demand puts on each link, > 0 where there is an entry.
        capacity: float64 ``[L]``, > 0, infinite where a link limits nothing.
        demand: float64 ``[J]``, > 0: the weights.

    Raises:
        SolverError: a demand that no link limits.
    """
    check_fits(
        _BYTES_PER_ENTRY * usage.nnz + _BYTES_PER_DEMAND * len(demand),
        f"filling {len(demand):,} demands on {usage.nnz:,} links of theirs",
        SolverError,
        allowed="fewer demands, a smaller network",
    )
    columns = np.arange(len(demand) + 1)
    core = _core.Bundles(
        capacity, demand, columns, usage.indptr.astype(np.int64), usage.indices.astype(np.int32), usage.data
    )
    level, link, part = core.fill()
    if (unlimited := np.flatnonzero(link < 0)).size:
        raise SolverError(f"demand {int(unlimited[0])} is limited by no link")
    return floats(level), link, floats(part)


def optimum_by_filling(problem: Problem, context: SolveContext, weight: FloatArray, cap: FloatArray) -> Optimum:
    """Return the max-min optimum of a problem in which each demand has one path or a fixed split, which is exact.

    Rates are multiples of the ``weight`` ``[J]``, Gb/s, and at most the ``cap`` ``[J]``, Gb/s: a link of one demand.

    Raises:
        SpecError: a demand has a choice.
    """
    usage = problem.bundles()
    if usage is None:
        count = f"{problem.most_paths:.0f}" if np.isfinite(problem.most_paths) else "many"
        raise choice(f"{count} paths for one demand")
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    flow, demand, links = problem.flow, weight, len(problem.flow.link_capacity)
    own = np.flatnonzero(np.isfinite(cap))
    alone = sp.csc_array((np.ones(len(own)), (np.arange(len(own)), own)), shape=(len(own), len(demand)))
    usage = sp.csc_array(sp.vstack([usage, alone])) if len(own) else usage
    capacity = np.concatenate([flow.link_capacity, cap[own]])
    filled, link, part = fill(usage, capacity, demand)
    context.clock.note("solve")
    column, used = np.repeat(np.arange(len(demand)), np.diff(usage.indptr)), usage.indices
    load = totals_up(used, mul_up(usage.data, mul_up(filled, demand)[column]), len(capacity))
    limiting = (load > 0) & np.isfinite(capacity)
    most = float(div_down(capacity[limiting], load[limiting]).min())
    low = totals_down(used, mul_down(usage.data, mul_down(filled, demand)[column]), len(capacity))
    exact = most == 1 and np.array_equal(low, load) and _is_exact(usage.data, filled, demand)
    room = 0.0 if exact else _room(usage, flow)
    level = filled if exact else filled * (min(1.0, most) * (1 - room))
    # What rounding leaves on a link is nothing to most demands, and much to one that hardly uses it.
    load = totals_down(used, mul_down(usage.data, mul_down(level, demand)[column]), len(capacity))
    left = add_up(np.maximum(sub_up(capacity[link], load[link]), 0.0), mul_up(room, capacity[link]))
    upper = mul_up(add_up(level, div_up(left, mul_down(part, demand))), 1 + room)
    satisfied = link >= links
    order = np.argsort(level, kind="stable")
    order = order[~satisfied[order]]
    ends = np.flatnonzero(np.diff(level[order])) + 1
    # A cap, too, is met but for the rounding of sums over other links.
    rate = floats(np.minimum(mul_down(level, demand), cap))
    attained = div_down(rate, demand)
    found = [
        FairLevel(float(attained[here].min()), float(upper[here].max()), ints(here))
        for here in np.split(order, ends)
        if len(here)
    ]
    levels = tuple(sorted(found, key=lambda each: each.rate))
    arcs = floats((usage @ (level * demand))[: len(flow.capacity)])
    lowest = np.zeros(links)
    first = ~satisfied & (level == level[~satisfied].min(initial=np.inf))
    lowest[np.unique(link[first])] = 1.0
    certificate = problem.certify_bundles(arcs, lowest)
    context.clock.note("certify")
    figures = fairness_figures(sum_down(rate), levels, (rate / cap)[satisfied] if len(own) else None)
    least = (levels[0].rate, levels[0].upper) if levels else (float(level.min()), float(level.min()))
    interval, gap = Interval(*least), figures["relative_gap"]
    return Optimum(interval, gap, CLOSED_FORM, 0, certificate, arcs, rate, figures, levels)


def _is_exact(part: FloatArray, level: FloatArray, demand: FloatArray) -> bool:
    """Whether no rate and no load of a path is rounded."""
    least, most = mul_down(level, demand), mul_up(level, demand)
    return np.array_equal(least, most) and np.array_equal(part, np.rint(part))


def _room(usage: sp.csc_array, flow: FlowProblem) -> float:
    """Return the part of a link by which two may differ who add up its loads in different orders."""
    terms = int(np.bincount(usage.indices).max())
    # At each of the switches that a demand passes, twice, it is divided and added up.
    whole = np.array_equal(usage.data, np.rint(usage.data))
    steps = 0 if whole else 32 * (int(flow.node_count.max()) + 1)
    return float((8 + 2 * terms + steps) * np.finfo(np.float64).eps)


def choice(found: str) -> SpecError:
    """Return the error for a problem that cannot be filled."""
    return SpecError(
        "max-min-fill needs one path or one fixed split for each demand",
        where="objective",
        found=found,
        allowed="ecmp, ecmp-split, vlb or ksp:1, or the objective max-min",
    )
