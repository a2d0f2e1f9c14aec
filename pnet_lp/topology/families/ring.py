"""One cycle."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, topologies
from pnet_lp.topology.grid import grid_plane


class Ring(LinkParams):
    """Parameters of ``ring``."""

    n: int = Field(ge=3, description="number of switches")


@topologies.register("ring", params=Ring, example="n=7", summary="n switches in a cycle")
def ring(params: Ring) -> Plane:
    """Return the cycle of n switches."""
    return grid_plane((params.n,), wrap=True, link_gbps=params.link_gbps, family="ring")
