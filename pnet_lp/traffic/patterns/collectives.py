"""Collective operations of distributed training and of MPI, by the volume that each pair exchanges.

``groups`` makes one in each of many groups of endpoints.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import NoParams, Params
from pnet_lp.traffic.base import TrafficContext, traffics


class AllReducePattern(Params):
    """Parameters of ``all-reduce``."""

    algorithm: Literal["ring", "recursive-doubling", "halving-doubling"] = Field(
        "ring",
        description="ring: reduce-scatter and all-gather around a ring; recursive-doubling: whole vectors between "
        "pairs 1, 2, 4, ... apart; halving-doubling: half, quarter, ... of it, then back",
    )


class PipelineParams(Params):
    """Parameters of ``pipeline``."""

    direction: Literal["both", "forward"] = Field(
        "both", description="both: activations go forward and gradients back; forward: no gradients"
    )


@traffics.register("ring", params=NoParams, summary="1.0 from every endpoint to the next, from the last to the first")
def ring(_: NoParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 per endpoint."""
    members = np.arange(context.endpoints)
    return context.matrix(members, np.roll(members, -1))


@traffics.register(
    "all-reduce",
    params=AllReducePattern,
    summary="what one reduction of a vector of size 1.0 over all endpoints sends between them",
    source="Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69(2), 2009 "
    "(ring); Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 2005",
)
def all_reduce(params: AllReducePattern, context: TrafficContext) -> TrafficMatrix:
    """Return the volumes over all rounds, in vectors.

    Of n endpoints: ring, 2 (n-1)/n to the next one; recursive doubling, 1 to each one 2^j apart; halving-doubling,
    2^(j+1)/n to each one 2^j apart, which is 2 (n-1)/n in all.

    Raises:
        TrafficError: another number of endpoints than a power of two, for the algorithms other than ring.
    """
    size = context.endpoints
    members = np.arange(size)
    if params.algorithm == "ring":
        return context.matrix(members, np.roll(members, -1), np.full(size, 2 * (size - 1) / size))
    if size & (size - 1):
        raise TrafficError(
            f"{params.algorithm} needs a power of two of {context.level}s",
            where=context.label,
            found=size,
            allowed="2, 4, 8, ..., or algorithm=ring",
        )
    apart = 1 << np.arange(size.bit_length() - 1)
    volume = np.ones(len(apart)) if params.algorithm == "recursive-doubling" else 2 * apart / size
    return context.matrix(np.tile(members, len(apart)), members ^ apart[:, None], np.repeat(volume, size))


@traffics.register(
    "pipeline",
    params=PipelineParams,
    summary="1.0 between every endpoint and the next, there and back; the ends are not joined",
    source="Huang et al.: GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism, NeurIPS 2019",
)
def pipeline(params: PipelineParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 for each two neighbouring stages, in one or both directions."""
    members = np.arange(context.endpoints)
    here, there = members[:-1], members[1:]
    if params.direction == "forward":
        return context.matrix(here, there)
    return context.matrix(np.concatenate([here, there]), np.concatenate([there, here]))
