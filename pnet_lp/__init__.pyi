from .drawing import Drawing
from .notebook import NetworksFound, Solved, build_network, build_traffic, draw, find, solve, sweep
from .sim import simulate

__version__: str

__all__ = [
    "Drawing",
    "NetworksFound",
    "Solved",
    "__version__",
    "build_network",
    "build_traffic",
    "draw",
    "find",
    "simulate",
    "solve",
    "sweep",
]
