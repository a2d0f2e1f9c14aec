"""From what the user wrote to a traffic matrix."""

from __future__ import annotations

import os
from pathlib import Path

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.registry import parse_expression
from pnet_lp.traffic.base import Context, traffics
from pnet_lp.traffic.io import SUFFIXES, read_traffic


def build_traffic(text: str, network: Network, level: Level, *, seed: int = 0) -> TrafficMatrix:
    """Return the matrix that ``text`` describes on ``network``.

    Args:
        text: an expression (``stride:s=4``) or the path of a file.  A registered name is always the
            pattern; write ``./stride`` for a file of that name.
        network: the network the matrix is for.
        level: whether demands are between racks or between hosts.
        seed: master seed of random patterns that have no ``seed`` of their own.

    Raises:
        SpecError: an unknown pattern or a wrong parameter.
        TrafficError: a broken file, or a matrix that does not fit the network.
        TopologyError: demands of ``level`` mean nothing on the network.
    """
    network.check_level(level)
    endpoints = len(network.endpoint_names(level))
    if endpoints < 2:
        raise TrafficError(f"traffic needs at least two {level}s, the network has {endpoints}", where=text)
    if _is_file(text):
        return read_traffic(text, network, level)
    name, values = parse_expression(text)
    entry = traffics.get(name)
    return entry.build(entry.validate(values), Context(network, level, seed, text))


def _is_file(text: str) -> bool:
    if text.partition(":")[0].strip() in traffics:
        return False
    path = Path(text)
    return "/" in text or os.sep in text or path.suffix.lower() in SUFFIXES or path.exists()
