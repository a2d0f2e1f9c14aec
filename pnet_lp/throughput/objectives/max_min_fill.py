"""``max-min-fill``: max-min fairness by progressive filling, where each demand has one path or one fixed split.

D. Bertsekas, R. Gallager, "Data Networks" (2nd ed., 1992), section 6.5.2: all rates grow together until a link is full;
its demands stop there, the others go on.  Rates are fair if and only if each demand uses a full link on which no other
gets more, which is the proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SolverError, SpecError
from pnet_lp.model import Interval
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.result import FairLevel
from pnet_lp.throughput.fixed_split import FixedSplit
from pnet_lp.throughput.objectives.base import CLOSED_FORM, Means, Objective, Optimum, Stated, register
from pnet_lp.throughput.objectives.fairness import fairness_figures
from pnet_lp.throughput.objectives.rates import bundle_certificate, normalised, with_lengths
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.split_problem import SplitProblem

if TYPE_CHECKING:
    import scipy.sparse as sp

_SAME = 1e-12
"""Links that fill within this part of each other fill together: their levels differ by rounding only."""


@register(
    "max-min-fill",
    summary="the same by progressive filling, without a solver, where each demand has one path or a fixed split",
    source="D. Bertsekas, R. Gallager, Data Networks, 2nd ed. (1992), section 6.5.2",
)
class MaxMinFill(Objective):
    """Weighted max-min fairness in closed form."""

    per_demand = True

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No demand has a path: there is no level."""
        return fairness_figures(np.zeros(0), ())

    def optimise(self, problem: Stated, means: Means) -> Optimum:
        """See :meth:`Objective.optimise`."""
        assert not isinstance(problem, FixedSplit)
        if isinstance(problem, FlowProblem):
            raise SpecError(
                "max-min-fill needs one path or one fixed split for each demand",
                found="ideal routing",
                allowed="ecmp, ecmp-split, vlb or ksp:1, or the objective max-min",
            )
        if isinstance(problem, PathProblem) and (most := int(problem.paths.paths_per_pair.max())) > 1:
            raise SpecError(
                "max-min-fill needs one path or one fixed split for each demand",
                found=f"{most} paths for one demand",
                allowed="ecmp, ecmp-split, vlb or ksp:1, or the objective max-min",
            )
        return optimum_by_filling(problem, means)


@dataclass(frozen=True, eq=False)
class Filling:
    """Max-min fair rates.

    Attributes:
        level: float64 ``[J]``, Gb/s per unit demand.
        link: int64 ``[J]``, a full link of each demand on which no other gets more.
    """

    level: FloatArray
    link: npt.NDArray[np.int64]


def fill(usage: sp.csc_array, capacity: FloatArray, demand: FloatArray) -> Filling:
    """Return the max-min fair rates per unit demand.

    Args:
        usage: float64 ``[L, J]``, what a unit of each demand puts on each link, >= 0.
        capacity: float64 ``[L]``, > 0, infinite where a link limits nothing.
        demand: float64 ``[J]``, > 0: the weights.

    Raises:
        SolverError: a demand that no link limits.
    """
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    load = sp.csr_array(usage * demand[None, :])
    uses = sp.csr_array((np.ones(load.nnz), load.indices, load.indptr), shape=load.shape)
    level = np.zeros(len(demand))
    link = np.full(len(demand), -1, dtype=np.int64)
    waiting = np.ones(len(demand), dtype=bool)
    while waiting.any():
        growing = load @ waiting.astype(np.float64)
        left = capacity - load @ np.where(waiting, 0.0, level)
        # Sums of what waits can be rounded away from 0, numbers of demands cannot.
        growing[uses @ waiting.astype(np.float64) == 0] = 0.0
        full_at = np.divide(np.maximum(left, 0.0), growing, out=np.full(len(left), np.inf), where=growing > 0)
        reached = float(full_at.min(initial=np.inf))
        if not np.isfinite(reached):
            raise SolverError(f"demand {int(np.flatnonzero(waiting)[0])} is limited by no link")
        # Rounding may make a later level come out lower by a hair.
        reached = max(reached, float(level.max(initial=0.0)))
        for full in np.flatnonzero(full_at <= reached * (1 + _SAME)):
            stopped = load.indices[load.indptr[full] : load.indptr[full + 1]]
            stopped = stopped[waiting[stopped]]
            level[stopped] = reached
            link[stopped] = full
            waiting[stopped] = False
    return Filling(floats(level), link)


def optimum_by_filling(problem: PathProblem | SplitProblem, means: Means) -> Optimum:
    """Return the max-min optimum of a problem with one column for each demand, which is exact."""
    demand = problem.flow.demand
    found = fill(problem.usage, problem.capacity, demand)
    means.clock.note("solve")
    load = problem.usage @ (found.level * demand)
    used = load > 0
    # The last bits of a sum may put a full link above its capacity.
    factor = min(1.0, float((problem.capacity[used] / load[used]).min()))
    level = found.level * factor
    levels = tuple(
        FairLevel(float(value), float(value), 0.0, ints(np.flatnonzero(level == value)))
        for value in np.unique(level)
    )
    arcs = floats(factor * load[: len(problem.flow.capacity)])
    first = np.zeros(len(problem.capacity))
    first[np.unique(found.link[level == level.min()])] = 1.0
    weight = normalised(problem, np.ones(problem.flow_variables))
    proof = problem.proof(weight, first)
    certificate = with_lengths(
        bundle_certificate(problem, weight, arcs), (proof.length, proof.up_length, proof.down_length)
    )
    means.clock.note("certify")
    rate = floats(level * demand)
    interval = Interval(levels[0].rate, levels[0].rate)
    return Optimum(
        interval,
        0.0,
        CLOSED_FORM,
        0,
        certificate,
        arcs,
        rate=rate,
        figures=fairness_figures(rate, levels),
        levels=levels,
    )
