"""Who sends how much to whom: a list of pairs, or a rule from which the list follows."""

from pnet_lp.model.demands.pairs import BYTES_PER_PAIR, LISTED_PAIRS, Demands, Pairs, check_pairs
from pnet_lp.model.demands.product import Product

__all__ = ["BYTES_PER_PAIR", "LISTED_PAIRS", "Demands", "Pairs", "Product", "check_pairs"]
