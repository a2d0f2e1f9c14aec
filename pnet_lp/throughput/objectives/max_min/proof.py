"""What fair levels say together, and how they are checked a second time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.result import FairLevel
from pnet_lp.verification.checks import SAME, SLACK

if TYPE_CHECKING:
    from pnet_lp.verification.second import SecondProblem


def recheck_levels(second: SecondProblem, rate: FloatArray, levels: Sequence[FairLevel]) -> None:
    """Check that the levels hold each demand once, at its rate."""
    check, demand = second.check, second.flow.demand
    members = [level.demands for level in levels]
    check.require(
        all(each.size and each.dtype.kind == "i" for each in members)
        and np.array_equal(np.sort(np.concatenate([[], *members])), np.arange(len(demand))),
        "the levels hold each demand once",
        "the levels do not hold each demand once",
    )
    for i, level in enumerate(levels):
        least = float((rate[level.demands] / demand[level.demands]).min())
        check.same(f"the rate of level {i}", level.rate, least)
        check.require(
            level.margin >= 0 and level.upper >= level.rate,
            f"the bound of level {i} is not below its rate",
            f"answer.levels.{i} has an upper bound below its rate, or a margin below 0",
        )


def recheck_prices(second: SecondProblem, rate: FloatArray, levels: Sequence[FairLevel]) -> None:
    """Check that by the dual prices of each level no demand of it can get more than the level says.

    Args:
        second: the problem.
        rate: float64 ``[J]``, Gb/s, which fits.
        levels: with the rates that their demands get at least.
    """
    demand = second.flow.demand
    own = rate / demand
    for i, level in enumerate(levels):
        lengths = second.normalised(second.checked_lengths(level))
        takes = demand * second.distances(lengths)
        # Nobody has to keep more than the bound: whoever is above it could give way to a smaller one.
        kept = takes * np.minimum(own * (1 + level.margin), level.upper)
        # Half of the slack that the claim was made with, so that sums in another order do not decide.
        left = second.volume(lengths) * (1 + SLACK / 2) - kept.sum() + kept[level.demands]
        own_takes = takes[level.demands]
        second.check.require(
            math.isinf(level.upper)
            or np.all((left <= own_takes * level.upper * (1 + SAME)) & (own_takes > 0)),
            f"no demand of level {i} can get more than {level.upper:.9g}",
            f"a demand of level {i} could get more than is claimed, {level.upper!r}",
        )


def recheck_filled(second: SecondProblem, rate: FloatArray, levels: Sequence[FairLevel]) -> None:
    """Check that each demand uses a link on which no other gets more per unit demand, with no more room than claimed.

    What is left on a link counts as a part of what the demand gets there, not of the link's capacity.
    """
    flow, check = second.flow, second.check
    check.require(
        second.has_one_path,
        "each demand has one way",
        "the levels have no lengths, and a demand that has several ways could get more on another",
    )
    own, usage = rate / flow.demand, second.bundles()
    link = usage.indices
    demand = np.repeat(np.arange(flow.demand_count), np.diff(usage.indptr))
    left = np.maximum(flow.link_capacity - usage @ rate, 0.0)
    highest = np.zeros(len(left))
    np.maximum.at(highest, link, own[demand])
    first = own[demand] >= highest[link] * (1 - SAME)
    link, demand, part = link[first], demand[first], usage.data[first]
    beyond = np.full(flow.demand_count, np.inf)
    np.minimum.at(beyond, demand, left[link] / (part * flow.demand[demand]))
    for i, level in enumerate(levels):
        freer = level.demands[own[level.demands] + beyond[level.demands] > level.upper * (1 + SAME)]
        check.require(
            not freer.size,
            f"each demand of level {i} uses a full link on which no other gets more",
            f"demand {freer.min(initial=flow.demand_count)} of level {i} could get more than is claimed, "
            f"{level.upper!r}",
        )


def fairness_figures(rate: FloatArray, levels: Sequence[FairLevel]) -> dict[str, Any]:
    """Return the document's first keys: the sum of the rates, and the levels, lowest first.

    Levels that their bounds do not tell apart are shown as one: the demands that are saturated together need not all be
    found by one program.

    Args:
        rate: float64 ``[J]``, Gb/s, what each demand gets.
        levels: the levels.
    """
    shown: list[dict[str, Any]] = []
    end = -math.inf
    for level in levels:
        upper = level.upper if level.upper < math.inf else None
        if shown and level.rate <= end:
            shown[-1]["demands"] += len(level.demands)
            shown[-1]["rate_gbps"] = min(shown[-1]["rate_gbps"], level.rate)
            shown[-1]["upper_bound_gbps"] = None if upper is None else max(upper, end)
        else:
            shown.append({"rate_gbps": level.rate, "upper_bound_gbps": upper, "demands": len(level.demands)})
        end = max(end, level.upper)
    gap = max((level.gap for level in levels), default=0.0)
    return {"total_gbps": float(rate.sum()), "relative_gap": gap, "levels": shown}
