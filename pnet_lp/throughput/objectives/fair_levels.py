"""What the max-min objectives report, and how their levels are checked a second time."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.result import FairLevel, ValueKey
from pnet_lp.throughput.objectives.base import Objective, rates_in_words
from pnet_lp.throughput.proofs.checks import SAME
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from pnet_lp.throughput.proofs.second import SavedAnswer, SecondProblem

_SHOWN_LEVELS = 5


class Fair(Objective):
    """What the objectives share whose answer is a vector of fair rates."""

    headline = ValueKey("total", "gbps", "Gb/s", bounded=False)
    per_demand = True
    levelled = True

    def figures_of_nothing(self) -> Mapping[str, Any]:
        """No demand has a path: there is no level."""
        return fairness_figures(np.zeros(0), ())

    def recheck(self, second: SecondProblem, claim: SavedAnswer) -> Mapping[str, Any]:
        """See :meth:`Objective.recheck`."""
        check, rate, demand = second.check, claim.rate, second.flow.demand
        assert rate is not None
        second.carry(rate)
        members = [level.demands for level in claim.levels]
        check.require(
            all(each.size and each.dtype.kind == "i" for each in members)
            and np.array_equal(np.sort(np.concatenate([[], *members])), np.arange(len(demand))),
            "the levels hold each demand once",
            "the levels do not hold each demand once",
        )
        for i, level in enumerate(claim.levels):
            least = float((rate[level.demands] / demand[level.demands]).min())
            check.same(f"the rate of level {i}", level.rate, least)
            check.require(
                level.margin >= 0 and level.upper >= level.rate,
                f"the bound of level {i} is not below its rate",
                f"answer.levels.{i} has an upper bound below its rate, or a margin below 0",
            )
        self.recheck_levels(second, rate, claim.levels)
        return fairness_figures(rate, claim.levels)

    @abstractmethod
    def recheck_levels(self, second: SecondProblem, rate: FloatArray, levels: Sequence[FairLevel]) -> None:
        """Check that no demand can get more than its level says.

        Args:
            second: the problem.
            rate: float64 ``[J]``, Gb/s, which fits.
            levels: with the rates that their demands get at least.
        """

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """See :meth:`Objective.words`."""
        levels = figures["levels"]
        lines = [("total", f"{format_gbps(figures['total_gbps'])} Gb/s"), rates_in_words(figures)]
        for level in levels[:_SHOWN_LEVELS]:
            noun = "demand" if level["demands"] == 1 else "demands"
            rate = f"{format_gbps(level['rate_gbps'])} Gb/s per unit demand"
            lines.append(("level", f"{rate} for {level['demands']:,} {noun}"))
        if (hidden := len(levels) - _SHOWN_LEVELS) > 0:
            lines.append(("", f"and {hidden:,} more"))
        gap = figures["relative_gap"]
        known = f"no demand is more than a part of {gap:.2g} below what it could get"
        return [*lines, ("proved", known if gap < 1 else "nothing about how much more a demand could get")]


def recheck_filled(second: SecondProblem, rate: FloatArray, levels: Sequence[FairLevel]) -> None:
    """Check that each demand uses a link on which no other gets more per unit demand, with no more room than claimed.

    What is left on a link counts as a part of what the demand gets there, not of the link's capacity.
    """
    flow, check = second.flow, second.check
    check.require(
        second.one_way,
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


def fairness_gap(levels: Sequence[FairLevel]) -> float:
    """Return the largest gap of all levels."""
    return max((level.gap for level in levels), default=0.0)


def fairness_figures(rate: FloatArray, levels: Sequence[FairLevel]) -> dict[str, Any]:
    """Return the document's first keys: the sum of the rates, and the levels, lowest first.

    Levels that their bounds do not tell apart are shown as one: the demands that are stuck together need not all be
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
    return {"total_gbps": float(rate.sum()), "relative_gap": fairness_gap(levels), "levels": shown}
