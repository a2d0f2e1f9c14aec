"""``pnet-lp hops``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from pnet_lp.cli.command import Command, Number, given
from pnet_lp.cli.options import (
    FAILING,
    NetworkArguments,
    find_pair,
    network_arguments,
    numbers,
    option,
    output_options,
    pair_level_option,
    plot_option,
    threads_option,
)
from pnet_lp.cli.output import Output
from pnet_lp.errors import SpecError
from pnet_lp.hops import HopTrials, Rpc, only_speed, run_trials
from pnet_lp.model.network import Level
from pnet_lp.model.summary import summarise_network
from pnet_lp.report.hops import (
    hop_document,
    hop_lines,
    read_curves,
    sweep_columns,
    sweep_document,
    sweep_table,
    write_hop_chart,
)
from pnet_lp.seeds import MOST_DRAWS


@click.command(
    cls=Command, example="pnet-lp hops jellyfish:k=8 --planes 4 --fail-links 0.2 --trials 20 --seed 1"
)
@network_arguments
@pair_level_option
@click.option(
    "--trials",
    type=click.IntRange(1, MOST_DRAWS),
    default=1,
    show_default=True,
    help="Number of independent draws of the failures.",
)
@option(
    "--sweep",
    callback=numbers(float, 1),
    metavar="F,F,...",
    excludes=("fail_links", "pair"),
    help="Several shares of failed cables, in place of --fail-links.",
)
@click.option("--pair", nargs=2, metavar="A B", help="Print how often A reaches B, and in how many hops.")
@click.option(
    "--rpc-bytes", type=Number(0, min_open=True), help="Estimate the time of a remote call of so many bytes."
)
@option(
    "--rate",
    "rate_gbps",
    type=Number(0, min_open=True),
    needs=("rpc_bytes",),
    help="Link speed for --rpc-bytes, in Gb/s.  [default: the network's]",
)
@option(
    "--hop-delay",
    "hop_delay_us",
    type=Number(0),
    needs=("rpc_bytes",),
    default=1.0,
    show_default=True,
    help="Propagation delay of a link for --rpc-bytes, in microseconds.",
)
@threads_option
@option(
    "--published",
    type=click.Path(path_type=Path),
    metavar="FILE",
    needs=("plot",),
    help="Published curves to add to --plot: CSV with curve, fail_links, mean_hops.",
)
@plot_option("mean hops against failed cables, with --sweep", needs=("sweep",))
@output_options("trial")
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
    plot: Path | None,
    output: Output,
) -> None:
    """Count the hops between endpoints, also when links and switches fail.

    A hop is a link between switches, in the plane where the pair is nearest; two hosts on one switch are 0 hops apart.
    Pairs without a path are counted and enter no mean.  Intervals over several trials have 95 % confidence.
    """
    failures = network.options.failures
    steps = [replace(failures, links=share) for share in sweep] or [failures]
    if given(["trials"]) and not given([*FAILING, "sweep"]):
        raise SpecError("nothing fails, so that all trials are alike", where="trials", found=trials)
    curves = read_curves(published) if published else {}
    intact = network.build_intact()
    level = intact.settled_level(level)
    rpc = None
    if rpc_bytes is not None:
        rpc = Rpc(rpc_bytes, rate_gbps or only_speed(intact, instead="--rate C with it"), hop_delay_us)
    pairs = [find_pair(intact, level, pair)] if pair else []
    found: list[HopTrials] = [
        run_trials(intact, step, level, trials=trials, seed=network.seed, pairs=pairs, threads=threads)
        for step in steps
    ]
    shares = [step.links for step in steps]
    document = sweep_document(shares, found, rpc) if sweep else hop_document(found[0], rpc, pair)
    document["network"] = summarise_network(intact)
    output.emit(
        document,
        lambda: [sweep_table(document)] if sweep else hop_lines(document),
        table=lambda: sweep_columns(shares, found),
        files=[
            (plot, lambda path: write_hop_chart(shares, found, ", ".join(network.topologies), path, curves))
        ],
    )
