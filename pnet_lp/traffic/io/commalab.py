"""Commodities of CommaLab's instances; the arcs in the same file are the network."""

from __future__ import annotations

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import COMMALAB, parse_commalab
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of
from pnet_lp.units import parse_number


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    _, _, rows = parse_commalab(text, where, TrafficError)
    lines = [
        DemandLine(here, int(u) - 1, int(v) - 1, check_demand(parse_number(demand), demand, here))
        for here, (u, v, demand) in rows
    ]
    return matrix_of(lines, network, level, where)


MATRIX_FORMATS.add_text(
    "commalab", (), "commodities of an instance of CommaLab, only read", _parse, None, recognise=COMMALAB.match
)
