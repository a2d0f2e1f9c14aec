"""Networks from what a user gives: families of topologies, files, planes.

``families`` holds one builder per file, ``io`` one file format per file.  What a plane or a network *is* lives in
:mod:`pnet_lp.model`; what it carries, in :mod:`pnet_lp.throughput`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
