"""How chips are put into boxes and cables into bundles, and the bill of a network that is packed so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from pnet_lp.cost.bill import Bill, Boxes, Cables, Count, Medium, Part, Place, PortCounts
from pnet_lp.cost.chips import Chips
from pnet_lp.cost.hosts import of_hosts
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.model.distances import count_rack_hops

Core: TypeAlias = Literal["ocs", "patch-panel"]

OPTICAL_PORT: dict[Core, str] = {"ocs": "ocs-port", "patch-panel": "panel-port"}
"""What a port of each optical core is called in a parts list."""

Positions: TypeAlias = npt.NDArray[np.int64]
Speeds: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Packaging:
    """How a network is boxed and cabled (P-Net, section 6.1).

    Attributes:
        ports: of every chip, all of them as fast as its fastest link, slower links broken out of them; None: of each
            speed as many as any chip uses whose links have the same speeds.
        chip_gbps: in place of ``ports``, what every chip carries, in each direction: as many such ports as fit.
        planes_per_box: consecutive planes whose chips of one position share a box.
        planes_per_cable: consecutive planes whose cables of one position are channels of one cable, with one
            transceiver at an end.
        cables_per_bundle: such cables that are pulled as one link.
        access: medium of the cables to hosts.
        inner: medium of the cables below the top tier.
        top: medium of the cables to the top tier, of all cables in a flat network, and of those to an optical core.
        core: what joins the switches of a flat network instead of cables from switch to switch.
        nics: whether network cards of hosts are counted, and the transceivers in them.
        scale_up: whether switches and links inside servers are counted.
    """

    ports: int | None = None
    chip_gbps: float | None = None
    planes_per_box: int = 1
    planes_per_cable: int = 1
    cables_per_bundle: int = 1
    access: Medium = "copper"
    inner: Medium = "sr"
    top: Medium = "lr"
    core: Core | None = None
    nics: bool = False
    scale_up: bool = False

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


def default_packaging(
    network: Network,
    *,
    ports: int | None = None,
    chip_gbps: float | None = None,
    separate: bool = False,
    access: Medium = "copper",
    nics: bool = False,
    scale_up: bool = False,
) -> Packaging:
    """Return the packaging of P-Net's table 1: identical planes share boxes and cables, others do not.

    Args:
        network: the network to pack.
        ports: as of :class:`Packaging`.
        chip_gbps: as of :class:`Packaging`.
        separate: whether identical planes have boxes and cables of their own.
        access: as of :class:`Packaging`.
        nics: as of :class:`Packaging`.
        scale_up: as of :class:`Packaging`.

    Raises:
        SpecError: ``separate`` where no planes share anything.
    """
    identical = len({plane.fingerprint for plane in network.planes}) == 1
    planes = network.plane_count if identical else 1
    if separate and planes == 1:
        raise SpecError("no two planes share boxes or cables anyway", where="separate", allowed="identical planes")
    shared = 1 if separate else planes
    return Packaging(
        ports=ports,
        chip_gbps=chip_gbps,
        planes_per_box=shared,
        planes_per_cable=shared,
        access=access,
        nics=nics,
        scale_up=scale_up,
    )


def count(network: Network, packaging: Packaging) -> Bill:
    """Return the bill of an explicit network.

    Chips of one position are switches of one name, or of one ``box``, in the planes that share a box.  A bundle takes
    at most one cable of every plane, so two boxes need as many bundles as the plane with most cables between them.

    Every cable has the speed of its link, in the faster direction.  One without a capacity counts as fast as the
    fastest of its plane.

    Raises:
        SpecError: planes that cannot share boxes, a chip with more cables than ports, an optical core under switches of
            several tiers, or network cards or scale-up networks to count where there are none.
    """
    known: dict[str, _Packed] = {}
    packed = [
        known.get(plane.fingerprint) or known.setdefault(plane.fingerprint, _packed(plane)) for plane in network.planes
    ]
    switches = (links for plane in known.values() for links in plane.kinds)
    chips = Chips.fitting(switches, packaging.ports, packaging.chip_gbps)
    found_boxes: list[Boxes] = []
    for group, times in _groups(packed, packaging.planes_per_box).items():
        _check_same_switches(group)
        found_boxes += [replace(box, count=times * box.count) for box in _boxes(group, chips)]
    # Copies of a plane are counted once.
    runs = cache(lambda group: tuple(_runs(group, packaging)))
    cables = [
        replace(run, count=times * run.count)
        for group, times in _groups(packed, packaging.planes_per_cable).items()
        for run in runs(group)
    ]
    links = sum(
        times * run.count
        for group, times in _groups(packed, packaging.bundle).items()
        for run in runs(group)
        if run.place != "access"
    )
    optical: tuple[tuple[str, Count], ...] = ()
    if packaging.core:
        if any(plane.tiers > 1 for plane in packed):
            raise SpecError("an optical core joins the switches of one tier", where="packaging")
        optical = ((OPTICAL_PORT[packaging.core], sum(2 * len(plane.ends) for plane in packed)),)
    return Bill(
        hosts=network.host_count,
        tiers=max(plane.tiers for plane in packed),
        switch_hops=_longest(known.values()),
        boxes=found_boxes,
        cables=cables,
        links=links,
        ports_used=sum(
            times * number * chips.used(links)
            for plane, times in Counter(packed).items()
            for links, number in zip(plane.kinds, np.bincount(plane.kind).tolist(), strict=True)
        ),
        optical=optical,
        others=of_hosts(network, nics=packaging.nics, scale_up=packaging.scale_up),
    )


def switch_hops(network: Network) -> int | None:
    """Return the chips on the longest of the shortest paths between racks, in the plane where it is longest."""
    return _longest({plane.fingerprint: _packed(plane) for plane in network.planes}.values())


def _longest(planes: Iterable[_Packed]) -> int | None:
    known = [plane.hops for plane in planes]
    found = [hops for hops in known if hops is not None]
    return max(found) + 1 if len(found) == len(known) else None


@dataclass(frozen=True, eq=False)
class _Packed:
    """A plane by boxes.

    Attributes:
        names: of the switches.
        position: int64 ``[n]``, box of each switch, 0, 1, ...
        kinds: cables and traces of switches by speed, each of which a switch has.
        kind: int64 ``[n]``, which of these every switch has.
        ends: int64 ``[c, 2]``, the two boxes of every cable between boxes, the lower number first.
        speeds: float64 ``[c]``, Gb/s of these cables.
        top: bool ``[c]``, whether they run to the top tier.
        host_box: int64 ``[h]``, box of each host's switch, -1 for none.
        access: float64 ``[h]``, Gb/s of each host's cable.
        tiers: number of tiers of boxes.
        gbps: speed of the fastest link.
        hops: on the longest of the shortest paths between racks; None where some have none.
    """

    names: tuple[str, ...]
    position: Positions
    kinds: tuple[PortCounts, ...]
    kind: Positions
    ends: Positions
    speeds: Speeds
    top: npt.NDArray[np.bool_]
    host_box: Positions
    access: Speeds
    tiers: int
    gbps: float
    hops: int | None

    @classmethod
    def of(cls, plane: Plane) -> _Packed:
        box = np.arange(plane.switch_count) if plane.box is None else plane.box
        position = np.unique(box, return_inverse=True)[1].astype(np.int64)
        lowest = np.full(int(position.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(lowest, position, plane.tier.astype(np.int64))
        levels, tier = np.unique(lowest, return_inverse=True)
        attached = plane.host_switch >= 0
        speeds = np.maximum(plane.capacity_uv_gbps, plane.capacity_vu_gbps)
        access = np.maximum(plane.access_up_gbps, plane.access_down_gbps)
        gbps = float(max(speeds.max(initial=0.0), access.max(initial=0.0)))
        speeds, access = np.where(speeds > 0, speeds, gbps), np.where(attached & (access > 0), access, gbps)
        ends = np.sort(np.stack([position[plane.cable_u], position[plane.cable_v]], axis=1), axis=1)
        outside = ends[:, 0] != ends[:, 1]
        ends = ends[outside]
        kinds, kind = _kinds(
            plane.switch_count,
            np.concatenate([plane.cable_u, plane.cable_v, plane.host_switch[attached]]),
            np.concatenate([speeds, speeds, access[attached]]),
        )
        return cls(
            names=plane.switch_names,
            position=position,
            kinds=kinds,
            kind=kind,
            ends=ends.astype(np.int64),
            speeds=speeds[outside],
            top=tier[ends].max(axis=1, initial=0) == len(levels) - 1,
            host_box=np.where(attached, position[plane.host_switch], -1),
            access=access,
            tiers=len(levels),
            gbps=gbps,
            hops=count_rack_hops(plane).diameter,
        )


_KNOWN: WeakKeyDictionary[Plane, _Packed] = WeakKeyDictionary()
"""A plane is priced again and again, by itself and with copies of it."""


def _packed(plane: Plane) -> _Packed:
    if plane not in _KNOWN:
        _KNOWN[plane] = _Packed.of(plane)
    return _KNOWN[plane]


def _kinds(switches: int, ends: Positions, speeds: Speeds) -> tuple[tuple[PortCounts, ...], Positions]:
    """Return which links by speed switches have, and which of these every switch has, given the ends of all links."""
    known, label = np.unique(speeds, return_inverse=True)
    keys, counts = np.unique(ends * max(len(known), 1) + label, return_counts=True)
    found: list[dict[float, int]] = [{} for _ in range(switches)]
    for key, number in zip(keys.tolist(), counts.tolist(), strict=True):
        found[key // len(known)][float(known[key % len(known)])] = number
    distinct: dict[tuple[tuple[float, int], ...], int] = {}
    kind = [distinct.setdefault(tuple(links.items()), len(distinct)) for links in found]
    return tuple(map(dict, distinct)), np.array(kind, dtype=np.int64)


def _boxes(group: Sequence[_Packed], chips: Chips) -> Iterator[Boxes]:
    """Yield the boxes of planes that share them."""
    planes = Counter(group)
    inside: dict[int, Counter[Part]] = {}
    for plane, times in planes.items():
        parts = [chips.of(links) for links in plane.kinds]
        for box, kind in zip(plane.position.tolist(), plane.kind.tolist(), strict=True):
            inside.setdefault(box, Counter())[parts[kind]] += times
    for content, number in Counter(frozenset(found.items()) for found in inside.values()).items():
        yield Boxes(tuple(sorted((count, chip) for chip, count in content)), number)


def _groups(planes: Sequence[_Packed], size: int) -> Counter[tuple[_Packed, ...]]:
    """Return the groups of ``size`` consecutive planes, and how often each is there."""
    return Counter(tuple(planes[first : first + size]) for first in range(0, len(planes), size))


def _check_same_switches(group: Sequence[_Packed]) -> None:
    first = group[0]
    for plane in group[1:]:
        if plane.names != first.names or not np.array_equal(plane.position, first.position):
            raise SpecError(
                "planes whose switches differ cannot share boxes", where="packaging", allowed="planes_per_box = 1"
            )


def _runs(group: Sequence[_Packed], packaging: Packaging) -> Iterator[Cables]:
    """Yield the cables that serve a group of planes, a channel for each plane in every cable.

    The fastest cables between two boxes share one, then the second fastest, and so on.  Where a plane has none, its
    channel is as fast as its fastest link.
    """
    planes = Counter(group)
    # Hosts on different boxes in different planes need a cable to each.
    places = np.sort(np.stack([plane.host_box for plane in planes]), axis=0)
    fresh = np.vstack([places[:1] >= 0, (places[1:] != places[:-1]) & (places[1:] >= 0)]).sum(axis=0)
    access = np.sum([plane.access * times for plane, times in planes.items()], axis=0)
    for gbps in np.unique(access[fresh > 0]).tolist():
        yield Cables("access", packaging.access, gbps, int(fresh[access == gbps].sum()), 2 if packaging.nics else 1)
    top, speeds = _channels(planes, packaging)
    known, label = np.unique(speeds, return_inverse=True)
    for key, number in zip(*np.unique(2 * label + top, return_counts=True), strict=True):
        place: Place = "top" if key % 2 else "inner"
        medium = packaging.top if key % 2 else packaging.inner
        yield Cables(place, medium, float(known[key // 2]), int(number), 1 if packaging.core else 2)


def _channels(planes: Counter[_Packed], packaging: Packaging) -> tuple[npt.NDArray[np.bool_], Speeds]:
    """Return whether each cable of planes that share cables runs to the top tier, and its speed over all channels."""
    if len(planes) == 1:
        ((plane, times),) = planes.items()
        _, speeds, top = _cables(plane, packaging)
        return top, speeds * times
    positions = [_positions(plane, packaging) for plane in planes]
    keys, speeds = [key for key, _, _ in positions], np.concatenate([gbps for _, gbps, _ in positions])
    top = np.concatenate([is_top for _, _, is_top in positions])
    weights = np.concatenate([np.full(len(key), times) for key, times in zip(keys, planes.values(), strict=True)])
    fastest = np.concatenate([np.full(len(key), plane.gbps) for key, plane in zip(keys, planes, strict=True)])
    total = sum(plane.gbps * times for plane, times in planes.items())
    _, first, label = np.unique(np.concatenate(keys), axis=0, return_index=True, return_inverse=True)
    present = np.bincount(label.ravel(), weights)
    here = np.bincount(label.ravel(), weights * speeds)
    absent = np.where(present < planes.total(), total - np.bincount(label.ravel(), weights * fastest), 0.0)
    return top[first], np.asarray(here + absent, dtype=np.float64)


def _cables(plane: _Packed, packaging: Packaging) -> tuple[Positions, Speeds, npt.NDArray[np.bool_]]:
    """Return both boxes of every cable of a plane, its speed, and whether it runs to the top tier.

    With an optical core, a cable has one box, and there are two for every link.
    """
    if not packaging.core:
        return plane.ends, plane.speeds, plane.top
    ends = np.stack([plane.ends.T.ravel(), np.full(plane.ends.size, -1)], axis=1)
    return ends, np.tile(plane.speeds, 2), np.ones(len(ends), dtype=np.bool_)


def _positions(plane: _Packed, packaging: Packaging) -> tuple[Positions, Speeds, npt.NDArray[np.bool_]]:
    """Return the same cables, sorted, with a number beside their boxes: 0 for the fastest between them."""
    ends, speeds, top = _cables(plane, packaging)
    order = np.lexsort((-speeds, ends[:, 1], ends[:, 0]))
    ends, speeds, top = ends[order], speeds[order], top[order]
    fresh = np.ones(len(ends), dtype=np.bool_)
    fresh[1:] = np.any(ends[1:] != ends[:-1], axis=1)
    start = np.maximum.accumulate(np.where(fresh, np.arange(len(ends)), 0))
    return np.column_stack([ends, np.arange(len(ends)) - start]), speeds, top
