"""The least times of the parts of demands, one by one, in turn, and all at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pnet_lp.errors import WorkloadError
from pnet_lp.model import Interval, Network, TrafficMatrix, Workload
from pnet_lp.model.arrays import BoolArray
from pnet_lp.model.rounded import sum_down, sum_up
from pnet_lp.model.summary import summarise_network, summarise_traffic
from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.step_time.case import StepTimeCase
from pnet_lp.questions.throughput.answer import ThroughputAnswer, solved
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.parts import TrafficPart, parts_of
from pnet_lp.workload import build_workload


@dataclass(frozen=True, eq=False, repr=False)
class StepTimeAnswer(Answer):
    """What moving demands takes at least.

    Attributes:
        whole: of all demands at once; None where the parts alone are solved.
        parts: of each part by itself; where there is one only, it is ``whole``.
    """

    rows_at = "parts"

    whole: ThroughputAnswer | None
    parts: tuple[tuple[TrafficPart, ThroughputAnswer], ...]

    @property
    def time(self) -> Interval:
        """Seconds that all parts take at once: none less than the lower bound, the flow found the upper.

        Without a solve of all, no less than the longest part, and no more than all in turn.
        """
        if self.whole is not None:
            return _time(self.whole)
        return Interval(max(_time(answer).lower for _, answer in self.parts), self.in_turn.upper)

    @property
    def in_turn(self) -> Interval:
        """Seconds that the parts take one after the other."""
        times = [_time(answer) for _, answer in self.parts]
        return Interval(_sum([each.lower for each in times], sum_down), _sum([each.upper for each in times], sum_up))

    def summary(self) -> Summary:
        """See the base class: the time of all at once."""
        found = self.document
        headline = Headline(StepTimeCase.headline, "s", "time", *_shown(self.time), "s")
        seconds: Counter[str] = Counter()
        for answer in [self.whole] if self.whole else self._answers:
            seconds.update(answer.result.seconds)
        return Summary(headline, StepTimeCase.columns_in(found), found["status"], found["binding"], seconds)

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        in_turn, first = self.in_turn, self._answers[0]
        rows = [self._row(part, answer) for part, answer in self.parts]
        slowest = max(self.parts, key=lambda one: _time(one[1]).upper)
        return {
            "time_s": _finite(self.time.upper),
            "lower_bound_s": _finite(self.time.lower),
            "in_turn_s": _finite(in_turn.upper),
            "in_turn_lower_bound_s": _finite(in_turn.lower),
            "demand_size": first.demand_size,
            "total_bytes": math.fsum(row["total_bytes"] for row in rows),
            "slowest": slowest[0].name,
            "parts_count": len(self.parts),
            "status": "certified" if all(answer.certified for answer in self._answers) else "bounds",
            "routing": first.result.routing,
            "tolerance": first.result.tolerance,
            "level": first.result.level,
            "binding": (self.whole or slowest[1]).result.binding,
            "network": summarise_network(first.network),
            "traffic": None if self.whole is None else summarise_traffic(self.whole.traffic),
            "parts": rows,
            "warnings": list(dict.fromkeys(text for answer in self._answers for text in answer.result.warnings)),
        }

    @property
    def _answers(self) -> list[ThroughputAnswer]:
        return [*([] if self.whole is None else [self.whole]), *(answer for _, answer in self.parts)]

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
    parts, all_demands = _parts(case, network, seed, built)
    together = len(parts) > 1 and not case.in_turn
    whole = all_demands() if together else None

    def answer(run: Run) -> Answer:
        deadline = run.deadline or case.deadline()
        # Of several parts those that are not solved have no time.
        own_run = replace(run, keep_partial=run.keep_partial and len(parts) == 1)
        left = len(parts) + together

        def of(traffic: TrafficMatrix) -> ThroughputAnswer:
            nonlocal left
            options = case.options(seed, run.threads, deadline.parts(left))
            left -= 1
            return ThroughputAnswer(
                network, traffic, solved(own_run, network, traffic, **options), demand_size=case.demand_size
            )

        all_at_once = None if whole is None else of(whole)
        found = tuple((part, of(traffic)) for part, traffic in parts)
        return StepTimeAnswer(found[0][1] if len(found) == 1 else all_at_once, found)

    demands = [traffic.fingerprint for _, traffic in parts]
    return Posed((network.fingerprint, *demands, str(together)), answer, network.warnings)


def _parts(
    case: StepTimeCase, network: Network, seed: int, built: Built
) -> tuple[list[tuple[TrafficPart, TrafficMatrix]], Callable[[], TrafficMatrix]]:
    """Return the parts of the demands, and what makes all of them; those that are given as a value are one part."""
    if case.workload is not None:
        flows = built.workload(network) if built.workload else build_workload(case.workload, network, seed=seed)
        if not flows.flow_count:
            raise WorkloadError("nothing is sent between hosts", where=flows.label)
        stages = [(name, flows.stage == number) for number, name in enumerate(flows.stages)]
        return [
            (TrafficPart(name, f"{flows.label}, {name}"), _volumes(flows, sent, f"{flows.label}, {name}"))
            for name, sent in stages or [("flows", np.ones(flows.flow_count, dtype=bool))]
        ], lambda: _volumes(flows, flows.size > 0, flows.label)
    if built.traffic is not None:
        whole = built.traffic(network)
        return [(TrafficPart("demands", whole.label), whole)], lambda: whole
    found = [(part, build_traffic(part.traffic, network, case.level, seed=seed)) for part in parts_of(case.traffic)]
    return found, lambda: case.demands(network, seed, built)


def _volumes(flows: Workload, sent: BoolArray, label: str) -> TrafficMatrix:
    """Return the bytes of some of the flows, whatever waits for what."""
    src, dst, size = flows.src[sent], flows.dst[sent], flows.size[sent]
    return TrafficMatrix.from_entries("host", flows.hosts, src, dst, size, label=label)
