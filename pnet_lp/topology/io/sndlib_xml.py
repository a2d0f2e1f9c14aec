"""SNDlib's network files in XML; what they mean is said in :mod:`pnet_lp.topology.io.sndlib`."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import SNDLIB_NAMESPACE, parse_xml, unscaled
from pnet_lp.model import Plane
from pnet_lp.model.arrays import rows
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.topology.io.survivable import Link, check_survivable, plane_of, speed_of
from pnet_lp.units import parse_number

_ROOT = re.compile(r"<(?:\w++:)?network\b")


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    root, places = parse_xml(text, where, TopologyError)
    structure = root.find("networkStructure")
    if structure is None:
        raise TopologyError("networkStructure is missing", where=where)
    nodes = []
    for node in structure.findall("nodes/node"):
        x, y = (node.findtext(f"coordinates/{axis}", "").strip() for axis in "xy")
        nodes.append((_called(node, places[node]), [x, y] if x or y else [], places[node]))
    links = []
    for link in structure.findall("links/link"):
        u, v = (link.findtext(end, "").strip() for end in ("source", "target"))
        installed = link.findtext("preInstalledModule/capacity", "0").strip()
        modules = [module.findtext("capacity", "").strip() for module in link.findall("additionalModules/addModule")]
        costs = (parse_number(link.findtext(cost, "")) for cost in ("routingCost", "setupCost"))
        links.append(Link(u, v, speed_of(installed, modules, link_gbps, places[link]), places[link], *costs))
    return plane_of(nodes, links, where)


def _called(element: Element, where: str) -> str:
    name = element.get("id", "").strip()
    if not name:
        raise TopologyError("a node without id", where=where)
    return name


def _render(plane: Plane) -> str:
    places = check_survivable(plane, "SNDlib XML")
    root = Element("network", {"xmlns": SNDLIB_NAMESPACE, "version": "1.0"})
    structure = SubElement(root, "networkStructure")
    nodes = SubElement(structure, "nodes", {"coordinatesType": "geographical"})
    for name, place in zip(plane.switch_names, places, strict=True):
        coordinates = SubElement(SubElement(nodes, "node", {"id": name}), "coordinates")
        for axis, value in zip("xy", place, strict=True):
            SubElement(coordinates, axis).text = repr(value)
    links = SubElement(structure, "links")
    ends = rows(plane.cable_u, plane.cable_v, plane.capacity_uv_gbps)
    for i, (u, v, speed) in enumerate(ends):
        link = SubElement(links, "link", {"id": f"L{i}"})
        SubElement(link, "source").text = plane.switch_names[u]
        SubElement(link, "target").text = plane.switch_names[v]
        module = SubElement(link, "preInstalledModule")
        SubElement(module, "capacity").text = unscaled(speed, 3)
        SubElement(module, "cost").text = "0.0"
    SubElement(root, "demands")
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


NETWORK_FORMATS.add_text(
    "sndlib-xml", (".sndlib.xml",), "a network of SNDlib in XML", _parse, _render, recognise=_ROOT.match
)
