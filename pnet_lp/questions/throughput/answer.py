"""How much of a traffic matrix a network carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.questions.base import QUESTIONS, Answer, AnswerStatus, Headline, Posed, Run, Value
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.throughput.case import ThroughputCase
from pnet_lp.questions.throughput.links import check_rates
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.write_lp import write_lp


@brief("result")
@dataclass(frozen=True, eq=False, repr=False)
class ThroughputAnswer(Answer):
    """The throughput of a network, together with the network and its traffic.

    Attributes:
        network: the network, with failed links at capacity 0.
        traffic: the traffic matrix.
        result: bounds, proof and bottlenecks.
    """

    network: Network
    traffic: TrafficMatrix
    result: ThroughputResult

    @property
    def headline(self) -> Headline:
        """The value that the objective asks for, between its bounds if it has any."""
        asked, value = self.result.headline, self.result.value
        names = asked.key, asked.suffix, asked.quantity.replace("_", " ")
        if value is None or not asked.bounded:
            return Headline.exact(*names, value, asked.unit)
        lower, upper = (float(self.result.figures[key]) for key in asked.bounds)
        return Headline(*names, value, lower, upper, asked.unit)

    @property
    def status(self) -> AnswerStatus:
        """See the base class."""
        return self.result.status

    @property
    def columns(self) -> Mapping[str, Value]:
        """See the base class."""
        return {"solved_by": self.result.solver}

    @property
    def limited_by(self) -> str:
        """See the base class."""
        return self.result.binding

    @property
    def seconds(self) -> Mapping[str, float]:
        """See the base class."""
        return self.result.seconds

    @property
    def save(self) -> Callable[[str | Path], None]:
        """What writes the result with its proof; no timings, so that equal answers are equal files."""
        return lambda path: save_result(path, self.network, self.traffic, replace(self.result, seconds={}))

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        return self.result.to_json()


def solved(run: Run, network: Network, traffic: TrafficMatrix, **options: Any) -> ThroughputResult:
    """Return the throughput; where Ctrl-C ends the solve and part of an answer is wanted, the bounds reached."""
    try:
        return solve(network, traffic, on_progress=run.on_progress, **options)
    except Interrupted as stopped:
        if not run.keep_partial:
            raise
        return stopped.result


@QUESTIONS.register(
    "throughput", params=ThroughputCase, summary="how much of a traffic matrix fits, between proved bounds"
)
def throughput(case: ThroughputCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives."""
    network = case.network(seed, built)
    traffic = case.demands(network, seed, built)

    def prepare(places: Mapping[str, Path]) -> None:
        if "out" in places:
            check_rates(traffic)
        if "write_lp" in places:
            write_lp(
                places["write_lp"],
                network,
                traffic,
                routing=case.routing,
                plane_policy=case.plane_policy,
                seed=seed,
            )

    def answer(run: Run) -> Answer:
        options = case.options(seed, run.threads, run.deadline)
        return ThroughputAnswer(network, traffic, solved(run, network, traffic, **options))

    return Posed((network.fingerprint, traffic.fingerprint), answer, network.warnings, prepare)
