"""``pnet-lp simulate``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import (
    FAILING,
    NetworkArguments,
    network_arguments,
    option,
    output_options,
    plot_option,
    say,
    setting,
)
from pnet_lp.cli.output import Output
from pnet_lp.cli.progress import CountLine, SimulationLine
from pnet_lp.report.simulate import (
    flow_columns,
    is_partial,
    simulation_document,
    simulation_report,
    write_records,
    write_simulation_plot,
)
from pnet_lp.routing import Policy, RoutingSettings
from pnet_lp.sim import ScenarioWords, Settings, SimulationResult, run_words


@click.command(
    cls=Command,
    example="pnet-lp simulate fat-tree:k=4 --link-gbps 10 --traffic permutation --flow-size 1MB",
)
@network_arguments
@option(
    "--fail-at",
    metavar="TIME",
    needs=FAILING,
    help="When what fails goes down.  [default: it is down all the time]",
)
@option("--fail-until", metavar="TIME", needs=FAILING, help="When it comes back.  [default: never]")
@option(
    "--reroute-after",
    metavar="TIME",
    needs=("fail_at", "fail_until"),
    help="What paths need to take note of a failure or repair meanwhile.  [default: they never do]",
)
@option(
    "--traffic",
    metavar="EXPR|FILE",
    needs=("flow_size", "workload"),
    help="Who sends to whom (`pnet-lp list traffic`); demands are between hosts.",
)
@option(
    "--flow-size",
    metavar="SIZES",
    needs=("traffic",),
    help="One flow for each demand, all from the start: 10MB, or a name of `pnet-lp list sizes`.",
)
@option(
    "--workload",
    metavar="EXPR",
    excludes=("flow_size",),
    help="Flows, their sizes and starts (`pnet-lp list workloads`).",
)
@click.option(
    "--preset", metavar="NAME", help="Values of a paper (`pnet-lp list presets`); options override them."
)
@click.option("--transport", metavar="EXPR", help="See `pnet-lp list transports`.  [default: tcp]")
@click.option("--queue", metavar="EXPR", help="See `pnet-lp list queues`.  [default: drop-tail]")
@click.option("--forwarding", metavar="EXPR", help="See `pnet-lp list forwardings`.  [default: ecmp]")
@option(
    "--routing",
    excludes=("forwarding",),
    help="Flows take a path of this routing (`pnet-lp list routings`), in place of --forwarding.",
)
@setting(RoutingSettings, "plane_policy")
@click.option(
    "--link-delay",
    metavar="TIME",
    help="Propagation delay of links without one of their own.  [default: 1us]",
)
@click.option(
    "--packet", metavar="BYTES", help="A full packet on the wire, header included.  [default: 1500]"
)
@click.option("--header", metavar="BYTES", help="What of a packet is not payload.  [default: 40]")
@click.option("--ack", metavar="BYTES", help="An acknowledgement.  [default: 40]")
@click.option("--time-limit", metavar="TIME", help="Simulated time at which to stop.  [default: none]")
@click.option("--event-limit", type=click.IntRange(1), help="Events after which to stop.  [default: none]")
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Runs, with the seeds from --seed on.",
)
@option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    needs=("repeat",),
    help="Processes that run at the same time; results do not depend on it.",
)
@option(
    "--trace",
    multiple=True,
    metavar="WHAT:WHERE",
    needs=("records",),
    help="Write down queue:FROM->TO, at each arrival, or window and arrivals of flow:NUMBER; may be repeated.",
)
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the records of flows and ports and for traces, as Parquet with a manifest.",
)
@plot_option("completion times, and slowdown against size")
@output_options("flow")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    network: NetworkArguments,
    fail_at: str | None,
    fail_until: str | None,
    reroute_after: str | None,
    traffic: str | None,
    flow_size: str | None,
    workload: str | None,
    preset: str | None,
    transport: str | None,
    queue: str | None,
    forwarding: str | None,
    routing: str | None,
    plane_policy: Policy,
    link_delay: str | None,
    packet: str | None,
    header: str | None,
    ack: str | None,
    time_limit: str | None,
    event_limit: int | None,
    repeat: int,
    jobs: int,
    trace: tuple[str, ...],
    records: Path | None,
    plot: Path | None,
    output: Output,
) -> None:
    """Simulate flows packet by packet, and say how long they take.

    Each TOPOLOGY is one plane, as for `pnet-lp throughput`.  What fails is down all the time and no path uses it, or,
    with --fail-at and --fail-until, for a time.  A flow's completion time lasts from its start to the acknowledgement
    of its last byte.

    Exit code 3 says that a run ended before all its flows were complete, at a limit or by Ctrl-C; what is printed holds
    for those that were.
    """
    if flow_size is None and workload is None:
        raise click.UsageError("no flows: give --traffic with --flow-size, or --workload", ctx)
    options = network.options
    words = ScenarioWords(
        topologies=network.topologies,
        workload=workload or f"each:sizes={flow_size}",
        traffic=traffic,
        planes=options.planes,
        variant=options.variant,
        link_gbps=options.link_gbps,
        hosts_per_switch=options.hosts_per_switch,
        failures=options.failures,
        fail_at=fail_at,
        fail_until=fail_until,
        reroute_after=reroute_after,
        settings=Settings(
            preset=preset,
            transport=transport,
            queue=queue,
            forwarding=forwarding,
            routing=routing,
            plane_policy=plane_policy,
            link_delay=link_delay,
            packet=packet,
            header=header,
            ack=ack,
            time_limit=time_limit,
            event_limit=event_limit,
            trace=trace,
        ),
        seed=network.seed,
    )
    results: list[SimulationResult] = []
    interrupted = False
    try:
        with SimulationLine(repeat) if jobs == 1 else CountLine(repeat, "runs") as line:
            watch = line.of if isinstance(line, SimulationLine) else (lambda _: None)
            for result in run_words(words, repeat=repeat, jobs=jobs, on_progress=watch):
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
            (plot, lambda path: write_simulation_plot(results, ", ".join(network.topologies), path)),
        ],
        partial=is_partial(results) or interrupted,
    )
