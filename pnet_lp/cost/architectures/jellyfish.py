"""Random graphs of ToR switches."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from pnet_lp.cost.bill import Bill, Boxes, Cables, Medium
from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.packaging import Packaging
from pnet_lp.registry import Params
from pnet_lp.seeds import Seed
from pnet_lp.topology import build_network


class JellyfishCost(Params):
    """Parameters of ``jellyfish``: ``k``; or ``switches``, ``ports`` and ``hosts``; or ``servers`` and ``beta``."""

    k: int | None = Field(None, ge=2, multiple_of=2, description="the equipment of the k-ary fat tree")
    switches: int | None = Field(None, ge=2, description="number of switches of a plane")
    ports: int | None = Field(None, ge=2, description="ports of a switch; with servers: default 64")
    hosts: int | None = Field(None, ge=0, description="number of hosts, with switches; default 0")
    servers: int | None = Field(
        None, ge=1, description="instead of all these: number of hosts, half a switch's ports on each"
    )
    beta: float = Field(
        1.0, ge=1, description="with servers: hosts of a switch over its cables to others, these rounded down"
    )
    planes: int = Field(1, ge=1, description="planes, each another random graph, with boxes and cables of its own")
    access: Medium = Field("copper", description="what the cables to hosts are")
    seed: Seed = Field(0, description="which random graph")
    link_gbps: float = Field(10, gt=0, description="speed of every link of a plane, Gb/s in each direction")

    @model_validator(mode="after")
    def _one_form(self) -> JellyfishCost:
        forms = [self.k is not None, self.switches is not None, self.servers is not None]
        if sum(forms) != 1 or (forms[0] and self.ports) or (forms[1] and not self.ports):
            raise ValueError("either k, or switches and ports (and hosts), or servers must be given")
        if self.hosts is not None and not forms[1]:
            raise ValueError("hosts is allowed only with switches")
        if self.beta != 1 and not forms[2]:
            raise ValueError("beta is allowed only with servers")
        if self.servers is not None:
            half = self.box_ports // 2
            if self.servers % half:
                raise ValueError(f"switches have {half} hosts, and {self.servers} do not fill theirs")
        switches, ports, hosts = self.sizes
        if hosts > switches * ports:
            raise ValueError(f"{hosts} hosts do not fit on {switches * ports} ports")
        fewest = hosts // switches
        if not 1 <= ports - fewest < switches:
            raise ValueError(
                f"{ports - fewest} cables of a switch to {switches - 1} others: 1 to {switches - 1} are possible"
            )
        return self

    @property
    def box_ports(self) -> int:
        """Ports of a switch."""
        return self.k or self.ports or 64

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Switches of a plane, ports of each that are in use, and hosts."""
        if self.k is not None:
            return 5 * self.k**2 // 4, self.k, self.k**3 // 4
        if self.servers is not None:
            half = self.box_ports // 2
            return self.servers // half, half + int(half / self.beta), self.servers
        return self.switches or 0, self.box_ports, self.hosts or 0


@ARCHITECTURES.register(
    "jellyfish",
    params=JellyfishCost,
    example="k=6,planes=3,access=lr",
    summary="planes of random graphs of single-chip switches, all cables long",
    source="Singla, Hong, Popa, Godfrey: Jellyfish: Networking Data Centers Randomly, NSDI 2012; P-Net, section 3.2",
)
def jellyfish(params: JellyfishCost) -> Design:
    """Return the bill of ``planes`` Jellyfish networks; its cables depend on no seed."""
    switches, ports, hosts = params.sizes
    planes, gbps = params.planes, params.link_gbps
    lines = (switches * ports - hosts) // 2
    runs = [Cables("access", params.access, gbps, planes * hosts, 1), Cables("top", "lr", gbps, planes * lines, 2)]
    bill = Bill(
        hosts=hosts,
        tiers=1,
        switch_hops=None,
        boxes=[Boxes.of(1, params.box_ports, gbps, planes * switches)],
        cables=runs,
        links=planes * lines,
        ports_used=planes * (hosts + 2 * lines),
    )
    text = f"jellyfish:switches={switches},ports={ports},hosts={hosts},seed={params.seed},link_gbps={gbps!r}"
    given: dict[str, Any] = {"planes": planes, "variant": "heterogeneous" if planes > 1 else None}
    return Design(
        bill, None, Packaging(ports=params.box_ports, access=params.access), lambda: build_network([text], **given)
    )
