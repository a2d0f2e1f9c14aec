"""Grids whose rows are closed to rings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, topologies
from pnet_lp.topology.grid import Dims, grid_plane
from pnet_lp.topology.sizing import Equipment, sizings


class Torus(LinkParams):
    """Parameters of ``torus``."""

    dims: Dims = Field(description="switches along each axis, as in 4x8")
    twist: bool = Field(
        False,
        description="close rows of the shorter axes half of a longer row further; extents are k and 2k (4x4x8, 4x8x8)",
    )

    @model_validator(mode="after")
    def _half_and_whole(self) -> Torus:
        if self.twist and sorted(set(self.dims)) != [min(self.dims), 2 * min(self.dims)]:
            raise ValueError("a twisted torus has extents k and 2k, as in 4x4x8")
        return self


@topologies.register(
    "torus",
    params=Torus,
    example="dims=4x3x3",
    summary="grid with wraparound links",
    source=(
        "Dally, Towles: Principles and Practices of Interconnection Networks, Morgan Kaufmann 2004, chapter 5; "
        "Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez, Navaridas: Twisted Torus Topologies for Enhanced "
        "Interconnection Networks, IEEE TPDS 21(12), 2010 (twisted)"
    ),
)
def torus(params: Torus) -> Plane:
    """Return the torus of extents ``dims``.

    An axis of extent 2 gets one cable per row, not two: the torus of d extents 2 is the d-cube.
    """
    twist = min(params.dims) if params.twist else 0
    return grid_plane(params.dims, wrap=True, link_gbps=params.link_gbps, family="torus", twist=twist)


@sizings.register("torus", summary="cubes with as many hosts on a switch as its ports allow")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield cubes: the smallest, and those with two and four times as many switches, or in fine steps up to that."""
    smallest = next((n for n in range(3, 64) if equipment.switches(n**3) + 6 <= equipment.ports), None)
    if smallest is not None:
        few = dict.fromkeys(round(smallest * factor ** (1 / 3)) for factor in (1, 2, 4))
        for side in range(smallest, max(few) + 1) if equipment.fine else few:
            yield {"dims": (side,) * 3, "hosts_per_switch": equipment.switches(side**3)}
