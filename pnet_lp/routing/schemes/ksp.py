"""``ksp:K``: what MPTCP over K subflows approaches (P-Net; J. Y. Yen, Management Science 17, 1971)."""

from __future__ import annotations

from pnet_lp.routing.base import ROUTINGS, CountedPaths, PathCount, Routing
from pnet_lp.routing.rule import PathKind


@ROUTINGS.register(
    "ksp",
    params=PathCount,
    example="k=3",
    summary="the K shortest loop-free paths, split optimally",
    source='J. Y. Yen, "Finding the K shortest loopless paths in a network", Management Science 17 (1971)',
)
class KShortest(CountedPaths):
    """The K shortest simple paths of all planes together, the split open."""

    kind = PathKind.KShortest

    @property
    def narrowed(self) -> Routing | None:
        """See :attr:`Routing.narrowed`: what the seed draws first, if there are no other lists to draw for before."""
        if self.params.k == 1 or self.policy == "round-robin":
            return None
        return KShortest(PathCount(k=1), self.policy, self.seed, "ksp:1")
