"""``pnet-lp traffic``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import (
    NetworkArguments,
    file_option,
    network_named,
    output_options,
    traffic_argument,
)
from pnet_lp.cli.output import Output
from pnet_lp.report.traffic import traffic_document, traffic_report
from pnet_lp.traffic import TrafficSettings, aggregate, write_traffic


@click.command(cls=Command, example="pnet-lp traffic staggered:edge=0.5,pod=0.3 --on fat-tree:k=4")
@traffic_argument
@network_named
@click.option("--to-racks", is_flag=True, help="Add up the demands between hosts by rack.")
@file_option("the matrix")
@output_options()
def command(
    traffic: TrafficSettings, network: NetworkArguments, to_racks: bool, file: Path | None, output: Output
) -> None:
    """Summarise a traffic matrix, or write it to a file.

    TRAFFIC is an expression (`pnet-lp list traffic`), a file, or a weighted sum of these, such as
    0.5*all-to-all+2*permutation:seed=3.  --to-racks leaves out demands within a rack; a warning counts them.
    """
    built = network.build()
    matrix = traffic.matrix(built, network.seed)
    aggregated = aggregate(matrix, built) if to_racks else None
    if aggregated:
        matrix = aggregated.matrix
    if file:
        write_traffic(matrix, built, file)
    document = traffic_document(built, matrix, aggregated, failing=bool(network.options.failures))
    output.emit(document, lambda: [traffic_report(document)])
