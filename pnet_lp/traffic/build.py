"""From what the user wrote to a traffic matrix."""

from __future__ import annotations

import functools
import operator
import os
from dataclasses import replace
from pathlib import Path

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.network import Level
from pnet_lp.registry import parse_expression
from pnet_lp.traffic.base import Context, traffics
from pnet_lp.traffic.combine import split_terms
from pnet_lp.traffic.io import SUFFIXES, read_traffic


def build_traffic(text: str, network: Network, level: Level, *, seed: int = 0) -> TrafficMatrix:
    """Return the matrix that ``text`` describes on ``network``.

    Args:
        text: an expression (``stride:s=4``), the path of a file, or a sum of either with factors
            (``0.5*all-to-all+2*stride:s=4``).  A registered name is always the pattern; write ``./stride`` for a file
            of that name.  Terms without a ``seed`` are drawn with the same one: twice the same term is that term twice.
        network: the network the matrix is for.
        level: whether demands are between racks or between hosts.
        seed: master seed of random patterns that have no ``seed`` of their own.

    Raises:
        SpecError: an unknown pattern, a wrong parameter or factor.
        TrafficError: a broken file, or a matrix that does not fit the network.
        TopologyError: demands of ``level`` mean nothing on the network.
    """
    network.check_level(level)
    endpoints = len(network.endpoint_names(level))
    if endpoints < 2:
        raise TrafficError(f"traffic needs at least two {level}s, the network has {endpoints}", where=text)
    terms = [(1.0, text)] if _exists(text) else split_terms(text)
    matrices = [_build_term(term, network, level, seed) for _, term in terms]
    if len(terms) == 1 and terms[0][0] == 1:
        return matrices[0]
    scaled = (matrix.scaled(factor) for matrix, (factor, _) in zip(matrices, terms, strict=True))
    return replace(functools.reduce(operator.add, scaled), label=text)


def _build_term(text: str, network: Network, level: Level, seed: int) -> TrafficMatrix:
    if _is_file(text):
        return read_traffic(text, network, level)
    name, values = parse_expression(text)
    entry = traffics.get(name)
    return entry.build(entry.validate(values), Context(network, level, seed, text))


def _is_file(text: str) -> bool:
    if text.partition(":")[0].strip() in traffics:
        return False
    path = Path(text)
    return "/" in text or os.sep in text or path.suffix.lower() in SUFFIXES or _exists(text)


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except OSError:  # a text too long for a file name
        return False
