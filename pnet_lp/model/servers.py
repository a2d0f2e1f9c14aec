"""Servers of accelerators, and the one graph that they make of a network.

An *accelerator* is a host; a *server* is ``g`` hosts with consecutive numbers, joined by a scale-up network.  Traffic
may pass from that into the planes and back where accelerators forward it (:data:`Relay`).  Problems, routings and
certificates know nothing of this: they are about an ordinary network, :func:`one_graph`.

In a graph in *layers* an accelerator is three switches: it sends, or passes on what its server sends; it passes on what
its server receives; it receives.  Links lead from one layer to the next only, so that nothing passes a third server.
Links of the scale-up network are there once for senders and once for receivers: two cables that are one link, each with
half of its capacity and, in loads and prices, with half of what both carry (``Plane.partner``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TopologyError
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.plane import Plane

Relay: TypeAlias = Literal["none", "source", "ends", "any"]
"""Which accelerators pass traffic on between scale-up network and NIC: none; those of the sender's server; those of
both servers; those of any server."""

RELAYS: tuple[str, ...] = get_args(Relay)

DEFAULT_RELAY: Relay = "ends"

LinkKind: TypeAlias = Literal["core", "access-up", "access-down", "server"]
"""Of links: between switches of a plane, from a host into one, out of it, or of a scale-up network."""

LINK_KINDS: tuple[LinkKind, ...] = get_args(LinkKind)

LINK_OF_PLANE = 10**6
"""What a link of a plane is long where those inside servers count only among paths that are equal without them."""

_Index = npt.NDArray[np.int64]


@brief("size", "relay", "rails")
@dataclass(frozen=True, eq=False, repr=False)
class Servers:
    """What is inside the servers of a network, which are all the same but for what is down.

    Attributes:
        scale_up: the scale-up network of one server.  Its hosts are the accelerators, in order of their index; in one
            without hosts its racks are, which forward what passes them.
        relay: which accelerators pass traffic on between scale-up network and NIC.
        rails: accelerator i attaches to the planes p only for which i and p are equal modulo this.
        down: int32, sorted, the links inside servers that are down, by their numbers in :class:`Inside`.
        hops: how many hops a link inside a server counts where paths are compared: 1; or 0, so that of two paths the
            one with fewer links of planes is shorter, and of those with equally many that with fewer inside servers.
        count: how many servers there are to be; hosts after theirs are left out.  None where hosts fill servers.
    """

    scale_up: Plane
    relay: Relay = DEFAULT_RELAY
    rails: int = 1
    down: IntArray = field(default_factory=lambda: ints([]))
    hops: int = 1
    count: int | None = None

    @property
    def size(self) -> int:
        """Accelerators of a server, g."""
        return self.scale_up.host_count or len(self.scale_up.rack_switch)

    @property
    def layered(self) -> bool:
        """Whether the one graph has layers, so that hosts do not receive where they send."""
        return self.relay in ("source", "ends")

    @property
    def identity(self) -> list[str]:
        """What a fingerprint of a network with these servers is taken of, beside its planes."""
        known = ["servers/1", self.scale_up.fingerprint, self.relay, str(self.rails)]
        known += [] if self.hops else ["hops 0"]
        return [*known, ",".join(map(str, self.down.tolist()))] if len(self.down) else known

    @property
    def speeds(self) -> tuple[FloatArray, FloatArray]:
        """What the links of each accelerator of a whole server carry out of it, and into it, all together, Gb/s."""
        return Inside.of(replace(self, down=ints([])), self.size).speeds

    @cached_property
    def link_count(self) -> int:
        """Links inside a server."""
        return len(_scale_up(self.scale_up)[1].u)

    def without(self, lost: BoolArray) -> Servers:
        """Return them with more links down: bool ``[servers link_count]``."""
        return replace(self, down=ints(np.union1d(self.down, np.flatnonzero(lost)))) if lost.any() else self

    def names(self, count: int) -> tuple[str, ...]:
        """Return names of ``count`` hosts by server and index."""
        return tuple(f"s{i // self.size}a{i % self.size}" for i in range(count))

    def attached(self, planes: tuple[Plane, ...]) -> tuple[Plane, ...]:
        """Return planes to which accelerators attach by rails; hosts without names of their own get some.

        Raises:
            TopologyError: servers are not full, or planes or accelerators cannot be dealt evenly to rails.
        """
        hosts, where = planes[0].host_count, self.scale_up.label or "server"
        if hosts == 0:
            raise TopologyError(
                "the planes have no hosts to be in servers",
                where=where,
                allowed="planes with hosts, hosts_per_switch=n",
            )
        if self.count is not None and self.count * self.size > hosts:
            raise TopologyError(
                f"{hosts} hosts are less than those of {self.count} servers of {self.size}",
                where="server_count",
                found=self.count,
                allowed=f"1 to {hosts // self.size}" if hosts >= self.size else "more hosts",
            )
        if self.count is None and hosts % self.size:
            raise TopologyError(
                f"{hosts} hosts do not fill servers of {self.size}",
                where=where,
                allowed=f"a divisor of the hosts, or server_count={hosts // self.size}, which leaves the last hosts out"
                if hosts >= self.size
                else "a divisor of the hosts",
            )
        if self.count is not None:
            hosts = self.count * self.size
            shorter = {id(plane): _first_hosts(plane, hosts) for plane in planes}
            planes = tuple(shorter[id(plane)] for plane in planes)
        if self.rails < 1 or self.size % self.rails or len(planes) % self.rails:
            raise TopologyError(
                f"{len(planes)} planes and servers of {self.size} cannot be dealt evenly to rails",
                where="rails",
                found=self.rails,
                allowed="a divisor of both",
            )
        rail = np.arange(hosts) % self.size % self.rails
        plain = planes[0].host_names == tuple(f"h{i}" for i in range(hosts))
        made: dict[tuple[int, int], Plane] = {}
        return tuple(
            made.setdefault(
                (id(plane), p % self.rails),
                _attached(
                    plane,
                    rail == p % self.rails if self.rails > 1 else None,
                    self.names(hosts) if plain else plane.host_names,
                ),
            )
            for p, plane in enumerate(planes)
        )


class Links(NamedTuple):
    """Cables between numbered nodes."""

    u: _Index
    v: _Index
    there: FloatArray
    back: FloatArray

    def between(self, first: _Index, second: _Index, part: float = 1.0) -> Links:
        """Return them with ends of other numbers, and ``part`` of their capacity."""
        return Links(first[self.u], second[self.v], self.there * part, self.back * part)


def _first_hosts(plane: Plane, count: int) -> Plane:
    """Return a plane without its other hosts; the switches that they attach to keep their ports."""
    delay = plane.access_delay_ns
    return replace(
        plane,
        host_names=plane.host_names[:count],
        host_switch=ints(plane.host_switch[:count]),
        access_up_gbps=floats(plane.access_up_gbps[:count]),
        access_down_gbps=floats(plane.access_down_gbps[:count]),
        access_delay_ns=None if delay is None else floats(delay[:count]),
    )


def _attached(plane: Plane, on: npt.NDArray[np.bool_] | None, names: tuple[str, ...]) -> Plane:
    if on is None:
        return plane if names == plane.host_names else replace(plane, host_names=names)
    delay = plane.access_delay_ns
    return replace(
        plane,
        host_names=names,
        host_switch=ints(np.where(on, plane.host_switch, -1)),
        access_up_gbps=floats(np.where(on, plane.access_up_gbps, 0.0)),
        access_down_gbps=floats(np.where(on, plane.access_down_gbps, 0.0)),
        access_delay_ns=None if delay is None else floats(np.where(on, delay, np.nan)),
    )


def _scale_up(plane: Plane) -> tuple[int, Links, tuple[str, ...]]:
    """Return a scale-up network as nodes, of which accelerators are first: how many, links, names of the switches."""
    forward, back = plane.capacity_uv_gbps, plane.capacity_vu_gbps
    if plane.host_count:
        hosts = plane.host_count
        on = np.flatnonzero(plane.host_switch >= 0)
        return (
            hosts + plane.switch_count,
            Links(
                np.concatenate([on, hosts + plane.cable_u]),
                np.concatenate([hosts + plane.host_switch[on], hosts + plane.cable_v]),
                np.concatenate([plane.access_up_gbps[on], forward]),
                np.concatenate([plane.access_down_gbps[on], back]),
            ),
            plane.switch_names,
        )
    others = np.setdiff1d(np.arange(plane.switch_count), plane.rack_switch)
    order = np.concatenate([plane.rack_switch, others])
    place = np.empty(plane.switch_count, dtype=np.int64)
    place[order] = np.arange(plane.switch_count)
    return (
        plane.switch_count,
        Links(place[plane.cable_u], place[plane.cable_v], forward, back),
        tuple(plane.switch_names[i] for i in others.tolist()),
    )


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Inside:
    """The scale-up networks of all servers of ``hosts`` accelerators: nodes are these, then the scale-up switches.

    Attributes:
        links: between nodes, server by server; what is down has no capacity.  Those of a server are the links of its
            accelerators to switches, in their order, then the others.
        names: of the scale-up switches.
    """

    hosts: int
    links: Links
    names: tuple[str, ...]

    @classmethod
    def of(cls, servers: Servers, hosts: int) -> Inside:
        """Return those that ``servers`` have where there are so many hosts."""
        size, count = servers.size, hosts // servers.size
        nodes, links, switches = _scale_up(servers.scale_up)
        server = np.arange(count)[:, None]
        place = np.arange(nodes)[None, :]
        number = np.where(place < size, server * size + place, hosts + server * (nodes - size) + place - size)
        # Of nothing, tile gives back what it is given.
        there, back = np.array(np.tile(links.there, count)), np.array(np.tile(links.back, count))
        there[servers.down] = back[servers.down] = 0.0
        return cls(
            hosts,
            Links(number[:, links.u].ravel(), number[:, links.v].ravel(), there, back),
            tuple(f"s{k}.{name}" for k in range(count) for name in switches),
        )

    @property
    def nodes(self) -> int:
        """Accelerators and scale-up switches."""
        return self.hosts + len(self.names)

    @cached_property
    def speeds(self) -> tuple[FloatArray, FloatArray]:
        """What the links out of each accelerator, and into it, carry together, Gb/s."""
        u, v, there, back = self.links
        out, into = (
            np.bincount(u, one, self.nodes) + np.bincount(v, other, self.nodes)
            for one, other in ((there, back), (back, there))
        )
        return floats(out[: self.hosts]), floats(into[: self.hosts])


def one_graph(planes: tuple[Plane, ...], servers: Servers) -> tuple[Plane, ...]:
    """Return the planes of the network without servers that problems on these are about.

    With ``relay`` ``none`` they are the planes, and one more of all scale-up networks.  Else it is one plane of
    everything; with layers, host i is among the first half of its hosts where it sends and in the second where it
    receives.  Names are those of accelerators and switches, whatever the layer.
    """
    inside = Inside.of(servers, planes[0].host_count)
    if servers.relay == "none":
        return (*planes, _alone(planes, servers, inside))
    return (_joined(planes, servers, inside),)


def _alone(planes: tuple[Plane, ...], servers: Servers, inside: Inside) -> Plane:
    """Return the scale-up networks as a plane; each accelerator is a switch behind links that do not limit."""
    first = planes[0]
    u, v, there, back = inside.links
    out, into = inside.speeds
    return Plane(
        switch_names=(*first.host_names, *inside.names),
        cable_u=ints(u),
        cable_v=ints(v),
        capacity_uv_gbps=floats(there),
        capacity_vu_gbps=floats(back),
        rack_switch=ints(np.arange(inside.hosts)),
        host_switch=ints(np.where((out > 0) | (into > 0), np.arange(inside.hosts), -1)),
        access_up_gbps=out,
        access_down_gbps=into,
        host_names=first.host_names,
        tier=ints(np.repeat([0, 1], [inside.hosts, len(inside.names)])),
        label=servers.scale_up.label,
        part_of=ints(np.full(len(u), len(planes))),
    )


def layers(planes: tuple[Plane, ...], servers: Servers) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the switches of :func:`one_graph` that stand for accelerators and scale-up switches, once for each layer.

    Those of accelerators come first; nothing where there are no layers.
    """
    if not servers.layered:
        return ()
    inside = Inside.of(servers, planes[0].host_count)
    return _Layers.of(servers, inside, inside.nodes + sum(plane.switch_count for plane in planes))


