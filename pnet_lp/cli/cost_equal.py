"""``pnet-lp cost equal``."""

from __future__ import annotations

import click

from pnet_lp.cli.command import Command, Number, Whole
from pnet_lp.cli.options import option, output_options, setting
from pnet_lp.cli.output import Output
from pnet_lp.cost import PriceSettings, equal_cost, load_book
from pnet_lp.cost.published import HYBRID_SCENARIOS
from pnet_lp.report.equal import equal_document, equal_report
from pnet_lp.tables import from_rows


@click.command(cls=Command, example="pnet-lp cost equal 25 4")
@click.argument("oversubscriptions", metavar="[OVERSUBSCRIPTION]...", type=Number(), nargs=-1)
@option("--links", type=Whole(1), help="Optical links per ToR to compare.  [default: those bought]")
@option("--servers", type=Whole(1), default=10_240, show_default=True, help="Number of hosts.")
@setting(PriceSettings, "prices")
@output_options("case")
def command(
    oversubscriptions: tuple[float, ...], links: int | None, servers: int, prices: tuple[str, ...], output: Output
) -> None:
    """Print how many optical links per ToR of a hybrid network the price of an oversubscribed fat tree buys.

    Without OVERSUBSCRIPTION: the two pairs that the paper calls equal in cost.
    """
    books = load_book("price", prices), load_book("power")
    pairs = [(value, links) for value in oversubscriptions] or [
        (value, links or count) for value, count in HYBRID_SCENARIOS
    ]
    found = [equal_cost(value, *books, servers=servers, links=count) for value, count in pairs]
    document = equal_document(found, books[0])
    output.emit(document, lambda: equal_report(document), table=lambda: from_rows(document["cases"]))
