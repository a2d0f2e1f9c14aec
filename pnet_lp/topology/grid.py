"""Grids of any dimension: the cables of meshes and tori, and how their extents are written."""

from __future__ import annotations

import math
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import AfterValidator

from pnet_lp.model import Plane
from pnet_lp.model.layout import Circle, Grid
from pnet_lp.topology.family import check_size
from pnet_lp.topology.lists import Whole


def _at_least_two(dims: tuple[int, ...]) -> tuple[int, ...]:
    if not dims or min(dims) < 2:
        raise ValueError("a grid needs extents of at least 2, as in 4x8")
    return dims


Dims: TypeAlias = Annotated[Whole, AfterValidator(_at_least_two)]
"""Extents of a grid, written ``4x8`` or as a list."""


def grid_plane(dims: tuple[int, ...], *, wrap: bool, link_gbps: float, family: str, twist: int = 0) -> Plane:
    """Return the grid of extents ``dims``; a switch's index is its row-major (C order) position.

    Args:
        dims: number of switches along each axis.
        wrap: whether the last switch of each row is joined to the first.  Along an axis of extent 2 those two are
            neighbours already and get one cable, not two, so that the torus of d extents 2 is the d-cube.
        link_gbps: speed of every cable, Gb/s in each direction.
        family: its name, for messages.
        twist: where it is not 0, rows of this extent are joined not to their own first switch but to the one this far
            along every other axis that is longer.

    Raises:
        SpecError: more switches or cables than any family builds.
    """
    check_size(family, switches=math.prod(dims), cables=math.prod(dims) * len(dims))
    index = np.arange(math.prod(dims)).reshape(dims)
    u, v = [], []
    longer = [axis for axis, extent in enumerate(dims) if extent > twist]
    for axis, extent in enumerate(dims):
        steps = extent if wrap and (extent > 2 or extent == twist) else extent - 1
        follow = np.roll(index, -1, axis)
        if extent == twist:
            last = (slice(None),) * axis + (slice(-1, None),)
            follow[last] = np.roll(follow[last], -twist, longer)
        u.append(index.take(range(steps), axis).ravel())
        v.append(follow.take(range(steps), axis).ravel())
    layout = Circle() if wrap and len(dims) == 1 else Grid(dims)
    return Plane.from_cables(index.size, np.concatenate(u), np.concatenate(v), link_gbps, layout=layout)
