"""What networks are made of and what that costs: bills of materials, price books, architectures.

``architectures`` holds one architecture per file, ``prices`` and ``powers`` the books that come with the package.  What
a network carries for the money is not known here: see :mod:`pnet_lp.throughput`.
"""

from pnet_lp.cost.bill import Bill, Part
from pnet_lp.cost.books import Book, BookSettings, PriceSettings, load_book, read_book, shipped_books
from pnet_lp.cost.design import (
    ARCHITECTURES,
    ChipGbps,
    Design,
    HostPartSettings,
    TopologyOptions,
    TopologySettings,
    design,
)
from pnet_lp.cost.equal import EqualCostPair, equal_cost
from pnet_lp.cost.packaging import count, default_packaging, switch_hops
from pnet_lp.cost.price import PricedPart, Quote, quote, quote_network

__all__ = [
    "ARCHITECTURES",
    "Bill",
    "Book",
    "BookSettings",
    "ChipGbps",
    "Design",
    "EqualCostPair",
    "HostPartSettings",
    "Part",
    "PriceSettings",
    "PricedPart",
    "Quote",
    "TopologyOptions",
    "TopologySettings",
    "count",
    "default_packaging",
    "design",
    "equal_cost",
    "load_book",
    "quote",
    "quote_network",
    "read_book",
    "shipped_books",
    "switch_hops",
]
