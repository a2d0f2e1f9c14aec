from .draw import draw
from .find import find
from .inputs import TopologyLike, TrafficLike
from .network import build_network, build_traffic
from .networks_found import NetworksFound
from .solve import solve
from .solved import Solved
from .sweep import sweep

__all__ = [
    "NetworksFound",
    "Solved",
    "TopologyLike",
    "TrafficLike",
    "build_network",
    "build_traffic",
    "draw",
    "find",
    "solve",
    "sweep",
]
