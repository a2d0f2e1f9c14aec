"""What to show of a network: the same settings for options and arguments."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from pydantic import Field

from pnet_lp.registry import Params

CutKind: TypeAlias = Literal["bisection", "sparsest"]
CUT_KINDS: tuple[str, ...] = get_args(CutKind)


class DrawSettings(Params):
    """What a picture shows beside switches and cables."""

    cut: CutKind | None = Field(
        None, description="cut to show: the bisection between halves of the endpoints, or the sparsest cut found"
    )
    lengths: bool = Field(
        False, description="colour cables by length (dual price), which proves the upper bound, instead of utilisation"
    )
    layers: bool = Field(False, description="draw planes as layers of one picture instead of side by side")
