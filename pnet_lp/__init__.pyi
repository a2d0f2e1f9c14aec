from .drawing import Drawing, draw
from .notebook import Solved, solve, sweep
from .sim import simulate
from .topology import build_network
from .traffic import build_traffic

__version__: str

__all__ = [
    "Drawing",
    "Solved",
    "__version__",
    "build_network",
    "build_traffic",
    "draw",
    "simulate",
    "solve",
    "sweep",
]
