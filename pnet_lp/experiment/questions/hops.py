"""How many hops apart endpoints are, also while parts of a network are down."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.experiment.keys import NetworkKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.failures import FailureSettings
from pnet_lp.hops import run_trials
from pnet_lp.model.network import Level
from pnet_lp.seeds import MOST_DRAWS


class HopsCase(NetworkKeys):
    """One network, as of ``pnet-lp hops``."""

    headline = "mean_hops"
    columns = ("p50_hops", "p99_hops", "max_hops", "connected_share", "all_connected_trials")

    level: Level | None = Field(None, description="whether pairs are of racks or of hosts")
    trials: int = Field(
        1, ge=1, le=MOST_DRAWS, description="draws of the failures, of one network, for each seed"
    )

    @model_validator(mode="after")
    def _check_level_and_trials(self) -> Self:
        self.check_level(self.level)
        if "trials" in self.model_fields_set and not self.model_fields_set & set(
            FailureSettings.model_fields
        ):
            raise SpecError("nothing fails, so that all trials are alike", where="trials", found=self.trials)
        return self


@QUESTIONS.register(
    "hops",
    params=HopsCase,
    summary="hops between all pairs, and which are connected, over trials of failures",
)
def hops(case: HopsCase, seed: int) -> Posed:
    """Pose the case on the network that ``seed`` gives, and failures that it draws."""
    network, failures = case.intact(case.topology, seed), case.failures
    level = case.level or network.default_level

    def answer(threads: int, _: OnProgress) -> Answer:
        found = run_trials(network, failures, level, trials=case.trials, seed=seed, threads=threads)
        pooled = found.pooled
        columns = {
            "p50_hops": pooled.percentile(50),
            "p99_hops": pooled.percentile(99),
            "max_hops": pooled.most,
            "connected_share": found.connected_share,
            "all_connected_trials": found.all_connected,
        }
        trials = [
            {"mean_hops": trial.mean, "pairs": list(trial.pairs), "disconnected_pairs": trial.disconnected}
            for trial in found.trials
        ]
        return Answer(
            Headline.exact(case.headline, "hops", "mean hops", found.mean),
            "exact",
            columns,
            {"level": level, "mean_hops": found.mean, **columns, "trials": trials},
        )

    return Posed((network.fingerprint, repr(failures)), answer)
