"""How chips are put into boxes and cables into bundles, and the bill of a network that is packed so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.cost.bill import Bill, Boxes, Cables, Count, Medium
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.model.distances import count_rack_hops

Core: TypeAlias = Literal["ocs", "patch-panel"]

OPTICAL_PORT: dict[Core, str] = {"ocs": "ocs-port", "patch-panel": "panel-port"}
"""What a port of each optical core is called in a parts list."""

Positions: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Packaging:
    """How a network is boxed and cabled (P-Net, section 6.1).

    Attributes:
        ports: of every chip; None: as many as the chip with most cables uses.
        planes_per_box: consecutive planes whose chips of one position share a box.
        planes_per_cable: consecutive planes whose cables of one position are channels of one cable, with one
            transceiver at an end.
        cables_per_bundle: such cables that are pulled as one link.
        access: medium of the cables to hosts.
        inner: medium of the cables below the top tier.
        top: medium of the cables to the top tier, of all cables in a flat network, and of those to an optical core.
        core: what joins the switches of a flat network instead of cables from switch to switch.
    """

    ports: int | None = None
    planes_per_box: int = 1
    planes_per_cable: int = 1
    cables_per_bundle: int = 1
    access: Medium = "copper"
    inner: Medium = "sr"
    top: Medium = "lr"
    core: Core | None = None

    def __post_init__(self) -> None:
        for name in ("planes_per_box", "planes_per_cable", "cables_per_bundle"):
            if getattr(self, name) < 1:
                raise SpecError(
                    f"{name} is out of range", where="packaging", found=getattr(self, name), allowed="1 or more"
                )
        if self.planes_per_box % self.bundle:
            raise SpecError(
                f"a bundle for {self.bundle} planes does not divide the {self.planes_per_box} planes of a box",
                where="packaging",
            )

    @property
    def bundle(self) -> int:
        """Planes that one bundle serves."""
        return self.planes_per_cable * self.cables_per_bundle


def default_packaging(network: Network, *, ports: int | None = None, separate: bool = False) -> Packaging:
    """Return the packaging of P-Net's table 1: identical planes share boxes and cables, others do not.

    Args:
        network: the network to pack.
        ports: of every chip; None: as many as the chip with most cables uses.
        separate: whether identical planes have boxes and cables of their own.

    Raises:
        SpecError: ``separate`` where no planes share anything.
    """
    identical = len({plane.fingerprint for plane in network.planes}) == 1
    planes = network.plane_count if identical else 1
    if separate and planes == 1:
        raise SpecError("no two planes share boxes or cables anyway", where="separate", allowed="identical planes")
    shared = 1 if separate else planes
    return Packaging(ports=ports, planes_per_box=shared, planes_per_cable=shared)


def count(network: Network, packaging: Packaging) -> Bill:
    """Return the bill of an explicit network.

    Chips of one position are switches of one name, or of one ``box``, in the planes that share a box.  A bundle takes
    at most one cable of every plane, so two boxes need as many bundles as the plane with most cables between them.

    A port counts as one whatever its speed, and a chip is as fast as the fastest link of its plane.

    Raises:
        SpecError: planes that cannot share boxes, a chip with more cables than ports, or an optical core under
            switches of several tiers.
    """
    packed = [_Packed.of(plane) for plane in network.planes]
    used = max(int(plane.ports.max()) for plane in packed)
    ports = used if packaging.ports is None else packaging.ports
    if used > ports:
        raise SpecError("a switch has more cables than ports", found=used, allowed=f"at most {ports}")
    found_boxes: list[Boxes] = []
    for group in _groups(packed, packaging.planes_per_box):
        _check_same_switches(group)
        chips_per_box = Counter((np.bincount(group[0].position) * len(group)).tolist())
        gbps = max(plane.gbps for plane in group)
        found_boxes += [Boxes(chips, ports, gbps, number) for chips, number in chips_per_box.items()]
    runs = [run for group in _groups(packed, packaging.planes_per_cable) for run in _runs(group, packaging)]
    links = sum(
        item.count
        for group in _groups(packed, packaging.bundle)
        for item in _runs(group, packaging)
        if item.place != "access"
    )
    optical: tuple[tuple[str, Count], ...] = ()
    if packaging.core:
        if any(plane.tiers > 1 for plane in packed):
            raise SpecError("an optical core joins the switches of one tier", where="packaging")
        optical = ((OPTICAL_PORT[packaging.core], sum(int(plane.outside.sum()) for plane in packed)),)
    return Bill(
        hosts=network.host_count,
        tiers=max(plane.tiers for plane in packed),
        switch_hops=switch_hops(network),
        boxes=found_boxes,
        cables=runs,
        links=links,
        ports_used=sum(int(plane.ports.sum()) for plane in packed),
        optical=optical,
    )


def switch_hops(network: Network) -> int | None:
    """Return the chips on the longest of the shortest paths between racks, in the plane where it is longest."""
    distinct = {plane.fingerprint: plane for plane in network.planes}
    longest = [count_rack_hops(plane).diameter for plane in distinct.values()]
    known = [hops for hops in longest if hops is not None]
    return max(known) + 1 if len(known) == len(longest) else None


@dataclass(frozen=True, eq=False)
class _Packed:
    """A plane by boxes.

    Attributes:
        names: of the switches.
        position: int64 ``[n]``, box of each switch, 0, 1, ...
        ports: int64 ``[n]``, ports in use at each switch.
        outside: int64 ``[B]``, cables that leave each box to other boxes.
        pairs: int64 ``[p, 2]``, pairs of boxes with cables between them, in order.
        counts: int64 ``[p]``, cables between them.
        top: bool ``[p]``, whether these run to the top tier.
        host_box: int64 ``[h]``, box of each host's switch, -1 for none.
        tiers: number of tiers of boxes.
        gbps: speed of the fastest link.
    """

    names: tuple[str, ...]
    position: Positions
    ports: Positions
    outside: Positions
    pairs: Positions
    counts: Positions
    top: npt.NDArray[np.bool_]
    host_box: Positions
    tiers: int
    gbps: float

    @classmethod
    def of(cls, plane: Plane) -> _Packed:
        box = np.arange(plane.switch_count) if plane.box is None else plane.box
        position = np.unique(box, return_inverse=True)[1].astype(np.int64)
        total = int(position.max()) + 1
        lowest = np.full(total, np.iinfo(np.int64).max)
        np.minimum.at(lowest, position, plane.tier.astype(np.int64))
        levels, tier = np.unique(lowest, return_inverse=True)
        ends = np.sort(np.stack([position[plane.cable_u], position[plane.cable_v]], axis=1), axis=1)
        ends = ends[ends[:, 0] != ends[:, 1]]
        pairs, counts = np.unique(ends, axis=0, return_counts=True)
        attached = plane.host_switch >= 0
        hosts = np.bincount(plane.host_switch[attached], minlength=plane.switch_count)
        speeds = (
            plane.capacity_uv_gbps, plane.capacity_vu_gbps, plane.access_up_gbps, plane.access_down_gbps
        )  # fmt: skip
        return cls(
            names=plane.switch_names,
            position=position,
            ports=plane.degree.astype(np.int64) + hosts,
            outside=np.bincount(ends.ravel(), minlength=total).astype(np.int64),
            pairs=pairs.astype(np.int64),
            counts=counts.astype(np.int64),
            top=tier[pairs].max(axis=1) == len(levels) - 1 if len(pairs) else np.zeros(0, dtype=np.bool_),
            host_box=np.where(attached, position[plane.host_switch], -1),
            tiers=len(levels),
            gbps=max((float(speed.max()) for speed in speeds if len(speed)), default=0.0),
        )


def _groups(planes: Sequence[_Packed], size: int) -> Iterator[Sequence[_Packed]]:
    for first in range(0, len(planes), size):
        yield planes[first : first + size]


def _check_same_switches(group: Sequence[_Packed]) -> None:
    first = group[0]
    for plane in group[1:]:
        if plane.names != first.names or not np.array_equal(plane.position, first.position):
            raise SpecError(
                "planes whose switches differ cannot share boxes", where="packaging", allowed="planes_per_box = 1"
            )


def _runs(group: Sequence[_Packed], packaging: Packaging) -> Iterator[Cables]:
    """Yield the cables that serve a group of planes, a channel for each plane in every cable."""
    gbps = sum(plane.gbps for plane in group)
    # Hosts on different boxes in different planes need a cable to each.
    places = np.sort(np.stack([plane.host_box for plane in group]), axis=0)
    fresh = np.vstack([places[:1] >= 0, (places[1:] != places[:-1]) & (places[1:] >= 0)])
    yield Cables("access", packaging.access, gbps, int(fresh.sum()), 1)
    if packaging.core:
        most = np.max([plane.outside for plane in group], axis=0)
        yield Cables("top", packaging.top, gbps, int(most.sum()), 1)
        return
    ends = np.concatenate([plane.pairs for plane in group])
    counts = np.concatenate([plane.counts for plane in group])
    top = np.concatenate([plane.top for plane in group])
    _, first, label = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    most = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(most, label.ravel(), counts)
    yield Cables("top", packaging.top, gbps, int(most[top[first]].sum()), 2)
    yield Cables("inner", packaging.inner, gbps, int(most[~top[first]].sum()), 2)
