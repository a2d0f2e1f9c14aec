"""``pnet-lp topology``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.options import NetworkArguments, network_arguments
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.report.topology import bisection_line, topology_headline, topology_table
from pnet_lp.throughput.bounds import find_bisection
from pnet_lp.topology import describe, write_network

LARGEST_BISECTED = 2000
"""Switches of all planes up to which the bisection is looked for unasked: a few seconds."""


@click.command(cls=Command, example="pnet-lp topology fat-tree:k=4 jellyfish:k=4,seed=1")
@network_arguments
@click.option("-o", "--out", type=OutputFile(), help="Write the network to a file; the suffix is the format.")
@click.option("--ports", type=click.IntRange(1), help="Ports of every switch, to count the free ones.")
@json_option
def command(network: NetworkArguments, out: Path | None, ports: int | None, as_json: bool) -> None:
    """Say what a network is made of, or convert files.

    Each TOPOLOGY is one plane: an expression (`pnet-lp list topologies`) or a file.
    """
    built = network.build()
    if out:
        write_network(built, out)
    description = describe(built, switch_ports=ports)
    looked = built.switch_count <= LARGEST_BISECTED
    bisection = find_bisection(built) if looked else None
    if as_json:
        halves = None if bisection is None else {"gbps": bisection.gbps, "proved": bisection.proved}
        print_json(description.to_json() | {"bisection": halves})
    else:
        print_report(
            topology_headline(description),
            topology_table(description),
            bisection_line(bisection, looked=looked),
        )
