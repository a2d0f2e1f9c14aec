"""``pnet-lp paths``."""

from __future__ import annotations

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import (
    NetworkArguments,
    find_pair,
    network_arguments,
    option,
    output_options,
    pair_level_option,
    setting,
    threads_option,
)
from pnet_lp.cli.output import Output
from pnet_lp.model.network import Level
from pnet_lp.model.summary import summarise_network
from pnet_lp.report.paths import (
    path_columns,
    path_documents,
    path_table,
    statistics_columns,
    statistics_table,
)
from pnet_lp.routing import Policy, RoutingSettings, parse_routing, path_statistics


@click.command(cls=Command, example="pnet-lp paths fat-tree:k=4 --routing ksp:4 --pair h0 h15")
@network_arguments
@setting(RoutingSettings, "routing", default="ksp:8")
@setting(RoutingSettings, "plane_policy")
@option(
    "--pair",
    nargs=2,
    metavar="A B",
    excludes=("stats",),
    help="Show the paths from endpoint A to endpoint B.",
)
@click.option("--stats", is_flag=True, help="Show statistics over all ordered pairs.")
@pair_level_option
@threads_option
@output_options("path, with --stats one per number of hops")
def command(
    network: NetworkArguments,
    routing: str,
    plane_policy: Policy,
    pair: tuple[str, str] | None,
    stats: bool,
    level: Level | None,
    threads: int,
    output: Output,
) -> None:
    """List the paths that a routing allows between two endpoints, or statistics of all paths.

    --seed breaks ties between equally good paths.  Not every routing has such a list.
    """
    if pair is None and not stats:
        raise click.UsageError("give either --pair A B or --stats")
    chosen = parse_routing(routing, policy=plane_policy, seed=network.seed)
    built = network.build()
    level = built.settled_level(level)
    head = {
        "routing": routing,
        "plane_policy": plane_policy,
        "level": level,
        "network": summarise_network(built),
    }
    if pair is None:
        found = path_statistics(built, level, chosen, threads=threads)
        output.emit(head | found, lambda: [statistics_table(found)], table=lambda: statistics_columns(found))
        return
    source, target = find_pair(built, level, pair)
    paths = path_documents(built, chosen.paths(built, level, [source], [target], threads=threads))
    output.emit(
        {**head, "pair": list(pair), "paths": paths},
        lambda: [path_table(paths) if paths else f"no plane has a path from {pair[0]} to {pair[1]}"],
        table=lambda: path_columns(paths),
    )
