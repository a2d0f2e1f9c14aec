"""Certified flow-level throughput of datacenter networks with several parallel dataplanes."""

import lazy_loader

from pnet_lp._core import __version__

__getattr__, __dir__, _lazy = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_lazy]  # noqa: PLE0604 - they are names
