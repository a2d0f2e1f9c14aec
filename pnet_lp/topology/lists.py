"""Lists as values of parameters: ``4x8``, since commas separate the parameters of an expression."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field


def split_list(value: object) -> object:
    """Return the items of ``4x8``, and of a single number; anything else, a list of YAML for one, as it is."""
    if isinstance(value, str):
        return value.lower().split("x")
    return (value,) if isinstance(value, int | float) else value


Whole: TypeAlias = Annotated[tuple[int, ...], BeforeValidator(split_list)]
"""Whole numbers, written ``4x8`` or as a list."""

Numbers: TypeAlias = Annotated[tuple[Annotated[float, Field(allow_inf_nan=True)], ...], BeforeValidator(split_list)]
"""Numbers, written ``1x2.5`` or as a list; families say what is wrong with one."""
