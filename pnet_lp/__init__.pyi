from .drawing import Drawing, draw
from .notebook import NetworksFound, Solved, find, solve, sweep
from .sim import simulate
from .topology import build_network
from .traffic import build_traffic

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