class _Layers(NamedTuple):
    """What stands for accelerators and scale-up switches in the one graph: its switches, accelerators first.

    Without layers an accelerator is the same switch in each; ``arriving`` has scale-up switches where it passes on to
    its server.
    """

    sending: _Index
    arriving: _Index
    receiving: _Index

    @classmethod
    def of(cls, servers: Servers, inside: Inside, end: int) -> _Layers:
        """Return those of a graph whose senders come first and whose planes end before the number ``end``."""
        sending = np.arange(inside.nodes)
        if not servers.layered:
            return cls(sending, sending, sending[: inside.hosts])
        arriving = end + np.arange(inside.nodes if servers.relay == "ends" else inside.hosts)
        return cls(sending, arriving, end + len(arriving) + np.arange(inside.hosts))


class _Cables:
    """The cables of the one graph as they are added, with what each belongs to: a plane, servers or no cable at all."""

    def __init__(self) -> None:
        self.links: list[Links] = []
        self.of: list[_Index] = []
        self.metric: list[IntArray] = []
        self.count = 0

    def add(self, links: Links, of: int, metric: IntArray | None = None) -> _Index:
        """Return the numbers of cables added as parts of ``of``; without a metric theirs is 1 in both directions."""
        count = len(links.u)
        numbers = self.count + np.arange(count)
        self.links.append(links)
        self.of.append(np.full(count, of))
        self.metric.append(ints(np.ones((count, 2))) if metric is None else metric)
        self.count += count
        return numbers


