"""``vlb``: Valiant load balancing."""

from __future__ import annotations

from pnet_lp.routing.base import ROUTINGS, Routing
from pnet_lp.routing.loads import Split


@ROUTINGS.register(
    "vlb",
    summary="via every switch, two shortest legs, split equally",
    source='L. G. Valiant, G. J. Brebner, "Universal schemes for parallel communication", STOC (1981)',
)
class Valiant(Routing):
    """Equal parts to all switches of the plane that source and destination can both exchange traffic with.

    These two are among them.  From there it goes on to the destination, on both legs as under ``ecmp-split``.  A pair
    on one switch of a plane stays there.  All planes that the policy allows get equal parts.
    """

    form = "split"
    splitting = Split.Vlb
