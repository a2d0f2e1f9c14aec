"""Mappings that are part of a value: nobody changes what was computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this is part of an answer, which cannot be changed; dict(...) makes a copy")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        """Return how it is pickled and copied: as what it holds."""
        return FrozenDict, (dict(self),)


def frozen(value: Any) -> Any:
    """Return a JSON value, or one with arrays, that cannot be changed: lists become tuples, arrays read-only views."""
    if isinstance(value, Mapping):
        return FrozenDict({key: frozen(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    if isinstance(value, np.ndarray):
        value = value.view()
        value.setflags(write=False)
    return value


def thawed(value: Any) -> Any:
    """Return a copy of a JSON value in plain dicts and lists."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return list(map(thawed, value)) if isinstance(value, list | tuple) else value


def freeze(owner: object, *names: str) -> None:
    """Freeze attributes of a frozen dataclass; its ``__post_init__`` calls it."""
    for name in names:
        object.__setattr__(owner, name, frozen(getattr(owner, name)))
