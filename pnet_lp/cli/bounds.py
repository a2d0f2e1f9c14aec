"""``pnet-lp bounds``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import BOUNDS_ONLY, Command, json_option
from pnet_lp.cli.options import (
    NetworkArguments,
    TrafficArguments,
    network_arguments,
    threads_option,
    traffic_options,
)
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.report.bounds import bounds_columns, bounds_document, bounds_lines, bounds_table
from pnet_lp.report.tables import SUFFIXES, write_table
from pnet_lp.throughput import solve
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE


@click.command(cls=Command, example="pnet-lp bounds torus:dims=4x8 --solve")
@network_arguments
@traffic_options
@click.option(
    "--bound",
    "names",
    metavar="NAME",
    multiple=True,
    help="nic, mean-path, moore, tub, bisection or sparsest-cut; may be repeated.  [default: all]",
)
@click.option("--solve", "solved", is_flag=True, help="Solve the throughput too, and compare.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=DEFAULT_TOLERANCE,
    show_default=True,
    help="Relative gap at which --solve stops.",
)
@threads_option
@click.option("-o", "--out", type=OutputFile(*SUFFIXES), help="Write one row per bound as a table.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    network: NetworkArguments,
    traffic: TrafficArguments,
    names: tuple[str, ...],
    solved: bool,
    tolerance: float,
    threads: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Say what simple bounds allow, and with --solve how far that is from what a network carries.

    Each bound is an upper bound on the throughput of the traffic, but for tub, which bounds that of the worst
    traffic in which nobody sends or receives more.

    Exit code 3 says that --solve has not reached the tolerance.
    """
    built = network.build()
    matrix = traffic.build(built, network.seed)
    bounds = compute_bounds(built, matrix, names)
    result = None
    if solved:
        with BoundsLine() as on_progress:
            result = solve(built, matrix, tolerance=tolerance, threads=threads, on_progress=on_progress)
    document = bounds_document(bounds, result)
    if out:
        write_table(bounds_columns(document), out)
    if as_json:
        print_json(document)
    else:
        print_report(bounds_table(document), *bounds_lines(document))
    if result and result.status == "bounds":
        ctx.exit(BOUNDS_ONLY)
