"""Flows of two sizes."""

from pydantic import Field

from pnet_lp.quantities import Bytes
from pnet_lp.registry import Params
from pnet_lp.workload.distribution import SIZES, SizeDistribution


class TwoParams(Params):
    """Parameters of ``two``."""

    small: Bytes = Field(1500, description="size of a small flow")
    large: Bytes = Field(10**6, description="size of a large flow")
    share: float = Field(0.9, ge=0, le=1, description="part of flows that are small")


@SIZES.register("two", params=TwoParams, summary="small flows and large ones, nothing between")
def two(params: TwoParams, label: str) -> SizeDistribution:
    """Return the distribution: its curve is upright where the small flows end."""
    sizes, shares = [params.small, params.large, params.large], [params.share, params.share, 1.0]
    return SizeDistribution.from_points(sizes, shares, "linear", label=label)
