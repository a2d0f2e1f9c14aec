"""``pnet-lp find``."""

from __future__ import annotations

import re
from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.cost_options import powers_option, prices_option
from pnet_lp.cli.options import (
    grouped,
    numbers,
    option,
    output_options,
    plot_option,
    setting,
    threads_option,
)
from pnet_lp.cli.output import Output
from pnet_lp.cli.progress import StatusLine
from pnet_lp.design import FindSettings, find
from pnet_lp.report.find import find_columns, find_document, find_lines, find_table, write_front_chart
from pnet_lp.threads import MOST_THREADS
from pnet_lp.topology.sizing import sizings

_RANGE = re.compile(r"(\d{1,6})\.\.(\d{1,6})")


def _planes(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...]:
    if value is None:
        return ()
    if (found := _RANGE.fullmatch(value)) and 0 < int(found[1]) <= int(found[2]):
        return tuple(range(int(found[1]), int(found[2]) + 1))
    if not all(part.isascii() and part.isdigit() and 0 < len(part) < 7 for part in value.split(",")):
        raise click.BadParameter(f"found {value!r}; allowed: numbers such as 1,2,4 or a range such as 1..8")
    return tuple(int(part) for part in value.split(","))


def _words(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    return () if value is None else tuple(part.strip() for part in value.split(","))


@click.command(
    cls=Command,
    example="pnet-lp find --hosts 64 --min-gbps-per-host 100 --radix 16 --speeds 100,400 --planes 1,4",
)
@grouped(
    "asked",
    FindSettings,
    setting(FindSettings, "hosts", default=None, show_default=False, required=True),
    setting(FindSettings, "min_gbps_per_host", default=None, show_default=False, required=True),
    setting(FindSettings, "traffic", metavar="EXPR"),
    setting(FindSettings, "radix"),
    setting(
        FindSettings,
        "speeds",
        metavar="GBPS,...",
        callback=numbers(float),
        help="Speeds of ports to try, in Gb/s; all links of a network have the same.  [default: 100]",
    ),
    setting(
        FindSettings,
        "planes",
        metavar="N,...|N..M",
        callback=_planes,
        default=None,
        show_default=False,
        help="Numbers of planes to try.  [default: 1,2,4,8]",
    ),
    setting(
        FindSettings,
        "families",
        metavar="NAME,...",
        callback=_words,
        default=None,
        show_default=False,
        listed=sizings.names,
        help="{}.  [default: all]",
    ),
    setting(FindSettings, "sizes"),
    setting(FindSettings, "budget"),
    setting(FindSettings, "best"),
    setting(FindSettings, "rank"),
    setting(FindSettings, "fail_links"),
    setting(FindSettings, "confidence", needs=("fail_links",)),
    setting(FindSettings, "trials", needs=("fail_links",)),
    prices_option,
    powers_option,
    setting(FindSettings, "tolerance"),
    setting(FindSettings, "seed"),
)
@threads_option
@option(
    "--jobs",
    type=click.IntRange(1, MOST_THREADS),
    default=1,
    show_default=True,
    needs=("fail_links",),
    help="Number of processes that solve draws of failures in parallel.",
)
@plot_option("throughput over price, or over power where that ranks")
@option(
    "--all",
    "everything",
    is_flag=True,
    needs=("out",),
    help="Also write a row for each candidate that was ruled out.",
)
@output_options("network")
def command(
    *, asked: FindSettings, threads: int, jobs: int, plot: Path | None, everything: bool, output: Output
) -> None:
    """Find the cheapest networks that carry a given load, each with its proof.

    Candidates are all topology families, numbers of planes, speeds and oversubscriptions.  Proved bounds rule out most
    of them without a solve; the others are solved and certified.  The result is the Pareto front: networks that carry
    more than any that costs no more.

    Exit code 3: the bounds of a network have not met within the tolerance; they hold all the same.
    """
    with StatusLine() as line:
        found = find(asked, threads=threads, jobs=jobs, watch=line.show)
    document = find_document(found)
    output.emit(
        document,
        lambda: [find_table(document), *find_lines(document)],
        table=lambda: find_columns(found, document, everything=everything),
        files=[(plot, lambda path: write_front_chart(document, path))],
        statuses=[one["status"] for one in document["front"]],
    )
