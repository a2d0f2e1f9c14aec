"""``pnet-lp topology``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.options import NetworkArguments, network_arguments
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.report.topology import topology_headline, topology_table
from pnet_lp.topology import describe, write_network


@click.command(cls=Command, example="pnet-lp topology fat-tree:k=4 jellyfish:k=4,seed=1")
@network_arguments
@click.option("-o", "--out", type=OutputFile(), help="Write the network to a file; the suffix is the format.")
@json_option
def command(network: NetworkArguments, out: Path | None, as_json: bool) -> None:
    """Say what a network is made of, or convert files.

    Each TOPOLOGY is one plane: an expression (`pnet-lp list topologies`) or a file.
    """
    built = network.build()
    if out:
        write_network(built, out)
    description = describe(built)
    if as_json:
        print_json(description.to_json())
    else:
        print_report(topology_headline(description), topology_table(description))
