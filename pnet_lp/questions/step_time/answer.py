"""The least times of the parts of demands, one by one, in turn, and all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pnet_lp.model import Interval, Network, TrafficMatrix
from pnet_lp.model.rounded import sum_down, sum_up
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.step_time.case import StepTimeCase
from pnet_lp.questions.throughput.answer import ThroughputAnswer, solved
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.parts import TrafficPart, parts_of


@dataclass(frozen=True, eq=False, repr=False)
class StepTimeAnswer(Answer):
    """What moving demands takes at least.

    Attributes:
        whole: of all demands at once.
        parts: of each part by itself; where there is one only, it is ``whole``.
    """

    rows_at = "parts"

    whole: ThroughputAnswer
    parts: tuple[tuple[TrafficPart, ThroughputAnswer], ...]

    @property
    def time(self) -> Interval:
        """Seconds that all parts take at once: none less than the lower bound, the flow found the upper."""
        return _time(self.whole)

    @property
    def in_turn(self) -> Interval:
        """Seconds that the parts take one after the other."""
        times = [_time(answer) for _, answer in self.parts]
        return Interval(_sum([each.lower for each in times], sum_down), _sum([each.upper for each in times], sum_up))

    def summary(self) -> Summary:
        """See the base class: the time of all at once."""
        found, solved = self.document, self.whole.summary()
        headline = Headline(StepTimeCase.headline, "s", "time", *_shown(self.time), "s")
        return Summary(headline, StepTimeCase.columns_in(found), found["status"], solved.limited_by, solved.seconds)

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        result, in_turn = self.whole.result, self.in_turn
        rows = [self._row(part, answer) for part, answer in self.parts]
        slowest = max(self.parts, key=lambda one: _time(one[1]).upper)
        return {
            "time_s": _finite(self.time.upper),
            "lower_bound_s": _finite(self.time.lower),
            "in_turn_s": _finite(in_turn.upper),
            "in_turn_lower_bound_s": _finite(in_turn.lower),
            "demand_size": self.whole.demand_size,
            "total_bytes": self.whole.traffic.total * (self.whole.demand_size or 0),
            "slowest": slowest[0].name,
            "parts_count": len(self.parts),
            "status": "certified" if all(answer.certified for answer in self._answers) else "bounds",
            "routing": result.routing,
            "tolerance": result.tolerance,
            "level": result.level,
            "binding": result.binding,
            "network": summarise_network(self.whole.network),
            "traffic": summarise_traffic(self.whole.traffic),
            "parts": rows,
            "warnings": list(dict.fromkeys(text for answer in self._answers for text in answer.result.warnings)),
        }

    @property
    def _answers(self) -> list[ThroughputAnswer]:
        return [self.whole, *(answer for _, answer in self.parts)]

    def _row(self, part: TrafficPart, answer: ThroughputAnswer) -> dict[str, Any]:
        time, result = _time(answer), answer.result
        return {
            "part": part.name,
            "traffic": part.traffic,
            "total_bytes": answer.traffic.total * (answer.demand_size or 0),
            "demands": answer.traffic.demand_count,
            "time_s": _finite(time.upper),
            "lower_bound_s": _finite(time.lower),
            "throughput_gbps": result.throughput_gbps,
            "relative_gap": result.interval.gap,
            "status": result.status,
            "binding": result.binding,
            "solver": result.solver,
        }


def _time(answer: ThroughputAnswer) -> Interval:
    assert answer.least_time is not None  # there is a size
    return answer.least_time


def _sum(values: Sequence[float], add: Callable[[Sequence[float]], float]) -> float:
    return add(values) if all(map(math.isfinite, values)) else math.inf


def _finite(value: float) -> float | None:
    """Return a value as JSON holds it: null for what cannot be moved."""
    return value if math.isfinite(value) else None


def _shown(time: Interval) -> tuple[float, float, float]:
    """Return the value of a headline and its bounds; no number where nothing arrives."""
    return (time.upper, time.lower, time.upper) if math.isfinite(time.upper) else (math.nan, time.lower, math.inf)


@QUESTIONS.register(
    "step-time", params=StepTimeCase, summary="least times of collectives and training steps, part by part"
)
def step_time(case: StepTimeCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the demands that ``seed`` gives."""
    network = case.network(seed, built)
    whole = case.demands(network, seed, built)
    parts = _parts(case, network, whole, seed, built)

    def answer(run: Run) -> Answer:
        deadline = run.deadline or case.deadline()
        # Of several parts those that are not solved have no time.
        whole_or_none = replace(run, keep_partial=run.keep_partial and len(parts) == 1)
        left = len(parts) + (len(parts) > 1)

        def of(traffic: TrafficMatrix) -> ThroughputAnswer:
            nonlocal left
            options = case.options(seed, run.threads, deadline.parts(left))
            left -= 1
            return ThroughputAnswer(
                network, traffic, solved(whole_or_none, network, traffic, **options), demand_size=case.demand_size
            )

        together = of(whole)
        found = [(parts[0][0], together)] if len(parts) == 1 else [(part, of(traffic)) for part, traffic in parts]
        return StepTimeAnswer(together, tuple(found))

    return Posed((network.fingerprint, whole.fingerprint), answer, network.warnings)


def _parts(
    case: StepTimeCase, network: Network, whole: TrafficMatrix, seed: int, built: Built
) -> list[tuple[TrafficPart, TrafficMatrix]]:
    """Return the parts of the demands; those that are given as a value are one."""
    if built.traffic is not None:
        return [(TrafficPart("demands", whole.label), whole)]
    parts = parts_of(case.traffic)
    if len(parts) == 1:
        return [(parts[0], whole)]
    return [(part, build_traffic(part.traffic, network, whole.level, seed=seed)) for part in parts]
