"""Every endpoint sends to the one a fixed number of places further on."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.traffic.base import TrafficContext, traffics


class StrideParams(Params):
    """Parameters of ``stride``."""

    s: int = Field(ge=1, description="distance from source to destination in the network's order of endpoints")


@traffics.register(
    "stride",
    params=StrideParams,
    example="s=1",
    summary="1.0 from endpoint i to endpoint i + s modulo n",
    source="Al-Fares et al.: Hedera, NSDI 2010, figure 9 (stride)",
)
def stride(params: StrideParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 per endpoint.

    Raises:
        TrafficError: ``s`` is a multiple of the number of endpoints, so that each would send to itself.
    """
    n = context.endpoints
    if params.s % n == 0:
        raise TrafficError(
            f"a stride of {params.s} over {n} {context.level}s makes every {context.level} a fixed point",
            where=context.label,
            allowed=f"a stride that is not a multiple of {n}",
        )
    src = np.arange(n)
    return context.matrix(src, (src + params.s) % n)
