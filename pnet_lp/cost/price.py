"""From a bill to money and watts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pnet_lp.cost.bill import Bill, Count, Part, whole
from pnet_lp.cost.books import Book, Rate
from pnet_lp.cost.packaging import count, default_packaging
from pnet_lp.model import Network
from pnet_lp.model.brief import brief

_DIGITS = 6
"""Decimal places of a sum: those of its parts, without the rounding errors of their addition."""


@dataclass(frozen=True)
class PricedPart:
    """One line of a priced parts list.

    Attributes:
        part: the part.
        count: how many.
        price, power: the entries of the books.
    """

    part: Part
    count: Count
    price: Rate
    power: Rate

    @property
    def unit_usd(self) -> float:
        """USD for one piece."""
        return whole(self.price.of(self.part))

    @property
    def usd(self) -> float:
        """USD for all of them."""
        return whole(self.count * self.unit_usd)

    @property
    def watts(self) -> float:
        """Watts of all of them."""
        return whole(self.count * self.power.of(self.part))


@brief("total_usd", "watts")
@dataclass(frozen=True, repr=False)
class Quote:
    """A bill with prices and powers.

    Attributes:
        bill: the parts, counted.
        lines: its parts, priced.
    """

    bill: Bill
    lines: tuple[PricedPart, ...]

    @property
    def total_usd(self) -> float:
        """USD for everything; an int where counts and prices are whole."""
        return whole(round(math.fsum(line.usd for line in self.lines), _DIGITS))

    @property
    def watts(self) -> float:
        """Watts of everything."""
        return whole(round(math.fsum(line.watts for line in self.lines), _DIGITS))


def quote(bill: Bill, prices: Book, powers: Book) -> Quote:
    """Return the priced bill; boxes are those that :meth:`Book.bought` says.

    Raises:
        SpecError: a part that a book does not have.
    """
    bought: dict[Part, Count] = {}
    for part, n in bill.parts:
        chosen = prices.bought(part)
        bought[chosen] = bought.get(chosen, 0) + n
    return Quote(bill, tuple(PricedPart(part, n, prices.rate(part), powers.rate(part)) for part, n in bought.items()))


def quote_network(network: Network, prices: Book, powers: Book, **packed: Any) -> Quote:
    """Return the priced parts of any network: its switches by ports and speed, its cables by length and speed.

    Args:
        network: the network, without failures.
        prices: price book.
        powers: power book.
        packed: arguments of :func:`~pnet_lp.cost.packaging.default_packaging`.

    Raises:
        SpecError: a part that a book does not have, or as :func:`~pnet_lp.cost.packaging.count` and
            :func:`~pnet_lp.cost.packaging.default_packaging`.
    """
    return quote(count(network, default_packaging(network, **packed)), prices, powers)
