"""What connected pairs still get while parts of a network are down, over trials of failures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from pnet_lp.failures import CONFIDENCE, mean_interval
from pnet_lp.model import Interval, Network, TrafficMatrix
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.failures.case import FailuresCase
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.tables import attributes
from pnet_lp.throughput.objectives import CONCURRENT, Objective, parse_objective
from pnet_lp.throughput.single import single_failure_trials
from pnet_lp.throughput.trials import FailureTrial, failure_trials

_QUANTILES = {"min": 0.0, "p1": 0.01, "p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "max": 1.0}
_SINGLE = ("failure", "equivalent", "limit", "limit_plane")


@dataclass(frozen=True, eq=False, repr=False)
class FailuresAnswer(Answer):
    """The throughput of connected pairs, or the value of another objective, draw by draw.

    Attributes:
        network: without failures.
        traffic: its demands.
        trials: the draws, or the single failures, the worst first.
        intact: without failures, where ``trials`` are single ones.
        objective: what is optimised.
    """

    rows_at = "trials"

    network: Network
    traffic: TrafficMatrix
    trials: tuple[FailureTrial, ...]
    intact: FailureTrial | None = None
    objective: Objective = field(default_factory=lambda: parse_objective(CONCURRENT))

    def summary(self) -> Summary:
        """See the base class: what connected pairs get, the mean over draws or the worst over single failures."""
        found, shown = self.document, self.objective.headline
        names = shown.key, shown.suffix, shown.quantity.replace("_", " ")
        value, low, high = (found.get(key) for key in (shown.key, *shown.bounds))
        if value is None or low is None or high is None:
            headline = Headline.exact(*names, value, shown.unit)
        else:
            headline = Headline(*names, value, low, high, shown.unit)
        return Summary(headline, FailuresCase.columns_in(found), found["status"])

    def values(self) -> list[float]:
        """Return the values in ascending order, those of equivalent failures one by one; infinite where none is."""
        return sorted(trial.attained(self.objective) for trial in self.trials for _ in range(trial.equivalent))

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        weights, goal, values = [trial.equivalent for trial in self.trials], self.objective, self.values()
        named, single = goal.headline.named, self.intact is not None
        over: Callable[[Sequence[float]], float] = fmean if not single else max if goal.minimised else min
        bounds = [trial.bounds(goal) for trial in self.trials]
        low, high = over([each.lower for each in bounds]), over([each.upper for each in bounds])
        known = dict(zip(goal.headline.bounds, map(_finite, (low, high)), strict=True)) if goal.headline.bounded else {}
        # The lower of two draws between which a quantile falls: a value that was attained.
        quantiles = {name: _finite(values[int(part * (len(values) - 1))]) for name, part in _QUANTILES.items()}
        interval = None if single or not all(map(math.isfinite, values)) else mean_interval(values)
        return {
            goal.headline.key: _finite(over(values)),
            **known,
            named("quantiles"): quantiles,
            "interval": {"confidence": CONFIDENCE, named("mean"): interval},
            **({} if self.intact is None else self._single(self.intact)),
            "lost_share": fmean([trial.lost_share for trial in self.trials], weights),
            "lost_demands": fmean([trial.lost_demands for trial in self.trials], weights),
            "infeasible": sum(trial.infeasible * trial.equivalent for trial in self.trials),
            "status": "bounds" if any(trial.status == "bounds" for trial in self.trials) else "certified",
            "objective": goal.expression,
            "network": summarise_network(self.network),
            "traffic": summarise_traffic(self.traffic),
            "warnings": list(self.network.warnings),
            "trials": [self._row(trial) for trial in self.trials],
        }

    def _row(self, trial: FailureTrial) -> dict[str, Any]:
        """Return what is said of a draw or a failure."""
        goal, bounds = self.objective, trial.bounds(self.objective)
        proved = (goal.headline.bounds[0], bounds.lower) if goal.minimised else (goal.headline.bounds[1], bounds.upper)
        rates = {} if trial.result is None else trial.result.figures.get("rates_gbps", {})
        return {
            **({} if self.intact is None else attributes(trial, *_SINGLE)),
            "trial": trial.trial,
            goal.headline.key: _finite(trial.attained(goal)),
            **({proved[0]: _finite(proved[1])} if goal.headline.bounded else {}),
            **({"least_rate_gbps": rates.get("min")} if goal.rated else {}),
            **attributes(trial, "lost_demands", "lost_share", "status"),
        }

    def _single(self, intact: FailureTrial) -> dict[str, Any]:
        """Return what is said of single failures only."""
        goal = self.objective

        def rate_of(trial: FailureTrial) -> Interval | None:
            if trial.result is not None:
                return goal.rate_of(trial.result.figures)
            return Interval(0.0, math.inf if trial.unsolved else 0.0)

        rates = [(rate_of(trial), trial.equivalent) for trial in (intact, *self.trials)]
        known = [(rate, count) for rate, count in rates[1:] if rate is not None]
        short = sum(count for rate, count in known if rate.upper < 1)
        undecided = sum(count for rate, count in known if rate.lower < 1 <= rate.upper)
        return {
            goal.headline.named("intact"): _finite(intact.attained(goal)),
            "failures": sum(trial.equivalent for trial in self.trials),
            **({} if rates[0][0] is None else {"below_demand": short, "undecided": undecided}),
        }


def _finite(value: float) -> float | None:
    """Return a value as JSON holds it: null where there is none."""
    return value if math.isfinite(value) else None


@QUESTIONS.register("failures", params=FailuresCase, summary="throughput of connected pairs over trials of failures")
def failures(case: FailuresCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives, and failures that it draws."""
    network, fails, goal = case.whole(seed, built), case.failures, parse_objective(case.objective)
    traffic = case.demands(network, seed, built)

    def answer(run: Run) -> Answer:
        options = case.options(seed, run.threads, run.deadline)
        options |= {"executor": run.executor, "on_progress": run.on_progress}
        if case.each is not None:
            intact, *single = single_failure_trials(network, traffic, case.each, fails.groups, **options)
            return FailuresAnswer(network, traffic, tuple(single), intact, goal)
        drawn = failure_trials(network, traffic, fails, trials=case.distinct_trials, **options)
        return FailuresAnswer(network, traffic, tuple(drawn), objective=goal)

    return Posed((network.fingerprint, traffic.fingerprint, repr(fails)), answer, network.warnings)
