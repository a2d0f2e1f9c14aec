"""``edge-disjoint:K``: paths that share no link (J. W. Suurballe, Networks 4, 1974)."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.registry import Params
from pnet_lp.routing.base import Routing, register
from pnet_lp.routing.rule import ALL, PathKind, PathRule


class EdgeDisjointParams(Params):
    """Parameters of ``edge-disjoint``."""

    k: int = Field(ge=1, le=ALL, description="paths per pair")


@register(
    "edge-disjoint",
    params=EdgeDisjointParams,
    summary="K paths without a common link, of least total length, split in the best way",
    source='J. W. Suurballe, "Disjoint paths in a network", Networks 4 (1974)',
)
class EdgeDisjoint(Routing):
    """K edge-disjoint paths, the split open."""

    form = "path"
    params: EdgeDisjointParams

    @property
    def rule(self) -> PathRule:
        """K paths without a common link."""
        return PathRule(PathKind.EdgeDisjoint, self.params.k, self.policy, self.per_flow, self.seed)
