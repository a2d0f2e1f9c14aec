"""``pnet-lp workload``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import (
    NetworkArguments,
    file_option,
    grouped,
    network_named,
    output_options,
    setting,
)
from pnet_lp.cli.output import Output
from pnet_lp.report.workload import workload_document, workload_report
from pnet_lp.sim.flows import FlowSettings
from pnet_lp.workload import write_workload


@click.command(cls=Command, example="pnet-lp workload incast:senders=8,sizes=64kB --on fat-tree:k=4")
@grouped(
    "flows",
    FlowSettings,
    click.argument("workload", metavar="WORKLOAD"),
    setting(FlowSettings, "traffic", metavar="EXPR|FILE"),
)
@network_named
@file_option("the list of flows")
@output_options()
def command(flows: FlowSettings, network: NetworkArguments, file: Path | None, output: Output) -> None:
    """Summarise the flows of a workload, or write them to a file.

    WORKLOAD is an expression (`pnet-lp list workloads`) or a file.  `pnet-lp simulate --workload` reads what is
    written.  A format that cannot hold the flows (for example flows that wait for others) is refused.
    """
    built = network.build()
    workload = flows.build(built, network.seed)
    if file:
        write_workload(workload, built, file)
    document = workload_document(built, workload)
    output.emit(document, lambda: [workload_report(document)])
