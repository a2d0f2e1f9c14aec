"""Price-performance to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pnet_lp.questions.price_performance.answer import PricePerformanceAnswer
from pnet_lp.questions.throughput.sentences import throughput_lines
from pnet_lp.tables import Columns, fact_grid, from_rows
from pnet_lp.units import format_gbps

if TYPE_CHECKING:
    from rich.table import Table


def report(document: Mapping[str, Any]) -> list[Table]:
    """Return the price next to the throughput, as lines to read."""
    grid = fact_grid()
    grid.add_row(
        "for 1,000 USD",
        f"{format_gbps(document['gbps_per_kusd'])} Gb/s; {document['gbps_per_watt']:.4g} Gb/s per watt",
    )
    grid.add_row("carried", f"{format_gbps(document['carried_gbps'])} Gb/s by all demands together")
    example = ", with example prices" if document["example_prices"] else ""
    grid.add_row("price", f"{document['total_usd']:,.0f} USD, {document['watts']:,.0f} W{example}")
    for label, text in throughput_lines(document["result"]):
        grid.add_row(label, text)
    return [grid]


def table(answer: PricePerformanceAnswer) -> Columns:
    """Return a row per part."""
    return from_rows(answer.parts())
