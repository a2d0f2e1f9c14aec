"""``concurrent``, the largest K such that every demand d gets K d; and its reciprocal, ``min-max-utilisation``.

Maximum concurrent flow: F. Shahrokhi, D. W. Matula, "The maximum concurrent flow problem", JACM 37 (1990).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pnet_lp.model import Interval
from pnet_lp.throughput.certificate import certify
from pnet_lp.throughput.choose import AUTO, choose_solver
from pnet_lp.throughput.fixed_split import FixedSplit, certify_fixed_split
from pnet_lp.throughput.objectives.base import (
    CLOSED_FORM,
    CONCURRENT,
    Means,
    Objective,
    Optimum,
    Stated,
    register,
)
from pnet_lp.throughput.solvers import get_solver
from pnet_lp.throughput.split_problem import SplitProblem


@register(CONCURRENT, summary="the largest K such that K times the traffic matrix can be carried")
class Concurrent(Objective):
    """Maximum concurrent flow, by any solver."""

    def optimise(self, problem: Stated, means: Means) -> Optimum:
        """See :meth:`Objective.optimise`."""
        assert not isinstance(problem, SplitProblem)
        if isinstance(problem, FixedSplit):
            certificate, interval = certify_fixed_split(problem)
            means.clock.note("certify")
            return Optimum(interval, 0.0, CLOSED_FORM, 0, certificate, problem.load)
        name = choose_solver(problem) if means.solver == AUTO else means.solver
        solver = get_solver(name)
        solver.check(problem)

        def report(iterations: int, lower: float, upper: float) -> bool:
            means.on_progress(name, iterations, lower, upper)
            return True

        raw = solver.solve(problem, means.options, report)
        means.clock.note("solve")
        found = certify(problem, raw.proof)
        means.clock.note("certify")
        return Optimum(
            found.interval,
            found.interval.gap,
            name,
            raw.iterations,
            found.certificate,
            found.load,
            interrupted=raw.interrupted,
            warnings=(raw.message,) if raw.message else (),
        )


@register(
    "min-max-utilisation",
    summary="the smallest possible utilisation of the fullest link; one over concurrent",
)
class MinMaxUtilisation(Concurrent):
    """The whole matrix is carried, and the fullest link is as empty as can be: above 1, it does not fit."""

    def optimise(self, problem: Stated, means: Means) -> Optimum:
        """See :meth:`Objective.optimise`; the bounds are those on K, the figures their reciprocals."""
        found = super().optimise(problem, means)
        return replace(found, figures=_figures(found.interval))

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """A demand without a path: no utilisation is high enough, which JSON writes as null."""
        return _figures(Interval(0.0, 0.0))


def _figures(rate: Interval) -> dict[str, Any]:
    """Return the document's first keys; the upper bound is attained."""
    lower, upper = (None if bound == 0 else 1.0 / bound for bound in (rate.upper, rate.lower))
    return {
        "max_utilisation": upper,
        "lower_bound": lower,
        "upper_bound": upper,
        "relative_gap": rate.gap,
        "throughput_gbps": rate.lower if math.isfinite(rate.lower) else None,
    }
