"""The demands of SNDlib's native network files: ``ID ( SOURCE TARGET ) UNIT VALUE MAX_PATH_LENGTH``.

A demand of ``VALUE`` takes ``UNIT`` times as much of a link, in Mbit/s, and goes from source to target only.
"""

from __future__ import annotations

import re

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import SNDLIB_HEADER, SectionRow, parse_sndlib, scaled, unscaled
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of

_DEMAND = "ID ( SOURCE TARGET ) UNIT VALUE MAX_PATH_LENGTH"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    sections = parse_sndlib(text, where, TrafficError)
    if "DEMANDS" not in sections:
        raise TrafficError("section DEMANDS is missing", where=where)
    return matrix_of([_line(row) for row in sections["DEMANDS"]], network, level, where)


def _line(row: SectionRow) -> DemandLine:
    match row.words:
        case (str(), (s, t), str(unit), str(value), *_) if isinstance(s, str):
            return DemandLine(row.where, s, t, demand_of(unit, value, row.where))
    raise row.fault(TrafficError, "a demand", _DEMAND)


def demand_of(unit: str, value: str, where: str) -> float:
    """Return the demand in Gb/s that ``unit`` times ``value`` Mbit/s is, or raise TrafficError."""
    return check_demand(scaled(unit, 0) * scaled(value, 3), f"{unit} {value}", where)


def _render(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    names = network.endpoint_names(level)
    for name in names:
        if not _NAME.fullmatch(name):
            raise TrafficError(
                "SNDlib's native format cannot hold names of other than letters, digits, - and _", found=name
            )
    lines = [SNDLIB_HEADER, "", "NODES (", *(f"  {name} ( 0.0 0.0 )" for name in names), ")", ""]
    lines += ["LINKS (", ")", "", "DEMANDS ("]
    for i, (s, t, demand) in enumerate(entries(traffic)):
        lines.append(f"  D{i} ( {names[s]} {names[t]} ) 1 {unscaled(demand, 3)} UNLIMITED")
    return "\n".join([*lines, ")", ""])


MATRIX_FORMATS.add_text("sndlib", (".sndlib",), "demands of SNDlib", _parse, _render, begins="?SNDlib")
