from .inputs import TopologyLike, TrafficLike
from .solve import solve
from .solved import Solved
from .sweep import sweep

__all__ = ["Solved", "TopologyLike", "TrafficLike", "solve", "sweep"]
