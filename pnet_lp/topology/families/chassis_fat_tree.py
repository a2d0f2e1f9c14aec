"""Fat trees of chassis switches: boxes that hold several chips each."""

from __future__ import annotations

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.model import Plane
from pnet_lp.topology.clos import deal
from pnet_lp.topology.family import HostParams, check_size, topologies

MOST_PORTS = 1 << 16
"""Of a chip."""


class ChassisFatTree(HostParams):
    """Parameters of ``chassis-fat-tree``."""

    radix: int = Field(ge=4, le=MOST_PORTS, multiple_of=2, description="ports of a chip (paper: 16), even")
    chassis: int | None = Field(
        None, ge=1, description="ports of a box, a multiple of radix (paper: 128); default: radix^2 / 2, the most"
    )
    hosts: int | None = Field(
        None, ge=1, description="number of hosts (paper: 8,192); default: chassis^2 / 2, the most"
    )

    @model_validator(mode="after")
    def _boxes_fit(self) -> ChassisFatTree:
        half = self.radix // 2
        sizes = [self.radix * chips for chips in range(2, half + 1) if half % chips == 0]
        if self.ports not in sizes:
            raise ValueError(
                f"boxes of {self.radix}-port chips have {' or '.join(map(str, sizes))} ports, not {self.ports}"
            )
        boxes = 2 * self.host_count // self.ports
        if self.host_count * 2 % self.ports or boxes % 2 or self.ports % boxes:
            most = self.ports**2 // 2
            raise ValueError(
                f"boxes of {self.ports} ports are filled by {most} hosts divided by a divisor of {self.ports // 2}, "
                f"not by {self.host_count}"
            )
        return self

    @property
    def ports(self) -> int:
        """Ports of a box."""
        return self.radix**2 // 2 if self.chassis is None else self.chassis

    @property
    def host_count(self) -> int:
        """Number of hosts."""
        return self.ports**2 // 2 if self.hosts is None else self.hosts


@topologies.register(
    "chassis-fat-tree",
    params=ChassisFatTree,
    example="radix=4",
    summary="two tiers of boxes, each a Clos network of chips: four tiers of chips, as in a fat tree of radix ports",
    source="P-Net (CoNEXT 2022), section 2.2, table 1",
)
def chassis_fat_tree(params: ChassisFatTree) -> Plane:
    """Return the chassis-based fat tree with its chips one by one, and ``box`` saying which box holds each.

    With chips of r ports and boxes of P there are ``l = P / r`` chips in a stage:

    - an aggregation box has l lower chips, each with ``r / 2`` hosts, and l upper chips, each with ``r / 2`` ports
      out of the box; every lower chip is joined to every upper one.  Two stages block between ports of one side, which
      does no harm, as traffic may turn round in a spine box;
    - a spine box has 2 l leaf chips, each with ``r / 2`` ports out of the box, and l centre chips, each joined to every
      leaf chip: three stages, which do not block.

    Half of an aggregation box's ports go to hosts and half to the spine boxes, to each equally many.  Chips are in
    tiers 0 to 3 as named here, so that paths between two boxes pass 7 chips.  With boxes of ``r^2 / 2`` ports and as
    many hosts as these can have, the chips and cables are those of the r-ary fat tree of four tiers.
    """
    half, chips = params.radix // 2, params.ports // params.radix
    boxes = 2 * params.host_count // params.ports
    spines = boxes // 2
    # Chips of each tier: lower, upper, leaf, centre; and the first of each.
    counts = [boxes * chips, boxes * chips, spines * 2 * chips, spines * chips]
    lower, upper, leaf, centre = np.cumsum([0, *counts[:-1]]).tolist()
    check_size("chassis-fat-tree", switches=sum(counts), cables=3 * params.host_count, hosts=params.host_count)

    box, cable = np.indices((boxes, chips * half)).reshape(2, -1)
    inside_low, inside_high = deal(chips * half, chips, chips)
    # The c-th cable between two boxes; a spine box's ports are taken in the order of the aggregation boxes.
    spine, c = cable % spines, cable // spines
    port = box * (params.ports // boxes) + c
    core, inner = np.indices((spines, params.ports)).reshape(2, -1)
    inside_leaf, inside_centre = deal(params.ports, 2 * chips, chips)
    names = [f"agg{b}.{stage}{i}" for stage in ("lower", "upper") for b in range(boxes) for i in range(chips)]
    names += [f"spine{s}.leaf{i}" for s in range(spines) for i in range(2 * chips)]
    names += [f"spine{s}.centre{i}" for s in range(spines) for i in range(chips)]
    holders = [np.arange(boxes), np.arange(boxes), boxes + np.arange(spines), boxes + np.arange(spines)]
    return Plane.from_cables(
        names,
        np.concatenate(
            [
                lower + box * chips + inside_low[cable],
                upper + box * chips + cable // half,
                leaf + core * 2 * chips + inside_leaf[inner],
            ]
        ),
        np.concatenate(
            [
                upper + box * chips + inside_high[cable],
                leaf + spine * 2 * chips + port // half,
                centre + core * chips + inside_centre[inner],
            ]
        ),
        params.link_gbps,
        host_switch=np.arange(params.host_count) // half,
        access_gbps=params.access_gbps,
        tier=np.repeat(range(4), counts),
        box=np.concatenate(
            [np.repeat(held, n) for held, n in zip(holders, [chips, chips, 2 * chips, chips], strict=True)]
        ),
    )
