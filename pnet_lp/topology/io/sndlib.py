"""SNDlib's network files, native and in XML.  Of the native format's sections ``NODES`` and ``LINKS`` are read.

    NODES ( NAME ( X Y ) )
    LINKS ( ID ( SOURCE TARGET ) CAPACITY COST ROUTING_COST SETUP_COST ( MODULE_CAPACITY MODULE_COST ... ) )

Every switch is a rack.  A link is one full-duplex cable of the capacity that is installed already or, where none is,
of its largest module, or else of the speed given by the user.  Capacities are in Mbit/s, as in the library's instances
from operators.  ``routing_cost`` and ``setup_cost`` may be taken as metrics.  Whether links are directed is said in a
model file, which is not read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import SectionRow, SndlibFile, parse_sndlib, parse_xml, scaled
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.topology.io.format import NETWORK_FORMATS, check_bare, parse_position, placed, places_of, refusal
from pnet_lp.units import parse_number

_NODE = "NAME ( X Y )"
_LINK = "ID ( SOURCE TARGET ) CAPACITY COST ROUTING_COST SETUP_COST ( MODULE_CAPACITY MODULE_COST ... )"
_ROOT = re.compile(r"<(?:\w++:)?network\b")


@dataclass(frozen=True)
class _Link:
    """A full-duplex cable between two nodes, of ``speed`` Gb/s and of some costs; ``where`` is its line."""

    u: str
    v: str
    speed: float
    where: str
    routing_cost: float = math.nan
    setup_cost: float = math.nan


def _parse_native(text: str, where: str, link_gbps: float) -> Plane:
    sections = parse_sndlib(text, where, TopologyError)
    nodes = [_node(row) for row in sections.get("NODES", [])]
    links = [_link(row, link_gbps) for row in sections.get("LINKS", [])]
    return _plane(nodes, links, where)


def _node(row: SectionRow) -> tuple[str, list[str], str]:
    match row.words:
        case (str(name), (x, y), *_) if isinstance(x, str):
            return name, [x, y], row.where
        case (str(name), *rest) if all(word == () for word in rest):
            return name, [], row.where
    raise row.fault(TopologyError, "a node", _NODE)


def _link(row: SectionRow, link_gbps: float) -> _Link:
    match row.words:
        case (str(), (u, v), str(installed), str(), str(routing), str(setup), *rest) if isinstance(u, str):
            modules = rest[0][::2] if rest and isinstance(rest[0], tuple) else ()
            speed = _speed(installed, modules, link_gbps, row.where)
            return _Link(u, v, speed, row.where, parse_number(routing), parse_number(setup))
        case (str(), (u, v)) if isinstance(u, str):
            return _Link(u, v, link_gbps, row.where)
    raise row.fault(TopologyError, "a link", _LINK)


def _parse_xml(text: str, where: str, link_gbps: float) -> Plane:
    root, places = parse_xml(text, where, TopologyError)
    structure = root.find("networkStructure")
    if structure is None:
        raise TopologyError("networkStructure is missing", where=where)
    nodes = []
    for node in structure.findall("nodes/node"):
        if not (name := node.get("id", "").strip()):
            raise TopologyError("a node without id", where=places[node])
        x, y = (node.findtext(f"coordinates/{axis}", "").strip() for axis in "xy")
        nodes.append((name, [x, y] if x or y else [], places[node]))
    links = []
    for link in structure.findall("links/link"):
        u, v = (link.findtext(end, "").strip() for end in ("source", "target"))
        installed = link.findtext("preInstalledModule/capacity", "0").strip()
        modules = [module.findtext("capacity", "").strip() for module in link.findall("additionalModules/addModule")]
        costs = (parse_number(link.findtext(cost, "")) for cost in ("routingCost", "setupCost"))
        links.append(_Link(u, v, _speed(installed, modules, link_gbps, places[link]), places[link], *costs))
    return _plane(nodes, links, where)


def _speed(installed: str, modules: Iterable[str], link_gbps: float, where: str) -> float:
    """Return the Gb/s of a link: what is installed, else the largest module, both in Mbit/s, else ``link_gbps``."""
    speeds = []
    for token in (installed, *modules):
        # An unlimited module says that capacity is sold by the unit, not how much there is.
        speed = 0.0 if token == "UNLIMITED" else scaled(token, 3)
        if not 0 <= speed < math.inf:
            raise TopologyError("not a valid capacity", where=where, found=token, allowed="finite Mbit/s >= 0")
        speeds.append(speed)
    return speeds[0] or max(speeds) or link_gbps


def _plane(nodes: Sequence[tuple[str, Sequence[str], str]], links: Sequence[_Link], where: str) -> Plane:
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


def _file(plane: Plane, what: str) -> SndlibFile:
    """Return what is written of ``plane``, or raise TopologyError where SNDlib cannot hold it."""
    check_bare(plane, what, positions=True)
    if (plane.capacity_uv_gbps != plane.capacity_vu_gbps).any():
        raise refusal(plane, what, "cables with a different speed back")
    if not plane.capacity_uv_gbps.all():
        raise refusal(plane, what, "cables that carry nothing")
    names = plane.switch_names
    links = [(names[u], names[v], gbps) for u, v, gbps in rows(plane.cable_u, plane.cable_v, plane.capacity_uv_gbps)]
    return SndlibFile(list(zip(names, places_of(plane, what), strict=True)), links)


def _render_native(plane: Plane) -> str:
    what = "SNDlib's native format"
    return _file(plane, what).native(partial(refusal, plane, what))


def _render_xml(plane: Plane) -> str:
    return _file(plane, "SNDlib XML").xml()


NETWORK_FORMATS.add_text("sndlib", (".sndlib",), "a network of SNDlib", _parse_native, _render_native, begins="?SNDlib")
NETWORK_FORMATS.add_text(
    "sndlib-xml", (".sndlib.xml",), "a network of SNDlib in XML", _parse_xml, _render_xml, recognise=_ROOT.match
)
