"""One dataplane: a capacitated graph of switches, and where racks and hosts attach to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TopologyError
from pnet_lp.model.arrays import FloatArray, IntArray, fingerprint, floats, ints
from pnet_lp.units import DEFAULT_LINK_GBPS


@dataclass(frozen=True, eq=False)
class Plane:
    """A capacitated multigraph of switches with full-duplex cables.

    Build one with :meth:`from_cables`, which checks everything; the constructor trusts its arguments.

    Attributes:
        switch_names: unique name of each of the ``n`` switches.
        cable_u, cable_v: int32 ``[m]``, the two ends of each cable, as switch indices.  Parallel cables are separate entries.
        capacity_uv_gbps, capacity_vu_gbps: float64 ``[m]``, Gb/s in the direction u to v and v to u.
        rack_switch: int32 ``[r]``, the switch of each rack, in the order of the network's racks.
        host_switch: int32 ``[h]``, the switch of each host, -1 for a host without a link into this plane.
        access_up_gbps, access_down_gbps: float64 ``[h]``, Gb/s of each host's access link into and out of this plane.
        host_names: unique name of each host.
        tier: int32 ``[n]``, 0 for switches nearest the hosts, counted upwards; all 0 in a flat network.
        label: the expression or file the plane came from.
    """

    switch_names: tuple[str, ...]
    cable_u: IntArray
    cable_v: IntArray
    capacity_uv_gbps: FloatArray
    capacity_vu_gbps: FloatArray
    rack_switch: IntArray
    host_switch: IntArray
    access_up_gbps: FloatArray
    access_down_gbps: FloatArray
    host_names: tuple[str, ...]
    tier: IntArray
    label: str = field(default="", compare=False)

    @classmethod
    def from_cables(
        cls,
        switches: int | Sequence[str],
        cable_u: npt.ArrayLike,
        cable_v: npt.ArrayLike,
        capacity_gbps: npt.ArrayLike = DEFAULT_LINK_GBPS,
        *,
        capacity_back_gbps: npt.ArrayLike | None = None,
        racks: npt.ArrayLike | None = None,
        host_switch: npt.ArrayLike = (),
        access_gbps: npt.ArrayLike = DEFAULT_LINK_GBPS,
        access_down_gbps: npt.ArrayLike | None = None,
        host_names: Sequence[str] | None = None,
        tier: npt.ArrayLike = 0,
        label: str = "",
    ) -> Plane:
        """Return a checked plane.

        Args:
            switches: their number (named "0", "1", ...) or their names.
            cable_u: one end of each cable, a switch index.
            cable_v: the other end.
            capacity_gbps: Gb/s of each cable, or one number for all; 0 is a cable that carries nothing.
            capacity_back_gbps: Gb/s from v to u where it differs.
            racks: switch index of each rack; default: the switches that have hosts, or every switch if there are no hosts.
            host_switch: switch index of each host; -1 where a host has no link into this plane.
            access_gbps: Gb/s of each host's access link, or one number for all.
            access_down_gbps: Gb/s from the plane to the host where it differs.
            host_names: their names; default "h0", "h1", ...
            tier: tier of each switch, or one number for all.
            label: where the plane came from, for messages and tables.

        Raises:
            TopologyError: a self-loop, an index out of range, a duplicate name, a negative, NaN or infinite capacity.
        """
        names = tuple(map(str, range(switches))) if isinstance(switches, int) else tuple(map(str, switches))
        where = label or "plane"
        n = len(names)
        if n == 0:
            raise TopologyError("a plane needs at least one switch", where=where)
        _check_unique(names, "switch", where)
        u, v = _indices(cable_u, n, "cable end", where), _indices(cable_v, n, "cable end", where)
        if u.shape != v.shape:
            raise TopologyError(f"cables have {len(u)} first and {len(v)} second ends", where=where)
        if loops := np.flatnonzero(u == v).tolist():
            raise TopologyError(f"a cable joins switch {names[u[loops[0]]]!r} to itself", where=where)
        forward = _capacities(capacity_gbps, len(u), "cable", where)
        back = (
            forward
            if capacity_back_gbps is None
            else _capacities(capacity_back_gbps, len(u), "cable", where)
        )
        hosts = _indices(host_switch, n, "host's switch", where, lowest=-1)
        up = _capacities(access_gbps, len(hosts), "access link", where)
        down = (
            up
            if access_down_gbps is None
            else _capacities(access_down_gbps, len(hosts), "access link", where)
        )
        hosts_named = (
            tuple(f"h{i}" for i in range(len(hosts))) if host_names is None else tuple(map(str, host_names))
        )
        if len(hosts_named) != len(hosts):
            raise TopologyError(f"{len(hosts)} hosts have {len(hosts_named)} names", where=where)
        _check_unique(hosts_named, "host", where)
        if racks is None:
            rack_switch = ints(np.unique(hosts[hosts >= 0]) if np.any(hosts >= 0) else np.arange(n))
        else:
            rack_switch = _indices(racks, n, "rack's switch", where)
            if len(np.unique(rack_switch)) != len(rack_switch):
                raise TopologyError("two racks are on one switch", where=where)
        return cls(
            switch_names=names,
            cable_u=u,
            cable_v=v,
            capacity_uv_gbps=forward,
            capacity_vu_gbps=back,
            rack_switch=rack_switch,
            host_switch=hosts,
            access_up_gbps=up,
            access_down_gbps=down,
            host_names=hosts_named,
            tier=ints(np.broadcast_to(np.asarray(tier), (n,))),
            label=label,
        )

    @property
    def switch_count(self) -> int:
        """Number of switches."""
        return len(self.switch_names)

    @property
    def cable_count(self) -> int:
        """Number of switch-to-switch cables, parallel ones counted each."""
        return len(self.cable_u)

    @property
    def host_count(self) -> int:
        """Number of hosts, attached to this plane or not."""
        return len(self.host_switch)

    @property
    def rack_names(self) -> tuple[str, ...]:
        """Name of each rack: that of its switch."""
        return tuple(self.switch_names[i] for i in self.rack_switch)

    @cached_property
    def arcs(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Directed links ``(tail, head, capacity_gbps)``, ``[2 m]`` each: arc 2 i is cable i from u to v, arc 2 i + 1 its reverse."""
        tail = ints(np.column_stack([self.cable_u, self.cable_v]).ravel())
        head = ints(np.column_stack([self.cable_v, self.cable_u]).ravel())
        capacity = floats(np.column_stack([self.capacity_uv_gbps, self.capacity_vu_gbps]).ravel())
        return tail, head, capacity

    @cached_property
    def degree(self) -> IntArray:
        """int32 ``[n]``, cables at each switch, access links not counted."""
        ends = np.concatenate([self.cable_u, self.cable_v])
        return ints(np.bincount(ends, minlength=self.switch_count))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over structure, capacities and names; the label does not enter."""
        return fingerprint(
            [
                "plane/1",
                "\n".join(self.switch_names),
                self.cable_u,
                self.cable_v,
                self.capacity_uv_gbps,
                self.capacity_vu_gbps,
                self.rack_switch,
                self.host_switch,
                self.access_up_gbps,
                self.access_down_gbps,
                "\n".join(self.host_names),
            ]
        )

    def scaled(self, factor: float) -> Plane:
        """Return the same plane with every link, access links included, ``factor`` times as fast."""
        return Plane(
            switch_names=self.switch_names,
            cable_u=self.cable_u,
            cable_v=self.cable_v,
            capacity_uv_gbps=floats(self.capacity_uv_gbps * factor),
            capacity_vu_gbps=floats(self.capacity_vu_gbps * factor),
            rack_switch=self.rack_switch,
            host_switch=self.host_switch,
            access_up_gbps=floats(self.access_up_gbps * factor),
            access_down_gbps=floats(self.access_down_gbps * factor),
            host_names=self.host_names,
            tier=self.tier,
            label=self.label,
        )

    def to_networkx(self) -> nx.MultiGraph[Any]:
        """Return the plane as a MultiGraph.

        Switch nodes are named as here, with ``kind="switch"``, ``tier`` and ``rack`` (its index, where it is one);
        host nodes have ``kind="host"``.  Edges carry ``capacity_gbps`` and, where the directions differ,
        ``capacity_back_gbps`` together with ``tail``, the end it is counted from.
        """
        graph: nx.MultiGraph[Any] = nx.MultiGraph(label=self.label)
        for name, tier in zip(self.switch_names, self.tier.tolist(), strict=True):
            graph.add_node(name, kind="switch", tier=tier)
        for rack, switch in enumerate(self.rack_switch.tolist()):
            graph.nodes[self.switch_names[switch]]["rack"] = rack
        for i in range(self.cable_count):
            _add_edge(
                graph,
                self.switch_names[self.cable_u[i]],
                self.switch_names[self.cable_v[i]],
                self.capacity_uv_gbps[i],
                self.capacity_vu_gbps[i],
            )
        for i, host in enumerate(self.host_names):
            if host in graph:
                raise TopologyError(f"{host!r} names a switch and a host", where=self.label or "plane")
            graph.add_node(host, kind="host", host=i)
            if self.host_switch[i] >= 0:
                switch = self.switch_names[self.host_switch[i]]
                _add_edge(graph, host, switch, self.access_up_gbps[i], self.access_down_gbps[i])
        return graph

    @classmethod
    def from_networkx(
        cls,
        graph: nx.Graph[Any],
        *,
        link_gbps: float = DEFAULT_LINK_GBPS,
        capacity: str = "capacity_gbps",
        label: str = "",
    ) -> Plane:
        """Return the plane a networkx graph describes; the inverse of :meth:`to_networkx`.

        Args:
            graph: any networkx graph.  Nodes with ``kind="host"`` are hosts and must have at most one edge, to a
                switch; all others are switches.  A directed graph must hold both directions of every cable.
            link_gbps: speed of edges without a capacity.
            capacity: the edge attribute that holds the capacity in Gb/s.
            label: where the graph came from.

        Raises:
            TopologyError: as :meth:`from_cables`, and for a host with several links.
        """
        where = label or "graph"
        hosts = [node for node, kind in graph.nodes(data="kind") if kind == "host"]
        hosts.sort(key=lambda node: graph.nodes[node].get("host", 0))
        host_index = {node: i for i, node in enumerate(hosts)}
        switches = [node for node in graph if node not in host_index]
        switch_index = {node: i for i, node in enumerate(switches)}
        host_switch = np.full(len(hosts), -1)
        up, down = np.full(len(hosts), link_gbps, dtype=float), np.full(len(hosts), link_gbps, dtype=float)
        ends: list[tuple[int, int]] = []
        forward: list[float] = []
        backward: list[float] = []
        for u, v, there, back in _edges(graph, capacity, link_gbps, where):
            a, b, ab, ba = (v, u, back, there) if v in host_index else (u, v, there, back)
            if a in host_index:
                if b in host_index:
                    raise TopologyError(f"hosts {a!r} and {b!r} are joined without a switch", where=where)
                i = host_index[a]
                if host_switch[i] >= 0:
                    raise TopologyError(f"host {a!r} has several links into one plane", where=where)
                host_switch[i], up[i], down[i] = switch_index[b], ab, ba
            else:
                ends.append((switch_index[a], switch_index[b]))
                forward.append(ab)
                backward.append(ba)
        cables = np.array(ends, dtype=np.int64).reshape(-1, 2)
        ranked = [(rack, switch_index[node]) for node, rack in graph.nodes(data="rack") if rack is not None]
        return cls.from_cables(
            list(map(str, switches)),
            cables[:, 0],
            cables[:, 1],
            np.array(forward),
            capacity_back_gbps=np.array(backward),
            racks=[switch for _, switch in sorted(ranked)] if ranked else None,
            host_switch=host_switch,
            access_gbps=up,
            access_down_gbps=down,
            host_names=list(map(str, hosts)),
            tier=[graph.nodes[node].get("tier", 0) for node in switches],
            label=label,
        )


def _add_edge(graph: nx.MultiGraph[Any], u: str, v: str, forward: float, back: float) -> None:
    attributes: dict[str, object] = {"capacity_gbps": float(forward)}
    if back != forward:
        attributes |= {"capacity_back_gbps": float(back), "tail": u}
    graph.add_edge(u, v, **attributes)


def _edges(
    graph: nx.Graph[Any], capacity: str, link_gbps: float, where: str
) -> list[tuple[Any, Any, float, float]]:
    """Return every cable as ``(u, v, Gb/s there, Gb/s back)``; a directed graph's arcs are paired up first."""
    if not graph.is_directed():
        cables = []
        for u, v, data in graph.edges(data=True):
            there = data.get(capacity, link_gbps)
            back = data.get("capacity_back_gbps", there)
            cables.append((v, u, there, back) if data.get("tail", u) == v else (u, v, there, back))
        return cables
    waiting: dict[tuple[Any, Any], list[float]] = {}
    cables = []
    for u, v, data in graph.edges(data=True):
        speed = data.get(capacity, link_gbps)
        if waiting.get((v, u)):
            cables.append((v, u, waiting[v, u].pop(0), speed))
        else:
            waiting.setdefault((u, v), []).append(speed)
    for (u, v), rest in waiting.items():
        if rest:
            raise TopologyError(
                f"link {u!r} -> {v!r} has no reverse link {v!r} -> {u!r}",
                where=where,
                allowed="directed graphs that hold both directions of every cable",
            )
    return cables


