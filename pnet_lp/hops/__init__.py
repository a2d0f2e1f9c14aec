"""Hop counts: how far apart endpoints are, also while parts of a network are down, and the latency that follows.

A hop is a link between switches; the hops of a pair are the fewest over the planes.  Endpoints on one switch are 0 hops
apart.  A path of h hops passes h + 1 switches and, with the two access links, h + 2 links.
"""

from pnet_lp.hops.count import count_hops
from pnet_lp.hops.latency import Rpc, message_us, only_speed, rpc_statistics
from pnet_lp.hops.trials import HopTrials, run_trials
from pnet_lp.model.hops import HopDistribution

__all__ = [
    "HopDistribution",
    "HopTrials",
    "Rpc",
    "count_hops",
    "message_us",
    "only_speed",
    "rpc_statistics",
    "run_trials",
]
