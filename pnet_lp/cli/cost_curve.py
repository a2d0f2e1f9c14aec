"""``pnet-lp cost curve``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from pnet_lp.cli.command import Command, flags, given
from pnet_lp.cli.cost_options import Asked, cost_options
from pnet_lp.cli.options import FAILING, output_options, plot_option
from pnet_lp.cli.output import Output
from pnet_lp.cost import trace_curves
from pnet_lp.report.cost import curve_columns, curve_document, curve_report
from pnet_lp.report.cost_chart import write_curve_chart

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


@click.command(cls=Command, example="pnet-lp cost curve --beta 1..32 hybrid beta-fat-tree")
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
    "--measure", is_flag=True, help="Search for bisections that have no closed form; takes seconds each."
)
@cost_options
@plot_option("price, and capacity against it")
@output_options("point")
def command(
    texts: tuple[str, ...],
    betas: tuple[float, ...],
    measure: bool,
    asked: Asked,
    plot: Path | None,
    output: Output,
) -> None:
    """Print the price of architectures at 1/beta of full bisection bandwidth, for every beta.

    Without ARCHITECTURE: the hybrid network and its fat tree, with the paper's values.  An architecture without a
    parameter beta costs the same at every beta.
    """
    if failing := [name for name in given(FAILING) if not measure and not asked.traffic]:
        raise click.UsageError(
            f"{flags(click.get_current_context())[failing[0]]} needs --measure or --traffic"
        )
    curves = trace_curves(texts or PAPER_CURVES, betas, *asked.books, asked.options)
    asked.check(one.points[0].design for one in curves)
    appraisals = [
        [
            asked.appraise(point.design, point.quote, measure=measure)
            for point in (one.points[:1] if one.constant else one.points)
        ]
        * (len(one.points) if one.constant else 1)
        for one in curves
    ]
    document = curve_document(curves, appraisals, *asked.books)
    output.emit(
        document,
        lambda: curve_report(document),
        table=lambda: curve_columns(document),
        files=[(plot, lambda path: write_curve_chart(document, path))],
        statuses=[found.result.status for row in appraisals for found in row if found.result],
    )
