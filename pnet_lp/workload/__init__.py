"""Workloads: which flows there are, how large, and when each starts.

``kinds/`` holds one file per rule, ``sizes/`` one per family of flow sizes, both registered by name.  A workload is
made for a network and knows nothing of transports, queues or time passing: what a rule starts "when the one before is
done" is a list of flows that wait for each other.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
