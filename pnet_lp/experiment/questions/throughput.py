"""How much of a traffic matrix a network carries."""

from __future__ import annotations

from dataclasses import replace

from pnet_lp.experiment.keys import DemandKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed
from pnet_lp.model import ThroughputResult
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import parse_objective
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.settings import ObjectiveSettings


class ThroughputCase(ObjectiveSettings, DemandKeys):
    """One network under one traffic matrix, as of ``pnet-lp throughput``."""

    columns = ("solved_by",)

    @property
    def headline_column(self) -> str:
        """See the base class: what the objective asks for."""
        return parse_objective(self.asked).headline.key

    @property
    def headline_bounded(self) -> bool:
        """See the base class: of fair rates each has a bound of its own, and their sum has none."""
        return parse_objective(self.asked).headline.bounded


@QUESTIONS.register(
    "throughput", params=ThroughputCase, summary="how much of a traffic matrix fits, between proved bounds"
)
def throughput(case: ThroughputCase, seed: int) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives."""
    network = case.network(seed)
    traffic = case.matrix(network, seed)

    def answer(threads: int, on_progress: OnProgress) -> Answer:
        result = solve(
            network,
            traffic,
            on_progress=on_progress,
            **case.options(seed, threads),
        )
        document = result.to_json()
        seconds = document.pop("seconds")
        return Answer(
            _headline(result),
            result.status,
            {"solved_by": result.solver},
            document,
            limited_by=result.binding,
            seconds=seconds,
            save=lambda path: save_result(path, network, traffic, replace(result, seconds={})),
        )

    return Posed((network.fingerprint, traffic.fingerprint), answer)


def _headline(result: ThroughputResult) -> Headline:
    """Return the value that the objective asks for, between its bounds if it has any."""
    asked, value = result.headline, result.value
    names = asked.key, asked.suffix, asked.quantity.replace("_", " ")
    if value is None or not asked.bounded:
        return Headline.exact(*names, value, asked.unit)
    lower, upper = (float(result.figures[key]) for key in asked.bounds)
    return Headline(*names, value, lower, upper, asked.unit)
