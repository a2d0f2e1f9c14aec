"""Traffic matrices: who sends how much to whom.

``patterns/`` holds one file per family, registered by name; ``io/`` the file formats.  Nothing here knows a
routing or a solver.
"""

from pnet_lp.traffic.aggregate import RackTraffic, aggregate
from pnet_lp.traffic.base import Context, traffics
from pnet_lp.traffic.build import build_traffic, check_traffic
from pnet_lp.traffic.io import read_traffic, write_traffic

__all__ = [
    "Context",
    "RackTraffic",
    "aggregate",
    "build_traffic",
    "check_traffic",
    "read_traffic",
    "traffics",
    "write_traffic",
]
