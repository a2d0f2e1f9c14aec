from .cite import cite
from .draw import draw
from .inputs import TopologyLike, TrafficLike, WorkloadLike
from .network import build_network, build_traffic, build_workload
from .sweep import sweep
from .verify import verify

__all__ = [
    "TopologyLike",
    "TrafficLike",
    "WorkloadLike",
    "build_network",
    "build_traffic",
    "build_workload",
    "cite",
    "draw",
    "sweep",
    "verify",
]
