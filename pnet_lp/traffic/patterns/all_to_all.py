"""Every endpoint sends to every other."""

from __future__ import annotations

import numpy as np

from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import NoParams
from pnet_lp.traffic.base import Context, traffics


@traffics.register("all-to-all", summary="1.0 from every endpoint to every other")
def all_to_all(_: NoParams, context: Context) -> TrafficMatrix:
    """Return a demand of 1.0 for each ordered pair: ``n (n - 1)`` of them."""
    context.check_demands(context.endpoints * (context.endpoints - 1))
    src, dst = np.nonzero(~np.eye(context.endpoints, dtype=bool))
    return context.matrix(src, dst)
