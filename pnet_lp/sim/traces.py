"""What is to be traced: the queue of a port, or windows and arrivals of a flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.layouts import whole
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.registry import nearest
from pnet_lp.sim.ports import Ports

ROWS = 1_000_000
"""Rows of each sort of trace at most."""

_ALLOWED = "queue:FROM->TO, queue:PLANE/FROM->TO or flow:NUMBER"


@brief()
@dataclass(frozen=True)
class Watched:
    """Ports and flows to trace, by number."""

    ports: IntArray
    flows: IntArray


def parse_traces(texts: Sequence[str], ports: Ports, flows: int) -> Watched:
    """Return what ``queue:edge0->agg1``, ``queue:0/edge0->agg1`` (in plane 0 alone) and ``flow:3`` stand for.

    Raises:
        SpecError: not such a text, no such link, or no such flow.
    """
    queues: list[int] = []
    numbers: list[int] = []
    for text in texts:
        sort, place = split_trace(text)
        if sort == "queue":
            queues += _ports(text, place, ports)
            continue
        number = whole(place)
        if number is None or number >= flows:
            raise SpecError("no such flow", where="trace", found=text, allowed=f"flow:0 to flow:{flows - 1}")
        numbers.append(number)
    return Watched(ints(sorted(set(queues))), ints(sorted(set(numbers))))


def split_trace(text: str) -> tuple[str, str]:
    """Return ``queue`` or ``flow``, and which one; SpecError where it is neither."""
    sort, _, place = text.partition(":")
    if (sort == "queue" and "->" in place) or (sort == "flow" and place.isascii() and place.isdecimal()):
        return sort, place
    raise SpecError("not something to trace", where="trace", found=text, allowed=_ALLOWED)


def _ports(text: str, place: str, ports: Ports) -> list[int]:
    plane, slash, rest = place.partition("/")
    chosen = ports.connected.copy()
    if slash and (number := whole(plane)) is not None:
        chosen &= ports.plane == number
    else:
        rest = place
    named = ports.named
    known = dict.fromkeys([*named["u"].tolist(), *named["v"].tolist()])
    for side, name in zip("uv", (part.strip() for part in rest.split("->", 1)), strict=True):
        if name not in known:
            raise SpecError(f"no host or switch is called {name!r}{nearest(name, known)}", where="trace", found=text)
        chosen &= named[side] == name
    found = [int(port) for port in np.flatnonzero(chosen)]
    if not found:
        raise SpecError("there is no such link", where="trace", found=text)
    return found
