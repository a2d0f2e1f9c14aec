"""How long flows take, packet by packet."""

from __future__ import annotations

from typing import Any

import numpy as np

from pnet_lp.experiment.keys import NetworkKeys
from pnet_lp.experiment.question import QUESTIONS, Answer, Headline, OnProgress, Posed, Value
from pnet_lp.sim import FlowSettings, OutageSettings, ScenarioWords, Settings, SimulationResult, figures
from pnet_lp.workload import WORKLOADS
from pnet_lp.workload.base import WorkloadParams

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


class SimulateCase(Settings, OutageSettings, FlowSettings, NetworkKeys):
    """One network and its flows, as of ``pnet-lp simulate``."""

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
        "mean_rate_gbps",
        "min_rate_gbps",
        "total_gbps",
        "resent_share",
        "reordered_share",
        "fast_retransmits",
        "timeouts",
        "dropped",
        "unfinished",
    )


@QUESTIONS.register(
    "simulate", params=SimulateCase, summary="how long flows take packet by packet, and at which rates"
)
def simulate(case: SimulateCase, seed: int) -> Posed:
    """Pose the case on the network and the flows that ``seed`` gives."""
    scenario = ScenarioWords(
        case.topology, flows=case, planes=case, failures=case, outage=case, settings=case, seed=seed
    ).build()
    settings = scenario.to_json()

    def answer(_: int, __: OnProgress) -> Answer:
        result = scenario.run()
        if result.end == "interrupted":
            raise KeyboardInterrupt
        found = figures([result])
        return Answer(
            Headline.exact("mean_fct_us", "us", "mean completion time", found["fct_us"]["mean"], "us"),
            "exact",
            _columns(result, found),
            {**{name: value for name, value in found.items() if name != "seconds"}, "settings": settings},
        )

    return Posed((scenario.network.fingerprint, scenario.workload.fingerprint, repr(settings)), answer)


def _columns(result: SimulationResult, found: dict[str, Any]) -> dict[str, Value]:
    """Return what a table says; rates count what has arrived of flows that are not complete as well."""
    flow = result.flow
    last = np.where(result.done, flow["end_ps"], result.time_ps)
    began = (flow["start_ps"] >= 0) & (last > flow["start_ps"])
    rate = (flow["received_bytes"] * 8000.0)[began] / (last - flow["start_ps"])[began]
    fct, slowdown, tasks = found["fct_us"], found["slowdown"], found["tasks_us"] or {}
    packets = "packets" in found
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
        "mean_rate_gbps": float(rate.mean()) if len(rate) else None,
        "min_rate_gbps": float(rate.min()) if len(rate) else None,
        "total_gbps": found["goodput_gbps"]["total"],
        # A fluid has no packets.
        "resent_share": found["retransmitted"] / max(found["packets"]["data"], 1) if packets else None,
        "reordered_share": found["reordered_share"] if packets else None,
        "fast_retransmits": found["fast_retransmits"] if packets else None,
        "timeouts": found["timeouts"] if packets else None,
        "dropped": found["packets"]["dropped"] if packets else None,
        "unfinished": found["flows"]["unfinished"],
    }
