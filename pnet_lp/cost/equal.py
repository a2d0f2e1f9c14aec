"""How many optical links the price of a fat tree buys."""

from __future__ import annotations

from dataclasses import dataclass

from pnet_lp.cost.books import Book
from pnet_lp.cost.design import Design, design
from pnet_lp.cost.price import quote
from pnet_lp.errors import SpecError
from pnet_lp.model.brief import brief


@brief()
@dataclass(frozen=True, repr=False)
class EqualCostPair:
    """A fat tree and the hybrid network of the same price.

    Attributes:
        oversubscription: of the fat tree, 1 to that many.
        tree_usd: its price.
        optical_links: of a ToR in a hybrid network of exactly that price; 0 or less if it does not pay for one,
            more than ``most_links`` if money is left over.
        most_links: that a ToR has ports for.
        links: compared here: those given, or ``optical_links`` rounded down, from 1 to ``most_links``.
        hybrid_usd: price of the hybrid network with ``links``.
    """

    oversubscription: float
    tree_usd: float
    optical_links: float
    most_links: int
    links: int
    hybrid_usd: float

    @property
    def excess(self) -> float:
        """What the hybrid network costs more than the tree, as a fraction of the tree's price."""
        return self.hybrid_usd / self.tree_usd - 1


def equal_cost(
    oversubscription: float,
    prices: Book,
    powers: Book,
    *,
    servers: int = 10_240,
    ports: int = 64,
    links: int | None = None,
) -> EqualCostPair:
    """Return how many optical links of each ToR cost as much as a fat tree with that oversubscription.

    The price of the hybrid network is a constant and a term for each link (hybrid paper, section 3.2), so two points
    give it everywhere.

    Args:
        oversubscription: beta of the tree, 1 to ports / 2.
        prices: price book.
        powers: power book.
        servers: number of hosts of either network.
        ports: of a ToR.
        links: optical links of a ToR to compare the price of; default: as many as the price of the tree pays for.

    Raises:
        SpecError: a size out of range, or a part without a price.
    """
    most = ports // 2
    if links is not None and not 1 <= links <= most:
        raise SpecError("links of a ToR are out of range", found=links, allowed=f"1 to {most}")

    def price(found: Design) -> float:
        return quote(found.bill, prices, powers).total_usd

    def hybrid(count: int) -> float:
        return price(design(f"hybrid:servers={servers},ports={ports}", beta=most / count))

    tree = price(design(f"beta-fat-tree:servers={servers},ports={ports}", beta=oversubscription))
    one, all_of_them = hybrid(1), hybrid(most)
    slope = (all_of_them - one) / (most - 1) if most > 1 else 0.0
    if slope <= 0:
        raise SpecError("optical links cost nothing, so any number has the same price", where=prices.label)
    bought = 1 + (tree - one) / slope
    shown = min(max(int(bought), 1), most) if links is None else links
    return EqualCostPair(oversubscription, tree, bought, most, shown, hybrid(shown))
