"""One line."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, topologies
from pnet_lp.topology.grid import grid_plane


class Path(LinkParams):
    """Parameters of ``path``."""

    n: int = Field(ge=2, description="number of switches")


@topologies.register("path", params=Path, example="n=5", summary="n switches in a line")
def path(params: Path) -> Plane:
    """Return the path of n switches."""
    return grid_plane((params.n,), wrap=False, link_gbps=params.link_gbps, family="path")
