"""Packets: what finite queues, transports and the choice of paths leave of a network's capacity.

A scenario says all that a run depends on; the core runs it; a result holds records of flows and ports as tables.
Queue disciplines, transports and forwardings are registered by name, one file each in ``queues/``, ``transports/`` and
``forwardings/``, as are presets: the parameters of a paper or program, each with its source.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
