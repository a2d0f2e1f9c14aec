"""Collective operations of distributed training and of MPI, by the volume that each pair exchanges."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.traffic.base import TrafficContext, traffics


class GroupParams(Params):
    """Parameters of the collectives."""

    group: int | None = Field(
        None, ge=2, description="endpoints of each independent group; neighbours by index; default: all"
    )


class AllReducePattern(GroupParams):
    """Parameters of ``all-reduce``."""

    algorithm: Literal["ring", "recursive-doubling", "halving-doubling"] = Field(
        "ring",
        description="ring: reduce-scatter and all-gather around a ring; recursive-doubling: whole vectors between "
        "pairs 1, 2, 4, ... apart; halving-doubling: half, quarter, ... of it, then back",
    )


class PipelineParams(GroupParams):
    """Parameters of ``pipeline``."""

    direction: Literal["both", "forward"] = Field(
        "both", description="both: activations go forward and gradients back; forward: no gradients"
    )


@traffics.register(
    "ring", params=GroupParams, summary="1.0 from every member of a group to the next, the last to the first"
)
def ring(params: GroupParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 per endpoint."""
    members = _groups(params, context)
    return context.matrix(members, np.roll(members, -1, axis=1))


@traffics.register(
    "all-reduce",
    params=AllReducePattern,
    summary="what one reduction of a vector of size 1.0 over each group sends between its members",
    source="Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69(2), 2009 "
    "(ring); Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 2005",
)
def all_reduce(params: AllReducePattern, context: TrafficContext) -> TrafficMatrix:
    """Return the volumes over all rounds, in vectors.

    In a group of g: ring, 2 (g-1)/g to the next member; recursive doubling, 1 to each member 2^j apart;
    halving-doubling, 2^(j+1)/g to each member 2^j apart, which is 2 (g-1)/g in all.

    Raises:
        TrafficError: a group of another size than a power of two, for the algorithms other than ring.
    """
    members = _groups(params, context)
    size = members.shape[1]
    if params.algorithm == "ring":
        return context.matrix(members, np.roll(members, -1, axis=1), np.full(members.size, 2 * (size - 1) / size))
    if size & (size - 1):
        raise TrafficError(
            f"{params.algorithm} needs groups of a power of two",
            where=context.label,
            found=size,
            allowed="group=2, 4, 8, ..., or algorithm=ring",
        )
    apart = 1 << np.arange(size.bit_length() - 1)
    peers = np.arange(size) ^ apart[:, None]
    volume = np.ones(len(apart)) if params.algorithm == "recursive-doubling" else 2 * apart / size
    src = np.concatenate([members.ravel()] * len(apart))
    dst = np.concatenate([members[:, peer].ravel() for peer in peers])
    return context.matrix(src, dst, np.repeat(volume, members.size))


@traffics.register(
    "pipeline",
    params=PipelineParams,
    summary="1.0 between every member of a group and the next, there and back; the ends are not joined",
    source="Huang et al.: GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism, NeurIPS 2019",
)
def pipeline(params: PipelineParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 for each two neighbouring stages, in one or both directions."""
    members = _groups(params, context)
    here, there = members[:, :-1].ravel(), members[:, 1:].ravel()
    if params.direction == "forward":
        return context.matrix(here, there)
    return context.matrix(np.concatenate([here, there]), np.concatenate([there, here]))


def _groups(params: GroupParams, context: TrafficContext) -> npt.NDArray[np.int64]:
    """Return the members of each group, one row each."""
    n = context.endpoints
    size = params.group or n
    if n % size:
        raise TrafficError(
            f"{n} {context.level}s do not fill groups of {size}", where=context.label, allowed=f"a divisor of {n}"
        )
    return np.arange(n).reshape(-1, size)
