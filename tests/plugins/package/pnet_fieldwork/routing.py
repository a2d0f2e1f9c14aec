"""The K shortest paths of one plane, whatever the others offer."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import RoutingError
from pnet_lp.model import Network
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.registry import Params
from pnet_lp.routing import ROUTINGS, Routing, parse_routing


class OnePlaneParams(Params):
    """Parameters of ``one-plane``."""

    plane: int = Field(ge=0, description="number of the plane")
    k: int = Field(8, ge=1, description="paths per pair")


@ROUTINGS.register(
    "one-plane", params=OnePlaneParams, example="plane=0", summary="the K shortest paths of one plane, split optimally"
)
class OnePlane(Routing):
    """What traffic pinned to one plane can do."""

    form = "path"
    params: OnePlaneParams

    def paths(
        self, network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike, *, threads: int = 0
    ) -> PathSet:
        """See :meth:`Routing.paths`."""
        if self.params.plane >= network.plane_count:
            raise RoutingError("no such plane", where="plane", found=self.params.plane)
        alone = Network.from_planes([network.planes[self.params.plane]])
        shortest = parse_routing(f"ksp:{self.params.k}", seed=self.seed).until(self.deadline)
        found = shortest.paths(alone, level, src, dst, threads=threads)
        plane = np.full_like(found.plane, self.params.plane)
        return replace(found, arcs=usable_arcs(network), plane=plane)
