"""One tree of chassis switches, which hold several chips each."""

from __future__ import annotations

from pydantic import Field

from pnet_lp.cost.bill import Bill, Cables
from pnet_lp.cost.chips import Chips, links_of
from pnet_lp.cost.design import ARCHITECTURES, Design
from pnet_lp.cost.packaging import Packaging
from pnet_lp.topology import build_network
from pnet_lp.topology.families.chassis_fat_tree import MOST_PORTS, ChassisFatTree


class SerialChassis(ChassisFatTree):
    """Parameters of ``serial-chassis``: those of the topology ``chassis-fat-tree``, at the speed of a whole port."""

    radix: int = Field(16, ge=4, le=MOST_PORTS, multiple_of=2, description="ports of a chip (paper: 16), even")
    link_gbps: float = Field(800, gt=0, description="speed of cables and traces, Gb/s in each direction")


@ARCHITECTURES.register(
    "serial-chassis",
    params=SerialChassis,
    example="radix=8,chassis=16",
    summary="two tiers of chassis, each a Clos network of chips with traces instead of cables",
    source="P-Net (CoNEXT 2022), section 2.2, table 1",
)
def serial_chassis(params: SerialChassis) -> Design:
    """Return the tree of :func:`~pnet_lp.topology.families.chassis_fat_tree.chassis_fat_tree`, packed.

    An aggregation box has 2 P / r chips, half of them with r / 2 hosts each, and a spine box 3 P / r; with H hosts
    there are 2 H / P and H / P of them.
    """
    hosts, stage = params.host_count, params.ports // params.radix
    spines = hosts // params.ports
    edge = links_of((params.access_gbps, params.radix // 2), (params.link_gbps, params.radix // 2))
    others = {params.link_gbps: params.radix}
    chips = Chips.fitting((edge, others), params.radix)
    found = [chips.boxes(2 * spines, (stage, edge), (stage, others)), chips.boxes(spines, (3 * stage, others))]
    runs = [Cables("access", "copper", params.access_gbps, hosts, 1), Cables("top", "lr", params.link_gbps, hosts, 2)]
    given = {"radix": params.radix, "chassis": params.ports, "hosts": hosts}
    speeds = {"link_gbps": params.link_gbps, "host_gbps": params.access_gbps}
    written = ",".join(f"{key}={value!r}" for key, value in (given | speeds).items())
    return Design(
        Bill(
            hosts=hosts,
            tiers=2,
            switch_hops=7,
            boxes=found,
            cables=runs,
            links=hosts,
            ports_used=stage * spines * (2 * chips.used(edge) + 5 * params.radix),
        ),
        hosts // 2 * params.link_gbps if params.access_gbps == params.link_gbps else None,
        Packaging(ports=params.radix),
        lambda: build_network([f"chassis-fat-tree:{written}"]),
    )
