"""Everybody sends to the endpoint of the same number from the other end."""

import numpy as np

from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import NoParams
from pnet_lp.traffic.base import TrafficContext, traffics


@traffics.register("mirror", params=NoParams, summary="endpoint i of n sends to endpoint n - 1 - i")
def mirror(_: NoParams, context: TrafficContext) -> TrafficMatrix:
    """Return one demand of 1 from each endpoint; the middle one of an odd number sends nothing."""
    src = np.arange(context.endpoints)
    away = src != src[::-1]
    return context.matrix(src[away], src[::-1][away])
