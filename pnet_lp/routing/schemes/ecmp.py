"""``ecmp``: a hash picks one shortest path for each flow (C. Hopps, RFC 2992, 2000)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.routing.base import ROUTINGS, Routing
from pnet_lp.routing.loads import Loads, checked_amount, path_loads, path_usage
from pnet_lp.routing.rule import PathKind
from pnet_lp.routing.searches import prepare

if TYPE_CHECKING:
    import scipy.sparse as sp


@ROUTINGS.register("ecmp", summary="one of the shortest paths, drawn by a seeded hash per flow", source="RFC 2992")
class Ecmp(Routing):
    """All of a demand on the path that is drawn for it."""

    form = "split"
    draws = True
    kind = PathKind.EqualCost

    @property
    def most_paths(self) -> int:
        """One shortest path for each flow."""
        return 1

    def loads(
        self,
        network: Network,
        level: Level,
        src: npt.ArrayLike,
        dst: npt.ArrayLike,
        demand: npt.ArrayLike,
        *,
        threads: int = 0,
    ) -> Loads:
        """See :meth:`Routing.loads`."""
        searches = prepare(network, level, src, dst)
        amount = checked_amount(searches, demand)
        blocks = self.iterate(network, level, src, dst, threads=threads)
        return path_loads(searches, amount, blocks, network.plane_count)

    def usage(
        self, network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike, *, threads: int = 0
    ) -> sp.csc_array:
        """See :meth:`Routing.usage`."""
        return path_usage(self.paths(network, level, src, dst, threads=threads))
