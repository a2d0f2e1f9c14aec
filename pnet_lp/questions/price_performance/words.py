"""Price-performance to read."""

from __future__ import annotations

from pnet_lp.questions.price_performance.answer import PricePerformanceAnswer
from pnet_lp.questions.throughput.sentences import throughput_lines
from pnet_lp.tables import Columns, Document, Report, fact_grid, from_rows


def report(document: Document) -> Report:
    """Return the price next to the throughput, as lines to read."""
    example = ", with example prices" if document["example_prices"] else ""
    facts = {
        "for 1,000 USD": "{gbps_per_kusd:.9g} Gb/s; {gbps_per_watt:.4g} Gb/s per watt",
        "carried": "{carried_gbps:.9g} Gb/s by all demands together",
        "price": f"{{total_usd:,.0f}} USD, {{watts:,.0f}} W{example}",
    }
    own = [(label, text.format_map(document)) for label, text in facts.items()]
    return [fact_grid([*own, *throughput_lines(document["result"])])]


def table(answer: PricePerformanceAnswer) -> Columns:
    """Return a row per part."""
    return from_rows(answer.parts())
