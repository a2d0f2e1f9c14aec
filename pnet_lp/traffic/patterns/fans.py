"""Many endpoints send to one, or one to many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics


class AllToOneParams(Params):
    """Parameters of ``all-to-one``."""

    to: int | None = Field(None, ge=0, description="index of the receiver; default: a random one")
    seed: OwnSeed = None


class OneToAllParams(Params):
    """Parameters of ``one-to-all``."""

    sender: int | None = Field(None, ge=0, description="index of the sender; default: a random one")
    seed: OwnSeed = None


class IncastPattern(AllToOneParams):
    """Parameters of ``incast``."""

    fan: int = Field(ge=1, description="number of senders, drawn at random (fan-in)")


class OutcastParams(OneToAllParams):
    """Parameters of ``outcast``."""

    fan: int = Field(ge=1, description="number of receivers, drawn at random (fan-out)")


@traffics.register("all-to-one", params=AllToOneParams, summary="1.0 from every other endpoint to one")
def all_to_one(params: AllToOneParams, context: TrafficContext) -> TrafficMatrix:
    """Return ``n - 1`` demands of 1.0 to the receiver."""
    one, others = _fan(params.to, "to", context.endpoints - 1, params.seed, context)
    return context.matrix(others, np.full_like(others, one))


@traffics.register("one-to-all", params=OneToAllParams, summary="1.0 from one endpoint to every other")
def one_to_all(params: OneToAllParams, context: TrafficContext) -> TrafficMatrix:
    """Return ``n - 1`` demands of 1.0 from the sender."""
    one, others = _fan(params.sender, "sender", context.endpoints - 1, params.seed, context)
    return context.matrix(np.full_like(others, one), others)


@traffics.register(
    "incast", params=IncastPattern, example="fan=3", summary="1.0 from each of a number of random endpoints to one"
)
def incast(params: IncastPattern, context: TrafficContext) -> TrafficMatrix:
    """Return ``fan`` demands of 1.0 to the receiver.

    Raises:
        TrafficError: ``fan`` is more than all others, or there is no endpoint ``to``.
    """
    one, others = _fan(params.to, "to", params.fan, params.seed, context)
    return context.matrix(others, np.full_like(others, one))


@traffics.register(
    "outcast", params=OutcastParams, example="fan=3", summary="1.0 from one endpoint to each of a number of random ones"
)
def outcast(params: OutcastParams, context: TrafficContext) -> TrafficMatrix:
    """Return ``fan`` demands of 1.0 from the sender.

    Raises:
        TrafficError: ``fan`` is more than all others, or there is no endpoint ``sender``.
    """
    one, others = _fan(params.sender, "sender", params.fan, params.seed, context)
    return context.matrix(np.full_like(others, one), others)


def _fan(
    index: int | None, key: str, fan: int, seed: int | None, context: TrafficContext
) -> tuple[int, npt.NDArray[np.int64]]:
    """Return the one endpoint and ``fan`` different others."""
    n = context.endpoints
    if fan > n - 1:
        raise TrafficError(
            f"a fan of {fan} is too wide for {n} {context.level}s", where=context.label, allowed=f"1 to {n - 1}"
        )
    random = context.random("fan", seed)
    one = context.drawn_or_given(index, key, random)
    others = random.permutation(n - 1)[:fan]
    return one, others + (others >= one)
