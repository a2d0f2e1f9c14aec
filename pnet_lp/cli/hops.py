"""``pnet-lp hops``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.options import NetworkArguments, network_arguments, numbers, threads_option
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.errors import SpecError
from pnet_lp.hops import HopTrials, Rpc, run_trials
from pnet_lp.model import Network
from pnet_lp.model.network import LEVELS, Level
from pnet_lp.registry import nearest
from pnet_lp.report.hops import (
    hop_document,
    hop_lines,
    read_curves,
    sweep_columns,
    sweep_document,
    sweep_table,
    write_hop_chart,
)
from pnet_lp.report.tables import SUFFIXES, write_table


@click.command(
    cls=Command, example="pnet-lp hops jellyfish:k=8 --planes 4 --fail-links 0.2 --trials 20 --seed 1"
)
@network_arguments
@click.option(
    "--level", type=click.Choice(LEVELS), help="Pairs of racks or of hosts.  [default: host if any]"
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Independent draws of the failures.",
)
@click.option(
    "--sweep",
    callback=numbers(float),
    metavar="F,F,...",
    help="Shares of failed cables, one after the other, in place of --fail-links.",
)
@click.option(
    "--pair", nargs=2, metavar="A B", help="Say how often A reaches B, by name, and in how many hops."
)
@click.option(
    "--rpc-bytes", type=click.FloatRange(0, min_open=True), help="Estimate the time of a call of this size."
)
@click.option(
    "--rate",
    "rate_gbps",
    type=click.FloatRange(0, min_open=True),
    help="Speed of all links for --rpc-bytes, in Gb/s.  [default: that of the network's links]",
)
@click.option(
    "--hop-delay",
    "hop_delay_us",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="Delay of a link for --rpc-bytes, in microseconds.",
)
@threads_option
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Curves to draw into --chart: CSV with curve, fail_links, mean_hops.",
)
@click.option("--chart", type=OutputFile(".png"), help="Draw mean hops against failed cables, with --sweep.")
@click.option("-o", "--out", type=OutputFile(*SUFFIXES), help="Write one row per trial as a table.")
@json_option
def command(
    *,
    network: NetworkArguments,
    level: Level | None,
    trials: int,
    sweep: tuple[float, ...],
    pair: tuple[str, str] | None,
    rpc_bytes: float | None,
    rate_gbps: float | None,
    hop_delay_us: float,
    threads: int,
    published: Path | None,
    chart: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Say how many hops apart endpoints are, also when links and switches fail.

    A hop is a link between switches; of several planes the nearest counts, and two hosts on one switch are 0 hops
    apart. Pairs without a path are counted and enter no mean.  Over several trials, intervals are of 95 % confidence.
    """
    if chart and not sweep:
        raise click.UsageError("--chart needs --sweep")
    if published and not chart:
        raise click.UsageError("--published needs --chart")
    if sweep and pair:
        raise click.UsageError("give either --sweep or --pair A B")
    failures = network.failures
    steps = [replace(failures, links=share) for share in sweep] or [failures]
    curves = read_curves(published) if published else {}
    intact = network.build_intact()
    level = level or intact.default_level
    intact.check_level(level)
    rpc = None if rpc_bytes is None else Rpc(rpc_bytes, rate_gbps or _only_speed(intact), hop_delay_us)
    pairs = [_pair(intact, level, pair)] if pair else []
    found: list[HopTrials] = [
        run_trials(intact, step, level, trials=trials, seed=network.seed, pairs=pairs, threads=threads)
        for step in steps
    ]
    shares = [step.links for step in steps]
    if out:
        write_table(sweep_columns(shares, found), out)
    if chart:
        write_hop_chart(shares, found, ", ".join(network.topologies), chart, curves)
    document = sweep_document(shares, found, rpc) if sweep else hop_document(found[0], rpc, pair)
    if as_json:
        print_json(document)
    elif sweep:
        print_report(sweep_table(document))
    else:
        print_report(*hop_lines(document))


def _only_speed(network: Network) -> float:
    """Return the speed of all links of a network, access links included."""
    speeds: set[float] = set()
    for plane in network.planes:
        attached = plane.host_switch >= 0
        for values in (
            plane.capacity_uv_gbps,
            plane.capacity_vu_gbps,
            plane.access_up_gbps[attached],
            plane.access_down_gbps[attached],
        ):
            speeds.update(values.tolist())
    speeds.discard(0.0)
    if len(speeds) != 1:
        raise SpecError(
            f"the network's links have {len(speeds)} speeds", where="--rpc-bytes", allowed="--rate C with it"
        )
    return speeds.pop()


def _pair(network: Network, level: Level, pair: tuple[str, str]) -> tuple[int, int]:
    names = network.endpoint_names(level)
    for name in pair:
        if name not in names:
            raise SpecError(
                f"no {level} is called {name!r}{nearest(name, dict.fromkeys(names))}",
                where="--pair",
                allowed=f"{names[0]} to {names[-1]}",
            )
    if pair[0] == pair[1]:
        raise SpecError("the two ends are the same", where="--pair", found=pair[0])
    return names.index(pair[0]), names.index(pair[1])
