"""How many hops apart endpoints are, over trials of failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pnet_lp.failures import CONFIDENCE, Portion, share_interval
from pnet_lp.hops import HopDistribution, HopTrials, Rpc, rpc_statistics, run_trials
from pnet_lp.model import Network
from pnet_lp.model.summary import summarise_network
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.hops.case import HopsCase
from pnet_lp.questions.keys import NOTHING_BUILT, Built, find_pair


@dataclass(frozen=True, repr=False)
class HopsAnswer(Answer):
    """Hop counts of a network.

    Attributes:
        network: without failures.
        trials: the counts, trial by trial.
        rpc: the remote call whose time was requested.
        pair: the endpoints counted by themselves.
        fail_links: how many cables fail.
    """

    network: Network
    trials: HopTrials
    rpc: Rpc | None = None
    pair: tuple[str, str] | None = None
    fail_links: Portion = 0.0

    def summary(self) -> Summary:
        """See the base class."""
        headline = Headline.exact(HopsCase.headline, "hops", "mean hops", self.trials.mean)
        return Summary(headline, HopsCase.columns_in(self.document))

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        document = {
            "level": self.trials.level,
            **self.totals(),
            "trials": [{"trial": i, **_figures(trial)} for i, trial in enumerate(self.trials.trials)],
        }
        if self.pair:
            document["pair"] = self._of_pair(self.pair)
        document["network"] = summarise_network(self.network)
        document["warnings"] = list(self.network.warnings)
        return document

    def totals(self) -> dict[str, Any]:
        """Return what the trials say together; counts are added up, means are over trials."""
        pooled, mean = self.trials.pooled, self.trials.mean
        return {
            **_figures(pooled),
            "mean": mean,
            # A path of h links between switches passes h + 1 switches.
            "mean_switches_passed": None if mean is None else mean + 1,
            "histogram": {str(h): n for h, n in enumerate(pooled.pairs) if n},
            "pairs": pooled.total,
            "connected_share": self.trials.connected_share,
            "all_connected_trials": self.trials.all_connected,
            "intervals": {
                "confidence": CONFIDENCE,
                "mean": self.trials.mean_interval,
                "connected_share": self.trials.connected_interval,
                "all_connected": self.trials.all_connected_interval,
            },
            "rpc": rpc_statistics(pooled, self.rpc) if self.rpc else None,
        }

    def _of_pair(self, pair: tuple[str, str]) -> dict[str, Any]:
        hops = [of_trial[0] for of_trial in self.trials.pair_hops]
        connected = [h for h in hops if h >= 0]
        return {
            "ends": list(pair),
            "connected_trials": len(connected),
            "connected_probability": len(connected) / len(hops),
            "interval": share_interval(len(connected), len(hops)),
            "histogram": {str(h): n for h, n in sorted(Counter(connected).items())},
        }


def _figures(pairs: HopDistribution) -> dict[str, Any]:
    return {
        "mean": pairs.mean,
        "p50": pairs.percentile(50),
        "p99": pairs.percentile(99),
        "max": pairs.most,
        "disconnected_pairs": pairs.disconnected,
    }


@QUESTIONS.register(
    "hops", params=HopsCase, summary="hops between all pairs, and which are connected, over trials of failures"
)
def hops(case: HopsCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network that ``seed`` gives, and failures that it draws."""
    network, failures = case.whole(seed, built), case.failures
    level = network.settled_level(case.level)
    rpc = case.rpc(network)
    pairs = [find_pair(network, level, case.pair)] if case.pair else []

    def answer(run: Run) -> Answer:
        how: dict[str, Any] = {"threads": run.threads, "executor": run.executor}
        found = run_trials(network, failures, level, trials=case.trials, seed=seed, pairs=pairs, **how)
        return HopsAnswer(network, found, rpc, case.pair, case.fail_links)

    return Posed((network.fingerprint, repr(failures), repr(rpc)), answer, network.warnings)


def series(_: Sequence[Mapping[str, Any]], answers: Sequence[HopsAnswer]) -> dict[str, Any]:
    """Return the document of several numbers of failed cables."""
    first = answers[0]
    return {
        "level": first.trials.level,
        "trials": len(first.trials.trials),
        "sweep": [{"fail_links": one.fail_links, **one.totals()} for one in answers],
        "network": summarise_network(first.network),
        "warnings": list(first.network.warnings),
    }
