"""The parts of a network, its price and its power."""
