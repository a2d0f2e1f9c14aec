"""The demands of SNDlib's network files: ``ID ( SOURCE TARGET ) UNIT VALUE MAX_PATH_LENGTH``, or the same in XML.

A demand of ``VALUE`` takes ``UNIT`` times as much of a link, in Mbit/s, and goes from source to target only.
"""

from __future__ import annotations

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import SectionRow, SndlibFile, parse_sndlib, parse_xml, scaled
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of

_DEMAND = "ID ( SOURCE TARGET ) UNIT VALUE MAX_PATH_LENGTH"


def _parse_native(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    sections = parse_sndlib(text, where, TrafficError)
    if "DEMANDS" not in sections:
        raise TrafficError("section DEMANDS is missing", where=where)
    return matrix_of([_line(row) for row in sections["DEMANDS"]], network, level, where)


def _line(row: SectionRow) -> DemandLine:
    match row.words:
        case (str(), (s, t), str(unit), str(value), *_) if isinstance(s, str):
            return DemandLine(row.where, s, t, _demand(unit, value, row.where))
    raise row.fault(TrafficError, "a demand", _DEMAND)


def _parse_xml(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    root, places = parse_xml(text, where, TrafficError)
    demands = root.find("demands")
    if demands is None:
        raise TrafficError("demands are missing", where=where, allowed="SNDlib's network files")
    lines = []
    for demand in demands.findall("demand"):
        s, t, value = (demand.findtext(key, "").strip() for key in ("source", "target", "demandValue"))
        unit = demand.findtext("routingUnit", "1").strip()
        lines.append(DemandLine(places[demand], s, t, _demand(unit, value, places[demand])))
    return matrix_of(lines, network, level, where)


def _demand(unit: str, value: str, where: str) -> float:
    """Return the demand in Gb/s that ``unit`` times ``value`` Mbit/s is, or raise TrafficError."""
    return check_demand(scaled(unit, 0) * scaled(value, 3), f"{unit} {value}", where)


def _file(traffic: TrafficMatrix, network: Network, level: Level) -> SndlibFile:
    names = network.endpoint_names(level)
    return SndlibFile([(name, ()) for name in names], demands=[(names[s], names[t], d) for s, t, d in entries(traffic)])


def _render_native(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    def refusal(obstacle: str, name: str) -> TrafficError:
        return TrafficError(f"SNDlib's native format cannot hold {obstacle}", found=name)

    return _file(traffic, network, level).native(refusal)


def _render_xml(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    return _file(traffic, network, level).xml()


MATRIX_FORMATS.add_text("sndlib", (".sndlib",), "demands of SNDlib", _parse_native, _render_native, begins="?SNDlib")
MATRIX_FORMATS.add_text(
    "sndlib-xml", (".sndlib.xml", ".xml"), "demands of SNDlib in XML", _parse_xml, _render_xml, begins="<", order=1
)
