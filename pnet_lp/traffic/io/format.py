"""The registry of formats of traffic matrices."""

from __future__ import annotations

from pnet_lp.errors import TrafficError
from pnet_lp.formats import Formats
from pnet_lp.model import TrafficMatrix

MATRIX_FORMATS: Formats[TrafficMatrix] = Formats(
    "matrix",
    TrafficError,
    package="pnet_lp.traffic.io",
    group="pnet_lp.matrix_formats",
    difference=lambda matrix, again: None if matrix.fingerprint == again.fingerprint else "",
)
"""``parse(text, where, network, level) -> matrix``, ``render(matrix, network, level) -> text``."""


def entries(traffic: TrafficMatrix) -> list[tuple[int, int, float]]:
    """Return the demands ``(source, destination, demand)`` of a matrix."""
    return list(zip(traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist(), strict=True))
