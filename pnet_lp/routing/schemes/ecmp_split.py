"""``ecmp-split``: the fluid that many small flows under ECMP approach."""

from __future__ import annotations

from pnet_lp.routing.base import ROUTINGS, Routing
from pnet_lp.routing.loads import Split
from pnet_lp.routing.rule import PathKind


@ROUTINGS.register("ecmp-split", summary="all shortest paths, split equally at every hop")
class EcmpSplit(Routing):
    """At every switch equal parts over the next hops on shortest paths, parallel cables counted each.

    Under the policies ``any`` and ``shortest`` the source does the same over all planes in which the pair is nearest
    together; ``round-robin`` sends equal parts into all planes that connect the pair, ``single`` all into one.
    """

    form = "split"
    splitting = Split.Ecmp
    kind = PathKind.EqualCost
