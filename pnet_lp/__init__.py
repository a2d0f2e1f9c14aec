"""Certified flow-level throughput of datacenter networks with several parallel dataplanes."""

from pnet_lp._core import __version__

__all__ = ["__version__"]
