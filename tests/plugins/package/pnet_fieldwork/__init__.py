"""One addition of each kind to pnet-lp, from a package of its own."""
