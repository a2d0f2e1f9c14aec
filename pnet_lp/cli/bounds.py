"""``pnet-lp bounds``."""

from __future__ import annotations

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import (
    NetworkArguments,
    network_arguments,
    option,
    output_options,
    threads_needing,
    tolerance_option,
    traffic_options,
)
from pnet_lp.cli.output import Output
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.report.bounds import bounds_columns, bounds_document, bounds_lines, bounds_table
from pnet_lp.throughput import Interrupted, solve
from pnet_lp.throughput.bounds import BOUNDS, compute_bounds
from pnet_lp.traffic import TrafficSettings


@click.command(cls=Command, example="pnet-lp bounds torus:dims=4x8 --solve")
@network_arguments
@traffic_options
@option(
    "--bound",
    "names",
    metavar="NAME",
    multiple=True,
    listed=BOUNDS.names,
    help="{}; may be repeated.  [default: all]",
)
@click.option("--solve", "solved", is_flag=True, help="Also solve the throughput, and compare.")
@tolerance_option(needs=("solved",))
@threads_needing("solved")
@output_options("bound")
def command(
    *,
    network: NetworkArguments,
    traffic: TrafficSettings,
    names: tuple[str, ...],
    solved: bool,
    tolerance: float,
    threads: int,
    output: Output,
) -> None:
    """Compute simple bounds on the throughput, and compare them with it (--solve).

    Each is an upper bound on the throughput of the traffic, except tub: it bounds the throughput of the worst traffic
    in which no endpoint sends or receives more.

    Exit code 3: --solve has not reached the tolerance.
    """
    built = network.build()
    matrix = traffic.matrix(built, network.seed)
    bounds = compute_bounds(built, matrix, names)
    result = None
    if solved:
        with BoundsLine() as on_progress:
            try:
                result = solve(built, matrix, tolerance=tolerance, threads=threads, on_progress=on_progress)
            except Interrupted as stopped:
                result = stopped.result
    document = bounds_document(bounds, result)
    output.emit(
        document,
        lambda: [bounds_table(document), *bounds_lines(document)],
        table=lambda: bounds_columns(document),
        statuses=[result.status] if result else [],
    )
