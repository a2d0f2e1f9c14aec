"""Failures: which links and switches of a network are down, as masks over it.

A draw is a function of the network, the requested :class:`Failures`, a seed and the number of a trial; it gives a
:class:`Mask`.  :func:`apply_mask` makes a network of it: planes that share every array with the original but the
capacities, which are 0 where something is down, and hosts without a link where their switch is.  Links of capacity 0
lead nowhere in every part of pnet-lp, so all of them honour failures without knowing of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
