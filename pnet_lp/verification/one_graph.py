"""The one graph of a network with servers, a second time: link by link, from what the network has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from pnet_lp.model import Network, Plane
from pnet_lp.model.servers import Servers
from pnet_lp.verification.checks import Checks

_Node: TypeAlias = tuple[str, int, int]
"""What a node of the graph is: its kind, the layer, server or plane that it is in, and its number there."""

_Link: TypeAlias = tuple[_Node, _Node, float]


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
    if servers.relay == "none":
        *planes, inside = graph.planes
        check.require(
            tuple(planes) == network.planes,
            "the planes are those of the network",
            "the planes of the graph are not those of the network",
        )
        nodes = [("accelerator", 0, h) for h in range(hosts)] + _switches(network, 0)
        expected = Counter(link for link in _inside(network, servers, 0, 1.0) if link[2] > 0)
        out, into = np.zeros(hosts), np.zeros(hosts)
        for u, v, speed in expected.elements():
            if u[0] == "accelerator":
                out[u[2]] += speed
            if v[0] == "accelerator":
                into[v[2]] += speed
        check.require(
            np.array_equal(inside.host_switch, np.arange(hosts))
            and np.allclose(inside.access_up_gbps, out, rtol=1e-12)
            and np.allclose(inside.access_down_gbps, into, rtol=1e-12),
            "what an accelerator sends into its server is limited by the links there",
            "an accelerator does not attach to its server as it should",
        )
    else:
        (inside,) = graph.planes
        nodes, ends, expected = _joined(network, servers)
        check.require(
            [nodes[i] for i in inside.host_switch.tolist()] == ends
            and bool(np.all(np.isinf(inside.access_up_gbps)) and np.all(np.isinf(inside.access_down_gbps))),
            "accelerators send and receive where they should",
            "an accelerator does not send or receive where it should",
        )
        _check_pairs(check, inside, nodes, servers)
        if servers.relay != "any":
            _check_received(check, inside, nodes, servers)
    tail, head, capacity = inside.arcs
    found = Counter(
        (nodes[i], nodes[j], c)
        for i, j, c in zip(tail.tolist(), head.tolist(), capacity.tolist(), strict=True)
        if c > 0 and not _receives(nodes[j])
    )
    check.require(
        len(nodes) == inside.switch_count and found == expected,
        f"the graph has the {sum(expected.values())} links of planes and servers",
        "the links of the graph are not those of planes and servers",
    )


def _joined(network: Network, servers: Servers) -> tuple[list[_Node], list[_Node], Counter[_Link]]:
    """Return the nodes of the one graph, those where accelerators send and receive, and its links."""
    hosts, layers = network.host_count, servers.relay != "any"
    paired = servers.relay == "ends"
    sending = [("accelerator", 0, h) for h in range(hosts)]
    nodes = [*sending, *_switches(network, 0)]
    nodes += [("plane", p, u) for p, plane in enumerate(network.planes) for u in range(plane.switch_count)]
    part = 0.5 if paired else 1.0
    links = Counter(_inside(network, servers, 0, part))
    down = 1 if layers else 0
    for p, plane in enumerate(network.planes):
        for u, v, there, back in zip(
            plane.cable_u.tolist(),
            plane.cable_v.tolist(),
            plane.capacity_uv_gbps.tolist(),
            plane.capacity_vu_gbps.tolist(),
            strict=True,
        ):
            links[("plane", p, u), ("plane", p, v), there] += 1
            links[("plane", p, v), ("plane", p, u), back] += 1
        for h in np.flatnonzero(plane.host_switch >= 0).tolist():
            switch = ("plane", p, int(plane.host_switch[h]))
            links[("accelerator", 0, h), switch, float(plane.access_up_gbps[h])] += 1
            links[switch, ("accelerator", down, h), float(plane.access_down_gbps[h])] += 1
    ends = list(sending)
    if layers:
        nodes += [("accelerator", 1, h) for h in range(hosts)] + (_switches(network, 1) if paired else [])
        ends += [("accelerator", 2, h) for h in range(hosts)]
        nodes += ends[hosts:]
        if paired:
            links.update(_inside(network, servers, 1, part))
    return nodes, ends, Counter({link: count for link, count in links.items() if link[2] > 0})


def _switches(network: Network, layer: int) -> list[_Node]:
    """Return the scale-up switches of all servers."""
    assert network.servers is not None
    plane, size = network.servers.scale_up, network.servers.size
    inner = range(plane.switch_count)
    if not plane.host_count:
        accelerators = set(plane.rack_switch.tolist())
        inner = [u for u in inner if u not in accelerators]  # type: ignore[assignment]
    return [(f"scale-up {layer}", k, u) for k in range(network.host_count // size) for u in inner]


def _inside(network: Network, servers: Servers, layer: int, part: float) -> Iterator[_Link]:
    """Yield the links of all scale-up networks in a layer, with a part of their capacity."""
    plane, size = servers.scale_up, servers.size
    place = {u: i for i, u in enumerate(plane.rack_switch.tolist())} if not plane.host_count else {}

    def node(server: int, switch: int) -> _Node:
        if switch in place:
            return "accelerator", layer, server * size + place[switch]
        return f"scale-up {layer}", server, switch

    cables = list(
        zip(
            plane.cable_u.tolist(),
            plane.cable_v.tolist(),
            plane.capacity_uv_gbps.tolist(),
            plane.capacity_vu_gbps.tolist(),
            strict=True,
        )
    )
    for k in range(network.host_count // size):
        for u, v, there, back in cables:
            yield node(k, u), node(k, v), part * there
            yield node(k, v), node(k, u), part * back
        for i in np.flatnonzero(plane.host_switch >= 0).tolist():
            accelerator, switch = ("accelerator", layer, k * size + i), node(k, int(plane.host_switch[i]))
            yield accelerator, switch, part * float(plane.access_up_gbps[i])
            yield switch, accelerator, part * float(plane.access_down_gbps[i])


def _check_received(check: Checks, graph: Plane, nodes: list[_Node], servers: Servers) -> None:
    """Check the arcs that lead to where accelerators receive: one from each layer, which limits nothing."""
    tail, head, capacity = graph.arcs
    entering: dict[_Node, float] = {}
    last: dict[tuple[_Node, _Node], float] = {}
    for a in np.flatnonzero(capacity > 0).tolist():
        u, v, speed = nodes[tail[a]], nodes[head[a]], float(capacity[a])
        if _receives(v):
            last[u, v] = speed + last.get((u, v), 0.0)
        else:
            # Of a link in two layers one may carry all.
            whole = 2 * speed if servers.relay == "ends" and "plane" not in (u[0], v[0]) else speed
            entering[v] = entering.get(v, 0.0) + whole
    check.require(
        all(u[0] == v[0] == "accelerator" and u[2] == v[2] and u[1] < 2 for u, v in last)
        and all(last.get((u, ("accelerator", 2, u[2])), 0.0) >= speed for u, speed in entering.items() if _passes(u)),
        "what arrives at an accelerator is received there",
        "an accelerator does not receive what arrives there",
    )


def _receives(node: _Node) -> bool:
    return node[:2] == ("accelerator", 2)


def _passes(node: _Node) -> bool:
    return node[0] == "accelerator" and node[1] < 2


def _check_pairs(check: Checks, graph: Plane, nodes: list[_Node], servers: Servers) -> None:
    """Check that cables are in pairs the same link in both layers of a scale-up network, and no others are."""
    if servers.relay != "ends":
        check.require(graph.partner is None, "no links are in two layers", "links are paired without two layers")
        return
    assert graph.partner is not None
    layer = {"scale-up 0": ("scale-up 1", 0), "scale-up 1": ("scale-up 0", 0), "accelerator": ("accelerator", 1)}

    def other(node: _Node) -> _Node:
        kind, flips = layer[node[0]]
        return kind, 1 - node[1] if flips else node[1], node[2]

    for i, partner in enumerate(graph.partner.tolist()):
        u, v = nodes[graph.cable_u[i]], nodes[graph.cable_v[i]]
        inside = "plane" not in (u[0], v[0]) and not _receives(v)
        twin = nodes[graph.cable_u[partner]], nodes[graph.cable_v[partner]]
        if (twin if inside else partner) != ((other(u), other(v)) if inside else i) or graph.partner[partner] != i:
            check.require(False, "", "links of a scale-up network are not paired")
    check.passed.append("links of scale-up networks are in both layers one link")
