"""``pnet-lp topology``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, Whole
from pnet_lp.cli.options import build, file_option, option, options_of, output_options
from pnet_lp.cli.output import Output
from pnet_lp.questions.keys import NetworkKeys
from pnet_lp.report.topology import bisection_line, servers_line, topology_headline, topology_table
from pnet_lp.throughput.bounds import find_bisection
from pnet_lp.topology import describe, write_network

LARGEST_BISECTED = 2000
"""Switches of all planes up to which the bisection is looked for unasked: a few seconds."""


@click.command(cls=Command, example="pnet-lp topology torus:dims=3x3 jellyfish:switches=9,ports=4")
@options_of("network", NetworkKeys)
@file_option("the network")
@option("--ports", type=Whole(1), help="Number of ports of every switch; free ones are then counted.")
@output_options()
def command(network: NetworkKeys, file: Path | None, ports: int | None, output: Output) -> None:
    """Print counts, sizes and bisection of a network, or convert files.

    Each TOPOLOGY is one plane: an expression (`pnet-lp list topologies`) or a file; 8x[TOPOLOGY] is eight.
    """
    built = build(network)
    if file:
        write_network(built, file)
    description = describe(built, switch_ports=ports)
    looked = built.switch_count <= LARGEST_BISECTED and built.servers is None
    bisection = find_bisection(built) if looked else None
    halves = None if bisection is None else {"gbps": bisection.gbps, "proved": bisection.proved}
    output.emit(
        description.to_json() | {"bisection": halves, "warnings": list(built.warnings)},
        lambda: [
            topology_headline(description),
            topology_table(description),
            servers_line(description) or bisection_line(bisection, looked=looked),
        ],
    )
