"""SNDlib's native network files: sections, of which ``NODES`` and ``LINKS`` are read.

    NODES ( NAME ( X Y ) )
    LINKS ( ID ( SOURCE TARGET ) CAPACITY COST ROUTING_COST SETUP_COST ( MODULE_CAPACITY MODULE_COST ... ) )

Every switch is a rack.  A link is one full-duplex cable of the capacity that is installed already or, where none is,
of its largest module, or else of the speed given by the user.  Capacities are in Mbit/s, as in the library's instances
from operators.  ``routing_cost`` and ``setup_cost`` may be taken as metrics.  Whether links are directed is said in a
model file, which is not read.
"""

from __future__ import annotations

import re

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import SNDLIB_HEADER, SectionRow, parse_sndlib, unscaled
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.topology.io.format import NETWORK_FORMATS, refusal
from pnet_lp.topology.io.survivable import Link, check_survivable, plane_of, speed_of
from pnet_lp.units import parse_number

_NODE = "NAME ( X Y )"
_LINK = "ID ( SOURCE TARGET ) CAPACITY COST ROUTING_COST SETUP_COST ( MODULE_CAPACITY MODULE_COST ... )"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    sections = parse_sndlib(text, where, TopologyError)
    nodes = [_node(row) for row in sections.get("NODES", [])]
    links = [_link(row, link_gbps) for row in sections.get("LINKS", [])]
    return plane_of(nodes, links, where)


def _node(row: SectionRow) -> tuple[str, list[str], str]:
    match row.words:
        case (str(name), (x, y), *_) if isinstance(x, str):
            return name, [x, y], row.where
        case (str(name), *rest) if all(word == () for word in rest):
            return name, [], row.where
    raise row.fault(TopologyError, "a node", _NODE)


def _link(row: SectionRow, link_gbps: float) -> Link:
    match row.words:
        case (str(), (u, v), str(installed), str(), str(routing), str(setup), *rest) if isinstance(u, str):
            modules = rest[0][::2] if rest and isinstance(rest[0], tuple) else ()
            speed = speed_of(installed, modules, link_gbps, row.where)
            return Link(u, v, speed, row.where, parse_number(routing), parse_number(setup))
        case (str(), (u, v)) if isinstance(u, str):
            return Link(u, v, link_gbps, row.where)
    raise row.fault(TopologyError, "a link", _LINK)


def _render(plane: Plane) -> str:
    what = "SNDlib's native format"
    places = check_survivable(plane, what)
    for name in plane.switch_names:
        if not _NAME.fullmatch(name):
            raise refusal(plane, what, "names of other than letters, digits, - and _", name)
    lines = [SNDLIB_HEADER, "", "NODES ("]
    lines += [f"  {name} ( {x!r} {y!r} )" for name, (x, y) in zip(plane.switch_names, places, strict=True)]
    lines += [")", "", "LINKS ("]
    ends = rows(plane.cable_u, plane.cable_v, plane.capacity_uv_gbps)
    for i, (u, v, speed) in enumerate(ends):
        names = f"{plane.switch_names[u]} {plane.switch_names[v]}"
        lines.append(f"  L{i} ( {names} ) {unscaled(speed, 3)} 0.00 0.00 0.00 ( )")
    return "\n".join([*lines, ")", "", "DEMANDS (", ")", ""])


NETWORK_FORMATS.add_text("sndlib", (".sndlib",), "a network of SNDlib", _parse, _render, begins="?SNDlib")
