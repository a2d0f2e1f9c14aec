"""How much of every link stays free when the whole matrix is carried as evenly as can be."""

from collections.abc import Mapping
from typing import Any

from pnet_lp.errors import RoutingError
from pnet_lp.model import Interval
from pnet_lp.model.result import ValueKey
from pnet_lp.throughput.objectives import OBJECTIVES
from pnet_lp.throughput.objectives.concurrent import Concurrent


@OBJECTIVES.register("headroom", summary="the largest part of its capacity that every link can keep free: 1 - 1/K")
class Headroom(Concurrent):
    """``concurrent`` said in another way: it is solved, proved and checked as that is."""

    headline = ValueKey("headroom", "", "of each link")

    def value(self, rate: Interval) -> Interval:
        """Return the bounds on the headroom where those on K are ``rate``."""
        return Interval(1 - 1 / rate.lower, 1 - 1 / rate.upper)

    def rate_of(self, figures: Mapping[str, Any]) -> Interval:
        """Return the bounds on K, given the document's first keys."""
        return Interval(1 / (1 - figures["lower_bound"]), 1 / (1 - figures["upper_bound"]))

    def figures(self, rate: Interval) -> dict[str, Any]:
        """Return the document's first keys."""
        if rate.upper == 0:
            raise RoutingError("headroom: a demand has no path, so the matrix cannot be carried")
        found = self.value(rate)
        return {
            "headroom": found.lower,
            "lower_bound": found.lower,
            "upper_bound": found.upper,
            "relative_gap": rate.gap,
        }

    def words(self, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the first lines of an answer to a person."""
        return [("headroom", f"{100 * figures['headroom']:.9g} % of each link")]
