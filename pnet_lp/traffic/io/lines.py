"""From the demands that a file lists to a matrix: what all formats with one demand per line have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.memory import check_fits
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.demands import BYTES_PER_PAIR
from pnet_lp.model.network import Level
from pnet_lp.registry import nearest
from pnet_lp.units import AMOUNTS, are_amounts

MOST_ENTRIES = 1 << 22
"""Entries of a file that are read for any network; for large networks, twice the number of pairs."""


@dataclass(frozen=True, slots=True)
class DemandLine:
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


def matrix_of(lines: Sequence[DemandLine], network: Network, level: Level, label: str) -> TrafficMatrix:
    """Return the matrix of the demands in a file.

    Endpoints are names of the network throughout a file, or else indices from 0 throughout: choosing per line would mix
    up networks that call their first switch "1".  Lines of the same pair add up.

    Raises:
        TrafficError: an unknown endpoint, or a demand from an endpoint to itself.
    """
    place: dict[str | int, int] = {}
    src, dst = (
        np.array([place.setdefault(token, len(place)) for token in tokens], dtype=np.int64)
        for tokens in ([line.src for line in lines], [line.dst for line in lines])
    )
    demand = [line.demand for line in lines]
    return matrix_of_columns(list(place), src, dst, demand, network, level, label, lambda row: lines[row].where)


def matrix_of_columns(
    tokens: Sequence[str | int],
    src: npt.NDArray[np.int64],
    dst: npt.NDArray[np.int64],
    demand: npt.ArrayLike,
    network: Network,
    level: Level,
    label: str,
    where: Callable[[int], str],
) -> TrafficMatrix:
    """Return the matrix of :func:`matrix_of` for demands in columns.

    Args:
        tokens: the endpoints that occur, once each.
        src: ``[rows]``, places in ``tokens``.
        dst: likewise.
        demand: ``[rows]``, amounts.
        network: what the endpoints are of.
        level: of the demands.
        label: of the matrix.
        where: what a row is called.
    """
    names = network.endpoint_names(level)
    index: dict[str | int, int] = {name: i for i, name in enumerate(names)}
    by_index = not index.keys() >= set(tokens) and all(_is_index(token) for token in tokens)

    def end(token: str | int, place: str) -> int:
        return _by_index(token, len(names), level, place) if by_index else _by_name(token, index, level, place)

    wrong = np.array(
        [not _fits(token, len(names)) if by_index else token not in index for token in tokens], dtype=np.bool_
    )
    if len(rows := np.flatnonzero(wrong[src] | wrong[dst])):
        first = int(rows[0])
        end(tokens[(src if wrong[src[first]] else dst)[first]], where(first))
    ends = np.array([end(token, label) for token in tokens], dtype=np.int64)
    s, t, amount = ends[src], ends[dst], np.asarray(demand, dtype=np.float64)
    if len(rows := np.flatnonzero((s == t) & (amount > 0))):
        first = int(rows[0])
        raise TrafficError(f"{level} {str(tokens[src[first]])!r} has a demand to itself", where=where(first))
    return TrafficMatrix.from_entries(level, len(names), s, t, amount, label=label)


def check_demand(value: float, found: object, where: str) -> float:
    """Return ``value``, or raise TrafficError where it is not a demand; ``found`` is what the file has."""
    if not are_amounts(value):
        raise TrafficError("invalid demand", where=where, found=found, allowed=AMOUNTS)
    return value


def check_count(count: int, endpoints: int, where: str) -> None:
    """Raise TrafficError where a file that can unpack to many times its size has more entries than make sense.

    Entries of one pair add up, but more than a few million are not demands between a few endpoints.
    """
    if count > (most := max(MOST_ENTRIES, 2 * endpoints**2)):
        raise TrafficError("too many entries", where=where, found=count, allowed=f"at most {most}")
    check_fits(count * BYTES_PER_PAIR, f"{where} with {count:,} entries", TrafficError, allowed="sparser traffic")


def check_size(size: int, endpoints: int, level: Level, where: str, *, at_most: bool = False) -> None:
    """Raise TrafficError where a matrix for ``size`` endpoints is for more than a network has, or for fewer."""
    if size > endpoints or (size < endpoints and not at_most):
        how = "larger" if size > endpoints else "smaller"
        raise TrafficError(
            f"the matrix is {how} than the network: it is for {size} {level}s, the network has {endpoints}", where=where
        )


def _is_index(token: str | int) -> bool:
    return token >= 0 if isinstance(token, int) else token.isascii() and token.isdigit()


def _fits(token: str | int, endpoints: int) -> bool:
    # Python refuses to convert thousands of digits.
    return not (isinstance(token, str) and len(token) > 18) and int(token) < endpoints


def _by_index(token: str | int, endpoints: int, level: Level, where: str) -> int:
    allowed = f"0 to {endpoints - 1}"
    if isinstance(token, str) and len(token) > 18:
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
