"""Grids whose rows are closed to rings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, topologies
from pnet_lp.topology.grid import Dims, grid_plane
from pnet_lp.topology.sizing import Equipment, sizings


class Torus(LinkParams):
    """Parameters of ``torus``."""

    dims: Dims = Field(description="switches along each axis, as in 4x8")


@topologies.register(
    "torus",
    params=Torus,
    example="dims=4x3x3",
    summary="grid with wraparound links",
    source="Dally, Towles: Principles and Practices of Interconnection Networks, Morgan Kaufmann 2004, chapter 5",
)
def torus(params: Torus) -> Plane:
    """Return the torus of extents ``dims``.

    An axis of extent 2 gets one cable per row, not two: the torus of d extents 2 is the d-cube.
    """
    return grid_plane(params.dims, wrap=True, link_gbps=params.link_gbps, family="torus")


@sizings.register("torus", summary="cubes with as many hosts on a switch as its ports allow")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield cubes: the smallest, and those with two and four times as many switches, or in fine steps up to that."""
    smallest = next((n for n in range(3, 64) if equipment.switches(n**3) + 6 <= equipment.ports), None)
    if smallest is not None:
        few = dict.fromkeys(round(smallest * factor ** (1 / 3)) for factor in (1, 2, 4))
        for side in range(smallest, max(few) + 1) if equipment.fine else few:
            yield {"dims": (side,) * 3, "hosts_per_switch": equipment.switches(side**3)}
