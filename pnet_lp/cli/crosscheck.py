"""``pnet-lp crosscheck``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import NetworkArguments, network_arguments, output_options, plot_option, say
from pnet_lp.cli.output import Output
from pnet_lp.cli.progress import SimulationLine
from pnet_lp.cli.simulation_options import simulation_settings
from pnet_lp.crosscheck import CrosscheckSettings, compare, run
from pnet_lp.extras import need
from pnet_lp.report.crosscheck import crosscheck_columns, crosscheck_report, write_crosscheck_plot
from pnet_lp.sim import FlowSettings, OutageSettings, ScenarioText


@click.command(
    cls=Command,
    example="pnet-lp crosscheck fat-tree:k=4 --link-gbps 10 --traffic permutation --flow-size 1MB",
)
@network_arguments
@simulation_settings("outage", OutageSettings)
@simulation_settings("flows", FlowSettings)
@simulation_settings("settings", CrosscheckSettings)
@plot_option("completion times in all models")
@output_options("flow, with its time in each model")
def command(
    *,
    network: NetworkArguments,
    outage: OutageSettings,
    flows: FlowSettings,
    settings: CrosscheckSettings,
    plot: Path | None,
    output: Output,
) -> None:
    """Compare linear program, fluid and packets for the same flows, and name the causes of the gaps.

    Each TOPOLOGY is one plane, as for `pnet-lp throughput`.  The linear program gives the least time to carry all
    bytes, over any paths and over the paths that flows may take.  The fluid gives completion times with max-min fair
    rates, without and with the delays of short flows.  Packets give completion times with a transport.  Only causes
    that the figures show are named.

    Exit code 3: a flow was unfinished in some model, or the bounds of a linear program have not met.
    """
    if output.out is not None:
        need("pyarrow", "out")
    text = ScenarioText(
        topologies=network.topologies,
        flows=flows,
        planes=network.options,
        failures=network.options,
        outage=outage,
        seed=network.seed,
    )
    built, workload, failing = text.given()
    with SimulationLine(1) as line:
        found = run(settings, built, workload, outage=failing, seed=network.seed, on_step=line.named)
    say(found.packets.warnings)
    document = compare(found)
    output.emit(
        document,
        lambda: crosscheck_report(document),
        table=lambda: crosscheck_columns(found),
        files=[(plot, lambda path: write_crosscheck_plot(found, ", ".join(network.topologies), path))],
        statuses=[one.result.status for one in found.linear.values()],
        partial=found.is_partial,
    )
