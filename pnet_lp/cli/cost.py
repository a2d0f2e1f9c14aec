"""``pnet-lp cost``, and ``compare``, ``curve``, ``equal`` and ``speedup`` beside it."""

from __future__ import annotations

import click

from pnet_lp.cli.command import CommandFamily
from pnet_lp.cli.cost_options import Asked, cost_options
from pnet_lp.cli.options import output_options
from pnet_lp.cli.output import Output
from pnet_lp.cost import design, quote
from pnet_lp.report.cost import cost_document, cost_report, parts_columns


@click.command(
    cls=CommandFamily,
    module=__name__,
    others={
        "compare": "several architectures side by side",
        "curve": "price against oversubscription",
        "equal": "how many optical links a fat tree's price buys",
        "speedup": "how much sooner circuits end a workload than a fat tree",
    },
    example="pnet-lp cost hybrid:servers=10240,beta=1",
)
@click.argument("text", metavar="ARCHITECTURE")
@cost_options
@output_options("part")
def command(text: str, asked: Asked, output: Output) -> None:
    """List the parts of an architecture, with price and power.

    ARCHITECTURE is an expression (`pnet-lp list architectures`), or a TOPOLOGY, whose parts are counted; the options
    --planes to --separate are for a TOPOLOGY.  A name that is both means whichever its parameters fit, unless a prefix
    says which: architecture:jellyfish:k=8, topology:jellyfish:k=8.  Failed parts are paid for and carry nothing.
    """
    made = design(text, asked.options)
    asked.check([made])
    found = asked.appraise(made, quote(made.bill, *asked.books))
    document = cost_document(found, *asked.books)
    output.emit(
        document,
        lambda: cost_report(document),
        table=lambda: parts_columns(document),
        statuses=[found.result.status if found.result else None],
    )
