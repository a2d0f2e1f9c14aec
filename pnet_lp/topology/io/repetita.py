"""Repetita's ``.graph`` files: a table of nodes and one of directed links.

    NODES n
    label x y
    EDGES m
    label src dest weight bw delay

``src`` and ``dest`` count the nodes from 0.  Every cable is listed in both directions, ``bw`` is in kbit/s.  Every
switch is a rack; ``weight`` and ``delay`` may be taken as metrics.
"""

from __future__ import annotations

import math

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import parse_tables, scaled, unscaled, whole
from pnet_lp.model import Plane
from pnet_lp.topology.io.format import (
    NETWORK_FORMATS,
    check_bare,
    left_out_loops,
    paired,
    parse_position,
    placed,
    places_of,
    refusal,
)
from pnet_lp.units import parse_number

_HEADERS = {"NODES": "label x y", "EDGES": "label src dest weight bw delay"}


def _parse(text: str, where: str, _: float) -> Plane:
    tables = parse_tables(text, _HEADERS, where, TopologyError)
    names = [words[0] for _, words in tables["NODES"]]
    positions = [parse_position(words[1:], here) for here, words in tables["NODES"]]
    arcs = [_arc(words, len(names), here) for here, words in tables["EDGES"]]
    loops = [names[u] for u, v, *_ in arcs if u == v]
    cables = paired((arc for arc in arcs if arc[0] != arc[1]), lambda u, v: f"link {u} -> {v}")
    return Plane.from_cables(
        names,
        [u for u, *_ in cables],
        [v for _, v, *_ in cables],
        [there[0] for *_, there, _ in cables],
        capacity_back_gbps=[back[0] for *_, back in cables],
        label=where,
        position=placed(positions),
        attributes={
            name: [(there[i], back[i]) for *_, there, back in cables] for i, name in ((1, "weight"), (2, "delay"))
        },
        warnings=left_out_loops(loops, where),
    )


def _arc(words: list[str], nodes: int, where: str) -> tuple[int, int, tuple[float, float, float], str]:
    u, v = (whole(word) for word in words[1:3])
    for end, word in zip((u, v), words[1:3], strict=True):
        if end is None or end >= nodes:
            raise TopologyError("no such node", where=where, found=word, allowed=f"0 to {nodes - 1}")
    speed = scaled(words[4], 6)
    if not 0 <= speed < math.inf:
        raise TopologyError("not a valid link speed", where=where, found=words[4], allowed="finite kbit/s >= 0")
    return int(words[1]), int(words[2]), (speed, parse_number(words[3]), parse_number(words[5])), where


def _render(plane: Plane) -> str:
    what = "Repetita's format"
    check_bare(plane, what, positions=True)
    places = places_of(plane, what)
    for name in plane.switch_names:
        if len(name.split()) > 1:
            raise refusal(plane, what, "names with blanks", name)
    lines = [f"NODES {plane.switch_count}", _HEADERS["NODES"]]
    lines += [f"{name} {x!r} {y!r}" for name, (x, y) in zip(plane.switch_names, places, strict=True)]
    lines += ["", f"EDGES {2 * plane.cable_count}", _HEADERS["EDGES"]]
    arcs = zip(*(array.tolist() for array in plane.arcs), strict=True)
    # A weight of 1 makes shortest paths those of fewest hops.
    lines += [f"edge_{i} {u} {v} 1 {unscaled(speed, 6)} 0" for i, (u, v, speed) in enumerate(arcs)]
    return "\n".join(lines) + "\n"


NETWORK_FORMATS.add_text(
    "repetita",
    (".graph",),
    "a graph of Repetita",
    _parse,
    _render,
    recognise=lambda head: head.split(maxsplit=1)[:1] in (["NODES"], ["EDGES"]),
)
