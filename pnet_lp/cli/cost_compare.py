"""``pnet-lp cost compare``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.cost_options import Asked, cost_options
from pnet_lp.cli.options import output_options, plot_option
from pnet_lp.cli.output import Output
from pnet_lp.cost import design, quote
from pnet_lp.report.cost import compare_columns, compare_document, compare_report, cost_document
from pnet_lp.report.cost_chart import write_capacity_chart


@click.command(cls=Command, example="pnet-lp cost compare serial-scale-out serial-chassis parallel")
@click.argument("texts", metavar="ARCHITECTURE...", nargs=-1, required=True)
@cost_options
@plot_option("capacity against price")
@output_options("architecture")
def command(texts: tuple[str, ...], asked: Asked, plot: Path | None, output: Output) -> None:
    """Compare parts, price and power of several architectures.

    The options --planes to --separate apply to all of them, so all must then be TOPOLOGIES.
    """
    designs = [design(text, asked.options) for text in texts]
    asked.check(designs)
    found = [asked.appraise(made, quote(made.bill, *asked.books)) for made in designs]
    document = compare_document([cost_document(item, *asked.books) for item in found])
    output.emit(
        document,
        lambda: compare_report(document),
        table=lambda: compare_columns(document),
        files=[(plot, lambda path: write_capacity_chart(document, path))],
        statuses=[item.result.status if item.result else None for item in found],
    )
