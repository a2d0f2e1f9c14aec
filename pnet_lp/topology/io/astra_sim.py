"""ASTRA-sim's ``network.yml``: accelerators in a grid, each of whose dimensions is a ring, a switch or a full mesh.

    topology: [ Ring, FullyConnected, Switch ]
    npus_count: [ 2, 8, 4 ]             accelerators along each dimension, whose numbers grow fastest in the first
    bandwidth: [ 200.0, 100.0, 50.0 ]   GB/s of each link, in either direction
    latency: [ 50.0, 500.0, 2000.0 ]    ns of each link

Accelerators are racks whose switches forward, called by their numbers; the switch of a row in dimension d, from 0, is
``dim<d>.<row>``.  A GB is 10^9 bytes, as for cards and cables; the program itself counts 2^30.

Source: github.com/astra-sim/astra-network-analytical, ``congestion_aware``, and ``MultiDimTopology`` for the numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from pnet_lp.errors import TopologyError
from pnet_lp.files import parse_yaml
from pnet_lp.memory import check_fits
from pnet_lp.model import Plane
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.topology.io.format import NETWORK_FORMATS
from pnet_lp.units import DELAYS, are_amounts, are_delays

_SIGN = re.compile(r"^npus_count[ \t]*+:", re.MULTILINE)
_KEYS = ("topology", "npus_count", "bandwidth", "latency")
_GBPS = 8.0
"""Gb/s in a GB/s."""

_CABLE = 300
"""Bytes of memory for each accelerator and cable."""


def _ring(n: int) -> list[tuple[int, int]]:
    return [(i, (i + 1) % n) for i in range(n if n > 2 else n - 1)]


def _full(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def _switch(n: int) -> list[tuple[int, int]]:
    return [(i, n) for i in range(n)]


_SHAPES: dict[str, tuple[Callable[[int], list[tuple[int, int]]], Callable[[int], int]]] = {
    "Ring": (_ring, lambda n: n),
    "FullyConnected": (_full, lambda n: n * (n - 1) // 2),
    "Switch": (_switch, lambda n: n),
}
"""The cables of a row of n, where n is its switch, and how many there are at most."""


def _parse(text: str, where: str, link_gbps: float) -> Plane:
    del link_gbps  # all links have a speed
    document = parse_yaml(text, where)
    if not isinstance(document, dict) or set(document) != set(_KEYS):
        found = ", ".join(map(str, document)) if isinstance(document, dict) else type(document).__name__
        raise TopologyError("not a network of ASTRA-sim", where=where, found=found, allowed=", ".join(_KEYS))
    shapes, counts, speeds, delays = (_listed(document, key, where) for key in _KEYS)
    for shape in shapes:
        if not isinstance(shape, str) or shape not in _SHAPES:
            raise TopologyError("unknown topology of a dimension", where=where, found=shape, allowed=", ".join(_SHAPES))
    for key, values, fits, allowed in (
        ("npus_count", counts, lambda n: type(n) is int and n > 0, "whole numbers from 1"),
        ("bandwidth", speeds, lambda gb: are_amounts(gb * _GBPS), "GB/s"),
        ("latency", delays, are_delays, DELAYS),
    ):
        if bad := [one for one in values if type(one) not in (int, float) or not fits(one)]:
            raise TopologyError(f"invalid {key}", where=where, found=bad[0], allowed=allowed)
    nodes = math.prod(counts)
    rows = [nodes // n for n in counts]
    cables = sum(row * _SHAPES[shape][1](n) for row, shape, n in zip(rows, shapes, counts, strict=True))
    check_fits(_CABLE * (nodes + cables), f"{where} with {cables:,} cables", TopologyError, allowed="a smaller network")
    return _plane(shapes, counts, speeds, delays, where)


def _listed(document: dict[str, Any], key: str, where: str) -> list[Any]:
    values = document[key]
    dimensions = len(document["topology"]) if isinstance(document["topology"], list) else 0
    if not isinstance(values, list) or not values or len(values) != dimensions:
        lacks = f"has {len(values)} of {dimensions} values" if isinstance(values, list) else "is not a list"
        raise TopologyError(f"{key} {lacks}", where=where, found=values, allowed="a value for each dimension")
    return values


def _plane(shapes: list[str], counts: list[int], speeds: list[float], delays: list[float], where: str) -> Plane:
    nodes = math.prod(counts)
    names, ends, parts = [str(i) for i in range(nodes)], list[IntArray](), list[int]()
    step = 1
    for dimension, (shape, n) in enumerate(zip(shapes, counts, strict=True)):
        rows = ints(np.arange(nodes)).reshape(-1, n, step).swapaxes(1, 2).reshape(-1, n)
        if shape == "Switch":
            first = len(names)
            names += [f"dim{dimension}.{row}" for row in range(len(rows))]
            rows = ints(np.column_stack([rows, np.arange(first, len(names))]))
        ends.append(rows[:, ints(_SHAPES[shape][0](n)).reshape(-1, 2)].reshape(-1, 2))
        parts.append(len(ends[-1]))
        step *= n
    u, v = np.concatenate(ends).T
    return Plane.from_cables(
        names,
        u,
        v,
        np.repeat(np.array(speeds, dtype=float) * _GBPS, parts),
        racks=np.arange(nodes),
        tier=(np.arange(len(names)) >= nodes).astype(int),
        delay_ns=np.repeat(np.array(delays, dtype=float), parts),
        label=where,
    )


NETWORK_FORMATS.add_text("astra-sim", (), "network.yml of ASTRA-sim, only read", _parse, None, recognise=_SIGN.search)
