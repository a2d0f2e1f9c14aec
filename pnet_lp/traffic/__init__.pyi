from .base import traffics
from .build import build_traffic, check_traffic
from .io import read_traffic, write_traffic
from .racks import RackTraffic, aggregate
from .settings import TrafficSettings

__all__ = [
    "RackTraffic",
    "TrafficSettings",
    "aggregate",
    "build_traffic",
    "check_traffic",
    "read_traffic",
    "traffics",
    "write_traffic",
]
