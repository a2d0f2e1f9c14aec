"""``pnet-lp throughput``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import (
    NetworkArguments,
    network_arguments,
    output_options,
    solve_options,
    threads_option,
    traffic_options,
)
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.cli.time_limit import ending_at
from pnet_lp.model import Network, ThroughputResult, TrafficMatrix
from pnet_lp.report.links import link_table, rate_table
from pnet_lp.report.tables import SUFFIXES, write_table
from pnet_lp.report.throughput import throughput_report
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.settings import ObjectiveSettings
from pnet_lp.throughput.write_lp import LP_SUFFIXES, write_lp
from pnet_lp.traffic import TrafficSettings


@click.command(
    cls=Command,
    example="pnet-lp throughput jellyfish:k=8 --planes 4 --variant heterogeneous --level rack",
)
@network_arguments
@traffic_options
@solve_options
@threads_option
@click.option("--save", type=OutputFile(), help="Save the result with its proof, for `pnet-lp verify`.")
@click.option(
    "--links", type=OutputFile(*SUFFIXES), help="Write load and length of every directed link as a table."
)
@click.option(
    "--write-lp",
    "lp_file",
    type=OutputFile(*LP_SUFFIXES),
    help="Write the linear program of K for another solver, before solving.",
)
@output_options("demand, with its rate")
def command(
    *,
    network: NetworkArguments,
    traffic: TrafficSettings,
    asked: ObjectiveSettings,
    threads: int,
    save: Path | None,
    links: Path | None,
    lp_file: Path | None,
    output: Output,
) -> None:
    """Say how much of a traffic matrix fits into a network.

    Each TOPOLOGY is one plane: an expression such as fat-tree:k=8 or jellyfish:k=8,seed=1 (`pnet-lp list
    topologies`), or a file.  The answer is the largest K such that every demand d gets K d at the same
    time, between two bounds that `pnet-lp verify` can check again without a solver.  Other objectives give
    rates to single demands, or the cheapest way to carry all.

    Exit code 3 says that the bounds have not met within the tolerance; they hold all the same.
    """
    deadline = asked.deadline()
    with ending_at(deadline, "building the network"):
        built = network.build()
    with ending_at(deadline, "building the traffic matrix"):
        matrix = traffic.matrix(built, network.seed)
    if lp_file:
        with ending_at(deadline, "writing the linear program"):
            write_lp(
                lp_file,
                built,
                matrix,
                routing=asked.routing,
                plane_policy=asked.plane_policy,
                seed=network.seed,
                threads=threads,
            )
    with BoundsLine() as on_progress:
        try:
            result = solve(
                built,
                matrix,
                on_progress=on_progress,
                **asked.options(network.seed, threads, deadline),
            )
        except Interrupted as stopped:
            result = stopped.result
    document = result.to_json()
    output.emit(
        document,
        lambda: [throughput_report(document)],
        table=lambda: rate_table(built, matrix, result),
        files=[
            (save, lambda path: _save(path, built, matrix, result)),
            (links, lambda path: write_table(link_table(built, matrix, result), path)),
        ],
        statuses=[result.status],
    )


def _save(path: Path, network: Network, traffic: TrafficMatrix, result: ThroughputResult) -> None:
    from pnet_lp.throughput.proofs.store import save_result  # noqa: PLC0415 - slow to load

    save_result(path, network, traffic, result)
