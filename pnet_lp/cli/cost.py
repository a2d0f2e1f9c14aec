"""``pnet-lp cost``, and ``compare``, ``curve``, ``equal`` and ``speedup`` beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from pnet_lp.cli.command import BOUNDS_ONLY, Command, CommandFamily, json_option
from pnet_lp.cli.cost_speedup import command as speedup
from pnet_lp.cli.options import threads_option, topology_options
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.cli.progress import BoundsLine
from pnet_lp.cost import Design, Quote, TopologyOptions, design, equal_cost, load_book, quote, trace_curves
from pnet_lp.cost.published import HYBRID_SCENARIOS
from pnet_lp.errors import SpecError
from pnet_lp.experiment.questions.cost import Appraisal, appraise
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import LEVELS, Level
from pnet_lp.report.cost import (
    compare_columns,
    compare_document,
    compare_report,
    cost_document,
    cost_report,
    curve_columns,
    curve_document,
    curve_report,
    equal_columns,
    equal_document,
    equal_report,
    parts_columns,
)
from pnet_lp.report.cost_chart import write_capacity_chart, write_curve_chart
from pnet_lp.report.tables import SUFFIXES, write_table
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE
from pnet_lp.traffic import build_traffic

PAPER_CURVES = ("hybrid", "beta-fat-tree")
"""What a curve shows where nothing is named."""

_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_NUMBER = re.compile(r"\d{1,9}(\.\d+)?")
_MOST_BETAS = 10_000


class Betas(click.ParamType[tuple[float, ...]]):
    """Whole numbers ``1..32``, or numbers with commas between them."""

    name = "betas"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Return the numbers, or fail with what is allowed."""
        if isinstance(value, tuple):
            return value
        betas: tuple[float, ...] = ()
        if match := _RANGE.fullmatch(value):
            first, last = map(int, match.groups())
            if last < first + _MOST_BETAS:
                betas = tuple(range(first, last + 1))
        elif all(map(_NUMBER.fullmatch, value.split(","))):
            betas = tuple(map(float, value.split(",")))
        if not betas:
            self.fail(f"not a range, found {value!r}; allowed: 1..32, or numbers such as 1,1.6,4", param, ctx)
        return betas


_books = (
    click.option(
        "--prices",
        "prices",
        metavar="BOOK|FILE",
        multiple=True,
        help="hybrid-list or example; a YAML file overrides single entries.  [default: hybrid-list over example]",
    ),
    click.option(
        "--power",
        "powers",
        metavar="BOOK|FILE",
        multiple=True,
        help="example; a YAML file overrides single entries.  [default: example]",
    ),
)
_solving = (
    click.option("--traffic", metavar="EXPR|FILE", help="Solve the throughput of this matrix too."),
    click.option("--level", type=click.Choice(LEVELS), help="Of the demands, as for `throughput`."),
    click.option(
        "--tolerance",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=DEFAULT_TOLERANCE,
        show_default=True,
        help="Relative gap at which to stop solving.",
    ),
    threads_option,
)
_out = click.option("-o", "--out", type=OutputFile(*SUFFIXES), help="Write the rows as a table.")
_plot = click.option("--plot", type=OutputFile(".png"), help="Draw capacity against price into a PNG file.")


