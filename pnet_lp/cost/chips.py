"""Which chip a switch needs for its links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pnet_lp.cost.bill import Boxes, Count, Part, PortCounts, broken_out
from pnet_lp.errors import SpecError


@dataclass(frozen=True)
class Chips:
    """The chips of a network: one for all switches whose links have the same speeds.

    Attributes:
        ports: of every chip, as fast as its fastest link, slower links broken out.
        chip_gbps: in place of these, what every chip carries: as many such ports as fit.  With neither, a chip has of
            each speed as many ports as the switch uses that has most.
        by_speeds: chip by the speeds of its links.
        largest: the chip of a switch without links, that of most capacity.
    """

    ports: int | None
    chip_gbps: float | None
    by_speeds: Mapping[frozenset[float], Part]
    largest: Part

    @classmethod
    def fitting(cls, switches: Iterable[PortCounts], ports: int | None, chip_gbps: float | None = None) -> Chips:
        """Return the chips for switches with these links.

        Raises:
            SpecError: a switch with more links than its ports hold.
        """
        distinct = {frozenset(links.items()): links for links in switches}
        most: dict[frozenset[float], dict[float, int]] = {}
        for links in distinct.values():
            known = most.setdefault(frozenset(links), {})
            for gbps, number in links.items():
                known[gbps] = max(known.get(gbps, 0), number)
        found = cls(ports, chip_gbps, {}, Part("chip", 0.0, ports or 0))
        chips = {speeds: found._chip(known) for speeds, known in most.items() if known}
        largest = max(chips.values(), key=lambda chip: chip.capacity_gbps, default=found.largest)
        for links in sorted(filter(None, distinct.values()), key=found.used, reverse=True):
            held = sum(chips[frozenset(links)].port_counts.values())
            if (used := found.used(links)) > held:
                raise SpecError("a switch has more cables than ports", found=used, allowed=f"at most {held}")
        return replace(found, by_speeds=chips, largest=largest)

    def _chip(self, most: PortCounts) -> Part:
        """Return the chip for switches with at most these links."""
        if self._mixed:
            return Part.with_ports("chip", most)
        fastest = max(most)
        ports = broken_out(self.chip_gbps, fastest) if self.chip_gbps else self.ports
        return Part("chip", fastest, ports or 0)

    @property
    def _mixed(self) -> bool:
        """Whether ports have the speeds of links, and none is broken out."""
        return self.ports is None and self.chip_gbps is None

    def of(self, links: PortCounts) -> Part:
        """Return the chip of a switch with these links."""
        return self.by_speeds.get(frozenset(links), self.largest)

    def used(self, links: PortCounts) -> int:
        """Return the ports that the links of a switch take."""
        if self._mixed:
            return sum(links.values())
        return sum(-(-number // broken_out(max(links), gbps)) for gbps, number in links.items())

    def boxes(self, count: Count, *chips: tuple[int, PortCounts]) -> Boxes:
        """Return ``count`` boxes, each with so many chips for such links."""
        found: dict[Part, int] = {}
        for number, links in chips:
            found[self.of(links)] = found.get(self.of(links), 0) + number
        return Boxes(tuple(sorted((number, chip) for chip, number in found.items())), count)


def links_of(*links: tuple[float, int]) -> PortCounts:
    """Return the links of a switch, given speeds and numbers; a speed may occur twice, and a number be 0."""
    found: dict[float, int] = {}
    for gbps, number in links:
        if number:
            found[gbps] = found.get(gbps, 0) + number
    return found
