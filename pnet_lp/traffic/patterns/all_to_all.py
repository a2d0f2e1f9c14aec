"""Every endpoint sends to every other."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.places import in_drawn_racks


class AllToAllPattern(Params):
    """Parameters of ``all-to-all``."""

    fraction: float = Field(
        1.0, gt=0, le=1, description="share of the racks that take part, drawn at random; their hosts do at host level"
    )
    seed: OwnSeed = None


@traffics.register("all-to-all", params=AllToAllPattern, summary="1.0 from every endpoint to every other")
def all_to_all(params: AllToAllPattern, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 for each ordered pair of those that take part.

    Raises:
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
    return context.product(part, part)
