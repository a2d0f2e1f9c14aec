"""``min-max-utilisation``: one over ``concurrent``, where demands are absolute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pnet_lp.model import Interval
from pnet_lp.model.result import ValueKey
from pnet_lp.model.rounded import div_down, div_up
from pnet_lp.throughput.objectives.base import OBJECTIVES, proved
from pnet_lp.throughput.objectives.concurrent import Concurrent


@OBJECTIVES.register(
    "min-max-utilisation", summary="the smallest possible utilisation of the fullest link; one over concurrent"
)
class MinMaxUtilisation(Concurrent):
    """The whole matrix is carried, and the fullest link is as empty as can be: above 1, it does not fit."""

    whole = True
    minimised = True
    gain = "{} less utilisation"
    headline = ValueKey("max_utilisation", "", "of the fullest link")

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        value = figures["max_utilisation"]
        if value is None:
            return [("utilisation", "none is high enough")]
        fits = "" if value <= 1 else ": the matrix does not fit"
        text = f"{self.headline.number(value)} {self.headline.unit}{fits}"
        return [("utilisation", text), proved(figures, self.headline)]

    def value(self, rate: Interval) -> Interval:
        """Return the reciprocals, rounded outwards; the upper bound is attained."""
        lower = float(div_down(1.0, rate.upper)) if rate.upper else math.inf
        return Interval(lower, float(div_up(1.0, rate.lower)) if rate.lower else math.inf)

    def rate_of(self, figures: Mapping[str, Any]) -> Interval:
        """See :meth:`Concurrent.rate_of`."""
        return Interval(figures["throughput_gbps"], float(div_up(1.0, figures["lower_bound"])))

    def figures(self, rate: Interval) -> dict[str, Any]:
        """Return the document's first keys: where K = 0 no utilisation is high enough, which JSON writes as null."""
        value = self.value(rate)
        lower, upper = (None if math.isinf(bound) else bound for bound in (value.lower, value.upper))
        return {
            "max_utilisation": upper,
            "lower_bound": lower,
            "upper_bound": upper,
            "relative_gap": rate.gap,
            "throughput_gbps": rate.lower if math.isfinite(rate.lower) else None,
        }
