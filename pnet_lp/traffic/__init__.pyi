from .base import Context, traffics
from .build import build_traffic, check_traffic
from .io import read_traffic, write_traffic
from .racks import RackTraffic, aggregate

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
