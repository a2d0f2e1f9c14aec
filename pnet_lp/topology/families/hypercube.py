"""The d-dimensional binary cube."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, topologies
from pnet_lp.topology.grid import grid_plane


class Hypercube(LinkParams):
    """Parameters of ``hypercube``."""

    d: int = Field(ge=1, le=20, description="dimensions (paper: d or n); 2^d switches")


@topologies.register(
    "hypercube",
    params=Hypercube,
    example="d=5",
    summary="2^d switches, joined where their numbers differ in one bit",
    source="Dally, Towles: Principles and Practices of Interconnection Networks, Morgan Kaufmann 2004, chapter 5",
)
def hypercube(params: Hypercube) -> Plane:
    """Return the d-cube, the mesh of extent 2 along d axes."""
    return grid_plane((2,) * params.d, wrap=False, link_gbps=params.link_gbps, family="hypercube")
