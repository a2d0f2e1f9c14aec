"""From the demands that a file lists to a matrix: what all formats with one demand per line have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.registry import nearest
from pnet_lp.units import AMOUNTS, are_amounts


@dataclass(frozen=True, slots=True)
class Line:
    """One demand of a file.

    Attributes:
        where: file and line, or entry.
        src, dst: text is a name, or an index where not every endpoint of the file is a name; a number is an index.
        demand: 0 or within the range of demands.
    """

    where: str
    src: str | int
    dst: str | int
    demand: float


def matrix_of(lines: Sequence[Line], network: Network, level: Level, label: str) -> TrafficMatrix:
    """Return the matrix of the demands in a file.

    Endpoints are names of the network throughout a file, or else indices from 0 throughout: choosing per line would mix
    up networks that call their first switch "1".  Lines of the same pair add up.

    Raises:
        TrafficError: an unknown endpoint, or a demand from an endpoint to itself.
    """
    names = network.endpoint_names(level)
    index: dict[str | int, int] = {name: i for i, name in enumerate(names)}
    tokens = {token for line in lines for token in (line.src, line.dst)}
    by_index = not tokens <= index.keys() and all(_is_index(token) for token in tokens)
    src, dst = [], []
    for line in lines:
        s, t = (
            _by_index(token, len(names), level, line.where)
            if by_index
            else _by_name(token, index, level, line.where)
            for token in (line.src, line.dst)
        )
        if s == t and line.demand > 0:
            raise TrafficError(f"{level} {str(line.src)!r} has a demand to itself", where=line.where)
        src.append(s)
        dst.append(t)
    return TrafficMatrix.from_entries(
        level, len(names), src, dst, [line.demand for line in lines], label=label
    )


def check_demand(value: float, found: object, where: str) -> float:
    """Return ``value``, or raise TrafficError where it is no demand; ``found`` is what the file has."""
    if not are_amounts(value):
        raise TrafficError("a demand is wrong", where=where, found=found, allowed=AMOUNTS)
    return value


def check_size(size: int, endpoints: int, level: Level, where: str) -> None:
    """Raise TrafficError where a matrix for ``size`` endpoints does not fit a network of ``endpoints``."""
    check_size_at_most(size, endpoints, level, where)
    if size < endpoints:
        raise TrafficError(
            f"the matrix is smaller than the network: it is for {size} {level}s, the network has {endpoints}",
            where=where,
        )


def check_size_at_most(size: int, endpoints: int, level: Level, where: str) -> None:
    """Raise TrafficError where a matrix for ``size`` endpoints is larger than a network of ``endpoints``."""
    if size > endpoints:
        raise TrafficError(
            f"the matrix is larger than the network: it is for {size} {level}s, the network has {endpoints}",
            where=where,
        )


def _is_index(token: str | int) -> bool:
    return token >= 0 if isinstance(token, int) else token.isascii() and token.isdigit()


def _by_index(token: str | int, endpoints: int, level: Level, where: str) -> int:
    allowed = f"0 to {endpoints - 1}"
    if isinstance(token, str) and len(token) > 18:  # Python refuses to convert thousands of digits
        raise TrafficError(f"no such {level}", where=where, found=token, allowed=allowed)
    index = int(token)
    if index >= endpoints:
        raise TrafficError(
            f"the matrix is larger than the network: {level} {index} needs {index + 1} {level}s, "
            f"the network has {endpoints}",
            where=where,
            allowed=allowed,
        )
    return index


def _by_name(token: str | int, index: Mapping[str | int, int], level: Level, where: str) -> int:
    if token not in index:
        raise TrafficError(
            f"unknown {level} {token!r}{nearest(str(token), dict.fromkeys(map(str, index)))}",
            where=where,
            allowed=f"a name of the network's {len(index)} {level}s, or indices throughout the file",
        )
    return index[token]
