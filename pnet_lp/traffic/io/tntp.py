"""Trips of the Transportation Networks for Research (TNTP), ``NAME_trips.tntp``: of each origin, what it sends whom.

    <NUMBER OF ZONES> n   <TOTAL OD FLOW> n   <END OF METADATA>
    Origin 1
        2 : 100.0;  3 : 50.0;

Zones are numbers from 1.  Trips inside a zone need no network and are left out.
"""

from __future__ import annotations

import re

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import parse_tntp, whole
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of
from pnet_lp.units import parse_number

_FIRST = re.compile(r"(?:\s*+<[A-Z ]++>[^\n]*+\n|\s*+~[^\n]*+\n|\s*+\n)*?\s*+(?:<TOTAL OD FLOW>|Origin\b)")
_SHAPE = "Origin N, then DESTINATION : TRIPS ; ..."


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    counts, lines = parse_tntp(text, where, TrafficError)
    zones, origin, found = counts.get("NUMBER OF ZONES", 0), 0, list[DemandLine]()
    for here, words in lines:
        if words[0] == "Origin" and len(words) == 2:
            origin = _zone(words[1], zones, here)
            continue
        for entry in filter(None, " ".join(words).split(";")):
            if not entry.strip():
                continue
            zone, colon, trips = (part.strip() for part in entry.partition(":"))
            if not origin or not colon:
                raise TrafficError("not a trip", where=here, found=entry.strip(), allowed=_SHAPE)
            demand = check_demand(parse_number(trips), trips, here)
            if (destination := _zone(zone, zones, here)) != origin:
                found.append(DemandLine(here, origin - 1, destination - 1, demand))
    return matrix_of(found, network, level, where)


def _zone(word: str, zones: int, where: str) -> int:
    number = whole(word)
    if not number or number > zones:
        raise TrafficError("no such zone", where=where, found=word, allowed=f"1 to {zones}")
    return number


MATRIX_FORMATS.add_text("tntp-trips", (), "trips of TNTP, only read", _parse, None, recognise=_FIRST.match)
