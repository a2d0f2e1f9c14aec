"""``pnet-lp traffic``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.options import NetworkArguments, TrafficArguments, network_options, traffic_argument
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.report.traffic import traffic_document, traffic_report
from pnet_lp.traffic import aggregate, write_traffic


@click.command(cls=Command, example="pnet-lp traffic staggered:edge=0.5,pod=0.3 --on fat-tree:k=4")
@traffic_argument
@network_options
@click.option("--to-racks", is_flag=True, help="Add the demands between hosts up by rack.")
@click.option("-o", "--out", type=OutputFile(), help="Write the matrix to a file; the suffix is the format.")
@json_option
def command(
    traffic: TrafficArguments, network: NetworkArguments, to_racks: bool, out: Path | None, as_json: bool
) -> None:
    """Say what a traffic matrix demands, or write it to a file.

    TRAFFIC is an expression (`pnet-lp list traffic`), a file, or a sum of either with factors, such as
    0.5*all-to-all+2*permutation:seed=3.  Demands inside a rack, which --to-racks leaves out, are counted in a
    warning.
    """
    built = network.build()
    matrix = traffic.build(built, network.seed)
    aggregated = aggregate(matrix, built) if to_racks else None
    if aggregated:
        matrix = aggregated.matrix
    if out:
        write_traffic(matrix, built, out)
    document = traffic_document(built, matrix, aggregated)
    if as_json:
        print_json(document)
    else:
        print_report(traffic_report(document))
