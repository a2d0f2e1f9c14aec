from .draw import draw
from .inputs import TopologyLike, TrafficLike
from .network import build_network, build_traffic
from .sweep import sweep

__all__ = ["TopologyLike", "TrafficLike", "build_network", "build_traffic", "draw", "sweep"]
