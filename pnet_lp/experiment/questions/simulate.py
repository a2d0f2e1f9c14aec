"""How long flows take, packet by packet."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, naming
from pnet_lp.experiment.keys import NetworkKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed, Value
from pnet_lp.registry import OneOrMore
from pnet_lp.sim import (
    FlowSettings,
    OutageSettings,
    ScenarioText,
    SimulationResult,
    SimulationScenario,
    SimulationSettings,
    figures,
)
from pnet_lp.sim.columns import COLUMNS, run_columns
from pnet_lp.sim.traces import split_trace
from pnet_lp.workload import WORKLOADS
from pnet_lp.workload.base import Duration, WorkloadParams

_STAGES = tuple(
    dict.fromkeys(
        stage
        for entry in WORKLOADS
        if issubclass(entry.params, WorkloadParams)
        for stage in entry.params.stages
    )
)
"""Of all workloads; the times of one are those of tasks in it, such as what a worker does there."""

_SHARES = ("mean", "p50", "p99")


class SimulateCase(SimulationSettings, OutageSettings, FlowSettings, NetworkKeys):
    """One network and its flows, as of ``pnet-lp simulate``."""

    headline = "mean_fct_us"
    columns = (
        "p50_fct_us",
        "p99_fct_us",
        "mean_task_us",
        "p50_task_us",
        "p90_task_us",
        "p99_task_us",
        "job_us",
        *(f"{share}_{stage}_us" for stage in _STAGES for share in _SHARES),
        "mean_slowdown",
        "p99_slowdown",
        *COLUMNS,
        "unfinished",
    )

    trace: Annotated[tuple[str, ...], OneOrMore] = Field(
        (),
        description="queues and flows to trace, as `pnet-lp simulate --trace` does, for the columns about them",
    )
    warm_up: Duration = Field(0, description="simulated time from 0 on that no rate counts")

    @model_validator(mode="after")
    def _check_trace_and_warm_up(self) -> Self:
        with naming("trace"):
            for text in self.trace:
                split_trace(text)
        if self.trace and self.model == "fluid":
            raise SpecError("a fluid has no queues and windows", where="trace", found=self.trace[0])
        if self.time_limit is not None and self.warm_up >= self.time_limit:
            raise SpecError("no time is left", where="warm_up", allowed="less than time_limit")
        return self


@QUESTIONS.register(
    "simulate", params=SimulateCase, summary="completion times and rates of flows, packet by packet"
)
def simulate(case: SimulateCase, seed: int) -> Posed:
    """Pose the case on the network and the flows that ``seed`` gives."""
    scenario = ScenarioText(
        case.topology,
        flows=case,
        planes=case,
        failures=case,
        outage=case,
        settings=case,
        trace=case.trace,
        seed=seed,
    ).build()
    settings = scenario.to_json()

    def answer(_: int, __: OnProgress) -> Answer:
        result = _run(scenario)
        before = _run(replace(scenario, time_limit_ps=case.warm_up)) if case.warm_up else None
        found = figures([result])
        return Answer(
            Headline.exact(case.headline, "us", "mean completion time", found["fct_us"]["mean"], "us"),
            "exact",
            _columns(result, before, found),
            {**{name: value for name, value in found.items() if name != "seconds"}, "settings": settings},
        )

    return Posed((scenario.network.fingerprint, scenario.workload.fingerprint, repr(settings)), answer)


def _run(scenario: SimulationScenario) -> SimulationResult:
    """Return the records; Ctrl-C ends the sweep, not only the run."""
    result = scenario.run()
    if result.end == "interrupted":
        raise KeyboardInterrupt
    return result


def _columns(
    result: SimulationResult, before: SimulationResult | None, found: dict[str, Any]
) -> dict[str, Value]:
    """Return what a table says; rates leave out what came ``before``."""
    fct, slowdown, tasks = found["fct_us"], found["slowdown"], found["tasks_us"] or {}
    stages = {row["stage"]: row["tasks_us"] for row in found["stages"]}
    return {
        "p50_fct_us": fct["p50"],
        "p99_fct_us": fct["p99"],
        "mean_task_us": tasks.get("mean"),
        "p50_task_us": tasks.get("p50"),
        "p90_task_us": tasks.get("p90"),
        "p99_task_us": tasks.get("p99"),
        "job_us": (found["job_us"] or {}).get("mean"),
        **{f"{share}_{stage}_us": stages.get(stage, {}).get(share) for stage in _STAGES for share in _SHARES},
        "mean_slowdown": slowdown["mean"],
        "p99_slowdown": slowdown["p99"],
        **run_columns(result, before),
        "unfinished": found["flows"]["unfinished"],
    }
