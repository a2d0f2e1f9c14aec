"""How far fluid and packets are apart, and both from the linear program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pnet_lp.crosscheck import Crosscheck, compare
from pnet_lp.crosscheck import run as run_models
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, ProgressCallback, ProgressStep, Run, Summary
from pnet_lp.questions.crosscheck.case import CrosscheckCase
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.sim.outage import outages_json


@dataclass(frozen=True, eq=False, repr=False)
class CrosscheckAnswer(Answer):
    """What the models say of the same flows.

    Attributes:
        found: the results of all models.
    """

    found: Crosscheck

    def summary(self) -> Summary:
        """See the base class."""
        if "optimum" in self.document:
            what, percent = "all flows, linear program over packets", self.document["optimum"]["percent"]
            headline = Headline.exact("optimum_percent", "percent", what, percent, "% of the optimum")
        else:
            what, ratio = "mean completion, packets over fluid", self.document["ratios"]["mean_fct"]
            headline = Headline.exact(CrosscheckCase.headline, "", what, ratio)
        return Summary(headline, CrosscheckCase.columns_in(self.document))

    @property
    def partial(self) -> bool:
        """See the base class."""
        linear = (one.result.status for one in self.found.linear.values())
        return self.found.is_partial or "bounds" in linear

    @property
    def warnings(self) -> Sequence[str]:
        """See the base class."""
        return self.found.packets.warnings

    def to_json(self) -> dict[str, Any]:
        """See the base class: what the models say beside each other."""
        return compare(self.found)


def _step(report: ProgressCallback, name: str) -> ProgressCallback:
    """Return what is called during the run of a model."""
    return report and (lambda progress: report(ProgressStep(name, progress)))


@QUESTIONS.register(
    "crosscheck",
    params=CrosscheckCase,
    summary="completion times in packets over those in the fluid, with the linear program",
)
def crosscheck(case: CrosscheckCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the flows that ``seed`` gives."""
    network, workload, outages = case.drawn(seed, built)
    settings = repr([case.packets, case.fluid, outages_json(outages)])

    def answer(run: Run) -> Answer:
        on_step = partial(_step, run.on_progress)
        return CrosscheckAnswer(run_models(case, network, workload, outages=outages, seed=seed, on_step=on_step))

    return Posed((network.fingerprint, workload.fingerprint, settings), answer)
