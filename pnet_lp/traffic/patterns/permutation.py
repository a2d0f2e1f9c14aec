"""Every endpoint sends to exactly one other and receives from exactly one other."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field, model_validator

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics


def _dashed(value: object) -> object:
    return value.split("-") if isinstance(value, str) else value


class PermutationParams(Params):
    """Parameters of ``permutation``."""

    kind: Literal["random", "pairs", "halves"] = Field(
        "random",
        description="random: uniform among the permutations without fixed points; "
        "pairs: endpoints are paired at random and both ends of a pair send; "
        "halves: one end of each pair, drawn at random, sends",
    )
    map: Annotated[tuple[int, ...], BeforeValidator(_dashed)] | None = Field(
        None, description="the destination of endpoint 0, 1, ... by index, as in 1-2-0, instead of a random one"
    )
    seed: OwnSeed = None

    @model_validator(mode="after")
    def _map_is_not_drawn(self) -> PermutationParams:
        drawn = self.model_fields_set & {"kind", "seed"}
        if self.map is not None and drawn:
            raise ValueError(f"map gives the whole permutation, so {min(drawn)} has no meaning beside it")
        return self


@traffics.register(
    "permutation",
    params=PermutationParams,
    summary="1.0 from every endpoint, or from one of each pair, to one other, each chosen once",
    source="P-Net, section 5 (pairs); SOPA, section 3.2 (halves)",
)
def permutation(params: PermutationParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 per endpoint, or per pair.

    Raises:
        TrafficError: pairs of an odd number of endpoints, where one would have no other; a ``map`` of another length,
            with a fixed point, or that misses an endpoint.
    """
    n = context.endpoints
    if params.map is not None:
        destination = _checked(params.map, context)
    elif params.kind == "random":
        destination = _derangement(n, context.random("permutation/random", params.seed))
    else:
        if n % 2:
            raise TrafficError(
                f"{n} {context.level}s cannot be paired off",
                where=context.label,
                allowed=f"an even number of {context.level}s, or permutation:kind=random",
            )
        pairs = context.random(f"permutation/{params.kind}", params.seed).permutation(n).reshape(-1, 2)
        if params.kind == "halves":
            return context.matrix(pairs[:, 0], pairs[:, 1])
        destination = np.empty(n, dtype=np.int64)
        destination[pairs] = pairs[:, ::-1]
    return context.matrix(np.arange(n), destination)


class RandomBijectiveParams(Params):
    """Parameters of ``random-bijective``."""

    seed: OwnSeed = None


@traffics.register(
    "random-bijective",
    params=RandomBijectiveParams,
    summary="1.0 from every endpoint to one other, each chosen once: permutation under Hedera's name",
    source="Al-Fares et al.: Hedera, NSDI 2010, figure 9 (randbij)",
)
def random_bijective(params: RandomBijectiveParams, context: TrafficContext) -> TrafficMatrix:
    """Return the matrix of ``permutation`` with the same seed."""
    n = context.endpoints
    return context.matrix(np.arange(n), _derangement(n, context.random("permutation/random", params.seed)))


def _derangement(n: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a uniform derangement by rejection: about e draws are needed, for any n >= 2."""
    while True:
        drawn = random.permutation(n)
        if not np.any(drawn == np.arange(n)):
            return drawn


def _checked(destinations: tuple[int, ...], context: TrafficContext) -> npt.NDArray[np.int64]:
    n, level, where = context.endpoints, context.level, f"{context.label}: map"
    if len(destinations) != n:
        raise TrafficError(f"{len(destinations)} destinations for {n} {level}s", where=where)
    mapped = np.array(destinations, dtype=np.int64)
    if np.any(fixed := mapped == np.arange(n)):
        raise TrafficError(
            f"{level} {int(np.flatnonzero(fixed)[0])} is a fixed point", where=where, allowed="no demand to itself"
        )
    missed = set(range(n)) - set(destinations)
    if missed:
        raise TrafficError(
            f"no {level} sends to {min(missed)}", where=where, allowed=f"each of 0 to {n - 1} exactly once"
        )
    return mapped
