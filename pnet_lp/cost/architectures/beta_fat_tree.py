"""The fat tree that the hybrid network is compared with."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, model_validator

from pnet_lp.cost.bill import Bill, Boxes, Cables, Count
from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.packaging import Packaging
from pnet_lp.model import Network
from pnet_lp.topology.families.beta_fat_tree import BetaFatTree, beta_fat_tree


class BetaFatTreeCost(BetaFatTree):
    """Parameters of ``beta-fat-tree``: those of the topology, and how pieces are counted."""

    servers: int = Field(
        10_240, ge=1, description="number of hosts (paper: 10,240), half a switch's ports on each rack"
    )
    link_gbps: float = Field(10, gt=0, description="speed of every cable, Gb/s in each direction")
    numbers: Literal["formula", "pieces"] = Field(
        "formula",
        description="of parts: as the paper's formulas say, or whole pieces, with a whole cable to every server",
    )

    @model_validator(mode="after")
    def _one_speed(self) -> BetaFatTreeCost:
        if self.access_gbps != self.link_gbps:
            raise ValueError("the architecture has one speed; topology:beta-fat-tree has cables of several")
        return self


@ARCHITECTURES.register(
    "beta-fat-tree",
    params=BetaFatTreeCost,
    example="servers=96,ports=8,beta=2,numbers=pieces",
    summary="three tiers of 64-port switches with 1/beta of full bisection bandwidth",
    source="the all-electrical baseline of the hybrid optical/electrical network for 10,240 servers, section 3.2",
)
def beta_fat_tree_cost(params: BetaFatTreeCost) -> Design:
    """Return the fat tree with oversubscription beta in two equal steps.

    The paper has S = 10,240 servers, T = 320 racks, ``T + T / sqrt(beta) + T / (2 beta)`` switches,
    ``S + 2 S / sqrt(beta) + 2 S / beta`` SR transceivers and half as many multi-mode cables.  So it counts half a cable
    for a server, whose other transceiver is the server's.  ``numbers=pieces`` counts what one must buy: whole switches
    and cables, and a cable for every server.
    """
    servers, gbps = params.servers, params.link_gbps
    switches: Count
    if params.numbers == "pieces":
        switches = sum(params.switches)
        inner, top = map(float, params.cables)
        access = Cables("access", "sr", gbps, servers, 1)
    else:
        racks, root = 2 * servers // params.ports, math.sqrt(params.beta)
        switches = racks + racks / root + racks / (2 * params.beta)
        inner, top = servers / root, servers / params.beta
        access = Cables("access", "sr", gbps, servers / 2, 2)
    bill = Bill(
        hosts=servers,
        tiers=3,
        switch_hops=5,
        boxes=[Boxes.of(1, params.ports, gbps, switches)],
        cables=[access, Cables("inner", "sr", gbps, inner, 2), Cables("top", "sr", gbps, top, 2)],
        links=inner + top,
        ports_used=servers + 2 * inner + 2 * top,
    )
    packing = Packaging(ports=params.ports, access="sr", inner="sr", top="sr")
    return Design(bill, servers / 2 * gbps / params.beta, packing, lambda: Network.from_planes([beta_fat_tree(params)]))
