"""The bound of the access links: no host sends or receives more than its links carry."""

from __future__ import annotations

import numpy as np

from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Instance, Silent
from pnet_lp.throughput.bounds.witness import AccessLinks


@BOUNDS.register("nic", summary="access links of a host in all planes, over what it sends or receives")
def nic(instance: Instance) -> Bound:
    """Return the smallest ratio of access speed to demand, over hosts and directions."""
    if instance.level == "rack":
        raise Silent("access links do not limit racks")
    problem = instance.problem
    best: tuple[float, AccessLinks] | None = None
    sent, received = problem.demands.totals(problem.attach.shape[1])
    for direction, demand, speed in (("up", sent, problem.access_up), ("down", received, problem.access_down)):
        total = speed.sum(axis=0)
        busy = np.flatnonzero(demand)
        worst = busy[np.argmin(total[busy] / demand[busy])]
        value = float(total[worst] / demand[worst])
        if best is None or value < best[0]:
            members = np.flatnonzero(problem.endpoint_class == worst)
            links = AccessLinks(
                int(members[0]),
                len(members),
                "up" if direction == "up" else "down",
                float(total[worst]),
                float(demand[worst]),
            )
            best = value, links
    assert best is not None  # there is a demand, and it has a source
    return Bound(best[0], exact=True, witness=best[1])
