"""A demand for every pair, drawn independently from a distribution."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics


class ExponentialParams(Params):
    """Parameters of ``exponential``."""

    mean: float = Field(1.0, gt=0, description="mean demand of a pair")
    seed: OwnSeed = None


@traffics.register(
    "exponential", params=ExponentialParams, summary="between all pairs, drawn from an exponential distribution"
)
def exponential(params: ExponentialParams, context: TrafficContext) -> TrafficMatrix:
    """Return independent demands of the given mean."""
    src, dst = context.all_pairs()
    drawn = context.random("exponential", params.seed).exponential(params.mean, len(src))
    return context.matrix(src, dst, drawn)


class BimodalParams(Params):
    """Parameters of ``bimodal``."""

    share: float = Field(0.2, ge=0, le=1, description="probability that a pair's demand is a large one")
    small: float = Field(1.0, gt=0, description="mean of the small demands")
    large: float = Field(10.0, gt=0, description="mean of the large demands")
    deviation: float = Field(0.2, ge=0, description="standard deviation of either, as a share of its mean")
    seed: OwnSeed = None


@traffics.register(
    "bimodal",
    params=BimodalParams,
    summary="between all pairs, drawn from a mixture of two normal distributions: many small, some large",
    source="Medina et al.: Traffic Matrix Estimation: Existing Techniques and New Directions, SIGCOMM 2002 (bimodal "
    "synthetic matrices)",
)
def bimodal(params: BimodalParams, context: TrafficContext) -> TrafficMatrix:
    """Return independent demands; a negative draw counts as no demand."""
    src, dst = context.all_pairs()
    random = context.random("bimodal", params.seed)
    mean = np.where(random.random(len(src)) < params.share, params.large, params.small)
    drawn = mean * (1 + params.deviation * random.standard_normal(len(src)))
    return context.matrix(src, dst, np.maximum(drawn, 0.0))
