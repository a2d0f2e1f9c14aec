"""What a network carries in a share of the draws of failures, only as closely as the search needs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from pnet_lp.design.settings import FindSettings
from pnet_lp.executors.base import Executor
from pnet_lp.failures import Mask, apply_mask
from pnet_lp.model import Interval, Network, TrafficMatrix
from pnet_lp.throughput import WarmStart, solve
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.throughput.trials import distinct_draws, intact_start

CLOSE = 1e-2
"""Relative gap to which the throughput with failures is solved: draws differ by more.  Only where that leaves open
whether the requested load is carried are draws solved again, to the tolerance; a smaller lead over a rival does not
count."""

_TOGETHER = 4
"""Draws that are solved before the interval is evaluated again, on any number of processes."""


class Failing:
    """A network in draws of failures: bounds on each draw, so that only those are solved that can matter.

    A draw in which a pair with a demand is cut off carries nothing.

    Args:
        network: without failures.
        traffic: the demands.
        settings: which draws, and in what share of them the load must be carried.
        bounds: the bounds that each draw begins with.
        options: for :func:`pnet_lp.throughput.solve`.
        executor: what solves draws.
    """

    def __init__(
        self,
        network: Network,
        traffic: TrafficMatrix,
        settings: FindSettings,
        bounds: Sequence[str],
        options: dict[str, Any],
        executor: Executor,
    ) -> None:
        self.network, self.traffic, self.settings, self.executor = network, traffic, settings, executor
        self.options = options | {"threads": executor.threads(options["threads"])}
        if not executor.alone:
            # A function that reports cannot go to another process.
            self.options["on_progress"] = None
        self._masks, self._which = distinct_draws(
            network, settings.failures, trials=settings.trials, seed=settings.seed
        )
        self._tolerance = np.full(len(self._masks), np.inf)
        self._lower = np.zeros(len(self._masks))
        # The bound of the path lengths is 0 where a pair has no path.
        found = [compute_bounds(apply_mask(network, mask), traffic, bounds).found for mask in self._masks]
        self._upper = np.array([min(bound.value_gbps for bound in each.values()) for each in found])

    @property
    def interval(self) -> Interval:
        """Bounds on the K that is attained in the requested share of draws."""
        quantile = 1 - self.settings.confidence
        lower, upper = (
            float(np.quantile(values[self._which], quantile, method="lower")) for values in (self._lower, self._upper)
        )
        return Interval(lower, upper)

    def settle(self, hopeless: Callable[[float], bool], enough: float) -> Interval:
        """Solve draws, those with the smallest upper bound first, until K is known closely enough.

        Args:
            hopeless: whether a K of no more than the given number is of no interest.
            enough: the requested K, for which it must be known whether it is attained.
        """
        known = self._settled(max(CLOSE, self.settings.tolerance), hopeless)
        if known.lower < enough <= known.upper and not hopeless(known.upper):
            known = self._settled(self.settings.tolerance, hopeless)
        return known

    def _settled(self, tolerance: float, hopeless: Callable[[float], bool]) -> Interval:
        while not hopeless((known := self.interval).upper) and known.gap > tolerance:
            # Draws that are certainly better or certainly worse do not move the quantile.
            relevant = (self._upper >= known.lower) & (self._lower <= known.upper)
            (remaining,) = np.nonzero(relevant & (self._tolerance > tolerance))
            if not len(remaining):
                break
            worst = np.argsort(self._upper[remaining], kind="stable")[:_TOGETHER]
            self._solve(remaining[worst].tolist(), tolerance)
        return known

    def _solve(self, draws: list[int], tolerance: float) -> None:
        options = self.options | {"tolerance": tolerance, "start": self._start}
        task = partial(_solved, self.network, self.traffic, options)
        found = self.executor.map(task, [self._masks[draw] for draw in draws])
        for draw, interval in zip(draws, found, strict=True):
            self._lower[draw] = max(interval.lower, self._lower[draw])
            self._upper[draw] = min(interval.upper, self._upper[draw])
            self._tolerance[draw] = tolerance

    @cached_property
    def _start(self) -> WarmStart | None:
        return intact_start(self.network, self.traffic, self._masks, self.options)


def _solved(network: Network, traffic: TrafficMatrix, options: dict[str, Any], mask: Mask) -> Interval:
    return solve(apply_mask(network, mask), traffic, **options).interval
