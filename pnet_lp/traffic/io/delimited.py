"""CSV: a header ``src,dst,demand``, then one demand per line.

Blank lines are skipped, and so are lines that begin with ``#`` before the header.  Endpoints are names of the network
throughout a file, or else indices from 0 throughout.  Blanks around a field do not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from pnet_lp.errors import TrafficError
from pnet_lp.formats import LAST
from pnet_lp.layouts import csv_text, parse_records
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of
from pnet_lp.units import parse_number

HEADER = ("src", "dst", "demand")


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    rows = parse_records(text, where, TrafficError, HEADER, _check_columns)
    return matrix_of([_line(*row) for row in rows], network, level, where)


def _render(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    names = network.endpoint_names(level)
    return csv_text(HEADER, ((names[s], names[t], repr(d)) for s, t, d in entries(traffic)))


def _check_columns(columns: Sequence[str], where: str) -> None:
    if sorted(columns) != sorted(HEADER):
        raise TrafficError("invalid header", where=where, found=",".join(columns), allowed=",".join(HEADER))


def _line(where: str, fields: dict[str, str]) -> DemandLine:
    demand = check_demand(parse_number(fields["demand"]), fields["demand"], where)
    return DemandLine(where, fields["src"], fields["dst"], demand)


MATRIX_FORMATS.add_text(
    "csv", (".csv",), "columns src, dst, demand", _parse, _render, recognise=lambda _: True, order=LAST
)