def _with(*options: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds ``options`` in that order."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _designs(texts: Sequence[str], options: TopologyOptions) -> list[Design]:
    """Return what the arguments stand for; options for a TOPOLOGY are an error where there is none."""
    made = [design(text, options) for text in texts]
    if options != TopologyOptions(seed=options.seed) and not any(one.counted for one in made):
        raise SpecError(
            "the options --planes to --separate are for a TOPOLOGY, and none is given",
            allowed="parameters of the architecture",
        )
    return made


def _appraise(
    made: Design, priced: Quote, options: TopologyOptions, *, measure: bool, **asked: Any
) -> Appraisal:
    """Return an appraisal with what the options of :data:`_solving` ask for."""
    text: str | None = asked["traffic"]
    level: Level | None = asked["level"]

    def matrix(network: Network) -> TrafficMatrix:
        return build_traffic(text or "", network, level, seed=options.seed)

    with BoundsLine() as on_progress:
        return appraise(
            made,
            priced,
            matrix if text else None,
            measure=measure,
            tolerance=asked["tolerance"],
            threads=asked["threads"],
            on_progress=on_progress,
        )


def _leave(ctx: click.Context, statuses: list[str | None]) -> None:
    if "bounds" in statuses:
        ctx.exit(BOUNDS_ONLY)


@click.command(
    cls=Command,
    short_help="several architectures side by side",
    example="pnet-lp cost compare serial-scale-out serial-chassis parallel",
)
@click.argument("texts", metavar="ARCHITECTURE...", nargs=-1, required=True)
@_with(topology_options, *_books, *_solving, _out, _plot, json_option)
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    *,
    texts: tuple[str, ...],
    options: TopologyOptions,
    prices: tuple[str, ...],
    powers: tuple[str, ...],
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Say what several architectures are made of and cost, side by side.

    --out writes a row for each architecture.
    """
    books = load_book("price", prices), load_book("power", powers)
    documents = []
    for made in _designs(texts, options):
        found = _appraise(made, quote(made.bill, *books), options, measure=True, **asked)
        documents.append(cost_document(found, *books))
    document = compare_document(documents)
    if out:
        write_table(compare_columns(document), out)
    if plot:
        write_capacity_chart(document, plot)
    if as_json:
        print_json(document)
    else:
        print_report(*compare_report(document))
    _leave(ctx, [item["throughput"]["status"] for item in documents if item["throughput"]])


@click.command(
    cls=Command,
    short_help="price against oversubscription",
    example="pnet-lp cost curve --beta 1..32 hybrid beta-fat-tree",
)
@click.argument("texts", metavar="[ARCHITECTURE]...", nargs=-1)
@click.option(
    "--beta",
    "betas",
    type=Betas(),
    default="1..32",
    show_default=True,
    help="A range, or numbers with commas.",
)
@click.option(
    "--measure", is_flag=True, help="Look for the bisections that have no closed form; seconds for each."
)
@_with(topology_options, *_books, *_solving, _out)
@click.option("--plot", type=OutputFile(".png"), help="Draw price and capacity into a PNG file.")
@json_option
@click.pass_context
def curve(
    ctx: click.Context,
    /,
    *,
    texts: tuple[str, ...],
    betas: tuple[float, ...],
    measure: bool,
    options: TopologyOptions,
    prices: tuple[str, ...],
    powers: tuple[str, ...],
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Say what architectures cost at 1/beta of full bisection bandwidth, for every beta.

    Without ARCHITECTURE: the hybrid network and its fat tree, with what the paper says.  An architecture without a
    parameter beta costs the same at all.  --out writes a row for each point.
    """
    books = load_book("price", prices), load_book("power", powers)
    curves = trace_curves(texts or PAPER_CURVES, betas, *books, options)
    appraisals = [
        [
            _appraise(point.design, point.quote, options, measure=measure, **asked)
            for point in (one.points[:1] if one.constant else one.points)
        ]
        * (len(one.points) if one.constant else 1)
        for one in curves
    ]
    document = curve_document(curves, appraisals, *books)
    if out:
        write_table(curve_columns(document), out)
    if plot:
        write_curve_chart(document, plot)
    if as_json:
        print_json(document)
    else:
        print_report(*curve_report(document))
    _leave(ctx, [found.result.status for row in appraisals for found in row if found.result])


@click.command(
    cls=Command,
    short_help="how many optical links a fat tree's price buys",
    example="pnet-lp cost equal 25 4",
)
@click.argument("oversubscriptions", metavar="[OVERSUBSCRIPTION]...", type=float, nargs=-1)
@click.option(
    "--links", type=click.IntRange(1), help="Optical links of a ToR to compare.  [default: those bought]"
)
@click.option("--servers", type=click.IntRange(1), default=10_240, show_default=True, help="Number of hosts.")
@_with(*_books, _out, json_option)
def equal(
    *,
    oversubscriptions: tuple[float, ...],
    links: int | None,
    servers: int,
    prices: tuple[str, ...],
    powers: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Say how many optical links of each ToR of a hybrid network the price of an oversubscribed fat tree buys.

    Without OVERSUBSCRIPTION: the two pairs that the paper calls equal in cost.
    """
    books = load_book("price", prices), load_book("power", powers)
    pairs = [(value, links) for value in oversubscriptions] or [
        (value, links or count) for value, count in HYBRID_SCENARIOS
    ]
    document = equal_document(
        [equal_cost(value, *books, servers=servers, links=count) for value, count in pairs], books[0]
    )
    if out:
        write_table(equal_columns(document), out)
    if as_json:
        print_json(document)
    else:
        print_report(*equal_report(document))


@click.command(
    cls=CommandFamily,
    others={"compare": compare, "curve": curve, "equal": equal, "speedup": speedup},
    example="pnet-lp cost hybrid:servers=10240,beta=1",
)
@click.argument("text", metavar="ARCHITECTURE")
@_with(topology_options, *_books, *_solving, _out, json_option)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    text: str,
    options: TopologyOptions,
    prices: tuple[str, ...],
    powers: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Say what an architecture is made of, what that costs, and what it draws.

    ARCHITECTURE is an expression (`pnet-lp list architectures`), or a TOPOLOGY, whose parts are counted; the options
    --planes to --separate are for the latter.  --out writes a row for each part.
    """
    books = load_book("price", prices), load_book("power", powers)
    (made,) = _designs([text], options)
    found = _appraise(made, quote(made.bill, *books), options, measure=True, **asked)
    document = cost_document(found, *books)
    if out:
        write_table(parts_columns(document), out)
    if as_json:
        print_json(document)
    else:
        print_report(*cost_report(document))
    _leave(ctx, [found.result.status if found.result else None])
