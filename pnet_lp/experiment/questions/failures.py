"""What connected pairs still get while parts of a network are down, over trials of failures."""

from __future__ import annotations

from statistics import fmean
from typing import Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError
from pnet_lp.experiment.keys import DemandKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.failures import FailureSettings
from pnet_lp.seeds import MOST_DRAWS
from pnet_lp.throughput.settings import SolveSettings
from pnet_lp.throughput.trials import failure_trials


class FailuresCase(SolveSettings, DemandKeys):
    """One network, its demands, and several draws of what fails."""

    headline = "throughput_gbps"
    columns = ("worst_gbps", "lost_share", "lost_demands")

    trials: int = Field(
        10, ge=1, le=MOST_DRAWS, description="draws of the failures, of one network, for each seed"
    )

    @model_validator(mode="after")
    def _check_failures(self) -> Self:
        failing = [key for key in FailureSettings.model_fields if key not in {"fail_unit", "fail_mode"}]
        if not self.model_fields_set.intersection(failing):
            raise SpecError("a question of failures needs some", allowed=", ".join(failing))
        if "trials" in self.model_fields_set and self.failures and not self.failures.random:
            raise SpecError("has no meaning where what fails is not drawn", where="trials", found=self.trials)
        return self


@QUESTIONS.register(
    "failures", params=FailuresCase, summary="throughput of connected pairs over trials of failures"
)
def failures(case: FailuresCase, seed: int) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives, and failures that it draws."""
    network, fails = case.intact(case.topology, seed), case.failures
    traffic = case.matrix(network, seed)

    def answer(threads: int, on_progress: OnProgress) -> Answer:
        found = failure_trials(
            network,
            traffic,
            fails,
            trials=case.trials,
            on_progress=on_progress,
            **case.options(seed, threads),
        )
        results = [trial.result for trial in found if trial.result is not None]
        carried = [trial.throughput_gbps for trial in found]
        upper = [trial.upper_gbps for trial in found]
        trials = [
            {
                "throughput_gbps": carried[i],
                "upper_bound_gbps": upper[i],
                "lost_share": trial.lost_share,
                "lost_demands": trial.lost_demands,
            }
            for i, trial in enumerate(found)
        ]
        columns = {
            "worst_gbps": min(carried),
            "lost_share": fmean(trial.lost_share for trial in found),
            "lost_demands": fmean(trial.lost_demands for trial in found),
        }
        mean = fmean(carried)
        return Answer(
            Headline(case.headline, "gbps", "throughput", mean, mean, fmean(upper), "Gb/s per unit demand"),
            "certified" if all(result.status == "certified" for result in results) else "bounds",
            columns,
            {"throughput_gbps": mean, **columns, "trials": trials},
        )

    return Posed((network.fingerprint, traffic.fingerprint, repr(fails)), answer)
