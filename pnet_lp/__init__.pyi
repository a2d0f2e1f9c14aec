from .drawing import Drawing, draw

__version__: str

__all__ = ["Drawing", "__version__", "draw"]
