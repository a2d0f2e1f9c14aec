"""Every endpoint sends to destinations drawn at random, evenly or with a preference for a few."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.traffic.base import Context, Seed, traffics


class RandomParams(Params):
    """Parameters of ``random``."""

    flows: int = Field(
        1, ge=1, description="flows of each endpoint, 1.0 each (2, 3, 4: Hedera's randx2 to randx4)"
    )
    seed: Seed = None


@traffics.register(
    "random",
    params=RandomParams,
    summary="flows of 1.0 from every endpoint to others drawn evenly, which may be drawn several times",
    source="Hedera (NSDI'10), section 5.3 (rand, randx2 to randx4)",
)
def random(params: RandomParams, context: Context) -> TrafficMatrix:
    """Return ``flows`` flows of 1.0 per endpoint; flows between the same two add up."""
    context.check_demands(context.endpoints * params.flows)
    src = np.repeat(np.arange(context.endpoints), params.flows)
    return context.matrix(src, _others(src, context.endpoints, context.random("random", params.seed)))


class HotspotParams(Params):
    """Parameters of ``hotspot``."""

    share: float = Field(
        0.5, gt=0, le=1, description="share of the endpoints that send to a hotspot, rounded"
    )
    spots: int = Field(1, ge=1, description="number of hotspots")
    seed: Seed = None


@traffics.register(
    "hotspot",
    params=HotspotParams,
    summary="1.0 from a share of the endpoints to a random hotspot, from all others to a random endpoint",
    source="Hedera (NSDI'10), section 5.3 (hotspot)",
)
def hotspot(params: HotspotParams, context: Context) -> TrafficMatrix:
    """Return a demand of 1.0 per endpoint.

    The paper names the pattern without saying how many send to the hotspot; half is our choice.  The hotspots are
    drawn first; those who send to them are drawn from all others and spread evenly over the hotspots.

    Raises:
        TrafficError: nobody is left to send to the hotspots.
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
    dst = _others(np.arange(n), n, draw)
    dst[senders] = spots[np.arange(len(senders)) % params.spots]
    return context.matrix(np.arange(n), dst)


def _others(src: npt.NDArray[np.int64], n: int, draw: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return, for each source, one of the ``n - 1`` other endpoints."""
    drawn = draw.integers(0, n - 1, len(src))
    return drawn + (drawn >= src)
