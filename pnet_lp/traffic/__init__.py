"""Traffic matrices: who sends how much to whom.

``patterns/`` holds one file per family, registered by name; ``io/`` the file formats.  Nothing here knows a
routing or a solver.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
