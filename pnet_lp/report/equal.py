"""Networks of equal price as documents, tables to read and tables in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pnet_lp.cost import Book, EqualCostPair
from pnet_lp.tables import Columns, from_rows, table_of

if TYPE_CHECKING:
    from rich.console import RenderableType


def equal_document(found: Sequence[EqualCostPair], prices: Book) -> dict[str, Any]:
    """Return the document of ``pnet-lp cost equal``."""
    rows = [
        {
            "oversubscription": item.oversubscription,
            "tree_usd": item.tree_usd,
            "optical_links": item.optical_links,
            "most_links": item.most_links,
            "links": item.links,
            "hybrid_usd": item.hybrid_usd,
            "excess": item.excess,
        }
        for item in found
    ]
    return {"cases": rows, "prices": prices.label}


def equal_columns(document: Mapping[str, Any]) -> Columns:
    """Return the cases of an equal-cost question as a table, a row each."""
    return from_rows(document["cases"])


def equal_report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Return the cases of an equal-cost question to read."""
    names = (
        "fat tree",
        "M USD",
        "optical links/ToR for that",
        "compared: links/ToR",
        "M USD",
        "against the tree",
    )
    rows = (
        (
            f"1:{case['oversubscription']:g}",
            f"{case['tree_usd'] / 1e6:,.3f}",
            f"{case['optical_links']:.2f}",
            str(case["links"]),
            f"{case['hybrid_usd'] / 1e6:,.3f}",
            f"{100 * case['excess']:+.1f} %",
        )
        for case in document["cases"]
    )
    return [table_of(names, rows), "", f"prices: {document['prices']}"]
