"""What a network carries in a share of the draws of failures, as far as it has to be known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from pnet_lp.design.settings import FindSettings
from pnet_lp.failures import Failures, apply_mask
from pnet_lp.model import Interval, Network, TrafficMatrix
from pnet_lp.throughput import Start, solve
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.throughput.trials import distinct_draws, intact_start

_COARSE = 1e-2
"""To within this most draws are told apart; a few are solved again, closer."""


class Failing:
    """A network in draws of failures: bounds on each draw, by which only those are solved that might matter.

    A draw in which a pair with a demand is cut off carries nothing.

    Args:
        network: without failures.
        traffic: the demands.
        asked: which draws, and in what share of them as much is to be carried.
        bounds: the bounds that each draw begins with.
        options: for :func:`pnet_lp.throughput.solve`.
    """

    def __init__(
        self,
        network: Network,
        traffic: TrafficMatrix,
        asked: FindSettings,
        bounds: Sequence[str],
        options: dict[str, Any],
    ) -> None:
        self.network, self.traffic, self.asked, self.options = network, traffic, asked, options
        failures = Failures(links=asked.fail_links)
        self._masks, self._which = distinct_draws(network, failures, trials=asked.trials, seed=asked.seed)
        self._tolerance = np.full(len(self._masks), np.inf)
        self._lower = np.zeros(len(self._masks))
        # The bound of the path lengths is 0 where a pair has no path.
        found = [compute_bounds(apply_mask(network, mask), traffic, bounds).found for mask in self._masks]
        self._upper = np.array([min(bound.value_gbps for bound in each.values()) for each in found])

    @property
    def interval(self) -> Interval:
        """K that is attained in the share of draws asked for, as far as it is known."""
        sure = 1 - self.asked.confidence
        lower, upper = (
            float(np.quantile(values[self._which], sure, method="lower"))
            for values in (self._lower, self._upper)
        )
        return Interval(lower, upper)

    def settle(self, hopeless: Callable[[float], bool]) -> Interval:
        """Solve draws, those first that seem worst, until K is known to within the tolerance.

        Args:
            hopeless: says of an upper bound on K that nothing more has to be known.
        """
        for tolerance in sorted({max(_COARSE, self.asked.tolerance), self.asked.tolerance}, reverse=True):
            while not hopeless((known := self.interval).upper) and known.gap > self.asked.tolerance:
                # Draws that are surely better or surely worse say nothing about where the share ends.
                might = (self._upper >= known.lower) & (self._lower <= known.upper)
                (left,) = np.nonzero(might & (self._tolerance > tolerance))
                if not len(left):
                    break
                self._solve(left[np.argmin(self._upper[left])], tolerance)
        return known

    def _solve(self, draw: int, tolerance: float) -> None:
        network = apply_mask(self.network, self._masks[draw])
        options = self.options | {"tolerance": tolerance, "start": self._start}
        found = solve(network, self.traffic, **options).interval
        self._lower[draw] = max(found.lower, self._lower[draw])
        self._upper[draw] = min(found.upper, self._upper[draw])
        self._tolerance[draw] = tolerance

    @cached_property
    def _start(self) -> Start | None:
        return intact_start(self.network, self.traffic, self._masks, self.options)
