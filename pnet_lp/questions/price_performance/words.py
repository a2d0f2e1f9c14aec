"""Price-performance to read."""

from __future__ import annotations

from pnet_lp.questions.throughput.sentences import throughput_lines
from pnet_lp.tables import Document, Report, fact_grid
from pnet_lp.wording import fill

_FACTS = {
    "for 1,000 USD": "{gbps_per_kusd:short} Gb/s; {gbps_per_watt:.4g} Gb/s per watt",
    "carried": "{carried_gbps:short} Gb/s by all demands together",
    "price": "{total_usd:,.0f} USD, {watts:,.0f} W[[example_prices?, with example prices]]",
}


def report(document: Document) -> Report:
    """Return the price next to the throughput, as lines to read."""
    own = [(label, fill(text, document)) for label, text in _FACTS.items()]
    return [fact_grid([*own, *throughput_lines(document["result"])])]
