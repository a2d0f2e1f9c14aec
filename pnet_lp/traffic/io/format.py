"""What a file format of traffic is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level


@dataclass(frozen=True)
class Format:
    """One file format.

    Attributes:
        name: for messages.
        suffixes: of files in this format, lower case.
        matches: whether the content of a file is in this format, broken or not, by its
            :func:`~pnet_lp.layouts.opening_bytes`; in time linear in that.
        parse: ``(content, where, network, level) -> matrix``; ``where`` is the file.  Raises TrafficError, naming file
            and line where the format has lines, and nothing else.
        write: ``(matrix, names of endpoints, path)``, such that ``parse`` gives the same matrix back; raises
            TrafficError where the format cannot hold the matrix.
    """

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    parse: Callable[[bytes, str, Network, Level], TrafficMatrix]
    write: Callable[[TrafficMatrix, tuple[str, ...], Path], None]


def entries(traffic: TrafficMatrix) -> list[tuple[int, int, float]]:
    """Return the demands ``(source, destination, demand)`` of a matrix."""
    return list(zip(traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist(), strict=True))
