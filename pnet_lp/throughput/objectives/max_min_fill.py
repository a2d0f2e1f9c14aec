"""``max-min-fill``: max-min fairness by progressive filling, where each demand has one path or one fixed split.

D. Bertsekas, R. Gallager, "Data Networks" (2nd ed., 1992), section 6.5.2: all rates grow together until a link is full;
its demands stop there, the others go on.  Rates are fair if and only if each demand uses a full link on which no other
gets more, which is the proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import SolverError, SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.result import FairLevel
from pnet_lp.routing import Form
from pnet_lp.throughput.objectives.base import CLOSED_FORM, OBJECTIVES, Optimum, SolveContext
from pnet_lp.throughput.objectives.fair_levels import Fair, fairness_figures, fairness_gap, recheck_filled
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.proofs.checks import NOISE, SAME

if TYPE_CHECKING:
    import scipy.sparse as sp

    from pnet_lp.throughput.proofs.second import SecondProblem


_BYTES_PER_ENTRY, _BYTES_PER_DEMAND = 40, 200
"""Peak of filling: the columns in the core and their transpose, and what is told of each demand and level."""


@OBJECTIVES.register(
    "max-min-fill",
    summary="the same by progressive filling, without a solver, where each demand has one path or a fixed split",
    source="D. Bertsekas, R. Gallager, Data Networks, 2nd ed. (1992), section 6.5.2",
)
class MaxMinFill(Fair):
    """Weighted max-min fairness in closed form."""

    closed_forms = frozenset({"path", "split"})

    def check(self, form: Form, solver: str) -> None:
        """See :meth:`Objective.check`."""
        super().check(form, solver)
        if form == "arc":
            raise _choice("ideal routing")

    def optimise(self, problem: Problem, context: SolveContext) -> Optimum:
        """See :meth:`Objective.optimise`."""
        return optimum_by_filling(problem, context)

    def recheck_levels(self, second: SecondProblem, rate: FloatArray, levels: Sequence[FairLevel]) -> None:
        """See :meth:`Fair.recheck_levels`."""
        recheck_filled(second, rate, levels)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Filling:
    """Max-min fair rates.

    Attributes:
        level: float64 ``[J]``, Gb/s per unit demand.
        link: int64 ``[J]``, a full link of each demand on which no other gets more.
        part: float64 ``[J]``, what a unit of each demand puts on that link.
    """

    level: FloatArray
    link: npt.NDArray[np.int64]
    part: FloatArray


def fill(usage: sp.csc_array, capacity: FloatArray, demand: FloatArray) -> Filling:
    """Return the max-min fair rates per unit demand.

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
    return Filling(floats(level), link, floats(part))


def optimum_by_filling(problem: Problem, context: SolveContext) -> Optimum:
    """Return the max-min optimum of a problem in which each demand has one way, which is exact.

    Raises:
        SpecError: a demand has a choice.
    """
    usage = problem.bundles()
    if usage is None:
        raise _choice(f"{problem.most_ways:.0f} paths for one demand")
    flow, demand, capacity = problem.flow, problem.flow.demand, problem.flow.link_capacity
    found = fill(usage, capacity, demand)
    context.clock.note("solve")
    load = usage @ (found.level * demand)
    used = load > 0
    # The last bits of a sum may put a full link above its capacity.
    factor = min(1.0, float((capacity[used] / load[used]).min()))
    level = found.level * factor
    # What rounding leaves on a link is nothing to most demands, and much to one that hardly uses it.
    left = np.maximum(capacity - factor * load, 0.0) + NOISE * capacity
    beyond = left[found.link] / (found.part * demand)
    most = np.where(beyond <= SAME / 2 * level, level, level + beyond)
    order = np.argsort(level, kind="stable")
    ends = np.flatnonzero(np.diff(level[order])) + 1
    levels = tuple(
        FairLevel(float(level[here[0]]), float(most[here].max()), 0.0, ints(here))
        for here in np.split(order, ends)
    )
    arcs = floats(factor * load[: len(flow.capacity)])
    first = np.zeros(len(capacity))
    first[np.unique(found.link[level == level.min()])] = 1.0
    certificate = problem.certify_bundles(arcs, first)
    context.clock.note("certify")
    rate = floats(level * demand)
    return Optimum(
        Interval(levels[0].rate, levels[0].upper),
        fairness_gap(levels),
        CLOSED_FORM,
        0,
        certificate,
        arcs,
        rate,
        fairness_figures(rate, levels),
        levels=levels,
    )


def _choice(found: str) -> SpecError:
    return SpecError(
        "max-min-fill needs one path or one fixed split for each demand",
        where="objective",
        found=found,
        allowed="ecmp, ecmp-split, vlb or ksp:1, or the objective max-min",
    )
