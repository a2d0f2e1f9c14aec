"""Grids: one entry of ``cases`` that stands for every combination of some values."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from pnet_lp.errors import SpecError
from pnet_lp.registry import nearest, unknown

GRID, NAME = "grid", "name"

MOST_CASES = 100_000
"""Cases that one grid stands for."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def expand(entry: str, values: Mapping[str, Any], where: str, keys: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the cases that an entry stands for, by name: the last key of the grid varies fastest.

    An entry without a grid stands for itself.  A case of a grid is called after ``name``, in which ``{case}`` is the
    entry and ``{planes}``, say, the value of that key; without ``name`` it is ``entry-planes-4-routing-ksp-8``.

    Args:
        entry: the name of the entry.
        values: what it says, of which ``grid`` (lists of values by key) and ``name`` are used up here.
        where: file and entry, for messages.
        keys: those that a case can have.

    Raises:
        SpecError: a grid that is no mapping from keys of a case to lists, a key that the entry gives twice, a ``name``
            that asks for something else, or that gives two combinations the same name.
    """
    values = dict(values)
    grid, template = values.pop(GRID, None), values.pop(NAME, None)
    if grid is None:
        if template is not None:
            raise SpecError("only the cases of a grid need names", where=f"{where}: {NAME}", found=template)
        return {entry: values}
    _check_grid(grid, values, where, keys)
    if template is None:
        template = "-".join(["{case}", *(f"{key.replace('_', '-')}-{{{key}}}" for key in grid)])
    _check_template(template, grid, f"{where}: {NAME}")

    found: dict[str, dict[str, Any]] = {}
    for combination in itertools.product(*grid.values()):
        point = dict(zip(grid, combination, strict=True))
        words = {"case": entry} | {key: slug(value) for key, value in point.items()}
        name = filled(template, words)
        if name in found:
            raise SpecError(
                f"two cases of the grid are called {name!r}",
                where=f"{where}: {NAME}",
                found=template,
                allowed=f"a name with {', '.join(f'{{{key}}}' for key in grid)}, whose values differ",
            )
        found[name] = values | point
    return found


def _check_grid(grid: object, values: Mapping[str, Any], where: str, keys: Collection[str]) -> None:
    where = f"{where}: {GRID}"
    if not isinstance(grid, Mapping) or not grid:
        raise SpecError("not a mapping", where=where, found=grid, allowed="key: [value, value]")
    for key, items in grid.items():
        if key not in keys:
            raise unknown("unknown parameter", key, keys, where=where)
        if key in values:
            raise SpecError(f"key {key!r} is given beside the grid as well", where=where, found=values[key])
        if not isinstance(items, list) or not items:
            raise SpecError("not a list", where=f"{where}.{key}", found=items, allowed="[value, value]")
    if (count := math.prod(map(len, grid.values()))) > MOST_CASES:
        raise SpecError("too many cases", where=where, found=count, allowed=f"at most {MOST_CASES}")


def _check_template(template: object, grid: Mapping[str, Any], where: str) -> None:
    allowed = ["case", *grid]
    if not isinstance(template, str):
        raise SpecError("not a name", where=where, found=template, allowed="words with {case}")
    for key in placeholders(template):
        if key not in allowed:
            raise SpecError(
                f"{{{key}}} is not a key of the grid{nearest(key, allowed)}",
                where=where,
                found=template,
                allowed=", ".join(f"{{{name}}}" for name in allowed),
            )


def placeholders(template: str) -> list[str]:
    """Return what stands between braces."""
    return _PLACEHOLDER.findall(template)


def filled(template: str, words: Mapping[str, str]) -> str:
    """Return the template with words in the place of their keys in braces."""
    return _PLACEHOLDER.sub(lambda found: words[found[1]], template)


def slug(value: object) -> str:
    """Return a value as part of a case's name: ``ksp-8`` for ``ksp:8``."""
    text = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
