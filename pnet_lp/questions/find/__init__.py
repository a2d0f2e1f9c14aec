"""The cheapest networks that carry a given load, with proof."""
