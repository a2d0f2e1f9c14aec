"""The one graph of a network with servers, a second time: link by link, from what the network has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network, Plane
from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.model.servers import Servers
from pnet_lp.verification.checks import Checks

_Index = npt.NDArray[np.int64]

_NONE = -1


class _Links(NamedTuple):
    """Directed links: their ends and their capacity, Gb/s."""

    tail: _Index
    head: _Index
    speed: FloatArray

    @classmethod
    def joined(cls, parts: list[_Links]) -> _Links:
        """Return those of all parts that carry anything, sorted."""
        tail, head, speed = (np.concatenate(column) for column in zip(*parts, strict=True))
        on = np.flatnonzero(speed > 0)
        order = on[np.lexsort((speed[on], head[on], tail[on]))]
        return cls(tail[order], head[order], speed[order])


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class _Nodes:
    """The nodes of the graph by what they are: numbers of the switches that stand for each thing, -1 for none.

    Attributes:
        count: how many there are.
        accelerator: int64 ``[3, hosts]``, where accelerators send, pass on what arrives, and receive.
        scale_up: int64 ``[2, servers, switches]``, the switches of the scale-up network of each server, in both layers.
        first: int64 ``[planes]``, the first switch of each plane.
    """

    count: int
    accelerator: _Index
    scale_up: _Index
    first: _Index

    @classmethod
    def of(cls, network: Network, servers: Servers) -> _Nodes:
        """Return those of the graph of a network with servers."""
        hosts, size, inner = network.host_count, servers.size, servers.scale_up.switch_count
        attached = servers.scale_up.host_count > 0
        others = np.arange(inner) if attached else np.setdiff1d(np.arange(inner), servers.scale_up.rack_switch)
        count = hosts // size
        accelerator = np.full((3, hosts), _NONE)
        scale_up = np.full((2, count, inner), _NONE)
        number = 0

        def add(many: int) -> _Index:
            nonlocal number
            number += many
            return np.arange(number - many, number)

        def layer(which: int) -> None:
            scale_up[which][:, others] = add(count * len(others)).reshape(count, len(others))

        def racks(which: int) -> None:
            if not attached:
                scale_up[which][:, servers.scale_up.rack_switch] = accelerator[which].reshape(count, size)

        accelerator[:] = add(hosts)
        layer(0)
        planes = [] if servers.relay == "none" else [plane.switch_count for plane in network.planes]
        first = number + np.cumsum([0, *planes])[:-1]
        add(sum(planes))
        if servers.layered:
            accelerator[1] = add(hosts)
            if servers.relay == "ends":
                layer(1)
            accelerator[2] = add(hosts)
        racks(0)
        racks(1)
        return cls(number, accelerator, scale_up, np.asarray(first, dtype=np.int64))


def check_one_graph(check: Checks, network: Network) -> None:
    """Check that the graph that a certificate is about has the links that planes and servers have, and no others.

    Links of both layers of a scale-up network are checked to be paired, and to have half of the link's capacity each.
    """
    servers, graph = network.servers, network.graph
    assert servers is not None
    hosts = network.host_count
    check.require(
        hosts > 0 and hosts % servers.size == 0,
        f"{hosts} accelerators are in {hosts // servers.size} servers of {servers.size}",
        "the servers are not full",
    )
    rails = np.arange(hosts) % servers.size % servers.rails
    check.require(
        all(
            not np.any((plane.host_switch >= 0) & (rails != p % servers.rails))
            for p, plane in enumerate(network.planes)
        ),
        f"accelerators attach by {servers.rails} rails",
        "an accelerator attaches to a plane of another rail",
    )
    nodes = _Nodes.of(network, servers)
    if servers.relay == "none":
        *planes, inside = graph.planes
        check.require(
            tuple(planes) == network.planes,
            "the planes are those of the network",
            "the planes of the graph are not those of the network",
        )
        expected = _Links.joined(_inside(nodes, servers, 0, 1.0))
        out, into = (np.bincount(ends, expected.speed, nodes.count)[:hosts] for ends in (expected.tail, expected.head))
        check.require(
            np.array_equal(inside.host_switch, np.where((out > 0) | (into > 0), np.arange(hosts), _NONE))
            and np.allclose(inside.access_up_gbps, out, rtol=1e-12, atol=0.0)
            and np.allclose(inside.access_down_gbps, into, rtol=1e-12, atol=0.0),
            "what an accelerator sends into its server is limited by the links there",
            "an accelerator does not attach to its server as it should",
        )
    else:
        (inside,) = graph.planes
        ends, expected = _joined(network, servers, nodes)
        check.require(
            np.array_equal(inside.host_switch, ends)
            and bool(np.all(np.isinf(inside.access_up_gbps)) and np.all(np.isinf(inside.access_down_gbps))),
            "accelerators send and receive where they should",
            "an accelerator does not send or receive where it should",
        )
        _check_pairs(check, inside, nodes, servers)
        if servers.relay != "any":
            _check_received(check, inside, nodes, servers)
    tail, head, capacity = inside.arcs
    if servers.hops == 0:
        first, end = int(nodes.first[0]), int(nodes.first[0]) + sum(plane.switch_count for plane in network.planes)
        outside = ((tail >= first) & (tail < end)) | ((head >= first) & (head < end))
        check.require(
            inside.metric is not None and np.array_equal(inside.metric.ravel(), np.where(outside, 10**6, 1)),
            "links of planes are a million times as long as those inside servers",
            "the metrics of links are not those of networks whose links inside servers do not count",
        )
    on = ~_receives(nodes, servers, head)
    found = _Links.joined([_Links(tail[on].astype(np.int64), head[on].astype(np.int64), capacity[on])])
    check.require(
        nodes.count == inside.switch_count and all(map(np.array_equal, found, expected)),
        f"the graph has the {len(expected.tail)} links of planes and servers",
        "the links of the graph are not those of planes and servers",
    )


def _joined(network: Network, servers: Servers, nodes: _Nodes) -> tuple[_Index, _Links]:
    """Return the nodes of the one graph where accelerators send and receive, and its links."""
    paired = servers.relay == "ends"
    part = 0.5 if paired else 1.0
    links = _inside(nodes, servers, 0, part)
    sending, arriving, receiving = nodes.accelerator
    for plane, first in zip(network.planes, nodes.first.tolist(), strict=True):
        u, v = first + plane.cable_u.astype(np.int64), first + plane.cable_v.astype(np.int64)
        links += [_Links(u, v, plane.capacity_uv_gbps), _Links(v, u, plane.capacity_vu_gbps)]
        on = np.flatnonzero(plane.host_switch >= 0)
        switch = first + plane.host_switch[on].astype(np.int64)
        links.append(_Links(sending[on], switch, plane.access_up_gbps[on]))
        links.append(_Links(switch, arriving[on], plane.access_down_gbps[on]))
    if paired:
        links += _inside(nodes, servers, 1, part)
    return np.concatenate([sending, receiving]) if servers.layered else sending, _Links.joined(links)


def _inside(nodes: _Nodes, servers: Servers, layer: int, part: float) -> list[_Links]:
    """Return the links of all scale-up networks in a layer that are up, with a part of their capacity."""
    plane, switch = servers.scale_up, nodes.scale_up[layer]
    count = len(switch)
    on = np.flatnonzero(plane.host_switch >= 0)
    # Of each server the links of accelerators to switches are counted before those between switches.
    up = np.ones(count * (len(on) + plane.cable_count))
    up[servers.down] = 0.0
    first, others = np.split(up.reshape(count, -1), [len(on)], axis=1)

    def links(tail: _Index, head: _Index, speed: FloatArray, some: FloatArray) -> _Links:
        return _Links(tail.ravel(), head.ravel(), (some * (part * speed)).ravel())

    u, v = switch[:, plane.cable_u], switch[:, plane.cable_v]
    own, to = nodes.accelerator[layer].reshape(count, servers.size), switch[:, plane.host_switch[on]]
    return [
        links(u, v, plane.capacity_uv_gbps, others),
        links(v, u, plane.capacity_vu_gbps, others),
        links(own[:, on], to, plane.access_up_gbps[on], first),
        links(to, own[:, on], plane.access_down_gbps[on], first),
    ]


def _receives(nodes: _Nodes, servers: Servers, ends: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Return whether each node is where an accelerator only receives."""
    if not servers.layered:
        return np.zeros(len(ends), dtype=bool)
    return np.asarray(ends >= nodes.accelerator[2, 0])


