"""Maximum concurrent flow with links down, from the flow and the lengths with all of them up.

Without a link the bound by the lengths remains one: it falls by what they give to the link, at most.  And the flow
remains one but for the demands that used the link.  So first these alone get other paths, over what the others leave;
where the bounds meet then, nothing else is looked at.  Else other demands, too, get paths that are shorter by the new
prices of links (:mod:`pnet_lp.throughput.rerouting.program`): few demands where a failure is felt around the link only.
"""

from pnet_lp.throughput.rerouting.program import SOLVER
from pnet_lp.throughput.rerouting.search import Rerouted, Rerouting

__all__ = ["SOLVER", "Rerouted", "Rerouting"]
