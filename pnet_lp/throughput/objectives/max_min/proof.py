"""What fair levels say together, and how they are checked a second time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.model.result import FairLevel
from pnet_lp.model.rounded import add_up, div_up, mul_down, sub_down, sub_up, sum_down, totals_down

if TYPE_CHECKING:
    from pnet_lp.verification.second import Rates, SecondProblem


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class FairRates:
    """Rates in the measure in which they are fair.

    Attributes:
        weight: float64 ``[J]``, Gb/s: what a rate is a multiple of.
        least, most: float64 ``[J]``, the smallest and the largest rate of a pair, as a multiple.
        cap: float64 ``[J]``, the largest rate of each demand, Gb/s.
        part: float64 ``[J]``, the part of what it asks that each demand gets, rounded down; None without caps.
    """

    weight: FloatArray
    least: FloatArray
    most: FloatArray
    cap: FloatArray
    part: FloatArray | None

    @classmethod
    def of(cls, rates: Rates, weight: FloatArray, cap: FloatArray, *, capped: bool) -> FairRates:
        """Return the rates of a claim; with caps each demand is a pair by itself, and the weights are 1."""
        if not capped:
            return cls(weight, rates.least, rates.most, cap, None)
        return cls(weight, rates.most_gbps, rates.most_gbps, cap, rates.least)

    def satisfied(self, levels: Sequence[FairLevel]) -> FloatArray | None:
        """Return the parts that the demands in no level get; None without caps."""
        if self.part is None:
            return None
        outside = np.ones(len(self.part), dtype=bool)
        for level in levels:
            outside[level.demands] = False
        return self.part[outside]


def recheck_levels(second: SecondProblem, rates: FairRates, levels: Sequence[FairLevel]) -> list[FairLevel]:
    """Check that the levels hold each demand once, at its rate, lowest first; return them with the rates attained.

    With caps, demands in no level are those that have what they ask.
    """
    check = second.check
    members = [level.demands for level in levels]
    listed = np.sort(np.concatenate([[], *members]))
    everyone = np.arange(second.flow.demand_count)
    check.require(
        all(each.size and each.dtype.kind == "i" for each in members)
        and (np.array_equal(listed, everyone) if rates.part is None else np.all(np.diff(listed) > 0)),
        "the levels hold each demand once",
        "the levels do not hold each demand once",
    )
    if rates.part is not None:
        check.require(
            bool(np.all(np.isin(listed, everyone))) and np.all(rates.most <= rates.cap),
            "no demand gets more than it asks",
            "a rate is above its demand, or a level holds a demand that there is not",
        )
    found = []
    for i, level in enumerate(levels):
        least = float(rates.least[level.demands].min())
        check.same(f"the rate of level {i}", level.rate, least)
        check.require(
            level.upper >= level.rate,
            f"the bound of level {i} is not below its rate",
            f"answer.levels.{i} has an upper bound below its rate",
        )
        check.require(
            level.rate >= levels[max(i - 1, 0)].rate,
            f"level {i} is not below the one before",
            f"answer.levels.{i} has a rate below that of the level before",
        )
        found.append(replace(level, rate=least))
    return found


def recheck_prices(second: SecondProblem, rates: FairRates, levels: Sequence[FairLevel]) -> None:
    """Check that by the dual prices of each level no demand of it can get more than the level says.

    Others keep what they get, or the bound where that is less: whoever is above it could give way to a smaller one.
    What they get fits, so the prices leave at least as much to a demand as it gets.
    """
    for i, level in enumerate(levels):
        lengths = second.normalised(second.checked_lengths(level))
        takes = second.merged_down(mul_down(rates.weight, second.distances(lengths)))
        if math.isinf(level.upper):
            continue
        kept = mul_down(takes, np.minimum(rates.least, level.upper))
        others = sub_down(sum_down(kept), kept[level.demands])
        left = sub_up(second.volume(lengths), others)
        own = takes[level.demands]
        second.check.require(
            np.all((left <= mul_down(own, level.upper)) & (own > 0)),
            f"no demand of level {i} can get more than {level.upper:.9g}",
            f"a demand of level {i} could get more than is claimed, {level.upper!r}",
        )


def recheck_filled(second: SecondProblem, rates: FairRates, levels: Sequence[FairLevel]) -> None:
    """Check that each demand uses a link on which no other gets more per unit demand, with no more room than claimed.

    What is left on a link counts as a part of what the demand gets there, not of the link's capacity.
    """
    flow, check = second.flow, second.check
    check.require(
        all(priced.shape == (0,) for level in levels for priced in level.priced),
        "no level has lengths",
        "answer.levels has lengths of some links only, or where full links prove the levels",
    )
    check.require(
        second.has_one_path,
        "each demand has one path",
        "the levels have no lengths, and a demand that has several paths could get more on another",
    )
    usage = second.bundles()
    link, demand = usage.indices, np.repeat(np.arange(flow.demand_count), np.diff(usage.indptr))
    part = second.merged_down(mul_down(usage.data, rates.weight[demand]))
    load = totals_down(link, mul_down(part, rates.least[demand]), usage.shape[0])
    limited = np.isfinite(flow.link_capacity)
    left = np.full(len(load), np.inf)
    left[limited] = np.maximum(sub_up(second.merged_up(flow.link_capacity[limited]), load[limited]), 0.0)
    highest = np.zeros(len(left))
    np.maximum.at(highest, link, rates.most[demand])
    # In no level are demands that have what they ask, and need no link.
    place, upper = np.full(flow.demand_count, -1), np.array([*(level.upper for level in levels), math.inf])
    for i, level in enumerate(levels):
        place[level.demands] = i
    upper = upper[place]
    # On such a link nobody has to give way, and all keep what they get.
    here = (highest[link] <= upper[demand]) & limited[link] & (part > 0)
    beyond = np.full(flow.demand_count, np.inf)
    np.minimum.at(beyond, demand[here], div_up(left[link[here]], part[here]))
    freer = add_up(rates.most, beyond) > upper
    j = int(np.argmax(freer))
    check.require(
        not freer[j],
        "each demand uses a full link on which no other gets more",
        f"demand {j} of level {place[j]} could get more than is claimed, {float(upper[j])!r}",
    )


def fairness_figures(
    total_gbps: float, levels: Sequence[FairLevel], satisfied: FloatArray | None = None
) -> dict[str, Any]:
    """Return the document's first keys: the sum of the rates, and the levels, lowest first.

    Levels that their bounds do not tell apart are shown as one: the demands that are saturated together need not all be
    found by one program.

    Args:
        total_gbps: the sum of the rates.
        levels: the levels.
        satisfied: where rates have caps, the parts that the demands in no level get of them.
    """
    shown: list[dict[str, Any]] = []
    end = -math.inf
    for level in levels:
        if not shown or level.rate > end:
            shown.append({"rate_gbps": level.rate, "demands": 0})
        end = max(end, level.upper)
        last = shown[-1]
        last["rate_gbps"] = min(last["rate_gbps"], level.rate)
        last["upper_bound_gbps"] = end if end < math.inf else None
        last["demands"] += len(level.demands)
    gap = max((level.gap for level in levels), default=0.0)
    if satisfied is None:
        return {"total_gbps": total_gbps, "relative_gap": gap, "levels": shown}
    gap = max(gap, float(sub_up(1.0, satisfied.min(initial=1.0))))
    return {"total_gbps": total_gbps, "relative_gap": gap, "levels": shown, "satisfied": len(satisfied)}
