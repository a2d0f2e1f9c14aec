"""Parallel fabrics that meet in the ToR switch."""

from __future__ import annotations

from pydantic import Field, model_validator

from pnet_lp.cost.bill import Bill, Boxes, Cables
from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.packaging import Packaging
from pnet_lp.model import Network
from pnet_lp.topology.families.tor_parallel import TorParallel, tor_parallel


class TorParallelCost(TorParallel):
    """Parameters of ``tor-parallel``: those of the topology, and the ports of a switch."""

    ports: int | None = Field(
        None, ge=1, description="ports of every switch; default: as many as the one with most cables uses"
    )

    @model_validator(mode="after")
    def _fits(self) -> TorParallelCost:
        if self.ports is not None and self.ports < self.ports_needed:
            raise ValueError(f"a switch has {self.ports_needed} cables, more than {self.ports} ports")
        return self

    @property
    def ports_needed(self) -> int:
        """Most cables of a switch."""
        return max(self.hosts_per_tor + self.fabrics, self.tors + self.spines, self.pods)


@ARCHITECTURES.register(
    "tor-parallel",
    params=TorParallelCost,
    example="pods=2,tors=3,fabrics=2,spines=1",
    summary="ToR switches on N disjoint fabrics, each switch a box",
    source="Andreyev: Introducing data center fabric, the next-generation Facebook data center network, 2014",
)
def tor_parallel_cost(params: TorParallelCost) -> Design:
    """Return the bill of :func:`~pnet_lp.topology.families.tor_parallel.tor_parallel`; every switch is a box."""
    racks = params.pods * params.tors
    hosts = racks * params.hosts_per_tor
    gbps = max(params.link_gbps, params.access_gbps if hosts else 0.0)
    fabric_switches, spines = params.pods * params.fabrics, params.fabrics * params.spines
    ports = params.ports or params.ports_needed
    inner, top = racks * params.fabrics, fabric_switches * params.spines
    bill = Bill(
        hosts=hosts,
        tiers=3,
        switch_hops=None if racks == 1 else 5 if params.pods > 1 else 3,
        boxes=[Boxes(1, ports, gbps, racks + fabric_switches + spines)],
        cables=[
            Cables("access", "copper", gbps, hosts, 1),
            Cables("inner", "sr", gbps, inner, 2),
            Cables("top", "lr", gbps, top, 2),
        ],
        links=inner + top,
        ports_used=hosts + 2 * (inner + top),
    )
    return Design(bill, None, Packaging(ports=ports), lambda: Network.from_planes([tor_parallel(params)]))
