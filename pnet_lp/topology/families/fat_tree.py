"""Folded Clos networks of one switch radix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.topology.clos import Rails, on_rails
from pnet_lp.topology.family import HostParams, check_size, topologies
from pnet_lp.topology.sizing import OVERSUBSCRIPTIONS, Equipment, sizings


class FatTree(HostParams):
    """Parameters of ``fat-tree``."""

    k: int = Field(ge=2, multiple_of=2, description="ports of a switch (paper: k), even")
    tiers: int = Field(3, ge=2, le=16, description="tiers of switches (paper: n)")
    oversubscription: float = Field(
        1.0, ge=1, description="hosts per uplink of an edge switch: k/2 uplinks and oversubscription * k/2 hosts"
    )

    core_gbps: float | None = Field(
        None, gt=0, description="speed of the cables to the top tier, Gb/s in each direction; default: link_gbps"
    )

    rails: Rails = 1

    @model_validator(mode="after")
    def _whole_hosts(self) -> FatTree:
        hosts = self.oversubscription * self.k / 2
        if hosts != int(hosts):
            raise ValueError(
                f"oversubscription * k/2 is the number of hosts of an edge switch and must be whole, not {hosts:g}"
            )
        return self

    @property
    def hosts_per_edge(self) -> int:
        """Hosts of each edge switch."""
        return int(self.oversubscription * self.k / 2)


@topologies.register(
    "fat-tree",
    params=FatTree,
    example="k=4",
    summary="folded Clos network of k-port switches: 5k^2/4 switches and k^3/4 hosts in three tiers",
    source="Al-Fares, Loukissas, Vahdat: A Scalable, Commodity Data Center Network Architecture, SIGCOMM 2008",
)
def fat_tree(params: FatTree) -> Plane:
    """Return the k-ary n-tier fat tree.

    With ``m = k/2`` there are ``2 m^(n-1)`` switches in each tier but the top, ``m^(n-1)`` in the top tier,
    ``2 m^n`` hosts and as many cables between any two neighbouring tiers.  Switches of tier t form groups (pods) that
    share all their descendants: switch b of group a has index ``a * m^t + b``.

    Oversubscription adds hosts to the edge switches and leaves everything above as it is, so an edge switch has
    ``m (1 + oversubscription)`` ports; this is how the packet-level studies of fat trees do it.
    """
    m, tiers = params.k // 2, params.tiers
    per_tier = 2 * m ** (tiers - 1)
    hosts = per_tier * params.hosts_per_edge
    check_size("fat-tree", switches=per_tier * tiers, cables=per_tier * m * (tiers - 1), hosts=hosts)
    u, v = [], []
    for tier in range(tiers - 1):
        # Switch (a, b) has an uplink to each switch (a // children, b * m + y) above: those that share b's digits.
        children = 2 * m if tier == tiers - 2 else m
        group, place, uplink = np.indices((per_tier // m**tier, m**tier, m))
        u.append((tier * per_tier + group * m**tier + place).ravel())
        v.append(((tier + 1) * per_tier + group // children * m ** (tier + 1) + place * m + uplink).ravel())
    speeds = np.full((tiers - 1, per_tier * m), params.link_gbps)
    speeds[-1] = params.core_gbps or params.link_gbps
    names = [f"edge{i}" for i in range(per_tier)]
    for tier in range(1, tiers - 1):
        prefix = "agg" if tiers == 3 else f"agg{tier}-"
        names += [f"{prefix}{i}" for i in range(per_tier)]
    names += [f"core{i}" for i in range(per_tier // 2)]
    return Plane.from_cables(
        names,
        np.concatenate(u),
        np.concatenate(v),
        speeds.ravel(),
        host_switch=on_rails(per_tier, params.hosts_per_edge, params.rails, "fat-tree"),
        access_gbps=params.access_gbps,
        tier=np.arange(len(names)) // per_tier,
    )


@sizings.register("fat-tree", summary="two or three tiers, edge switches with 1 to 4 hosts for each uplink")
def sizes(equipment: Equipment) -> Iterator[dict[str, Any]]:
    """Yield the smallest fat trees for each number of tiers and each oversubscription."""
    for tiers in (2, 3):
        for factor in OVERSUBSCRIPTIONS:
            for m in range(1, equipment.ports // 2 + 1):
                if 2 * m**tiers * factor >= equipment.hosts and m * (1 + factor) <= equipment.ports:
                    yield {"k": 2 * m, "tiers": tiers, "oversubscription": factor}
                    break
