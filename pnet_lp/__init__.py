"""Certified flow-level throughput of datacenter networks with several parallel dataplanes."""

from importlib.metadata import version

__version__ = version("pnet-lp")
