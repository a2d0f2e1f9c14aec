"""``ksp:K``: what MPTCP over K subflows approaches (P-Net; J. Y. Yen, Management Science 17, 1971)."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.registry import Params
from pnet_lp.routing.base import Routing, register
from pnet_lp.routing.rule import ALL, PathKind, PathRule


class KspParams(Params):
    """Parameters of ``ksp``."""

    k: int = Field(ge=1, le=ALL, description="paths per pair")


@register(
    "ksp",
    params=KspParams,
    summary="the K shortest loop-free paths, split in the best way",
    source='J. Y. Yen, "Finding the K shortest loopless paths in a network", Management Science 17 (1971)',
)
class KShortest(Routing):
    """The K shortest simple paths of all planes together, the split open."""

    form = "path"
    params: KspParams

    @property
    def rule(self) -> PathRule:
        """K shortest paths."""
        return PathRule(PathKind.KShortest, self.params.k, self.policy, self.per_flow, self.seed)
