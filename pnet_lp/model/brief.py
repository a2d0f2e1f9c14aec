"""Short representations of values that hold arrays."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

_WIDTH = 200
"""Characters of a representation, at most."""


class _Brief(reprlib.Repr):
    """The beginnings of texts and lists, arrays as type and shape, numbers with nine digits."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxdict = self.maxlist = self.maxtuple = 3
        self.maxother = self.maxstring = 60

    def repr_ndarray(self, value: npt.NDArray[np.generic], _: int) -> str:
        return f"{value.dtype}{list(value.shape)}"

    def repr_float(self, value: float, _: int) -> str:
        return f"{value:.9g}"

    repr_float64 = repr_float


_BRIEF = _Brief()


def brief(*names: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator that gives a dataclass a ``repr`` of one short line.

    Args:
        names: the attributes and properties to show; default: the fields that are part of the ``repr``.
    """

    def decorate(cls: type[T]) -> type[T]:
        def represent(self: Any) -> str:
            shown = names or [field.name for field in fields(self) if field.repr]
            parts = ", ".join(f"{name}={_BRIEF.repr(getattr(self, name))}" for name in shown)
            text = f"{type(self).__qualname__}({parts})"
            return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 4]}...)"

        cls.__repr__ = represent  # type: ignore[method-assign]
        return cls

    return decorate
