"""How long flows take, packet by packet or as a fluid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pnet_lp.questions.base import QUESTIONS, Answer, Headline, Posed, Run, Summary
from pnet_lp.questions.keys import NOTHING_BUILT, Built
from pnet_lp.questions.simulate.case import SimulateCase
from pnet_lp.sim import SimulationResult, SimulationScenario, figures
from pnet_lp.sim.columns import RATES, run_columns

_RUN_KEYS = ("flows", "fct_us", "job_us", "goodput_gbps", "packets", "retransmitted", "timeouts", "simulated_s")


@dataclass(frozen=True, eq=False, repr=False)
class SimulateAnswer(Answer):
    """Records of one run, or of several with other seeds.

    Attributes:
        results: run by run.
        before: the same as the first, ended where rates begin to count; None where they do from 0 on.
        stopped: whether Ctrl-C ended it before all runs were complete.
    """

    results: tuple[SimulationResult, ...]
    before: SimulationResult | None = None
    stopped: bool = False

    @cached_property
    def figures(self) -> dict[str, Any]:
        """What the runs say together."""
        return figures(self.results)

    def summary(self) -> Summary:
        """See the base class; columns are those of the first run, whose rates leave out what came before they count."""
        found = self.figures
        tasks = {row["stage"]: row["tasks_us"] for row in found["stages"]}
        columns = SimulateCase.columns_in({**found, **run_columns(self.results[0], self.before), "tasks_in": tasks})
        mean = found["fct_us"]["mean"]
        return Summary(Headline.exact(SimulateCase.headline, "us", "mean completion time", mean, "us"), columns)

    @property
    def warnings(self) -> Sequence[str]:
        """See the base class."""
        return tuple(dict.fromkeys(warning for result in self.results for warning in result.warnings))

    @property
    def partial(self) -> bool:
        """See the base class."""
        return self.stopped or any(result.completed < result.flow_count for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """See the base class."""
        first = self.results[0]
        return {
            **self.figures,
            **first.settings,
            "end": next((result.end for result in self.results if result.end != "complete"), "complete"),
            "network": first.network,
            "workload": first.workload,
            "runs": [
                {"seed": result.seed, "end": result.end, **{key: found[key] for key in _RUN_KEYS if key in found}}
                for result in self.results
                for found in [figures([result])]
            ],
            **({"warm_up": self._after_warm_up(self.before)} if self.before else {}),
            "warnings": list(self.warnings),
        }

    def _after_warm_up(self, before: SimulationResult) -> dict[str, Any]:
        """Return the rates of the first run after what came ``before``."""
        columns = self.columns
        return {"simulated_s": before.time_ps / 1e12, **{name: columns[name] for name in RATES}}

    @classmethod
    def pooled(cls, answers: Sequence[SimulateAnswer], *, stopped: bool) -> SimulateAnswer:
        """See the base class."""
        results = tuple(result for one in answers for result in one.results)
        return cls(results, answers[0].before, stopped)


@QUESTIONS.register("simulate", params=SimulateCase, summary="completion times and rates of flows, packet by packet")
def simulate(case: SimulateCase, seed: int, built: Built = NOTHING_BUILT) -> Posed:
    """Pose the case on the network and the flows that ``seed`` gives."""
    network, workload, outages = case.drawn(seed, built)
    scenario = case.scenario(network, workload, seed, trace=case.trace, outages=outages)
    settings = scenario.to_json()

    def answer(run: Run) -> Answer:
        result = _complete(scenario, run)
        before = _complete(replace(scenario, time_limit_ps=case.warm_up), run) if case.warm_up else None
        return SimulateAnswer((result,), before)

    return Posed((network.fingerprint, workload.fingerprint, repr(settings)), answer)


def _complete(scenario: SimulationScenario, run: Run) -> SimulationResult:
    """Return the records; Ctrl-C raises KeyboardInterrupt unless part of an answer is wanted."""
    result = scenario.run(run.on_progress, jobs=run.jobs, runs=run.kept)
    if result.end == "interrupted" and not run.keep_partial:
        raise KeyboardInterrupt
    return result