def _joined(planes: tuple[Plane, ...], servers: Servers, inside: Inside) -> Plane:
    """Return the planes and the scale-up networks as one plane, in layers if accelerators of third servers are none."""
    hosts, both = inside.hosts, servers.relay == "ends"
    first = inside.nodes + np.cumsum([0, *(plane.switch_count for plane in planes)])
    end = int(first[-1])
    layers, cables = _Layers.of(servers, inside, end), _Cables()
    share = 0.5 if both else 1.0
    copies = [cables.add(inside.links.between(layers.sending, layers.sending, share), len(planes))]
    for p, plane in enumerate(planes):
        _add_plane(cables, layers, servers, p, plane, int(first[p]))
    if both:
        copies.append(cables.add(inside.links.between(layers.arriving, layers.arriving, share), len(planes)))
    if servers.layered:
        # Twice as fast as all links into an accelerator, so that they limit nothing.
        _, into = inside.speeds
        nics = sum((np.where(plane.host_switch >= 0, plane.access_down_gbps, 0.0) for plane in planes), np.zeros(hosts))
        for layer, speed in ((layers.sending, into), (layers.arriving, nics + (into if both else 0.0))):
            cables.add(Links(layer[:hosts], layers.receiving, floats(2 * speed), np.zeros(hosts)), -1)
    partner = np.arange(cables.count)
    if both:
        partner[np.concatenate(copies)] = np.concatenate(copies[::-1])
    names, scale_up = planes[0].host_names, inside.names
    extra = (*names, *(scale_up if both else ()), *names) if servers.layered else ()
    ends = np.concatenate([layers.sending[:hosts], layers.receiving]) if servers.layered else layers.sending[:hosts]
    unlimited = floats(np.full(len(ends), np.inf))
    tiers = [*(plane.tier + 1 for plane in planes), np.zeros(len(extra))]
    u, v, there, back = (np.concatenate(column) for column in zip(*cables.links, strict=True))
    return Plane(
        switch_names=(*names, *scale_up, *(name for plane in planes for name in plane.switch_names), *extra),
        cable_u=ints(u),
        cable_v=ints(v),
        capacity_uv_gbps=floats(there),
        capacity_vu_gbps=floats(back),
        rack_switch=ints(layers.sending[:hosts]),
        host_switch=ints(ends),
        access_up_gbps=unlimited,
        access_down_gbps=unlimited,
        host_names=names * (2 if servers.layered else 1),
        tier=ints(np.concatenate([np.repeat([0, 1], [hosts, len(scale_up)]), *tiers])),
        label=planes[0].label,
        metric=_metric(planes, servers, np.concatenate(cables.of), np.concatenate(cables.metric)),
        partner=ints(partner) if both else None,
        part_of=ints(np.concatenate(cables.of)),
    )


