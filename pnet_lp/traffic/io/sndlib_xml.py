"""The demands of SNDlib's network files in XML; what they mean is said in :mod:`pnet_lp.traffic.io.sndlib`."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import SNDLIB_NAMESPACE, parse_xml, unscaled
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, matrix_of
from pnet_lp.traffic.io.sndlib import demand_of


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    root, places = parse_xml(text, where, TrafficError)
    demands = root.find("demands")
    if demands is None:
        raise TrafficError("demands are missing", where=where, allowed="SNDlib's network files")
    lines = []
    for demand in demands.findall("demand"):
        s, t, value = (demand.findtext(key, "").strip() for key in ("source", "target", "demandValue"))
        unit = demand.findtext("routingUnit", "1").strip()
        lines.append(DemandLine(places[demand], s, t, demand_of(unit, value, places[demand])))
    return matrix_of(lines, network, level, where)


def _render(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    names = network.endpoint_names(level)
    root = Element("network", {"xmlns": SNDLIB_NAMESPACE, "version": "1.0"})
    structure = SubElement(root, "networkStructure")
    nodes = SubElement(structure, "nodes", {"coordinatesType": "pixel"})
    for name in names:
        SubElement(nodes, "node", {"id": name})
    SubElement(structure, "links")
    demands = SubElement(root, "demands")
    for i, (s, t, value) in enumerate(entries(traffic)):
        demand = SubElement(demands, "demand", {"id": f"D{i}"})
        SubElement(demand, "source").text = names[s]
        SubElement(demand, "target").text = names[t]
        SubElement(demand, "routingUnit").text = "1"
        SubElement(demand, "demandValue").text = unscaled(value, 3)
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


MATRIX_FORMATS.add_text(
    "sndlib-xml", (".sndlib.xml", ".xml"), "demands of SNDlib in XML", _parse, _render, begins="<", order=1
)
