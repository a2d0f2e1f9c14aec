"""Two sides, each switch joined to every switch of the other side."""

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import LinkParams, check_size, topologies


class Bipartite(LinkParams):
    """Parameters of ``bipartite``."""

    n: int = Field(ge=1, description="switches on each side")


@topologies.register(
    "bipartite", params=Bipartite, example="n=4", summary="two sides of n switches, each joined to the whole other side"
)
def bipartite(params: Bipartite) -> Plane:
    """Return the complete bipartite graph of ``2 n`` switches."""
    check_size("bipartite", switches=2 * params.n, cables=params.n**2)
    u, v = np.indices((params.n, params.n)).reshape(2, -1)
    return Plane.from_cables(2 * params.n, u, params.n + v, params.link_gbps)
