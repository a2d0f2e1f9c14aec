"""What a network carries in a share of the draws of failures, as far as it has to be known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from pnet_lp.design.settings import FindSettings
from pnet_lp.failures import Failures, Mask, apply_mask
from pnet_lp.model import Interval, Network, TrafficMatrix
from pnet_lp.throughput import WarmStart, solve
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.throughput.trials import distinct_draws, intact_start
from pnet_lp.workers import Workers, threads_each

CLOSE = 1e-2
"""To within this what is carried with failures is known: draws differ by more.  Only where that leaves open whether as
much is carried as is asked for are draws solved again, closer; what carries more than a rival by less is none."""

_TOGETHER = 4
"""Draws that are solved before what is known is looked at again, on any number of processes."""


class Failing:
    """A network in draws of failures: bounds on each draw, by which only those are solved that might matter.

    A draw in which a pair with a demand is cut off carries nothing.

    Args:
        network: without failures.
        traffic: the demands.
        asked: which draws, and in what share of them as much is to be carried.
        bounds: the bounds that each draw begins with.
        options: for :func:`pnet_lp.throughput.solve`.
        workers: who solves.
    """

    def __init__(
        self,
        network: Network,
        traffic: TrafficMatrix,
        asked: FindSettings,
        bounds: Sequence[str],
        options: dict[str, Any],
        workers: Workers,
    ) -> None:
        self.network, self.traffic, self.asked, self.workers = network, traffic, asked, workers
        self.options = options | {"threads": threads_each(options["threads"], workers.count)}
        if workers.count > 1:
            # A function that reports cannot go to another process.
            self.options["on_progress"] = None
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

    def settle(self, hopeless: Callable[[float], bool], enough: float) -> Interval:
        """Solve draws, those first that seem worst, until K is known closely enough.

        Args:
            hopeless: says of a number whether K is of no interest if it is no larger.
            enough: the K asked for, of which it must be known whether it is attained.
        """
        known = self._settled(max(CLOSE, self.asked.tolerance), hopeless)
        if known.lower < enough <= known.upper and not hopeless(known.upper):
            known = self._settled(self.asked.tolerance, hopeless)
        return known

    def _settled(self, tolerance: float, hopeless: Callable[[float], bool]) -> Interval:
        while not hopeless((known := self.interval).upper) and known.gap > tolerance:
            # Draws that are surely better or surely worse say nothing about where the share ends.
            might = (self._upper >= known.lower) & (self._lower <= known.upper)
            (left,) = np.nonzero(might & (self._tolerance > tolerance))
            if not len(left):
                break
            worst = np.argsort(self._upper[left], kind="stable")[:_TOGETHER]
            self._solve(left[worst].tolist(), tolerance)
        return known

    def _solve(self, draws: list[int], tolerance: float) -> None:
        options = self.options | {"tolerance": tolerance, "start": self._start}
        task = partial(_solved, self.network, self.traffic, options)
        found = self.workers.map(task, [self._masks[draw] for draw in draws])
        for draw, interval in zip(draws, found, strict=True):
            self._lower[draw] = max(interval.lower, self._lower[draw])
            self._upper[draw] = min(interval.upper, self._upper[draw])
            self._tolerance[draw] = tolerance

    @cached_property
    def _start(self) -> WarmStart | None:
        return intact_start(self.network, self.traffic, self._masks, self.options)


def _solved(network: Network, traffic: TrafficMatrix, options: dict[str, Any], mask: Mask) -> Interval:
    return solve(apply_mask(network, mask), traffic, **options).interval
