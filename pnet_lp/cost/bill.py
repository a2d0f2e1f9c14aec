"""What a network is bought as: boxes, cables, optical ports, and the parts list they add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias, TypeVar

from pnet_lp.model.brief import brief

Place: TypeAlias = Literal["access", "inner", "top"]
"""How long a cable is: from a host to its switch; below the top tier; up to the top tier, or in a flat network."""

Medium: TypeAlias = Literal["copper", "sr", "lr"]
"""What a cable is: copper without transceivers, multi-mode fibre with SR ones, single-mode fibre with LR ones."""

Count: TypeAlias = int | float
"""A number of pieces; not whole only where a paper's formula is followed."""

KINDS: Mapping[str, str] = {
    "switch": "a box of one chip, named by its ports, as in switch-64x10g",
    "chassis": "a box of several chips, without these",
    "chip": "one chip of such a box, named by its ports, as in chip-128x100g",
    "transceiver-sr": "optics for multi-mode fibre, named by speed",
    "transceiver-lr": "optics for single-mode fibre, named by speed",
    "fiber-mm": "a multi-mode fibre cable",
    "fiber-sm": "a single-mode fibre cable",
    "copper": "a copper cable, named by speed",
    "ocs-port": "a port of an optical circuit switch, at any speed",
    "panel-port": "a port of a passive patch panel, at any speed",
}
"""Kinds of parts, in the order of a parts list."""

_OPTICS: Mapping[Medium, tuple[str, str]] = {
    "copper": ("", "copper"),
    "sr": ("transceiver-sr", "fiber-mm"),
    "lr": ("transceiver-lr", "fiber-sm"),
}
_SPEED_MATTERS = frozenset({"switch", "chip", "transceiver-sr", "transceiver-lr", "copper"})


@dataclass(frozen=True)
class Part:
    """Something with a price.

    Attributes:
        kind: one of :data:`KINDS`.
        gbps: speed of a port, in each direction; 0 for parts that have none.
        ports: of a switch or chip; else 1.
    """

    kind: str
    gbps: float = 0.0
    ports: int = 1

    @property
    def name(self) -> str:
        """What price books call it."""
        if self.kind not in _SPEED_MATTERS:
            return self.kind
        ports = f"{self.ports}x" if self.kind in {"switch", "chip"} else ""
        return f"{self.kind}-{ports}{self.gbps:g}g"

    @property
    def capacity_gbps(self) -> float:
        """Gb/s of all its ports together, in each direction."""
        return self.gbps * self.ports


@dataclass(frozen=True, order=True)
class Boxes:
    """Identical boxes.

    Attributes:
        chips: in each.
        ports: of each chip.
        gbps: speed of a port.
        count: number of boxes.
    """

    chips: int
    ports: int
    gbps: float
    count: Count


@dataclass(frozen=True, order=True)
class Cables:
    """Identical cables.

    Attributes:
        place: where they run.
        medium: what they are.
        gbps: of all channels of a cable together, in each direction.
        count: number of cables.
        ends: transceivers of a fibre cable: 2 between switches, 1 from a switch to a host, whose network card has its
            own, or to an optical port, which needs none.
    """

    place: Place
    medium: Medium
    gbps: float
    count: Count
    ends: int


_Counted = TypeVar("_Counted", Boxes, Cables)


@brief()
@dataclass(frozen=True, repr=False)
class Bill:
    """A bill of materials.  Two bills are equal if they list the same things, however they were counted.

    Attributes:
        hosts: number of hosts.
        tiers: tiers of boxes that switch packets.
        switch_hops: chips that a path between the two racks farthest apart passes, if the shortest one is taken; None
            where that is not known without building the network.
        boxes: in order, each kind once, however they were given.
        cables: the same; those inside a box, which are traces of a backplane, are not among them.
        links: cables between boxes, a bundle of cables of one position counted once; cables to hosts not counted.
        ports_used: ports of chips that have a cable or a trace, of all :attr:`ports`.
        optical: ports of optical switches or panels, by kind of part.
        others: further parts.
    """

    hosts: int
    tiers: int
    switch_hops: int | None
    boxes: Sequence[Boxes]
    cables: Sequence[Cables]
    links: Count
    ports_used: Count
    optical: tuple[tuple[str, Count], ...] = ()
    others: tuple[tuple[Part, Count], ...] = ()

    def __post_init__(self) -> None:
        for name, value in (
            ("boxes", _merged(self.boxes)),
            ("cables", _merged(self.cables)),
            ("links", whole(self.links)),
            ("ports_used", whole(self.ports_used)),
        ):
            object.__setattr__(self, name, value)

    @property
    def chips(self) -> Count:
        """Number of switch chips."""
        return whole(sum(box.count * box.chips for box in self.boxes))

    @property
    def box_count(self) -> Count:
        """Number of boxes that switch packets."""
        return whole(sum(box.count for box in self.boxes))

    @property
    def ports(self) -> Count:
        """Ports of all chips, inside boxes or out of them."""
        return whole(sum(box.count * box.chips * box.ports for box in self.boxes))

    @property
    def ports_free(self) -> Count:
        """Ports that nothing is plugged into."""
        return whole(self.ports - self.ports_used)

    @property
    def cable_count(self) -> Count:
        """Number of cables, those to hosts among them."""
        return whole(sum(cable.count for cable in self.cables))

    @property
    def transceivers(self) -> Count:
        """Transceivers of switches."""
        return whole(sum(cable.count * cable.ends for cable in self.cables if cable.medium != "copper"))

    @property
    def optical_ports(self) -> Count:
        """Ports of optical switches and patch panels."""
        return whole(sum(count for _, count in self.optical))

    def cables_at(self, place: Place) -> Count:
        """Return the number of cables of one length class."""
        return whole(sum(cable.count for cable in self.cables if cable.place == place))

    @cached_property
    def parts(self) -> tuple[tuple[Part, Count], ...]:
        """The parts list: each part once, with its number, in the order of :data:`KINDS`."""
        found: dict[Part, Count] = {}

        def add(part: Part, count: Count) -> None:
            if count:
                found[part] = found.get(part, 0) + count

        for box in self.boxes:
            if box.chips == 1:
                add(Part("switch", box.gbps, box.ports), box.count)
            else:
                add(Part("chassis"), box.count)
                add(Part("chip", box.gbps, box.ports), box.count * box.chips)
        for cable in self.cables:
            optics, line = _OPTICS[cable.medium]
            if optics:
                add(Part(optics, cable.gbps), cable.count * cable.ends)
            add(Part(line, cable.gbps if line == "copper" else 0.0), cable.count)
        for kind, count in self.optical:
            add(Part(kind), count)
        for part, count in self.others:
            add(part, count)
        order = list(KINDS)
        listed = sorted(found, key=lambda part: (order.index(part.kind), -part.capacity_gbps, part.name))
        return tuple((part, whole(found[part])) for part in listed)


def _merged(items: Sequence[_Counted]) -> tuple[_Counted, ...]:
    """Return ``items`` sorted, the counts of identical ones added up, without those of count 0."""
    found: dict[_Counted, Count] = {}
    for item in items:
        kind = replace(item, count=0)
        found[kind] = found.get(kind, 0) + item.count
    return tuple(sorted(replace(kind, count=whole(count)) for kind, count in found.items() if count))


def whole(value: Count) -> Count:
    """Return ``value`` as an int if it is whole."""
    return int(value) if value == int(value) else value
