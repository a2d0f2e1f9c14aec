"""``pnet-lp traffic``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click
from pydantic import Field

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import OnNetwork, build, file_option, option, options_of, output_options
from pnet_lp.cli.output import Output
from pnet_lp.flags import Flag
from pnet_lp.questions.keys import TrafficKeys
from pnet_lp.report.traffic import traffic_document, traffic_report
from pnet_lp.traffic import aggregate, write_traffic


class _Keys(TrafficKeys, OnNetwork):
    """A matrix and the network that it is for."""

    traffic: Annotated[str, Flag(argument="TRAFFIC")] = Field(description="traffic matrix")


@click.command(cls=Command, example="pnet-lp traffic staggered:edge=0.5,pod=0.3 --on fat-tree:k=4")
@options_of("keys", _Keys)
@option("--to-racks", is_flag=True, help="Add up the demands between hosts by rack.")
@file_option("the matrix")
@output_options()
def command(keys: _Keys, to_racks: bool, file: Path | None, output: Output) -> None:
    """Summarise a traffic matrix, or write it to a file.

    TRAFFIC is an expression (`pnet-lp list traffic`), a file, or a weighted sum of these, such as
    0.5*all-to-all+2*permutation:seed=3.  --to-racks leaves out demands within a rack; a warning counts them.
    """
    network = build(keys)
    matrix = keys.demands(network, keys.seed)
    aggregated = aggregate(matrix, network) if to_racks else None
    if aggregated:
        matrix = aggregated.matrix
    if file:
        write_traffic(matrix, network, file)
    document = traffic_document(network, matrix, aggregated, failing=bool(keys.failures))
    warnings = [*network.warnings, *document["warnings"]]
    output.emit(document | {"warnings": warnings}, lambda: [traffic_report(document)])
