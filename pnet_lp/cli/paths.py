"""``pnet-lp paths``."""

from __future__ import annotations

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.options import NetworkArguments, network_arguments, policy_option, threads_option
from pnet_lp.cli.output import print_json, print_report
from pnet_lp.errors import SpecError
from pnet_lp.model.network import LEVELS, Level
from pnet_lp.registry import nearest
from pnet_lp.report.paths import path_documents, path_table, statistics_table
from pnet_lp.routing import Policy, parse_routing, path_statistics


@click.command(cls=Command, example="pnet-lp paths fat-tree:k=4 --routing ksp:4 --pair h0 h15")
@network_arguments
@click.option(
    "--routing",
    default="ksp:8",
    show_default=True,
    help="ecmp, ecmp-lp, ecmp-split, ksp:K, or edge-disjoint:K.",
)
@policy_option
@click.option("--pair", nargs=2, metavar="A B", help="Show the paths from A to B, by name.")
@click.option("--stats", is_flag=True, help="Show statistics over all ordered pairs.")
@click.option(
    "--level", type=click.Choice(LEVELS), help="Pairs of racks or of hosts.  [default: host if any]"
)
@threads_option
@json_option
def command(
    network: NetworkArguments,
    routing: str,
    plane_policy: Policy,
    pair: tuple[str, str] | None,
    stats: bool,
    level: Level | None,
    threads: int,
    as_json: bool,
) -> None:
    """List the paths that a routing allows between two endpoints, or say what they are like.

    Ties between equally good paths are broken by --seed.  The routing vlb leads over every switch and has no list.
    """
    if (pair is None) != stats:
        raise click.UsageError("give either --pair A B or --stats")
    chosen = parse_routing(routing, policy=plane_policy, seed=network.seed)
    built = network.build()
    level = level or built.default_level
    built.check_level(level)
    names = built.endpoint_names(level)
    if pair is None:
        found = path_statistics(built, level, chosen, threads=threads)
        if as_json:
            print_json({"routing": routing, "plane_policy": plane_policy, "level": level, **found})
        else:
            print_report(statistics_table(found))
        return
    ends = [_index(name, names, level) for name in pair]
    paths = path_documents(built, chosen.paths(built, level, ends[:1], ends[1:], threads=threads))
    if as_json:
        print_json(
            {
                "routing": routing,
                "plane_policy": plane_policy,
                "level": level,
                "pair": list(pair),
                "paths": paths,
            }
        )
    elif paths:
        print_report(path_table(paths))
    else:
        print_report(f"no plane has a path from {pair[0]} to {pair[1]}")


def _index(name: str, names: tuple[str, ...], level: Level) -> int:
    if name not in names:
        raise SpecError(
            f"no {level} is called {name!r}{nearest(name, dict.fromkeys(names))}",
            where="--pair",
            allowed=f"{names[0]} to {names[-1]}",
        )
    return names.index(name)
