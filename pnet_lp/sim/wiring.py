"""The ports of a network with servers: one for each direction of each link, whatever graph paths are sought on.

That graph (:attr:`~pnet_lp.model.Network.graph`) may have a link twice, once for senders and once for receivers, and
has links that stand for none: into who receives, and where scale-up networks are a plane of their own from hosts to
themselves.  Accelerators are hosts, which pass on what comes to them: nodes like switches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network
from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.servers import Inside, Servers

_Index: TypeAlias = npt.NDArray[np.int64]
_Floats: TypeAlias = npt.NDArray[np.float64]


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Wiring:
    """The ``n`` ports of a network with servers, those from accelerators last; nodes are accelerators, then switches.

    Attributes:
        hosts, size, parts: accelerators, those of a server, and the planes and the inside of servers, the last part.
        port: int32, of each arc of the graph that paths are sought on, then of each access link up, then down: the
            port, -1 for what is no link.
        start, end, back, part: int32 ``[n]``, nodes, the port in the other direction or -1, and the part.
        gbps, delay_ns: float64 ``[n]``, NaN for a delay that is not known.
        cable: int32 ``[n]``, numbers by part and kind, as in tables of links.
        names: of the nodes.
    """

    hosts: int
    size: int
    parts: int
    port: IntArray
    start: IntArray
    end: IntArray
    back: IntArray
    part: IntArray
    gbps: _Floats
    delay_ns: _Floats
    cable: IntArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, network: Network, servers: Servers, arcs: Arcs) -> Wiring:
        """Return those of a network with servers, over whose graph paths are sought: these are the ``arcs`` of that."""
        inside = Inside.of(servers, network.host_count)
        links = _links(network, servers, inside, arcs)
        # Links that are there twice, each with half of the capacity, are one port.
        same = np.arange(len(links.part))
        if arcs.partner is not None:
            same[: len(arcs.partner)] = np.minimum(arcs.partner, same[: len(arcs.partner)])
        kept = np.flatnonzero((links.part >= 0) & (same == np.arange(len(same))))
        of_hosts = links.start[kept] < network.host_count
        kept = kept[np.lexsort((kept, np.where(of_hosts, links.start[kept], -1)))]
        number = _full(len(same), -1)
        number[kept] = np.arange(len(kept))
        port = np.where(links.part >= 0, number[same], -1)
        there = np.flatnonzero(port >= 0)
        start, end, part = (column[kept] for column in (links.start, links.end, links.part))
        return cls(
            hosts=network.host_count,
            size=servers.size,
            parts=network.plane_count + 1,
            port=ints(port),
            start=ints(start),
            end=ints(end),
            back=ints(_reverse(start, end, part)),
            part=ints(part),
            gbps=np.bincount(port[there], links.gbps[there], len(kept)).astype(np.float64),
            delay_ns=links.delay_ns[kept],
            cable=ints(links.number[kept]),
            names=(*network.host_names, *inside.names, *(n for plane in network.planes for n in plane.switch_names)),
        )

    def to_core(self) -> dict[str, Any]:
        """Return what the core takes."""
        own = {name: getattr(self, name) for name in ("hosts", "size", "parts", "port", "back", "part")}
        return {**own, "from": self.start, "to": self.end}


class _Cables(NamedTuple):
    """Of a plane of the graph the node of the network that each switch is, and of cables the part, number and delay."""

    node: _Index
    part: _Index
    number: _Index
    delay_ns: _Floats


class _Links(NamedTuple):
    """Links between nodes; those of one ``part``, -1 for what is no link, and ``number`` are of one cable."""

    start: _Index
    end: _Index
    part: _Index
    number: _Index
    gbps: _Floats
    delay_ns: _Floats


def _links(network: Network, servers: Servers, inside: Inside, arcs: Arcs) -> _Links:
    """Return the links of the graph of a network: arcs, then access links up, then down."""
    planes, hosts = network.planes, np.arange(network.host_count)
    first = (inside.nodes + np.cumsum([0, *(plane.switch_count for plane in planes)])).tolist()
    known = [plane.known_delays for plane in planes]
    alone = [
        _Cables(base + np.arange(plane.switch_count), _full(plane.cable_count, p), np.arange(plane.cable_count), cables)
        for p, (base, plane, (cables, _)) in enumerate(zip(first, planes, known, strict=False))
    ]
    within = _Cables(
        np.arange(inside.nodes),
        _full(len(inside.links.u), len(planes)),
        np.arange(len(inside.links.u)),
        np.full(len(inside.links.u), np.nan),
    )
    found, up, down = [], [], []
    graph = network.graph.planes
    for p, of in enumerate([*alone, within] if servers.relay == "none" else [_one(network, servers, alone, within)]):
        here = slice(*arcs.ptr[p : p + 2])
        cable = arcs.id[here] // 2
        ends = of.node[arcs.tail[here]], of.node[arcs.head[here]]
        found.append(_Links(*ends, of.part[cable], of.number[cable], arcs.capacity[here], of.delay_ns[cable]))
        plane, count = graph[p], graph[p].host_count
        if servers.relay == "none" and p < len(planes):
            there = (plane.host_switch >= 0) & (plane.access_up_gbps > 0) & (plane.access_down_gbps > 0)
            part, switch, delay = np.where(there, p, -1), first[p] + plane.host_switch, known[p][1]
            up.append(_Links(hosts, switch, part, hosts, plane.access_up_gbps, delay))
            down.append(_Links(switch, hosts, part, hosts, plane.access_down_gbps, delay))
        else:
            none, zero = _full(count, -1), np.zeros(count)
            up.append(_Links(none, none, none, none, zero, zero))
            down.append(up[-1])
    return _Links(*(np.concatenate(column) for column in zip(*found, *up, *down, strict=True)))


def _one(network: Network, servers: Servers, alone: list[_Cables], within: _Cables) -> _Cables:
    """Return what the cables of the one graph are, which adds them in this order (:mod:`pnet_lp.model.servers`)."""
    hosts, inner = network.host_count, len(within.node)
    both = servers.relay == "ends"
    made = [within]
    for p, (plane, cables) in enumerate(zip(network.planes, alone, strict=True)):
        on = np.flatnonzero(np.arange(hosts) % servers.size % servers.rails == p % servers.rails)
        access = _Cables(on, _full(len(on), p), on, plane.known_delays[1][on])
        made += [*[access] * (2 if servers.layered else 1), cables]
    made += [within] if both else []
    rest = network.graph.planes[0].cable_count - sum(len(cables.part) for cables in made)
    nothing = _full(rest, -1)
    made.append(_Cables(nothing, nothing, nothing, np.full(rest, np.nan)))
    _, part, number, delay = (np.concatenate(column) for column in zip(*made, strict=True))
    node = [within.node, *(cables.node for cables in alone)]
    if servers.layered:
        node += [np.arange(inner if both else hosts), np.arange(hosts)]
    return _Cables(np.concatenate(node), part, number, delay)


def _full(count: int, value: int) -> _Index:
    return np.full(count, value, dtype=np.int64)


def _reverse(start: _Index, end: _Index, part: _Index) -> _Index:
    """Return of each port that in the other direction, parallel cables in their order; -1 where there is none."""
    place: dict[tuple[int, int, int], list[int]] = {}
    keys = list(zip(start.tolist(), end.tolist(), part.tolist(), strict=True))
    for port, key in enumerate(keys):
        place.setdefault(key, []).append(port)
    back = _full(len(keys), -1)
    for (u, v, p), ports in place.items():
        for port, other in zip(ports, place.get((v, u, p), []), strict=False):
            back[port] = other
    return back
