"""One centre."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.model.layout import Circle
from pnet_lp.topology.family import LinkParams, check_size, topologies


class Star(LinkParams):
    """Parameters of ``star``."""

    n: int = Field(ge=1, description="number of leaves; the centre is switch 0 and a rack like them")


@topologies.register("star", params=Star, example="n=1", summary="n leaves, each joined to one centre")
def star(params: Star) -> Plane:
    """Return the star of ``n`` leaves, ``n + 1`` switches."""
    check_size("star", switches=params.n + 1)
    return Plane.from_cables(
        params.n + 1,
        np.zeros(params.n, dtype=int),
        np.arange(1, params.n + 1),
        params.link_gbps,
        layout=Circle(hub=True),
    )
