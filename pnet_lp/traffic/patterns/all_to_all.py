"""Every endpoint sends to every other."""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from pnet_lp.collectives import AlgorithmOf
from pnet_lp.errors import SpecError, TrafficError, naming
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.places import in_drawn_racks


class AllToAllPattern(Params):
    """Parameters of ``all-to-all``."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    fraction: float = Field(
        1.0, gt=0, le=1, description="share of the racks that take part, drawn at random; their hosts do at host level"
    )
    algorithm: AlgorithmOf = Field(
        "pairwise",
        validate_default=True,
        description="one of `pnet-lp list collectives` that does this: pairwise, hierarchical:local=8",
    )
    seed: OwnSeed = None

    @model_validator(mode="after")
    def _check_algorithm(self) -> Self:
        self.algorithm.check("all-to-all")
        return self


@traffics.register("all-to-all", params=AllToAllPattern, summary="1.0 from every endpoint to every other")
def all_to_all(params: AllToAllPattern, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 for each ordered pair of those that take part, by the algorithm.

    Raises:
        SpecError: a number of endpoints that does not fit the algorithm.
        TrafficError: fewer than two endpoints are in the racks that take part.
    """
    part = np.ones(context.endpoints)
    if params.fraction < 1:
        random = context.random("all-to-all", params.seed)
        part = in_drawn_racks(context, params.fraction, random).astype(np.float64)
    if part.sum() < 2:
        raise TrafficError(
            f"a fraction of {params.fraction:g} leaves fewer than two {context.level}s", where=context.label
        )
    members = np.flatnonzero(part)
    with naming(context.label, SpecError):
        schedule = params.algorithm.schedule("all-to-all", len(members))
    if schedule.is_direct:
        return context.product(part, part)
    context.check_demands(schedule.pair_count)
    src, dst, blocks = schedule.volumes()
    return context.matrix(members[src], members[dst], blocks)
