"""``ecmp-lp``: the best that weights on shortest paths could do."""

from __future__ import annotations

from pnet_lp.routing.base import ROUTINGS, Routing
from pnet_lp.routing.rule import PathKind


@ROUTINGS.register("ecmp-lp", summary="all shortest paths, split optimally")
class EcmpLp(Routing):
    """All shortest paths, the split open."""

    form = "path"
    kind = PathKind.EqualCost
