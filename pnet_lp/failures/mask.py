"""A mask: what of a network is down."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import BoolArray, booleans, floats, ints
from pnet_lp.model.brief import brief


@brief("arc_count", "switch_count", "host_count")
@dataclass(frozen=True, eq=False, repr=False)
class Mask:
    """What is down, plane by plane.

    Attributes:
        arcs: bool ``[2 m]`` for each plane, in the order of ``Plane.arcs``: the directions that carry nothing, those of
            failed switches included.
        switches: bool ``[n]`` for each plane: the switches that have failed, hosts attached to them being cut off.
        hosts: bool ``[hosts]`` for each plane: the access links that have failed.
    """

    arcs: tuple[BoolArray, ...]
    switches: tuple[BoolArray, ...]
    hosts: tuple[BoolArray, ...]

    @classmethod
    def of(
        cls, network: Network, arcs: list[BoolArray], switches: list[BoolArray], hosts: list[BoolArray] | None = None
    ) -> Mask:
        """Return the mask of failed directions, switches and access links; a switch takes its cables with it."""
        down = []
        for plane, lost, dead in zip(network.planes, arcs, switches, strict=True):
            tail, head, _ = plane.arcs
            down.append(booleans(lost | dead[tail] | dead[head]))
        cut = hosts or [np.zeros(plane.host_count, dtype=np.bool_) for plane in network.planes]
        return cls(tuple(down), tuple(map(booleans, switches)), tuple(map(booleans, cut)))

    def __or__(self, other: Mask) -> Mask:
        """Return the mask of what is down in either."""
        pairs = ((self.arcs, other.arcs), (self.switches, other.switches), (self.hosts, other.hosts))
        return Mask(*(tuple(booleans(a | b) for a, b in zip(*pair, strict=True)) for pair in pairs))

    @property
    def arc_count(self) -> int:
        """Directions that are down."""
        return int(sum(down.sum() for down in self.arcs))

    @property
    def switch_count(self) -> int:
        """Switches that are down."""
        return int(sum(dead.sum() for dead in self.switches))

    @property
    def host_count(self) -> int:
        """Access links that are down."""
        return int(sum(cut.sum() for cut in self.hosts))

    @property
    def counts(self) -> dict[str, int]:
        """How many parts of each kind are down."""
        return {"link directions": self.arc_count, "switches": self.switch_count, "access links": self.host_count}


def apply_mask(network: Network, mask: Mask) -> Network:
    """Return ``network`` with the masked links, switches and access links down.

    Planes that lose nothing are the same objects; the others share all arrays with the original but capacities and,
    where a switch has failed, what hosts attach to.  Racks of a failed switch keep it, without any link.  Labels say
    how much is down.
    """
    planes = tuple(map(_masked, network.planes, mask.arcs, mask.switches, mask.hosts))
    return replace(network, planes=planes)


def _masked(plane: Plane, arcs: BoolArray, switches: BoolArray, hosts: BoolArray) -> Plane:
    kinds = {"link directions": arcs, "switches": switches, "access links": hosts}
    down = [f"{int(lost.sum())} of {len(lost)} {kind}" for kind, lost in kinds.items() if lost.any()]
    if not down:
        return plane
    attached = (plane.host_switch >= 0) & ~switches[plane.host_switch] & ~hosts
    return replace(
        plane,
        capacity_uv_gbps=floats(np.where(arcs[0::2], 0.0, plane.capacity_uv_gbps)),
        capacity_vu_gbps=floats(np.where(arcs[1::2], 0.0, plane.capacity_vu_gbps)),
        host_switch=ints(np.where(attached, plane.host_switch, -1)),
        access_up_gbps=floats(np.where(attached, plane.access_up_gbps, 0.0)),
        access_down_gbps=floats(np.where(attached, plane.access_down_gbps, 0.0)),
        label=f"{plane.label} ({', '.join(down)} down)".lstrip(),
    )
