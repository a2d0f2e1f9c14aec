"""Pictures of networks: where switches stand, which cables a cut severs, how full they are.

``marks`` is what there is to show beside the network, ``panels`` and ``summary`` what stands in a picture, in words and
numbers, ``places`` and ``bends`` where it stands, ``figure`` and ``svg`` how it is drawn.  Charts of results are in
:mod:`pnet_lp.report`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
