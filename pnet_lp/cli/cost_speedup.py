"""``pnet-lp cost speedup``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.cost_options import prices_option
from pnet_lp.cli.options import option, output_options, seed_option, threads_option, tolerance_option
from pnet_lp.cli.output import Output, OutputFile
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.cost import equal_cost, load_book
from pnet_lp.errors import SpecError
from pnet_lp.model.network import LEVELS, Level
from pnet_lp.optical import SCENARIOS, TESTBEDS, Scenario, speedup
from pnet_lp.optical.speedup import DEFAULT_SOLVES, RECONFIGURATION_S
from pnet_lp.report.speedup import circuit_columns, speedup_columns, speedup_document, speedup_report
from pnet_lp.report.tables import SUFFIXES, write_table


@click.command(
    cls=Command, example="pnet-lp cost speedup --scenario 1 --job --traffic mpi-fft --traffic mpi-mg"
)
@click.option(
    "--scenario",
    "name",
    type=click.Choice(list(SCENARIOS)),
    default="1",
    show_default=True,
    help="Pair of the paper: 1:25 tree and 6 optical links of a ToR, or 1:4 tree and 20.",
)
@option(
    "--job",
    is_flag=True,
    excludes=("oversubscription", "links", "servers", "ports"),
    help="The paper's job on four racks, not the whole cluster.",
)
@click.option("--oversubscription", type=float, help="Of another tree than the scenario's.")
@click.option("--links", type=click.IntRange(1), help="Other number of optical links of a ToR.")
@click.option("--servers", type=click.IntRange(1), help="Other number of hosts.  [default: 10240]")
@click.option("--ports", type=click.IntRange(2), help="Of a ToR, half of them for servers.  [default: 64]")
@click.option(
    "--traffic",
    "texts",
    metavar="EXPR|FILE",
    multiple=True,
    default=("mpi-fft",),
    show_default=True,
    help="What the processes, one for each server, send each other; several give a row each.",
)
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="host",
    show_default=True,
    help="rack: between racks at once.",
)
@click.option("--scattered", is_flag=True, help="Deal the racks over the tree at random.")
@click.option(
    "--search",
    type=click.IntRange(1),
    default=DEFAULT_SOLVES,
    show_default=True,
    help="Most throughputs to solve in the search for circuits.",
)
@click.option(
    "--delay",
    type=click.FloatRange(0),
    default=RECONFIGURATION_S,
    show_default=True,
    help="Seconds to set the circuits.",
)
@click.option(
    "--volume",
    type=click.FloatRange(0, min_open=True),
    help="Bytes of a whole workload, to add the delay to.",
)
@tolerance_option()
@seed_option
@threads_option
@prices_option
@click.option("--circuits", type=OutputFile(*SUFFIXES), help="Write a table, one row per pair of racks.")
@output_options("workload")
def command(
    *,
    name: str,
    job: bool,
    oversubscription: float | None,
    links: int | None,
    servers: int | None,
    ports: int | None,
    texts: tuple[str, ...],
    level: Level,
    scattered: bool,
    search: int,
    delay: float,
    volume: float | None,
    tolerance: float,
    seed: int,
    threads: int,
    prices: tuple[str, ...],
    circuits: Path | None,
    output: Output,
) -> None:
    """Say how much sooner the communication of a workload ends on circuits set for it than on a fat tree.

    Processes are clustered into racks, circuits chosen for the demands between racks, and both networks solved.
    """
    given = _scenario(name, oversubscription, links, servers, ports)
    scenario = TESTBEDS[name] if job else given
    books = load_book("price", prices), load_book("power")
    price = equal_cost(
        given.oversubscription,
        *books,
        servers=given.servers,
        ports=2 * given.servers_per_rack,
        links=given.links,
    )
    options: dict[str, Any] = {"level": level, "seed": seed, "scattered": scattered, "delay_s": delay}
    found = []
    for text in texts:
        with BoundsLine(text) as on_progress:
            found.append(
                speedup(
                    scenario,
                    text,
                    solves=search,
                    tolerance=tolerance,
                    threads=threads,
                    on_progress=on_progress,
                    **options,
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


def _scenario(
    name: str, oversubscription: float | None, links: int | None, servers: int | None, ports: int | None
) -> Scenario:
    """Return the scenario of that name with what else is said."""
    if ports is not None and ports % 2:
        raise SpecError("half of a ToR's ports are for servers", where="ports", found=ports, allowed="even")
    changes = {
        "oversubscription": oversubscription,
        "links": links,
        "servers": servers,
        "servers_per_rack": None if ports is None else ports // 2,
    }
    return replace(SCENARIOS[name], **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]
