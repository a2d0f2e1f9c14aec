"""Folded Clos networks of one radix: their sizes, the topology that has them, and the bill of equal planes of one."""

from __future__ import annotations

from dataclasses import dataclass

from pnet_lp.cost.bill import Bill, Boxes, Cables
from pnet_lp.cost.design import Design
from pnet_lp.cost.packaging import Packaging
from pnet_lp.topology import build_network


@dataclass(frozen=True)
class Folded:
    """A folded Clos network of r-port chips without oversubscription, with ``half = r / 2``.

    Attributes:
        half: half of a chip's ports: hosts of a leaf, and its uplinks.
        tiers: as few as the hosts allow.
        pods: of ``half ** (tiers - 1)`` hosts each.
    """

    half: int
    tiers: int
    pods: int

    @classmethod
    def of(cls, hosts: int, radix: int) -> Folded:
        """Return the network with the fewest tiers.

        Raises:
            ValueError: the hosts do not fill an even number of pods.
        """
        half, tiers = radix // 2, 2
        if half < 2:
            raise ValueError(f"chips of {radix} ports make no tree")
        while 2 * half**tiers < hosts:
            tiers += 1
        pod = half ** (tiers - 1)
        if hosts % (2 * pod):
            raise ValueError(
                f"{tiers} tiers of {radix}-port chips have an even number of pods of {pod} hosts, "
                f"and {hosts} hosts do not fill them"
            )
        return cls(half, tiers, hosts // pod)

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return int(self.pods * self.half ** (self.tiers - 1))

    @property
    def chips(self) -> int:
        """Number of chips: hosts / half in each tier but the top, half as many there."""
        return (2 * self.tiers - 1) * self.hosts // (2 * self.half)

    @property
    def switch_hops(self) -> int:
        """Chips on a path between pods."""
        return 2 * self.tiers - 1

    @property
    def even(self) -> bool:
        """Whether every pod has equally many cables to every top chip that it reaches, so that nothing blocks."""
        return self.half % (self.pods // 2) == 0

    def expression(self, link_gbps: float) -> str:
        """Return the TOPOLOGY: folded-clos, with the cables of the top step spread over pods / 2 chips."""
        below = [self.half] * (self.tiers - 1)
        lists = {"children": [*below, self.pods], "parents": [*below[:-1], self.pods // 2], "uplinks": below}
        written = ",".join(f"{key}={'x'.join(map(str, values))}" for key, values in lists.items())
        return f"folded-clos:{written},link_gbps={link_gbps!r}"


def folded_planes(tree: Folded, planes: int, link_gbps: float, packing: Packaging) -> Design:
    """Return equal planes of a folded Clos network.

    Args:
        tree: a plane.
        planes: number of planes.
        link_gbps: speed of a host over all planes.
        packing: how the planes share boxes and cables.
    """
    hosts, ports, gbps = tree.hosts, 2 * tree.half, link_gbps / planes
    cable_gbps, per_position = gbps * packing.planes_per_cable, planes // packing.planes_per_cable
    boxes = tree.chips * planes // packing.planes_per_box
    below_top = (tree.tiers - 2) * hosts
    bill = Bill(
        hosts=hosts,
        tiers=tree.tiers,
        switch_hops=tree.switch_hops,
        boxes=[Boxes.of(packing.planes_per_box, ports, gbps, boxes)],
        cables=[
            Cables("access", packing.access, cable_gbps, hosts * per_position, 1),
            Cables("inner", packing.inner, cable_gbps, below_top * per_position, 2),
            Cables("top", packing.top, cable_gbps, hosts * per_position, 2),
        ],
        links=(tree.tiers - 1) * hosts * (planes // packing.bundle),
        ports_used=tree.chips * planes * ports,
    )
    return Design(
        bill,
        hosts // 2 * link_gbps if tree.even else None,
        packing,
        lambda: build_network([tree.expression(gbps)], planes=planes),
    )
