"""``ecmp-lp``: the best that weights on shortest paths could do."""

from __future__ import annotations

from pnet_lp.routing.base import Routing, register
from pnet_lp.routing.rule import ALL, PathKind, PathRule


@register("ecmp-lp", summary="all shortest paths, split in the best way")
class EcmpLp(Routing):
    """All shortest paths, the split open."""

    form = "path"

    @property
    def rule(self) -> PathRule:
        """All shortest paths."""
        return PathRule(PathKind.EqualCost, ALL, self.policy, self.per_flow, self.seed)
