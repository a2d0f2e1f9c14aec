"""CSV: a header ``src,dst,demand``, then one demand per line.

Blank lines are skipped, and so are lines that begin with ``#`` before the header.  Endpoints are names of the network
throughout a file, or else indices from 0 throughout.  Blanks around a field do not count.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from pnet_lp.errors import TrafficError
from pnet_lp.layouts import decoded, parse_csv, parse_number
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.traffic.io.format import Format
from pnet_lp.traffic.io.lines import Line, check_demand, matrix_of

HEADER = ("src", "dst", "demand")


def _parse(data: bytes, where: str, network: Network, level: Level) -> TrafficMatrix:
    text = decoded(data, where, TrafficError)
    return matrix_of(list(_lines(where, text)), network, level, where)


def _write(traffic: TrafficMatrix, names: tuple[str, ...], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        entries = zip(traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist(), strict=True)
        writer.writerows((names[s], names[t], repr(d)) for s, t, d in entries)


def _lines(path: str, text: str) -> Iterator[Line]:
    header: list[str] | None = None
    for where, row in parse_csv(text, path, TrafficError):
        if header is None and row[0].startswith("#"):
            continue
        fields = [field.strip() for field in row]
        if header is None:
            header = fields
            if sorted(fields) != sorted(HEADER):
                raise TrafficError("wrong header", where=where, found=",".join(row), allowed=",".join(HEADER))
            continue
        if len(fields) != len(HEADER):
            raise TrafficError(f"{len(fields)} fields instead of 3", where=where, found=",".join(row))
        values = dict(zip(header, fields, strict=True))
        demand = check_demand(parse_number(values["demand"]), values["demand"], where)
        yield Line(where, values["src"], values["dst"], demand)
    if header is None:
        raise TrafficError(
            "the file holds nothing but comments", where=path, allowed=f"a header {','.join(HEADER)}"
        )


FORMAT = Format("CSV", (".csv",), lambda _: False, _parse, _write)
"""Taken for every text that no other format recognises."""
