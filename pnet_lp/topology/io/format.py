"""The registry of formats of networks, and what these formats have in common."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields
from typing import TypeVar

import numpy as np

from pnet_lp.errors import TopologyError
from pnet_lp.formats import Formats
from pnet_lp.layouts import whole
from pnet_lp.model import Plane
from pnet_lp.units import AMOUNTS, are_amounts, parse_number

T = TypeVar("T")


def _difference(plane: Plane, again: Plane) -> str | None:
    """Return the name of the first field in which two planes differ; labels may."""
    for each in fields(Plane):
        a, b = getattr(plane, each.name), getattr(again, each.name)
        same = np.array_equal(a, b, equal_nan=a.dtype.kind == "f") if isinstance(a, np.ndarray) else a == b
        if each.compare and not same:
            return each.name
    return None


NETWORK_FORMATS: Formats[Plane] = Formats(
    "network", TopologyError, package="pnet_lp.topology.io", group="pnet_lp.network_formats", difference=_difference
)
"""``parse(text, where, link_gbps) -> plane``, ``link_gbps`` for links without a speed; ``render(plane) -> text``.

``read_inside`` is the scale-up network of the servers that hosts are in.
"""


def parse_speed(token: str, where: str) -> float:
    """Return the speed in Gb/s that ``token`` gives, or raise TopologyError."""
    speed = parse_number(token)
    if not are_amounts(speed):
        raise TopologyError("not a valid link speed", where=where, found=token, allowed=f"{AMOUNTS} Gb/s")
    return speed


def parse_position(words: Sequence[str], where: str) -> tuple[float, float]:
    """Return the position that the two words ``x`` and ``y`` give, or raise TopologyError."""
    x, y = map(parse_number, words) if len(words) == 2 else (math.nan, math.nan)
    if not (math.isfinite(x) and math.isfinite(y)):
        raise TopologyError("not a position", where=where, found=" ".join(words), allowed="two finite numbers x and y")
    return x, y


def paired(arcs: Iterable[tuple[int, int, T, str]], link: Callable[[int, int], str]) -> list[tuple[int, int, T, T]]:
    """Return the cables ``(u, v, there, back)`` that directed links make up.

    A link joins the first one in the other direction that is still alone; a cable's place and first end are those of
    its first link.

    Args:
        arcs: ``(u, v, speed or other values, where)`` of each link.
        link: what a link from u to v is called.

    Raises:
        TopologyError: a link without its reverse.
    """
    cables: list[tuple[int, int, T, T]] = []
    places: dict[int, str] = {}
    alone: dict[tuple[int, int], deque[int]] = {}
    for u, v, value, where in arcs:
        if alone.get((v, u)):
            first = alone[v, u].popleft()
            cables[first] = (v, u, cables[first][2], value)
            del places[first]
        else:
            places[len(cables)] = where
            alone.setdefault((u, v), deque()).append(len(cables))
            cables.append((u, v, value, value))
    for first, where in places.items():
        u, v = cables[first][:2]
        raise TopologyError(
            f"{link(u, v)} has no reverse {link(v, u)}", where=where, allowed="every cable in both directions"
        )
    return cables


def joined(rows: Iterable[tuple[int, int, list[float]]]) -> list[tuple[int, int, list[float], list[float] | None]]:
    """Return the cables that one-way links ``(u, v, values)`` make up, None for a direction without one."""
    cables: list[tuple[int, int, list[float], list[float] | None]] = []
    alone: dict[tuple[int, int], deque[int]] = {}
    for u, v, values in rows:
        if waiting := alone.get((v, u)):
            number = waiting.popleft()
            cables[number] = (*cables[number][:3], values)
        else:
            alone.setdefault((u, v), deque()).append(len(cables))
            cables.append((u, v, values, None))
    return cables


def left_out_loops(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the sentence about links that join switches of these ``names`` to themselves, if there are any."""
    named = ", ".join(map(repr, dict.fromkeys(names)))
    return (f"{where}: links from a switch to itself carry nothing and are left out ({named})",) if named else ()


def check_bare(plane: Plane, what: str, *, positions: bool, speeds: bool = True) -> None:
    """Raise TopologyError where ``plane`` is more than a graph in which every switch is a rack.

    Args:
        plane: the plane to be written.
        what: can hold no more, the subject of the sentence.
        positions: whether it can hold positions, which all switches have or none.
        speeds: whether it can hold different speeds.
    """
    obstacle = ""
    if plane.host_count:
        obstacle = "hosts"
    elif plane.rack_names != plane.switch_names:
        obstacle = "a choice of racks"
    elif plane.tier.any():
        obstacle = "tiers"
    elif plane.position is not None and not positions:
        obstacle = "positions"
    elif plane.box is not None:
        obstacle = "boxes"
    elif plane.delay_ns is not None:
        obstacle = "delays"
    elif plane.metric is not None:
        obstacle = "metrics"
    elif not speeds and len({*plane.capacity_uv_gbps.tolist(), *plane.capacity_vu_gbps.tolist()}) > 1:
        obstacle = "different speeds"
    if obstacle:
        raise refusal(plane, what, obstacle)


def placed(positions: list[tuple[float, float]]) -> list[tuple[float, float]] | None:
    """Return the positions of a file whose format demands them, or None where all are 0 0, which means none."""
    return positions if any(place != (0, 0) for place in positions) else None


def places_of(plane: Plane, what: str) -> list[list[float]]:
    """Return the positions to write where a format demands them, or raise TopologyError where only some are known."""
    if plane.position is None:
        return [[0.0, 0.0]] * plane.switch_count
    places: list[list[float]] = plane.position.tolist()
    if any(math.isnan(x) for x, _ in places):
        raise refusal(plane, what, "positions of only some switches")
    return places


def numbered(cables: Collection[tuple[int, int]], link_gbps: float, where: str) -> Plane:
    """Return the plane of cables between switches that are called by numbers, in their order."""
    numbers = sorted({end for ends in cables for end in ends})
    u, v = np.searchsorted(numbers, np.array(list(cables), dtype=np.int64).reshape(-1, 2).T)
    return Plane.from_cables(list(map(str, numbers)), u, v, link_gbps, label=where)


def check_numbered(plane: Plane, what: str) -> None:
    """Raise TopologyError where the switches are not called by numbers in order, or one is without cables."""
    names = plane.switch_names
    if not all((number := whole(name)) is not None and str(number) == name for name in names):
        raise refusal(plane, what, "switch names that are not numbers")
    if list(names) != sorted(names, key=int):
        raise refusal(plane, what, "switches out of order")
    if plane.degree.min() == 0:
        raise refusal(plane, what, "a switch without cables")


def refusal(plane: Plane, what: str, obstacle: str, found: object = None) -> TopologyError:
    """Return the error that ``what`` cannot hold the ``obstacle`` that ``plane`` has."""
    return TopologyError(
        f"{what} cannot hold {obstacle}", where=plane.label or None, found=found, allowed="JSON node-link, GraphML, GML"
    )
