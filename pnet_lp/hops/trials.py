"""Trials of failures: hops and connected pairs, draw by draw."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pnet_lp.executors.base import Executor, this_machine
from pnet_lp.failures import FailureModel, Failures, mean_interval, share_interval
from pnet_lp.hops.count import HopCounter
from pnet_lp.model import Network
from pnet_lp.model.brief import brief
from pnet_lp.model.hops import HopDistribution
from pnet_lp.model.network import Level
from pnet_lp.seeds import check_draws


@brief()
@dataclass(frozen=True, repr=False)
class HopTrials:
    """The hop counts of several trials.

    Attributes:
        level: whether pairs are of racks or of hosts.
        trials: by the number of the trial.
        pair_hops: for each trial the hops of each requested pair, -1 where it has no path.
    """

    level: Level
    trials: tuple[HopDistribution, ...]
    pair_hops: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def pooled(self) -> HopDistribution:
        """The pairs of all trials together."""
        return HopDistribution.added_up(self.trials)

    @cached_property
    def means(self) -> tuple[float, ...]:
        """Mean hops of each trial that has connected pairs."""
        return tuple(trial.mean for trial in self.trials if trial.mean is not None)

    @property
    def mean(self) -> float | None:
        """Mean of :attr:`means`: every trial counts the same, however many pairs it leaves connected."""
        return math.fsum(self.means) / len(self.means) if self.means else None

    @property
    def mean_interval(self) -> tuple[float, float] | None:
        """Student-t interval of :attr:`mean`."""
        return mean_interval(self.means)

    @property
    def connected_share(self) -> float | None:
        """Expected share of the pairs that have a path."""
        return self.pooled.connected_share

    @property
    def connected_interval(self) -> tuple[float, float] | None:
        """Student-t interval of :attr:`connected_share`, kept within [0, 1].

        None where all trials agree: their spread is then meaningless, and :attr:`all_connected_interval` more.
        """
        shares = [share for t in self.trials if (share := t.connected_share) is not None]
        found = mean_interval(shares) if len(set(shares)) > 1 else None
        return None if found is None else (max(0.0, found[0]), min(1.0, found[1]))

    @property
    def all_connected(self) -> int:
        """Trials in which every pair has a path."""
        return sum(trial.disconnected == 0 for trial in self.trials)

    @property
    def all_connected_interval(self) -> tuple[float, float]:
        """Wilson interval of the probability that every pair has a path."""
        return share_interval(self.all_connected, len(self.trials))


def run_trials(
    network: Network,
    failures: Failures,
    level: Level,
    *,
    trials: int = 1,
    seed: int = 0,
    pairs: Sequence[tuple[int, int]] = (),
    threads: int = 0,
    executor: Executor | None = None,
) -> HopTrials:
    """Return the hops of ``network`` in ``trials`` independent draws of ``failures``.

    Args:
        network: without failures.
        failures: what is to fail; nothing gives equal trials.
        level: whether pairs are of racks or of hosts.
        trials: number of draws; trial 0 is what :func:`pnet_lp.failures.fail` applies.
        seed: of the draws.
        pairs: indices of endpoints whose hops are reported one by one.
        threads: 0 for all cores; no result depends on it.
        executor: what counts parts of the trials; None for this process.

    Raises:
        SpecError: no trial, or a plane, a switch or a cable that the network does not have. TopologyError: pairs of
        that level mean nothing on the network, or positions of planes that are wired differently.
    """
    check_draws("trials", trials)
    where = executor or this_machine()
    each = math.ceil(trials / where.processes)
    task = functools.partial(_run_some, network, failures, level, seed, tuple(pairs), where.threads(threads))
    parts = list(where.map(task, [range(i, min(i + each, trials)) for i in range(0, trials, each)]))
    counted, hops = (tuple(itertools.chain.from_iterable(part)) for part in zip(*parts, strict=True))
    return HopTrials(level, counted, hops)


def _run_some(
    network: Network,
    failures: Failures,
    level: Level,
    seed: int,
    pairs: Sequence[tuple[int, int]],
    threads: int,
    trials: range,
) -> tuple[list[HopDistribution], list[tuple[int, ...]]]:
    """Return the distribution and the hops of the pairs, if there are any, for each of some trials."""
    counter = HopCounter(network, level, threads=threads)
    model = FailureModel(network, failures)
    found = list(counter.count_all(model.draw(seed, trial) for trial in trials))
    if not pairs:
        return found, []
    src, dst = zip(*pairs, strict=True)
    hops = counter.between(src, dst, (model.draw(seed, trial) for trial in trials))
    return found, [tuple(row) for row in hops.tolist()]
