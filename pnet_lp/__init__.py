"""Certified flow-level throughput of datacenter networks with several parallel dataplanes.

- :func:`solve`: the throughput of a network for a traffic matrix, between two proved bounds.
- :func:`sweep`: every combination of some values, as one DataFrame.
- :func:`find`: the cheapest networks that carry a given load.
- :func:`simulate`: completion times of flows, packet by packet or as a fluid.
- :func:`draw`: a picture of a network, with a cut or with the load of its links.
- :func:`build_network`, :func:`build_traffic`: the values that these functions take.

Speeds and rates are in Gb/s.  Every error is a :class:`pnet_lp.errors.PnetError`.
"""

import lazy_loader

from pnet_lp._core import __version__

__getattr__, __dir__, _lazy = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_lazy]  # noqa: PLE0604 - they are names
