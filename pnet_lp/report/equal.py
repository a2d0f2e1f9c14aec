"""Networks of equal price as documents and tables to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pnet_lp.cost import Book, EqualCostPair
from pnet_lp.tables import Document, Report, table_of


def equal_document(found: Sequence[EqualCostPair], prices: Book) -> dict[str, Any]:
    """Return the document of ``pnet-lp cost equal``."""
    return {"cases": [asdict(one) | {"excess": one.excess} for one in found], "prices": prices.label}


def equal_report(document: Document) -> Report:
    """Return the cases of an equal-cost question to read."""
    table = table_of(
        document["cases"],
        ("fat tree", "1:{oversubscription:g}"),
        ("M USD", lambda case: f"{case['tree_usd'] / 1e6:,.3f}"),
        ("optical links/ToR for that", "{optical_links:.2f}"),
        ("compared: links/ToR", "{links}"),
        ("M USD", lambda case: f"{case['hybrid_usd'] / 1e6:,.3f}"),
        ("against the tree", lambda case: f"{100 * case['excess']:+.1f} %"),
    )
    return [table, "", f"prices: {document['prices']}"]
