"""Every endpoint sends to destinations drawn at random, evenly or with a preference for a few."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.matching import random_bijection


class RandomParams(Params):
    """Parameters of ``random``."""

    flows: int = Field(1, ge=1, description="flows of each endpoint, 1.0 each (2, 3, 4: Hedera's randx2 to randx4)")
    distinct: bool = Field(False, description="whether the flows of an endpoint have different destinations")
    seed: OwnSeed = None


@traffics.register(
    "random",
    params=RandomParams,
    summary="flows of 1.0 from every endpoint to others drawn evenly",
    source="Al-Fares et al.: Hedera, NSDI 2010, figure 9 (rand, randx2 to randx4)",
)
def random(params: RandomParams, context: TrafficContext) -> TrafficMatrix:
    """Return ``flows`` flows of 1.0 per endpoint; flows between the same two add up.

    Raises:
        TrafficError: more distinct destinations than there are others.
    """
    n, flows = context.endpoints, params.flows
    context.check_demands(n * flows)
    draw = context.random("random", params.seed)
    src = np.repeat(np.arange(n), flows)
    if not params.distinct:
        return context.matrix(src, _others(src, n, draw))
    if flows > n - 1:
        raise TrafficError(
            f"{flows} flows are too many for different destinations among {n} {context.level}s",
            where=context.label,
            allowed=f"1 to {n - 1}",
        )
    drawn = np.concatenate([draw.choice(n - 1, flows, replace=False) for _ in range(n)])
    return context.matrix(src, drawn + (drawn >= src))


class HotspotParams(Params):
    """Parameters of ``hotspot``."""

    share: float = Field(0.5, gt=0, le=1, description="share of the endpoints that send to a hotspot, rounded")
    spots: int = Field(1, ge=1, description="number of hotspots")
    rest: Literal["random", "bijective"] = Field(
        "random",
        description="where all others send to; random: anywhere; bijective: each to a different one, no hotspots",
    )
    seed: OwnSeed = None


@traffics.register(
    "hotspot",
    params=HotspotParams,
    summary="1.0 from a share of the endpoints to a random hotspot, from all others to a random endpoint",
    source="Al-Fares et al.: Hedera, NSDI 2010, figure 9 (hotspot)",
)
def hotspot(params: HotspotParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 per endpoint.

    Half of the endpoints and one hotspot is our choice; Hedera's evaluation has other numbers, see
    :data:`~pnet_lp.traffic.patterns.hedera.PATTERNS`.  The hotspots are drawn first; those who send to them are drawn
    from all others and spread evenly over the hotspots.

    Raises:
        TrafficError: no endpoint is left to send to the hotspots; too few others for a one-to-one assignment.
    """
    n = context.endpoints
    if params.spots >= n:
        raise TrafficError(
            f"{params.spots} hotspots leave none of {n} {context.level}s to send to them", where=context.label
        )
    draw = context.random("hotspot", params.seed)
    order = draw.permutation(n)
    spots, rest = order[: params.spots], order[params.spots :]
    senders = rest[: max(1, round(params.share * n))]
    if params.rest == "random":
        dst = _others(np.arange(n), n, draw)
    else:
        dst = np.empty(n, dtype=np.int64)
        others, free = np.setdiff1d(order, senders), np.sort(rest)
        chosen = random_bijection(others, free, draw)
        if chosen is None:
            raise TrafficError(
                f"{len(others)} {context.level}s do not send to a hotspot, and {len(free)} are none",
                where=context.label,
                allowed="a larger share, fewer spots, or rest=random",
            )
        dst[others] = free[chosen]
    dst[senders] = spots[np.arange(len(senders)) % params.spots]
    return context.matrix(np.arange(n), dst)


def _others(src: npt.NDArray[np.int64], n: int, draw: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return, for each source, one of the ``n - 1`` other endpoints."""
    drawn = draw.integers(0, n - 1, len(src))
    return drawn + (drawn >= src)
