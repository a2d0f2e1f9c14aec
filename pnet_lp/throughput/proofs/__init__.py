"""Proofs: which links bind, and how a result is stored.  ``pnet_lp.verification`` computes them a second time."""
