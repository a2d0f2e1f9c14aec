"""When queues mark data: from a length on, or with a chance that grows between two."""

from __future__ import annotations

from typing import Annotated, TypeAlias, TypedDict

from pydantic import Field

Always: TypeAlias = Annotated[
    int | None,
    Field(
        ge=0,
        lt=1 << 32,
        description="packets from which all data is marked, the chance growing from threshold on; default: threshold",
    ),
]

Chance: TypeAlias = Annotated[float, Field(ge=0, le=1, description="chance of a mark just below ``always``")]


class Marking(TypedDict):
    """The lengths between which the chance of a mark grows; no low one: nothing is marked."""

    low: int | None
    high: int


def check_marking(threshold: int | None, always: int | None, chance: float = 1.0) -> None:
    """Raise ValueError where the parameters of a queue's marks contradict each other."""
    if always is not None and threshold is None:
        raise ValueError("always needs threshold, from which on the chance grows")
    if always is not None and threshold is not None and always < threshold:
        raise ValueError(f"always={always} is below threshold={threshold}")
    if always is None and chance != 1:
        raise ValueError("chance needs always: without it all data is marked from the threshold on")


def marking(threshold: int | None, always: int | None) -> Marking:
    """Return it as the core reads it."""
    return {"low": threshold, "high": (threshold or 0) if always is None else always}
