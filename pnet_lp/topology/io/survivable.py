"""What SNDlib's two formats have in common: nodes with positions, links with capacities and modules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import scaled
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import check_bare, parse_position, refusal


@dataclass(frozen=True)
class Link:
    """A full-duplex cable between two nodes, of ``speed`` Gb/s and of some costs; ``where`` is its line."""

    u: str
    v: str
    speed: float
    where: str
    routing_cost: float = math.nan
    setup_cost: float = math.nan


def speed_of(installed: str, modules: Iterable[str], link_gbps: float, where: str) -> float:
    """Return the speed of a link in Gb/s: what is installed, else the largest module, else ``link_gbps``.

    Args:
        installed: capacity in Mbit/s.
        modules: capacities in Mbit/s.
        link_gbps: for links that have neither.
        where: file and line.
    """
    speeds = []
    for token in (installed, *modules):
        # An unlimited module says that capacity is sold by the unit, not how much there is.
        speed = 0.0 if token == "UNLIMITED" else scaled(token, 3)
        if not 0 <= speed < math.inf:
            raise TopologyError("not a valid capacity", where=where, found=token, allowed="finite Mbit/s >= 0")
        speeds.append(speed)
    return speeds[0] or max(speeds) or link_gbps


def plane_of(nodes: Sequence[tuple[str, Sequence[str], str]], links: Sequence[Link], where: str) -> Plane:
    """Return the plane of nodes ``(name, (x, y) or (), where)`` and links."""
    index: dict[str, int] = {}
    positions = []
    for name, place, here in nodes:
        if name in index:
            raise TopologyError(f"the name {name!r} is used by two nodes", where=here)
        index[name] = len(index)
        positions.append(parse_position(place, here) if place else (math.nan, math.nan))
    for link in links:
        for end in (link.u, link.v):
            if end not in index:
                raise TopologyError(f"a link ends at {end!r}, which is not a node", where=link.where)
        if link.u == link.v:
            raise TopologyError(f"a cable joins switch {link.u!r} to itself", where=link.where)
    return Plane.from_cables(
        list(index),
        [index[link.u] for link in links],
        [index[link.v] for link in links],
        [link.speed for link in links],
        label=where,
        position=placed(positions),
        attributes={name: [getattr(link, name) for link in links] for name in ("routing_cost", "setup_cost")},
    )


def placed(positions: list[tuple[float, float]]) -> list[tuple[float, float]] | None:
    """Return the positions of a file whose format demands them, or None where all are 0 0, which means none."""
    return positions if any(place != (0, 0) for place in positions) else None


def places_of(plane: Plane, what: str) -> list[list[float]]:
    """Return the positions to write where a format demands them, or raise TopologyError where only some are known."""
    if plane.position is None:
        return [[0.0, 0.0]] * plane.switch_count
    places: list[list[float]] = plane.position.tolist()
    if any(math.isnan(x) for x, _ in places):
        raise refusal(plane, what, "positions of only some switches")
    return places


def check_survivable(plane: Plane, what: str) -> list[list[float]]:
    """Return the positions to write, or raise TopologyError where SNDlib cannot hold ``plane``."""
    check_bare(plane, what, positions=True)
    if (plane.capacity_uv_gbps != plane.capacity_vu_gbps).any():
        raise refusal(plane, what, "cables with a different speed back")
    if not plane.capacity_uv_gbps.all():
        raise refusal(plane, what, "cables that carry nothing")
    return places_of(plane, what)
