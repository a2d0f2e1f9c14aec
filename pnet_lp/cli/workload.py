"""``pnet-lp workload``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click
from pydantic import Field

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import OnNetwork, build, file_option, option, options_of, output_options
from pnet_lp.cli.output import Output
from pnet_lp.flags import Flag
from pnet_lp.report.workload import workload_document, workload_report
from pnet_lp.sim.flows import FlowSettings
from pnet_lp.workload import write_workload


class _Keys(FlowSettings, OnNetwork):
    """A workload and the network that it is for."""

    workload: Annotated[str | None, Flag(argument="WORKLOAD")] = Field(description="flows")


@click.command(cls=Command, example="pnet-lp workload incast:senders=8,sizes=64kB --on fat-tree:k=4")
@options_of("keys", _Keys, but=("draws", "flow_size"))
@file_option("the list of flows")
@option("--drop-tasks", is_flag=True, help="Leave out tasks and stages.")
@option("--drop-connections", is_flag=True, help="Let each flow open a connection of its own.")
@option("--round-starts", is_flag=True, help="Round starts to whole nanoseconds.")
@output_options()
def command(
    keys: _Keys, file: Path | None, drop_tasks: bool, drop_connections: bool, round_starts: bool, output: Output
) -> None:
    """Summarise the flows of a workload, or write them to a file.

    WORKLOAD is an expression (`pnet-lp list workloads`) or a file.  `pnet-lp simulate --workload` reads what is
    written.  A format that cannot hold the flows (for example flows that wait for others) is refused; --drop-tasks,
    --drop-connections and --round-starts leave out what many formats have no place for.
    """
    network = build(keys)
    workload = keys.build(network, keys.seed)
    if drop_tasks:
        workload = workload.without_tasks()
    if drop_connections:
        workload = workload.without_connections()
    if round_starts:
        workload = workload.in_nanoseconds()
    if file:
        write_workload(workload, network, file)
    document = workload_document(network, workload)
    output.emit(document, lambda: [workload_report(document)])
