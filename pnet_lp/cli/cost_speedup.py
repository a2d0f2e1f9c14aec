"""``pnet-lp cost speedup``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, Number
from pnet_lp.cli.cost_options import prices_option
from pnet_lp.cli.options import (
    grouped,
    output_options,
    seed_option,
    setting,
    threads_option,
    tolerance_option,
)
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.cost import equal_cost, load_book
from pnet_lp.model.network import LEVELS, Level
from pnet_lp.optical import SpeedUpSettings, speedup
from pnet_lp.report.speedup import circuit_columns, speedup_columns, speedup_document, speedup_report
from pnet_lp.tables import TABLE_FORMATS, write_table


def _halved(_: click.Context, __: click.Parameter, ports: int | None) -> int | None:
    if ports is not None and ports % 2:
        raise click.BadParameter(f"found {ports}; allowed: an even number, half of them for servers")
    return None if ports is None else ports // 2


_SIZES = ("oversubscription", "links", "servers", "servers_per_rack")

speedup_options = grouped(
    "settings",
    SpeedUpSettings,
    setting(SpeedUpSettings, "scenario"),
    setting(SpeedUpSettings, "job", excludes=_SIZES),
    setting(SpeedUpSettings, "oversubscription"),
    setting(SpeedUpSettings, "links"),
    setting(SpeedUpSettings, "servers"),
    setting(
        SpeedUpSettings,
        "servers_per_rack",
        "--ports",
        "servers_per_rack",
        type=click.IntRange(2),
        callback=_halved,
        help="Ports of a ToR, half of which are for servers.  [default: 64]",
    ),
    setting(SpeedUpSettings, "scattered"),
    setting(SpeedUpSettings, "search"),
    setting(SpeedUpSettings, "delay_s", "--delay", "delay_s"),
)
"""Adds what the speed-up is of; the command gets ``settings``: SpeedUpSettings."""


@click.command(
    cls=Command, example="pnet-lp cost speedup --scenario 1 --job --traffic mpi-fft --traffic mpi-mg"
)
@speedup_options
@click.option(
    "--traffic",
    "texts",
    metavar="EXPR|FILE",
    multiple=True,
    default=("mpi-fft",),
    show_default=True,
    help="Traffic matrix between processes, one per server; repeat it for several rows.",
)
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="host",
    show_default=True,
    help="rack: the traffic matrix is between racks.",
)
@click.option(
    "--volume",
    type=Number(0, min_open=True),
    help="Bytes of a whole workload, for its speed-up with the delay.",
)
@tolerance_option()
@seed_option
@threads_option
@prices_option
@click.option("--circuits", type=OutputFile(TABLE_FORMATS), help="Write a table, one row per pair of racks.")
@output_options("workload")
def command(
    *,
    settings: SpeedUpSettings,
    texts: tuple[str, ...],
    level: Level,
    volume: float | None,
    tolerance: float,
    seed: int,
    threads: int,
    prices: tuple[str, ...],
    circuits: Path | None,
    output: Output,
) -> None:
    """Compute how much faster a workload communicates over optical circuits set for it than over a fat tree.

    Processes are clustered into racks, circuits chosen for the demands between racks, and both networks solved.
    """
    books = load_book("price", prices), load_book("power")
    cluster = settings.cluster
    price = equal_cost(
        cluster.oversubscription,
        *books,
        servers=cluster.servers,
        ports=2 * cluster.servers_per_rack,
        links=cluster.links,
    )
    found = []
    for text in texts:
        with BoundsLine(text) as on_progress:
            found.append(
                speedup(
                    settings.networks,
                    text,
                    level=level,
                    seed=seed,
                    tolerance=tolerance,
                    threads=threads,
                    on_progress=on_progress,
                    **settings.options(),
                )
            )
    document = speedup_document(found, price, books[0], volume)
    output.emit(
        document,
        lambda: speedup_report(document),
        table=lambda: speedup_columns(document),
        files=[(circuits, lambda path: write_table(circuit_columns(found), path))],
        statuses=[row["status"] for row in document["workloads"]],
    )
