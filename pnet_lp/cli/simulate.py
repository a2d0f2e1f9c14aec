"""``pnet-lp simulate``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import (
    NetworkArguments,
    network_arguments,
    option,
    output_options,
    plot_option,
    say,
)
from pnet_lp.cli.output import Output, OutputFile, OutputFolder
from pnet_lp.cli.progress import CountLine, SimulationLine
from pnet_lp.cli.simulation_options import simulation_settings
from pnet_lp.extras import need
from pnet_lp.report.fct import write_fct
from pnet_lp.report.simulate import (
    check_records,
    flow_columns,
    is_partial,
    simulation_document,
    simulation_report,
    write_records,
)
from pnet_lp.report.simulation_plot import write_simulation_plot
from pnet_lp.seeds import MOST_DRAWS
from pnet_lp.sim import (
    FlowSettings,
    OutageSettings,
    ScenarioText,
    SimulationResult,
    SimulationSettings,
    run_text,
)
from pnet_lp.threads import MOST_THREADS


@click.command(
    cls=Command,
    example="pnet-lp simulate fat-tree:k=4 --link-gbps 10 --traffic permutation --flow-size 1MB",
)
@network_arguments
@simulation_settings("outage", OutageSettings)
@simulation_settings("flows", FlowSettings)
@simulation_settings("settings", SimulationSettings)
@click.option(
    "--repeat",
    type=click.IntRange(1, MOST_DRAWS),
    default=1,
    show_default=True,
    help="Number of runs, with consecutive seeds from --seed on.",
)
@option(
    "--jobs",
    type=click.IntRange(1, MOST_THREADS),
    default=1,
    show_default=True,
    needs=("repeat",),
    help="Number of parallel processes; results do not depend on it.",
)
@option(
    "--trace",
    multiple=True,
    metavar="WHAT:WHERE",
    needs=("records", "plot"),
    help="Trace queue:FROM->TO at each arrival, or window and arrivals of flow:NUMBER; may be repeated.",
)
@click.option(
    "--records",
    type=OutputFolder(),
    help="Folder for records of flows and ports, and traces, as Parquet with a manifest.",
)
@plot_option("completion times, slowdown against size, and with --trace queues and windows over time")
@option(
    "--fct",
    type=OutputFile(),
    excludes=("repeat",),
    help="Write completion times in the format of ns-3's fct.txt (HPCC), one line per complete flow.",
)
@output_options("flow")
def command(
    *,
    network: NetworkArguments,
    outage: OutageSettings,
    flows: FlowSettings,
    settings: SimulationSettings,
    repeat: int,
    jobs: int,
    trace: tuple[str, ...],
    records: Path | None,
    plot: Path | None,
    fct: Path | None,
    output: Output,
) -> None:
    """Simulate flows, packet by packet or as a fluid, and print their completion times.

    Each TOPOLOGY is one plane, as for `pnet-lp throughput`.  Failures last for the whole run and no path uses the
    failed parts, or they last from --fail-at to --fail-until.  The completion time of a flow lasts from its start to
    the acknowledgement of its last byte.

    With --model fluid there are no packets: flows get their max-min fair rates at once, which is much faster to
    simulate, and --correction adds the delays of short flows.  A fluid has no queues, transports and traces.

    Exit code 3: a run ended before all its flows were complete, at a limit or by Ctrl-C; the figures are those of the
    complete flows.
    """
    for key, path in (("records", records), ("out", output.out)):
        if path is not None:
            need("pyarrow", key)
    if records is not None:
        check_records(records)
    text = ScenarioText(
        topologies=network.topologies,
        flows=flows,
        planes=network.options,
        failures=network.options,
        outage=outage,
        settings=settings,
        trace=trace,
        seed=network.seed,
    )
    results: list[SimulationResult] = []
    interrupted = False
    try:
        with SimulationLine(repeat) if jobs == 1 else CountLine(repeat, "runs") as line:
            watch = line.of if isinstance(line, SimulationLine) else (lambda _: None)
            for result in run_text(text, repeat=repeat, jobs=jobs, on_progress=watch):
                results.append(result)
                if isinstance(line, CountLine):
                    line(f"seed {result.seed}")
    except KeyboardInterrupt:
        if not results:
            raise
        interrupted = True
        click.echo(f"interrupted: {len(results)} of {repeat} runs were complete and are shown", err=True)
    say(results[0].warnings)
    document = simulation_document(results)
    output.emit(
        document,
        lambda: simulation_report(document),
        table=lambda: flow_columns(results),
        files=[
            (records, lambda path: write_records(results, document, path)),
            (fct, lambda path: write_fct(results[0], path)),
            (plot, lambda path: write_simulation_plot(results, ", ".join(network.topologies), path)),
        ],
        partial=is_partial(results) or interrupted,
    )
