"""ToR switches joined by optical circuits, next to a slow packet network."""

from __future__ import annotations

import math

from pydantic import Field, model_validator

from pnet_lp.cost.bill import Bill, Boxes, Cables, Part
from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.packaging import Packaging
from pnet_lp.registry import Params
from pnet_lp.seeds import Seed
from pnet_lp.topology import build_network

PAPER_RACKS = 320
LOW_RATE = ((Part("switch", 1.0, 48), 694), (Part("switch", 1.0, 24), 320), (Part("copper", 1.0), 7680))
"""The low-rate packet network of 320 racks (section 3.2); the paper gives these numbers, not the wiring."""


class Hybrid(Params):
    """Parameters of ``hybrid``."""

    servers: int = Field(10_240, ge=1, description="number of hosts (paper: 10,240), half a ToR's ports on each rack")
    beta: float = Field(
        1.0,
        ge=1,
        description="full bisection bandwidth over that of the optical network; ports / (2 beta) links of a ToR",
    )
    ports: int = Field(64, ge=2, multiple_of=2, description="ports of a ToR (paper: 64), even")
    link_gbps: float = Field(10, gt=0, description="speed of hosts and circuits, Gb/s in each direction")
    seed: Seed = Field(0, description="which random circuits, for a throughput")

    @model_validator(mode="after")
    def _fits(self) -> Hybrid:
        half = self.ports // 2
        if self.servers % half:
            raise ValueError(f"racks have ports / 2 = {half} servers, and {self.servers} do not fill theirs")
        if self.beta > half:
            raise ValueError(
                f"beta is at most ports / 2 = {half}, which leaves a ToR one optical link, not {self.beta:g}"
            )
        return self


@ARCHITECTURES.register(
    "hybrid",
    params=Hybrid,
    example="servers=640,beta=4",
    summary="ToR switches joined by optical circuit switches, and a slow packet network beside them",
    source="the hybrid optical/electrical network for 10,240 servers, section 3.2, tables and figure 2",
)
def hybrid(params: Hybrid) -> Design:
    """Return the optical network of 1/beta of full bisection bandwidth and the low-rate network.

    With T racks of n = ports / 2 servers: T ToR switches; T n / beta optical ports (n / beta switches of T ports), and
    as many LR transceivers and single-mode cables; T n SR transceivers and multi-mode cables to the servers.  Numbers
    are those of the formulas, whole or not.

    The low-rate network grows with the racks and is among the parts, but not in the numbers of chips, boxes and links.
    The network to compute a throughput on is one setting of the circuits, a random graph, without the low-rate network;
    there is one where n / beta is whole, at least 2 and below T.
    """
    half = params.ports // 2
    racks = params.servers // half
    circuits = params.servers / params.beta
    gbps = params.link_gbps
    bill = Bill(
        hosts=params.servers,
        tiers=1,
        switch_hops=None,
        boxes=[Boxes.of(1, params.ports, gbps, racks)],
        cables=[Cables("access", "sr", gbps, params.servers, 1), Cables("top", "lr", gbps, circuits, 1)],
        links=circuits,
        ports_used=params.servers + circuits,
        optical=(("ocs-port", circuits),),
        others=tuple((part, math.ceil(count * racks / PAPER_RACKS)) for part, count in LOW_RATE),
    )
    packing = Packaging(ports=params.ports, access="sr", top="lr", core="ocs")
    links = half / params.beta
    text = (
        f"jellyfish:switches={racks},ports={half + int(links)},hosts={params.servers},seed={params.seed},"
        f"link_gbps={gbps!r}"
    )
    buildable = links == int(links) and 2 <= links < racks
    return Design(
        bill, params.servers / 2 * gbps / params.beta, packing, (lambda: build_network([text])) if buildable else None
    )
