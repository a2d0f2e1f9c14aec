"""Grids whose rows are closed to rings."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, topologies
from pnet_lp.topology.grid import Dims, grid_plane


class Torus(LinkParams):
    """Parameters of ``torus``."""

    dims: Dims = Field(description="switches along each axis, as in 4x8")


@topologies.register(
    "torus",
    params=Torus,
    summary="grid whose rows are closed to rings",
    source="Dally, Towles: Principles and Practices of Interconnection Networks, chapter 5",
)
def torus(params: Torus) -> Plane:
    """Return the torus of extents ``dims``.

    An axis of extent 2 gets one cable per row, not two: the torus of d extents 2 is the d-cube.
    """
    return grid_plane(params.dims, wrap=True, link_gbps=params.link_gbps, family="torus")
