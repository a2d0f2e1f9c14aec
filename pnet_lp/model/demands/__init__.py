"""Who sends how much to whom: a list of pairs, or a rule from which the list follows."""

from pnet_lp.model.demands.grouped import Grouped
from pnet_lp.model.demands.pairs import BYTES_PER_PAIR, LISTED_PAIRS, Demands, Listed, Pairs, Rule, check_pairs
from pnet_lp.model.demands.product import Product
from pnet_lp.model.demands.summed import Summed

__all__ = [
    "BYTES_PER_PAIR",
    "LISTED_PAIRS",
    "Demands",
    "Grouped",
    "Listed",
    "Pairs",
    "Product",
    "Rule",
    "Summed",
    "check_pairs",
]
