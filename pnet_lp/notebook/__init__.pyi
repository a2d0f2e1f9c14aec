from .find import find
from .inputs import TopologyLike, TrafficLike
from .networks_found import NetworksFound
from .solve import solve
from .solved import Solved
from .sweep import sweep

__all__ = ["NetworksFound", "Solved", "TopologyLike", "TrafficLike", "find", "solve", "sweep"]