def _check_unique(names: tuple[str, ...], what: str, where: str) -> None:
    if len(set(names)) != len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise TopologyError(f"two {what}es are called {twice!r}" if what == "switch" else f"two {what}s are called {twice!r}", where=where)


def _indices(values: npt.ArrayLike, n: int, what: str, where: str, lowest: int = 0) -> IntArray:
    raw = np.asarray(values)
    if raw.size == 0:
        return ints(np.empty(0))
    if raw.ndim != 1 or not np.issubdtype(raw.dtype, np.integer):
        raise TopologyError(f"{what}s must be a list of whole numbers", where=where)
    bad = (raw < lowest) | (raw >= n)
    if np.any(bad):
        raise TopologyError(
            f"no such {what}", where=where, found=int(raw[bad][0]), allowed=f"{lowest} to {n - 1}"
        )
    return ints(raw)


def _capacities(values: npt.ArrayLike, count: int, what: str, where: str) -> FloatArray:
    try:
        raw = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TopologyError(f"a {what}'s speed is not a number", where=where, allowed="Gb/s >= 0") from None
    if raw.ndim > 0 and raw.shape != (count,):
        raise TopologyError(f"{count} {what}s have {raw.size} speeds", where=where)
    bad = ~np.isfinite(raw) | (raw < 0)
    if np.any(bad):
        raise TopologyError(
            f"a {what}'s speed is wrong",
            where=where,
            found=float(raw[bad].flat[0]),
            allowed="finite Gb/s >= 0",
        )
    return floats(np.broadcast_to(raw, (count,)))
