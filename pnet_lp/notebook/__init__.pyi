from .inputs import TopologyLike, TrafficLike
from .solve import solve
from .solved import Solved

__all__ = ["Solved", "TopologyLike", "TrafficLike", "solve"]
