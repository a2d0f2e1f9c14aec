"""How much traffic fits into a network, with proved bounds."""
