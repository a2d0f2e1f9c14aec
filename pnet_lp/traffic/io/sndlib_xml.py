"""The demands of SNDlib's network files in XML; what they mean is said in :mod:`pnet_lp.traffic.io.sndlib`."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import SNDLIB_NAMESPACE, decoded, parse_xml, unscaled
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import Format, entries
from pnet_lp.traffic.io.lines import Line, matrix_of
from pnet_lp.traffic.io.sndlib import demand_of


def _parse(data: bytes, where: str, network: Network, level: Level) -> TrafficMatrix:
    root, places = parse_xml(decoded(data, where, TrafficError), where, TrafficError)
    demands = root.find("demands")
    if demands is None:
        raise TrafficError("demands are missing", where=where, allowed="SNDlib's network files")
    lines = []
    for demand in demands.findall("demand"):
        s, t, value = (demand.findtext(key, "").strip() for key in ("source", "target", "demandValue"))
        unit = demand.findtext("routingUnit", "1").strip()
        lines.append(Line(places[demand], s, t, demand_of(unit, value, places[demand])))
    return matrix_of(lines, network, level, where)


def _write(traffic: TrafficMatrix, names: tuple[str, ...], path: Path) -> None:
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
    path.write_text(tostring(root, encoding="unicode") + "\n", encoding="utf-8")


FORMAT = Format("SNDlib XML", (".sndlib.xml", ".xml"), lambda head: head.startswith(b"<"), _parse, _write)
