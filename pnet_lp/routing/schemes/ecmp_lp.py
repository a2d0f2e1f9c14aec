"""``ecmp-lp``: the best that weights on shortest paths could do."""

from __future__ import annotations

from pnet_lp.routing.base import ROUTINGS, Routing
from pnet_lp.routing.rule import PathKind
from pnet_lp.routing.schemes.ecmp import Ecmp


@ROUTINGS.register("ecmp-lp", summary="all shortest paths, split optimally")
class EcmpLp(Routing):
    """All shortest paths, the split open."""

    form = "path"
    kind = PathKind.EqualCost

    @property
    def narrowed(self) -> Routing:
        """See :attr:`Routing.narrowed`: any shortest path will do."""
        return Ecmp(self.params, self.policy, self.seed, "ecmp")
