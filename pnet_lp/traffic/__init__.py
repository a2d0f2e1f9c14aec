"""Traffic matrices: who sends how much to whom.

``patterns/`` holds one file per family, registered by name; ``io/`` the file formats.  Nothing here knows a
routing or a solver.
"""

from pnet_lp.traffic.aggregate import RackTraffic, aggregate
from pnet_lp.traffic.base import Context, traffics
from pnet_lp.traffic.build import build_traffic, check_traffic, draws
from pnet_lp.traffic.io import read_traffic, write_traffic
from pnet_lp.traffic.settings import TrafficSettings

__all__ = [
    "Context",
    "RackTraffic",
    "TrafficSettings",
    "aggregate",
    "build_traffic",
    "check_traffic",
    "draws",
    "read_traffic",
    "traffics",
    "write_traffic",
]
