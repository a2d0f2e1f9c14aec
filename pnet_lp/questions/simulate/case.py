"""Keys of a question about a simulation."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pnet_lp.errors import SpecError, naming
from pnet_lp.flags import Flag
from pnet_lp.quantities import Duration
from pnet_lp.questions.base import OutputOption
from pnet_lp.questions.flow_keys import FlowKeys
from pnet_lp.registry import OneOrMore
from pnet_lp.sim import SimulationSettings
from pnet_lp.sim.columns import COLUMNS
from pnet_lp.sim.traces import split_trace
from pnet_lp.workload import WORKLOADS
from pnet_lp.workload.base import WorkloadParams

STAGES = tuple(
    dict.fromkeys(
        stage for entry in WORKLOADS if issubclass(entry.params, WorkloadParams) for stage in entry.params.stages
    )
)
"""Of all workloads; the times of one are those of tasks in it, such as what a worker does there."""

SHARES = ("mean", "p10", "p25", "p50", "p75", "p90", "p99")
"""What columns say of the flows of a run, of its tasks, and of those of a stage; the mean of flows is the headline."""


class SimulateCase(SimulationSettings, FlowKeys):
    """Simulate flows, packet by packet or as a fluid, and print their completion times.

    Each TOPOLOGY is one plane, as for `pnet-lp throughput`.  Failures last for the whole run and no path uses the
    failed parts, or they last from --fail-at to --fail-until.  The completion time of a flow lasts from its start to
    the acknowledgement of its last byte.

    With --model fluid there are no packets: flows get their max-min fair rates at once, which is much faster to
    simulate, and --correction adds the delays of short flows, --transport those of a transport and its queues.  A
    fluid has no traces.

    Exit code 3: a run ended before all its flows were complete, at a limit or by Ctrl-C; the figures are those of the
    complete flows.
    """

    headline = "mean_fct_us"
    columns = {  # noqa: RUF012 - of a model, which is frozen
        **{f"{share}_fct_us": f"fct_us.{share}" for share in SHARES[1:]},
        **{f"{share}_task_us": f"tasks_us.{share}" for share in SHARES},
        "job_us": "job_us.mean",
        **{f"{share}_{stage}_us": f"tasks_in.{stage}.{share}" for stage in STAGES for share in SHARES},
        "mean_slowdown": "slowdown.mean",
        "p50_slowdown": "slowdown.p50",
        "p99_slowdown": "slowdown.p99",
        **dict.fromkeys(COLUMNS, ""),
        "unfinished": "flows.unfinished",
    }
    example = "fat-tree:k=4 --link-gbps 10 --traffic permutation --flow-size 1MB"
    rows = "flow"
    plot = "completion times, slowdown against size, and with --trace queues and windows over time"
    outputs = {  # noqa: RUF012 - of a model, which is frozen
        "records": OutputOption(
            "Folder for records of flows and ports, and traces, as Parquet with a manifest.", folder=True
        ),
        "fct": OutputOption(
            "Write completion times in the format of ns-3's fct.txt (HPCC), one line per complete flow.",
            excludes=("draws",),
        ),
    }
    threads = None
    jobs = ("draws",)
    pooled = True

    trace: Annotated[
        tuple[str, ...], OneOrMore, Flag(metavar="WHAT:WHERE", several="repeated", needs=("records", "plot"))
    ] = Field(
        (), description="trace queue:FROM->TO at each arrival, or window and arrivals of flow:NUMBER; may be repeated"
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
