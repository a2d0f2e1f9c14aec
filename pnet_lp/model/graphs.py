"""Planes from networkx graphs: which attributes mean what."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from pnet_lp.errors import TopologyError
from pnet_lp.layouts import scaled
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.units import AMOUNTS, NS_PER_METRE, misread

if TYPE_CHECKING:
    import networkx as nx


class CableArguments(TypedDict):
    """The arguments of :meth:`Plane.from_cables` that a graph gives."""

    switches: list[str]
    cable_u: IntArray
    cable_v: IntArray
    capacity_gbps: FloatArray
    capacity_back_gbps: FloatArray
    racks: list[int] | None
    host_switch: IntArray
    access_gbps: FloatArray
    access_down_gbps: FloatArray
    host_names: list[str]
    tier: list[int]
    position: list[tuple[float, float]]
    box: list[int] | None
    delay_ns: FloatArray
    access_delay_ns: FloatArray
    metric: list[list[int]] | None
    attributes: dict[str, FloatArray]
    warnings: tuple[str, ...]


_Attributes: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]
"""Of a cable from u to v, and from v to u."""

_SPEEDS = ("capacity", "bandwidth")
"""What others call a speed in Gb/s; ours is ``capacity_gbps``."""

DEFAULT_SPEED = "the speed of links without one (--link-gbps)"
"""How a sentence says where the speed of a link is from that has none in its file."""

_RAW = "LinkSpeedRaw"
"""What the Internet Topology Zoo calls a speed in bit/s."""

_DELAYS = {"delay_ns": 1.0, "length_m": NS_PER_METRE}
"""Attributes of edges that give a delay, with the ns that each unit of them takes."""

METRIC, METRIC_BACK = "igp_metric", "igp_metric_back"
"""Attributes of edges that give the metric, and where it differs that of the other direction."""

_READ = {"cable", "tail", "capacity_gbps", "capacity_back_gbps", METRIC, METRIC_BACK}
"""Our own attributes of edges."""

_NO_SPEEDS = {"cable", "tail", "capacity_back_gbps", "id", "key", "dist", METRIC, METRIC_BACK, *_DELAYS}
"""Attributes of edges that need not be mentioned where no speed is found."""

_POSITIONS = (("x", "y"), ("Longitude", "Latitude"))
"""The pairs of attributes in which a position may stand."""


def cable_arguments(graph: nx.Graph[Any], *, link_gbps: float, capacity: str | None, where: str) -> CableArguments:
    """Return the arguments of :meth:`Plane.from_cables` that ``graph`` gives; see :meth:`Plane.from_networkx`."""
    capacity = _capacity_attribute(graph, capacity, where)
    kinds = dict(graph.nodes(data="kind"))
    hosts = [node for node in graph if kinds[node] == "host"]
    switches = [node for node in graph if kinds[node] != "host"]
    host_order = {node: _index(graph, node, "host", where) for node in hosts}
    hosts.sort(key=lambda node: _or_last(host_order[node]))
    host_index = {node: i for i, node in enumerate(hosts)}
    switch_index = {node: i for i, node in enumerate(switches)}

    host_switch = np.full(len(hosts), -1)
    access = np.zeros((len(hosts), 2))
    access_delay = np.full(len(hosts), math.nan)
    cables: list[tuple[float, int, int, float, float, float, _Attributes]] = []
    for u, v, there, back, order, delay, given in _cables(graph, capacity, link_gbps, where):
        a, b, ab, ba = (v, u, back, there) if v in host_index else (u, v, there, back)
        if a not in host_index:
            cables.append((order, switch_index[a], switch_index[b], ab, ba, delay, given))
            continue
        i = host_index[a]
        if b in host_index:
            raise TopologyError(f"hosts {a!r} and {b!r} are joined without a switch", where=where)
        if host_switch[i] >= 0:
            raise TopologyError(f"host {a!r} has several links into one plane", where=where)
        host_switch[i], access[i], access_delay[i] = switch_index[b], (ab, ba), delay
    cables.sort(key=lambda cable: cable[0])

    ranked = [(rank, node) for node in switches if (rank := _index(graph, node, "rack", where)) is not None]
    ranked.sort(key=lambda pair: pair[0])
    return {
        "switches": switches,
        "cable_u": ints([cable[1] for cable in cables]),
        "cable_v": ints([cable[2] for cable in cables]),
        "capacity_gbps": floats([cable[3] for cable in cables]),
        "capacity_back_gbps": floats([cable[4] for cable in cables]),
        "racks": [switch_index[node] for _, node in ranked] or None,
        "host_switch": ints(host_switch),
        "access_gbps": floats(access[:, 0]),
        "access_down_gbps": floats(access[:, 1]),
        "host_names": hosts,
        "tier": [_index(graph, node, "tier", where) or 0 for node in switches],
        "position": [_position(graph.nodes[node], f"{where}: {node!r}") for node in switches],
        "box": _boxes(graph, switches, where),
        "delay_ns": floats([cable[5] for cable in cables]),
        "access_delay_ns": floats(access_delay),
        "metric": _metrics([cable[6] for cable in cables], where),
        "attributes": _numbers([cable[6] for cable in cables]),
        "warnings": _assumptions(graph, capacity, link_gbps, where),
    }


def _capacity_attribute(graph: nx.Graph[Any], requested: str | None, where: str) -> str:
    """Return the attribute that holds the speeds of edges; see :meth:`Plane.from_networkx`."""
    names = {name for *_, data in graph.edges(data=True) for name in data}
    if requested is not None:
        if requested not in names and graph.number_of_edges():
            found = ", ".join(sorted(map(str, names))) or None
            raise TopologyError(f"no edge has the attribute {requested!r}", where=where, found=found)
        return requested
    others = [name for name in _SPEEDS if name in names]
    if "capacity_gbps" in names or not (others or _RAW in names):
        return "capacity_gbps"
    if len(others) > 1:
        raise TopologyError(
            f"edges have both {' and '.join(others)}", where=where, allowed="capacity_gbps, or one of the two"
        )
    return others[0] if others else _RAW


def _assumptions(graph: nx.Graph[Any], capacity: str, link_gbps: float, where: str) -> tuple[str, ...]:
    """Return the sentence that says which edges have the default speed although they may have meant another."""
    bare = [data for *_, data in graph.edges(data=True) if data.get(capacity) is None]
    given = f"{link_gbps:g} Gb/s, {DEFAULT_SPEED}"
    unread = sorted({str(name) for data in bare for name in data} - _NO_SPEEDS - {capacity})
    if 0 < len(bare) < graph.number_of_edges():
        return (f"{where}: {len(bare)} of {graph.number_of_edges()} edges have no {capacity} and get {given}",)
    if unread:
        read = ", ".join(("capacity_gbps", *_SPEEDS, _RAW))
        return (f"{where}: no edge has a speed ({read}), and all get {given}; not read: {', '.join(unread)}",)
    return ()


def _cables(
    graph: nx.Graph[Any], capacity: str, link_gbps: float, where: str
) -> Iterator[tuple[Hashable, Hashable, float, float, float, float, _Attributes]]:
    """Yield every cable as ``(u, v, Gb/s there, Gb/s back, place, ns, attributes of both directions)``.

    Arcs of a directed graph are paired first.
    """
    waiting: dict[tuple[Hashable, Hashable], list[tuple[float, float, bool, float, Mapping[str, Any]]]] = {}
    for u, v, data in graph.edges(data=True):
        there = _speed(data, capacity, link_gbps, (u, v), where)
        back = _speed(data, "capacity_back_gbps", there, (u, v), where)
        delay = _delay(data, (u, v), where)
        place = _or_last(_whole(data.get("cable"), f"cable of {u!r} - {v!r}", where))
        tail = data.get("tail")
        if tail is not None and tail not in (u, v):
            raise TopologyError(f"edge {u!r} - {v!r} is counted from neither end", where=where, found=tail)
        flipped = tail is not None and tail != u
        if not graph.is_directed():
            given = (data, {**data, METRIC: data.get(METRIC_BACK, data.get(METRIC))})
            yield (v, u, there, back, place, delay, given) if flipped else (u, v, there, back, place, delay, given)
            continue
        speed = back if flipped else there
        if waiting.get((v, u)):
            first, place, reverse, known, other = waiting[v, u].pop(0)
            if delay != known and not (math.isnan(delay) and math.isnan(known)):
                raise TopologyError(
                    f"cable {u!r} - {v!r} has two delays", where=where, found=delay, allowed=f"{known:g} ns"
                )
            if reverse:
                yield u, v, speed, first, place, delay, (data, other)
            else:
                yield v, u, first, speed, place, delay, (other, data)
        else:
            waiting.setdefault((u, v), []).append((speed, place, flipped, delay, data))
    for (u, v), rest in waiting.items():
        if rest:
            raise TopologyError(
                f"link {u!r} -> {v!r} has no reverse link {v!r} -> {u!r}",
                where=where,
                allowed="directed graphs that hold both directions of every cable",
            )


def _metrics(cables: list[_Attributes], where: str) -> list[list[int]] | None:
    """Return ``[m, 2]``, the metrics that edges give, or None where none does."""
    given = [[_whole(data.get(METRIC), METRIC, where) for data in both] for both in cables]
    known = [[value for value in both if value is not None] for both in given]
    missing = 2 * len(given) - sum(map(len, known))
    if 0 < missing < 2 * len(given):
        raise TopologyError(f"{missing} links have no {METRIC}, and others have one", where=where)
    return None if missing or not known else known


def _numbers(cables: list[_Attributes]) -> dict[str, FloatArray]:
    """Return by name float64 ``[m, 2]``, the attributes of edges that are numbers, NaN where an edge has none."""
    found: dict[str, FloatArray] = {}
    for name in sorted({str(name) for both in cables for data in both for name in data} - _READ):
        try:
            values = [
                [_number(math.nan if (value := data.get(name)) is None else value) for data in both] for both in cables
            ]
        except (TypeError, ValueError, OverflowError):
            continue
        found[name] = floats(values)
    return found


def _speed(data: Mapping[str, Any], name: str, default: float, ends: tuple[Hashable, Hashable], where: str) -> float:
    """Return the speed in the attribute ``name`` of an edge, in Gb/s."""
    value = data.get(name)
    if value is None:
        return default
    u, v = ends
    if name == _RAW:
        if not 0 <= (speed := scaled(str(value), 9)) < math.inf:
            raise TopologyError(
                f"{_RAW} of {u!r} - {v!r} is not a valid link speed",
                where=where,
                found=value,
                allowed="finite bit/s >= 0",
            )
        return speed
    try:
        return _number(value)
    except (TypeError, ValueError, OverflowError):
        raise TopologyError(
            f"cable {u!r} - {v!r}: speed is not a number", where=where, found=value, allowed=f"{AMOUNTS} Gb/s"
        ) from None


def _delay(data: Mapping[str, Any], ends: tuple[Hashable, Hashable], where: str) -> float:
    """Return the delay of an edge in ns, NaN where it has none."""
    given = [name for name in _DELAYS if data.get(name) is not None]
    if not given:
        return math.nan
    u, v = ends
    try:
        (name,) = given
        delay = _number(data[name]) * _DELAYS[name]
    except (TypeError, ValueError, OverflowError):
        delay = math.nan
    if math.isnan(delay):
        raise TopologyError(
            f"cable {u!r} - {v!r}: delay is not one number",
            where=where,
            found=", ".join(f"{name}={data[name]}" for name in given),
            allowed="delay_ns, or length_m",
        )
    return delay


def _index(graph: nx.Graph[Any], node: Hashable, key: str, where: str) -> int | None:
    return _whole(graph.nodes[node].get(key), f"{key} of {node!r}", where)


def _boxes(graph: nx.Graph[Any], switches: list[Hashable], where: str) -> list[int] | None:
    """Return the box of each switch, or None where none has one."""
    boxes = {node: _index(graph, node, "box", where) for node in switches}
    known = [box for box in boxes.values() if box is not None]
    if known and len(known) < len(boxes):
        without = next(node for node, box in boxes.items() if box is None)
        raise TopologyError(f"switch {without!r} has no box, and others have one", where=where)
    return known or None


def _position(data: Mapping[str, Any], where: str) -> tuple[float, float]:
    """Return the position among the attributes of a node, NaN where there is none."""
    pair = next((tuple(data[key] for key in keys) for keys in _POSITIONS if data.keys() >= set(keys)), None)
    if pair is None:
        pair = data.get("pos")
    if pair is None:
        return math.nan, math.nan
    try:
        x, y = map(_number, pair)
    except (TypeError, ValueError, OverflowError):
        raise TopologyError("a position is not a pair of numbers", where=where, found=pair) from None
    if not (math.isfinite(x) and math.isfinite(y)):
        raise TopologyError("a position is not finite", where=where, found=pair)
    return x, y


def _number(value: Any) -> float:
    """Return an attribute as a number; ValueError where it is a text that is none as it stands there."""
    if isinstance(value, str) and misread(value):
        raise ValueError(value)
    return float(value)


def _whole(value: object, what: str, where: str) -> int | None:
    if value is None or (isinstance(value, int | np.integer) and 0 <= value < 2**31):
        return None if value is None else int(value)
    raise TopologyError(f"{what} is not an index", where=where, found=value, allowed="whole numbers >= 0")


def _or_last(place: int | None) -> float:
    return float("inf") if place is None else place
