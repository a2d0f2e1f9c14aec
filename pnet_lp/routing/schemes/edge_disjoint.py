"""``edge-disjoint:K``: paths that share no link (J. W. Suurballe, Networks 4, 1974)."""

from __future__ import annotations

from pnet_lp.routing.base import ROUTINGS, CountedPaths, PathCount
from pnet_lp.routing.rule import PathKind


@ROUTINGS.register(
    "edge-disjoint",
    params=PathCount,
    example="k=2",
    summary="K paths without a common link, of least total length, split optimally",
    source='J. W. Suurballe, "Disjoint paths in a network", Networks 4 (1974)',
)
class EdgeDisjointPaths(CountedPaths):
    """K edge-disjoint paths, the split open."""

    kind = PathKind.EdgeDisjoint
