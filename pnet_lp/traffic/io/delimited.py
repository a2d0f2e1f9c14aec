"""CSV: a header ``src,dst,demand``, then one demand per line.

Blank lines are skipped, and so are lines that begin with ``#`` before the header.  Endpoints are names of the network
throughout a file, or else indices from 0 throughout.  Blanks around a field do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from pnet_lp.errors import TrafficError
from pnet_lp.formats import LAST
from pnet_lp.layouts import csv_text, parse_csv, parse_number
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import MATRIX_FORMATS, entries
from pnet_lp.traffic.io.lines import DemandLine, check_demand, matrix_of

HEADER = ("src", "dst", "demand")


def _parse(text: str, where: str, network: Network, level: Level) -> TrafficMatrix:
    return matrix_of(list(_lines(where, text)), network, level, where)


def _render(traffic: TrafficMatrix, network: Network, level: Level) -> str:
    names = network.endpoint_names(level)
    return csv_text(HEADER, ((names[s], names[t], repr(d)) for s, t, d in entries(traffic)))


def _lines(path: str, text: str) -> Iterator[DemandLine]:
    header: list[str] | None = None
    for where, row in parse_csv(text, path, TrafficError):
        if header is None and row[0].startswith("#"):
            continue
        fields = [field.strip() for field in row]
        if header is None:
            header = fields
            if sorted(fields) != sorted(HEADER):
                raise TrafficError(
                    "invalid header", where=where, found=",".join(row), allowed=",".join(HEADER)
                )
            continue
        if len(fields) != len(HEADER):
            raise TrafficError(f"{len(fields)} fields instead of 3", where=where, found=",".join(row))
        values = dict(zip(header, fields, strict=True))
        demand = check_demand(parse_number(values["demand"]), values["demand"], where)
        yield DemandLine(where, values["src"], values["dst"], demand)
    if header is None:
        raise TrafficError(
            "the file contains only comments", where=path, allowed=f"a header {','.join(HEADER)}"
        )


MATRIX_FORMATS.add_text(
    "csv",
    (".csv",),
    _parse,
    _render,
    summary="columns src, dst, demand",
    recognise=lambda _: True,
    order=LAST,
)
