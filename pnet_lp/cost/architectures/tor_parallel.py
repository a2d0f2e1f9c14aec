"""Parallel fabrics that meet in the ToR switch."""

from __future__ import annotations

from pydantic import Field, model_validator

from pnet_lp.cost.bill import Bill, Cables, PortCounts
from pnet_lp.cost.chips import Chips, links_of
from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.packaging import Packaging
from pnet_lp.model import Network
from pnet_lp.topology.families.tor_parallel import TorParallel, tor_parallel


class TorParallelCost(TorParallel):
    """Parameters of ``tor-parallel``: those of the topology, and the ports of a switch."""

    ports: int | None = Field(
        None, ge=1, description="ports of every switch, as fast as its fastest link; default: as many as the links take"
    )

    @model_validator(mode="after")
    def _fits(self) -> TorParallelCost:
        _ = self.chips
        return self

    @property
    def links(self) -> tuple[PortCounts, PortCounts, PortCounts]:
        """Links of a ToR, a fabric and a spine switch."""
        tor = links_of((self.access_gbps, self.hosts_per_tor), (self.link_gbps, self.fabrics))
        return tor, {self.link_gbps: self.tors + self.spines}, {self.link_gbps: self.pods}

    @property
    def chips(self) -> Chips:
        """Those of the switches, or SpecError where ``ports`` are too few."""
        return Chips.fitting(self.links, self.ports)


@ARCHITECTURES.register(
    "tor-parallel",
    params=TorParallelCost,
    example="pods=2,tors=3,fabrics=2,spines=1",
    summary="ToR switches on N disjoint fabrics, each switch a box",
    source="Andreyev: Introducing data center fabric, the next-generation Facebook data center network, Facebook "
    "Engineering 2014",
)
def tor_parallel_cost(params: TorParallelCost) -> Design:
    """Return the bill of :func:`~pnet_lp.topology.families.tor_parallel.tor_parallel`; every switch is a box."""
    racks = params.pods * params.tors
    hosts = racks * params.hosts_per_tor
    inner, top = racks * params.fabrics, params.pods * params.fabrics * params.spines
    numbers = (racks, params.pods * params.fabrics, params.fabrics * params.spines)
    chips = params.chips
    bill = Bill(
        hosts=hosts,
        tiers=3,
        switch_hops=None if racks == 1 else 5 if params.pods > 1 else 3,
        boxes=[chips.boxes(number, (1, links)) for number, links in zip(numbers, params.links, strict=True)],
        cables=[
            Cables("access", "copper", params.access_gbps, hosts, 1),
            Cables("inner", "sr", params.link_gbps, inner, 2),
            Cables("top", "lr", params.link_gbps, top, 2),
        ],
        links=inner + top,
        ports_used=sum(number * chips.used(links) for number, links in zip(numbers, params.links, strict=True)),
    )
    return Design(bill, None, Packaging(ports=params.ports), lambda: Network.from_planes([tor_parallel(params)]))
