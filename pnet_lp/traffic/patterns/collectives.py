"""Collective operations of distributed training and of MPI, by the volume that each pair exchanges.

``groups`` makes one in each of many groups of endpoints.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from pnet_lp.collectives import AlgorithmOf, Operation
from pnet_lp.collectives.base import GATHERING, REDUCING
from pnet_lp.errors import SpecError, naming
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import NoParams, Params
from pnet_lp.traffic.base import TrafficContext, traffics


class ReducingPattern(Params):
    """Parameters of ``all-reduce``, ``all-gather`` and ``reduce-scatter``."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    operation: ClassVar[Operation] = "all-reduce"
    algorithm: AlgorithmOf = Field(
        "ring",
        validate_default=True,
        description="one of `pnet-lp list collectives` that does this: ring, two-level:local=8",
    )

    @model_validator(mode="after")
    def _check_algorithm(self) -> Self:
        self.algorithm.check(self.operation)
        return self


class AllGatherPattern(ReducingPattern):
    """Parameters of ``all-gather``."""

    operation: ClassVar[Operation] = "all-gather"


class ReduceScatterPattern(ReducingPattern):
    """Parameters of ``reduce-scatter``."""

    operation: ClassVar[Operation] = "reduce-scatter"


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
    params=ReducingPattern,
    summary="what one reduction of a vector of size 1.0 over all endpoints sends between them",
    source=REDUCING,
)
@traffics.register(
    "all-gather",
    params=AllGatherPattern,
    summary="what is sent until every endpoint has all parts of a vector of size 1.0, of which each has one",
    source=GATHERING,
)
@traffics.register(
    "reduce-scatter",
    params=ReduceScatterPattern,
    summary="what is sent until every endpoint has one part of the sum of vectors of size 1.0",
    source=GATHERING,
)
def reducing(params: ReducingPattern, context: TrafficContext) -> TrafficMatrix:
    """Return the volumes over all steps, in vectors.

    Of n endpoints by ring: 2 (n-1)/n to the next one, (n-1)/n for the two halves of an all-reduce.

    Raises:
        SpecError: a number of endpoints that does not fit the algorithm.
        TrafficError: too many pairs.
    """
    with naming(context.label, SpecError):
        schedule = params.algorithm.schedule(params.operation, context.endpoints)
    context.check_demands(schedule.pair_count)
    src, dst, blocks = schedule.volumes()
    return context.matrix(src, dst, blocks / schedule.blocks)


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