def _metric(planes: tuple[Plane, ...], servers: Servers, of: _Index, metric: IntArray) -> IntArray | None:
    """Return int32 ``[cables, 2]``, the metric of cables ``of`` planes, servers or nothing; None where it is hops."""
    if servers.hops == 0:
        return ints(np.where(((of >= 0) & (of < len(planes)))[:, None], LINK_OF_PLANE, metric))
    return None if all(plane.metric is None for plane in planes) else ints(metric)


def _add_plane(cables: _Cables, layers: _Layers, servers: Servers, p: int, plane: Plane, first: int) -> None:
    """Add the cables of plane ``p``, those of its hosts before its own; its switches have numbers from ``first``."""
    # A port that is down has a cable without a capacity: all graphs of a network number cables in the same way.
    on = np.flatnonzero(np.arange(plane.host_count) % servers.size % servers.rails == p % servers.rails)
    switch = first + np.maximum(plane.host_switch[on], 0).astype(np.int64)
    up, down, nothing = plane.access_up_gbps[on], plane.access_down_gbps[on], np.zeros(len(on))
    if servers.layered:
        cables.add(Links(layers.sending[on], switch, up, nothing), p)
        cables.add(Links(switch, layers.arriving[on], down, nothing), p)
    else:
        cables.add(Links(layers.sending[on], switch, up, down), p)
    u, v = first + plane.cable_u.astype(np.int64), first + plane.cable_v.astype(np.int64)
    cables.add(Links(u, v, plane.capacity_uv_gbps, plane.capacity_vu_gbps), p, plane.metric)


def kinds_of(graph: Plane, index: int, planes: int) -> npt.NDArray[np.int8]:
    """Return int8 ``[2 m]``, the kind of each directed link of a plane of a graph, as an index into LINK_KINDS.

    Args:
        graph: the plane.
        index: its number among those of the graph.
        planes: how many the network has that the graph is of.
    """
    core, up, down, server = range(len(LINK_KINDS))
    if graph.part_of is None:
        return np.full(2 * graph.cable_count, server if index == planes else core, dtype=np.int8)
    tail, head, _ = graph.arcs
    inside = np.repeat((graph.part_of < 0) | (graph.part_of == planes), 2)
    # In one graph accelerators alone are of tier 0.
    ends = np.where(graph.tier[tail] == 0, up, np.where(graph.tier[head] == 0, down, core))
    return np.where(inside, server, ends).astype(np.int8)
