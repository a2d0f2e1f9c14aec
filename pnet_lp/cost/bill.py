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

PortCounts: TypeAlias = Mapping[float, int]
"""Ports of a switch, or links that need one, by speed in Gb/s."""

KINDS: Mapping[str, str] = {
    "switch": "a box of one chip, named by its ports, as in switch-64x10g or switch-8x400g+48x100g",
    "chassis": "a box of several chips, without these",
    "chip": "one chip of such a box, named by its ports, as in chip-128x100g",
    "transceiver-sr": "optics for multi-mode fibre, named by speed",
    "transceiver-lr": "optics for single-mode fibre, named by speed",
    "fiber-mm": "a multi-mode fibre cable",
    "fiber-sm": "a single-mode fibre cable",
    "copper": "a copper cable, named by speed",
    "ocs-port": "a port of an optical circuit switch, at any speed",
    "panel-port": "a port of a passive patch panel, at any speed",
    "nic": "a host's network card, named by its ports, as in nic-8x100g",
    "scale-up-switch": "a switch inside a server, named by its ports",
    "scale-up-link": "a link inside a server, named by speed",
}
"""Kinds of parts, in the order of a parts list."""

_OPTICS: Mapping[Medium, tuple[str, str]] = {
    "copper": ("", "copper"),
    "sr": ("transceiver-sr", "fiber-mm"),
    "lr": ("transceiver-lr", "fiber-sm"),
}
WITH_PORTS = frozenset({"switch", "chip", "nic", "scale-up-switch"})
_SPEED_MATTERS = WITH_PORTS | {"transceiver-sr", "transceiver-lr", "copper", "scale-up-link"}


@dataclass(frozen=True, order=True)
class Part:
    """Something with a price.

    Attributes:
        kind: one of :data:`KINDS`.
        gbps: speed of a port, in each direction; 0 for parts that have none.
        ports: of a switch or chip; else 1.
        slower: ``(speed, ports)`` of its further ports, the fastest first, all slower than ``gbps``.
    """

    kind: str
    gbps: float = 0.0
    ports: int = 1
    slower: tuple[tuple[float, int], ...] = ()

    @classmethod
    def with_ports(cls, kind: str, ports: PortCounts) -> Part:
        """Return the switch or chip that has these ports."""
        (gbps, count), *slower = sorted(ports.items(), reverse=True)
        return cls(kind, gbps, count, tuple(slower))

    @property
    def port_counts(self) -> PortCounts:
        """Its ports by speed, the fastest first."""
        return {self.gbps: self.ports, **dict(self.slower)}

    @property
    def name(self) -> str:
        """What price books call it."""
        if self.kind not in _SPEED_MATTERS:
            return self.kind
        if self.kind not in WITH_PORTS:
            return f"{self.kind}-{self.gbps:g}g"
        return f"{self.kind}-{'+'.join(f'{count}x{gbps:g}g' for gbps, count in self.port_counts.items())}"

    @property
    def capacity_gbps(self) -> float:
        """Gb/s of all its ports together, in each direction."""
        return sum(gbps * count for gbps, count in self.port_counts.items())

    def holds(self, links: PortCounts) -> bool:
        """Whether its ports suffice for ``links``.

        A port carries a link as fast as itself, or is broken out for slower ones of one speed.  The fastest links come
        first, each on the slowest ports that are fast enough and left.
        """
        left = dict(sorted(self.port_counts.items()))
        for gbps, need in sorted(links.items(), reverse=True):
            for speed, ports in left.items():
                if speed >= gbps and need > 0:
                    taken = min(ports, -(-need // broken_out(speed, gbps)))
                    left[speed] = ports - taken
                    need -= taken * broken_out(speed, gbps)  # noqa: PLW2901 - counts down
            if need > 0:
                return False
        return True


def broken_out(gbps: float, into: float) -> int:
    """Return how many links of the speed ``into``, at most its own, a port of ``gbps`` is broken out into."""
    # 0.3 / 0.1 is a little less than 3.
    return int(gbps / into * (1 + 1e-9)) if into else 1


@dataclass(frozen=True, order=True)
class Boxes:
    """Identical boxes.

    Attributes:
        chips: ``(how many, which)`` are in each, in order.
        count: number of boxes.
    """

    chips: tuple[tuple[int, Part], ...]
    count: Count

    @classmethod
    def of(cls, chips: int, ports: int, gbps: float, count: Count) -> Boxes:
        """Return boxes of equal chips, whose ports all have the speed ``gbps``."""
        return cls(((chips, Part("chip", gbps, ports)),), count)

    @property
    def chip_count(self) -> int:
        """Chips in each."""
        return sum(number for number, _ in self.chips)

    @property
    def ports(self) -> int:
        """Ports of all chips of each."""
        return sum(number * sum(chip.port_counts.values()) for number, chip in self.chips)


@dataclass(frozen=True, order=True)
class Cables:
    """Identical cables.

    Attributes:
        place: where they run.
        medium: what they are.
        gbps: of all channels of a cable together, in each direction.
        count: number of cables.
        ends: transceivers of a fibre cable: 2 between switches and to network cards that are counted, 1 to others,
            which have their own, or to an optical port, which needs none.
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
        return whole(sum(box.count * box.chip_count for box in self.boxes))

    @property
    def box_count(self) -> Count:
        """Number of boxes that switch packets."""
        return whole(sum(box.count for box in self.boxes))

    @property
    def ports(self) -> Count:
        """Ports of all chips, inside boxes or out of them."""
        return whole(sum(box.count * box.ports for box in self.boxes))

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
        """Transceivers of switches, and of network cards where these are counted."""
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
            kind = "switch" if box.chip_count == 1 else "chip"
            if kind == "chip":
                add(Part("chassis"), box.count)
            for number, chip in box.chips:
                add(replace(chip, kind=kind), box.count * number)
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
