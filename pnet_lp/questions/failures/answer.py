"""What connected pairs still get while parts of a network are down, over trials of failures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from pnet_lp.failures import CONFIDENCE
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.failures.case import FailuresCase
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.tables import attributes
from pnet_lp.throughput.single import single_failure_trials
from pnet_lp.throughput.trials import FailureTrial, failure_trials, throughput_interval

_QUANTILES = {"min": 0.0, "p1": 0.01, "p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "max": 1.0}
_ROW = ("trial", "throughput_gbps", "upper_bound_gbps", "lost_demands", "lost_share", "status")
_SINGLE = ("failure", "equivalent", "limit", "limit_plane", *_ROW)


@dataclass(frozen=True, eq=False, repr=False)
class FailuresAnswer(Answer):
    """The throughput of connected pairs, draw by draw.

    Attributes:
        network: without failures.
        traffic: its demands.
        trials: the draws, or the single failures, the worst first.
        intact: without failures, where ``trials`` are single ones.
    """

    rows_at = "trials"

    network: Network
    traffic: TrafficMatrix
    trials: tuple[FailureTrial, ...]
    intact: FailureTrial | None = None

    def summary(self) -> Summary:
        """See the base class: what connected pairs get, the mean over draws or the least over single failures."""
        found = self.document
        bounds = (found["lower_bound_gbps"], found["upper_bound_gbps"])
        headline = Headline(FailuresCase.headline, "gbps", "throughput", bounds[0], *bounds, "Gb/s per unit demand")
        return Summary(headline, FailuresCase.columns_in(found), found["status"])

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        weights = [trial.equivalent for trial in self.trials]
        carried = np.repeat([trial.throughput_gbps for trial in self.trials], weights).tolist()
        upper = [trial.upper_bound_gbps for trial in self.trials]
        single = self.intact is not None
        over: Callable[[Sequence[float]], float] = min if single else fmean
        interval = None if single else throughput_interval(self.trials)
        # The lower of two draws between which a quantile falls: a value that was attained.
        quantiles = np.quantile(carried, list(_QUANTILES.values()), method="lower")
        return {
            "throughput_gbps": over(carried),
            "lower_bound_gbps": over(carried),
            "upper_bound_gbps": over(upper),
            "quantiles_gbps": dict(zip(_QUANTILES, quantiles.tolist(), strict=True)),
            "interval": {"confidence": CONFIDENCE, "mean_gbps": interval},
            **({} if self.intact is None else self._single(self.intact, carried)),
            "lost_share": fmean([trial.lost_share for trial in self.trials], weights),
            "lost_demands": fmean([trial.lost_demands for trial in self.trials], weights),
            "status": "bounds" if any(trial.status == "bounds" for trial in self.trials) else "certified",
            "network": summarise_network(self.network),
            "traffic": summarise_traffic(self.traffic),
            "trials": [attributes(trial, *(_SINGLE if single else _ROW)) for trial in self.trials],
        }

    @staticmethod
    def _single(intact: FailureTrial, carried: Sequence[float]) -> dict[str, Any]:
        """Return what is said of single failures only."""
        short = sum(rate < 1 for rate in carried)
        return {"intact_gbps": intact.throughput_gbps, "failures": len(carried), "below_demand": short}


@QUESTIONS.register("failures", params=FailuresCase, summary="throughput of connected pairs over trials of failures")
def failures(case: FailuresCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives, and failures that it draws."""
    network, fails = case.whole(seed, built), case.failures
    traffic = case.demands(network, seed, built)

    def answer(run: Run) -> Answer:
        options = {"jobs": run.jobs, "on_progress": run.on_progress, **case.options(seed, run.threads, run.deadline)}
        if case.each is not None:
            intact, *single = single_failure_trials(network, traffic, case.each, fails.groups, **options)
            return FailuresAnswer(network, traffic, tuple(single), intact)
        return FailuresAnswer(
            network, traffic, tuple(failure_trials(network, traffic, fails, trials=case.distinct_trials, **options))
        )

    return Posed((network.fingerprint, traffic.fingerprint, repr(fails)), answer, network.warnings)
