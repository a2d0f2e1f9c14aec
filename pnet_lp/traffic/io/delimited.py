"""CSV: a header ``src,dst,demand``, then one demand per line.

Blank lines are skipped, and so are lines that begin with ``#`` before the header.  Endpoints are names of
the network throughout a file, or else indices from 0 throughout: a file in which every endpoint is a name is
read by names, any other file of whole numbers by indices.  Choosing per line would mix up networks that call
their first switch "1".  Blanks around a field do not count.  Lines of the same pair add up.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.registry import nearest

HEADER = ("src", "dst", "demand")


@dataclass(frozen=True, slots=True)
class _Line:
    where: str
    src: str
    dst: str
    demand: float


def read_csv(path: Path, network: Network, level: Level) -> TrafficMatrix:
    """Return the matrix in a CSV file.

    Raises:
        TrafficError: naming file and line, for a wrong header or number of fields, an unknown endpoint, a
            demand that is not a finite number >= 0, or a demand from an endpoint to itself.
        OSError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(_lines(path, file))
    except UnicodeDecodeError:
        raise TrafficError("is neither UTF-8 text nor a NumPy archive", where=str(path)) from None
    names = network.endpoint_names(level)
    index = {name: i for i, name in enumerate(names)}
    tokens = {token for line in lines for token in (line.src, line.dst)}
    by_index = not tokens <= index.keys() and all(_is_index(token) for token in tokens)
    src, dst, demand = [], [], []
    for line in lines:
        s, t = (
            _by_index(token, len(names), level, line.where)
            if by_index
            else _by_name(token, index, level, line.where)
            for token in (line.src, line.dst)
        )
        if s == t and line.demand > 0:
            raise TrafficError(f"{level} {line.src!r} has a demand to itself", where=line.where)
        src.append(s)
        dst.append(t)
        demand.append(line.demand)
    return TrafficMatrix.from_entries(level, len(names), src, dst, demand, label=str(path))


def write_csv(traffic: TrafficMatrix, names: tuple[str, ...], path: Path) -> None:
    """Write ``traffic`` with endpoints called by ``names``."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        entries = zip(traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist(), strict=True)
        writer.writerows((names[s], names[t], repr(d)) for s, t, d in entries)


def _lines(path: Path, file: Iterator[str]) -> Iterator[_Line]:
    reader = csv.reader(file, strict=True)
    header: list[str] | None = None
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise TrafficError(f"not CSV ({error})", where=f"{path}:{reader.line_num}") from None
        if row is None:
            break
        where = f"{path}:{reader.line_num}"
        if not row or (header is None and row[0].startswith("#")):
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
        yield _Line(where, values["src"], values["dst"], _demand(values["demand"], where))
    if header is None:
        raise TrafficError("the file is empty", where=str(path), allowed=f"a header {','.join(HEADER)}")


def _demand(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise TrafficError("a demand is wrong", where=where, found=text, allowed="finite numbers >= 0")
    return value


def _is_index(token: str) -> bool:
    return token.isascii() and token.isdigit()


def _by_index(token: str, endpoints: int, level: Level, where: str) -> int:
    index = int(token)
    if index >= endpoints:
        raise TrafficError(
            f"the matrix is larger than the network: {level} {index} needs {index + 1} {level}s, "
            f"the network has {endpoints}",
            where=where,
            allowed=f"0 to {endpoints - 1}",
        )
    return index


def _by_name(token: str, index: dict[str, int], level: Level, where: str) -> int:
    if token not in index:
        raise TrafficError(
            f"unknown {level} {token!r}{nearest(token, index)}",
            where=where,
            allowed=f"a name of the network's {len(index)} {level}s, or indices throughout the file",
        )
    return index[token]
