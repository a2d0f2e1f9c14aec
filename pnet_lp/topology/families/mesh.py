"""Grids with open borders."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, topologies
from pnet_lp.topology.grid import Dims, grid_plane


class Mesh(LinkParams):
    """Parameters of ``mesh``."""

    dims: Dims = Field(description="switches along each axis, as in 4x8")


@topologies.register(
    "mesh",
    params=Mesh,
    example="dims=3x4",
    summary="grid without wraparound links",
    source="Dally, Towles: Principles and Practices of Interconnection Networks, Morgan Kaufmann 2004, chapter 5",
)
def mesh(params: Mesh) -> Plane:
    """Return the mesh of extents ``dims``."""
    return grid_plane(params.dims, wrap=False, link_gbps=params.link_gbps, family="mesh")