def _of_servers(nodes: _Nodes, servers: Servers) -> npt.NDArray[np.bool_]:
    """Return bool ``[nodes]``: whether each is an accelerator or a scale-up switch."""
    found = np.zeros(nodes.count, dtype=bool)
    found[nodes.accelerator.ravel()] = True
    layers = nodes.scale_up if servers.relay == "ends" else nodes.scale_up[:1]
    found[layers.ravel()] = True
    return found


def _check_received(check: Checks, graph: Plane, nodes: _Nodes, servers: Servers) -> None:
    """Check the arcs that lead to where accelerators receive: from its layers each, and they limit nothing."""
    tail, head, capacity = graph.arcs
    own = _of_servers(nodes, servers)
    last = _receives(nodes, servers, head) & (capacity > 0)
    owner = np.full(nodes.count, _NONE)
    for row in nodes.accelerator:
        owner[row] = np.arange(len(row))
    # Of a link in two layers one may carry all.
    whole = np.where(own[tail] & own[head] & (servers.relay == "ends"), 2.0, 1.0) * capacity
    entering = np.bincount(head[~last], whole[~last], nodes.count)
    leaving = np.bincount(tail[last], capacity[last], nodes.count)
    passing = nodes.accelerator[:2].ravel()
    check.require(
        np.array_equal(owner[tail[last]], owner[head[last]])
        and not np.any(_receives(nodes, servers, tail[last]))
        and not np.any(owner[tail[last]] == _NONE)
        and bool(np.all(leaving[passing] >= entering[passing])),
        "what arrives at an accelerator is received there",
        "an accelerator does not receive what arrives there",
    )


def _check_pairs(check: Checks, graph: Plane, nodes: _Nodes, servers: Servers) -> None:
    """Check that cables are in pairs the same link in both layers of a scale-up network, and no others are."""
    if servers.relay != "ends":
        check.require(graph.partner is None, "no links are in two layers", "links are paired without two layers")
        return
    assert graph.partner is not None
    other = np.full(nodes.count, _NONE)
    for a, b in ((nodes.accelerator[0], nodes.accelerator[1]), (nodes.scale_up[0].ravel(), nodes.scale_up[1].ravel())):
        other[a], other[b] = b, a
    u, v, partner = graph.cable_u, graph.cable_v, graph.partner
    cable = np.arange(len(u))
    inside = (other[u] != _NONE) & (other[v] != _NONE)
    paired = (u[partner] == other[u]) & (v[partner] == other[v])
    check.require(
        np.array_equal(partner[partner], cable) and bool(np.all(np.where(inside, paired, partner == cable))),
        "links of scale-up networks are in both layers one link",
        "links of a scale-up network are not paired",
    )
