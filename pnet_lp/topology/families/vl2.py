"""VL2: a Clos network of slow access links and fast switch links."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from pnet_lp.model import Plane
from pnet_lp.topology.family import HostParams, check_size, topologies

SPEED_UP = 10
"""Switch links are this many times as fast as access links in the paper: 10 Gb/s over 1 Gb/s."""


class VL2(HostParams):
    """Parameters of ``vl2``."""

    d_a: int = Field(ge=2, multiple_of=2, description="ports of an aggregation switch (paper: D_A), even")
    d_i: int = Field(ge=2, multiple_of=2, description="ports of an intermediate switch (paper: D_I), even")
    hosts_per_tor: int = Field(20, ge=0, description="servers of a ToR switch (paper: 20)")
    host_gbps: float | None = Field(
        None,
        gt=0,
        description="speed of every access link, Gb/s in each direction; default: link_gbps / 10, as in the paper",
    )

    @property
    def access_gbps(self) -> float:
        """Speed of every access link in Gb/s."""
        return self.link_gbps / SPEED_UP if self.host_gbps is None else self.host_gbps


@topologies.register(
    "vl2",
    params=VL2,
    example="d_a=4,d_i=4",
    summary="d_a d_i / 4 ToRs of two uplinks each, every aggregation joined to every intermediate switch",
    source="Greenberg et al.: VL2: A Scalable and Flexible Data Center Network, SIGCOMM 2009, section 4.1",
)
def vl2(params: VL2) -> Plane:
    """Return VL2: ``d_a d_i / 4`` ToR, ``d_i`` aggregation and ``d_a / 2`` intermediate switches.

    Aggregation switches come in pairs, and the ``d_a / 2`` ToRs below a pair have one uplink to each of the two.
    """
    half, aggregations = params.d_a // 2, params.d_i
    tors = half * aggregations // 2
    hosts = tors * params.hosts_per_tor
    switches = tors + aggregations + half
    check_size("vl2", switches=switches, cables=2 * tors + aggregations * half, hosts=hosts)
    tor, uplink = np.indices((tors, 2)).reshape(2, -1)
    aggregation, intermediate = np.indices((aggregations, half)).reshape(2, -1)
    counts = {"tor": tors, "agg": aggregations, "int": half}
    return Plane.from_cables(
        [f"{kind}{i}" for kind, count in counts.items() for i in range(count)],
        np.concatenate([tor, tors + aggregation]),
        np.concatenate([tors + tor // half * 2 + uplink, tors + aggregations + intermediate]),
        params.link_gbps,
        racks=np.arange(tors),
        host_switch=np.arange(hosts) // max(params.hosts_per_tor, 1),
        access_gbps=params.access_gbps,
        tier=np.repeat([0, 1, 2], list(counts.values())),
    )
