from .draw import Drawing, draw
from .settings import DrawSettings

__all__ = ["DrawSettings", "Drawing", "draw"]
