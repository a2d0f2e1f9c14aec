"""One dataplane: a capacitated graph of switches, and where racks and hosts attach to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TopologyError
from pnet_lp.model.arrays import FloatArray, IntArray, checked_array, fingerprint, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.graphs import METRIC, METRIC_BACK, cable_arguments
from pnet_lp.model.layout import Layout
from pnet_lp.model.metrics import metrics_of
from pnet_lp.units import AMOUNTS, DEFAULT_LINK_GBPS, DELAYS, LARGEST, are_amounts, are_delays

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


WEIGHTS = ("weight", "metric", "cost", "dist")
"""Names of numbers of links by which other programs find shortest paths."""


@brief("label", "switch_count", "cable_count", "host_count")
@dataclass(frozen=True, eq=False, repr=False)
class Plane:
    """A capacitated multigraph of switches with full-duplex cables.

    Build one with :meth:`from_cables`, which checks everything; the constructor trusts its arguments.

    Attributes:
        switch_names: unique name of each of the ``n`` switches.
        cable_u, cable_v: int32 ``[m]``, the two ends of each cable, as switch indices.  Parallel cables are separate
            entries.
        capacity_uv_gbps, capacity_vu_gbps: float64 ``[m]``, Gb/s in the direction u to v and v to u.
        rack_switch: int32 ``[r]``, the switch of each rack, in the order of the network's racks.
        host_switch: int32 ``[h]``, the switch of each host, -1 for a host without a link into this plane.
        access_up_gbps, access_down_gbps: float64 ``[h]``, Gb/s of each host's access link into and out of this plane,
            0 for a host without one.
        host_names: unique name of each host.
        tier: int32 ``[n]``, 0 for switches nearest the hosts, counted upwards; all 0 in a flat network.
        label: the expression or file the plane came from.
        position: float64 ``[n, 2]``, x and y (longitude and latitude) of each switch, NaN where unknown; None where no
            position is known.  For maps only: nothing is computed from it.
        layout: how the plane wants to be drawn where its tiers do not say it.  For pictures only.
        box: int32 ``[n]``, the physical box that holds each switch, chips of one box having the same number; None where
            each switch is a box of its own.  No flow depends on it.
        delay_ns: float64 ``[m]``, how long a bit travels on each cable, NaN where unknown; None where no cable's is
            known.  Only packets depend on it.
        access_delay_ns: float64 ``[h]``, the same of access links.
        metric: int32 ``[m, 2]``, the IGP metric of each cable from u to v and from v to u, by whose sum paths are the
            shortest; None where each link counts 1.  Routings depend on it, and what has no routing does not.
        attributes: other numbers that the source gives each cable, float64 ``[m, 2]`` as ``metric``, by name, NaN where
            it gives none; nothing depends on them until one is taken as metric
            (:func:`~pnet_lp.topology.links.by_metric`).
        warnings: what was assumed of the plane because its source does not say it, one sentence each.
        partner: int32 ``[m]``, in a graph in layers (:mod:`pnet_lp.model.servers`), the cable that is the same link as
            each, itself where there is none; both have half of its capacity.  None where there are no layers.
        part_of: int32 ``[m]``, in a graph made of a network with servers, the plane of that network that each cable is
            of; their number for scale-up links, -1 for what is no link.
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
    position: FloatArray | None = None
    layout: Layout | None = field(default=None, compare=False)
    box: IntArray | None = None
    delay_ns: FloatArray | None = None
    access_delay_ns: FloatArray | None = None
    metric: IntArray | None = None
    attributes: Mapping[str, FloatArray] = field(default_factory=dict, compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False)
    partner: IntArray | None = None
    part_of: IntArray | None = None

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
        position: npt.ArrayLike | None = None,
        layout: Layout | None = None,
        box: npt.ArrayLike | None = None,
        delay_ns: npt.ArrayLike | None = None,
        access_delay_ns: npt.ArrayLike | None = None,
        metric: npt.ArrayLike | None = None,
        attributes: Mapping[str, npt.ArrayLike] | None = None,
        warnings: Sequence[str] = (),
    ) -> Plane:
        """Return a checked plane.

        Args:
            switches: their number (named "0", "1", ...) or their names.
            cable_u: one end of each cable, a switch index.
            cable_v: the other end.
            capacity_gbps: Gb/s of each cable, or one number for all; 0 is a cable that carries nothing.
            capacity_back_gbps: Gb/s from v to u where it differs.
            racks: switch index of each rack; default: the switches that have hosts, or every switch if there are no
                hosts.
            host_switch: switch index of each host; -1 where a host has no link into this plane.
            access_gbps: Gb/s of each host's access link, or one number for all.
            access_down_gbps: Gb/s from the plane to the host where it differs.
            host_names: their names; default "h0", "h1", ...
            tier: tier of each switch, or one number for all.
            label: where the plane came from, for messages and tables.
            position: x and y of each switch, NaN where unknown.
            layout: how to draw the plane; default: by tiers, else by positions, else by cables.
            box: number of the physical box that holds each switch; default: each switch is a box of its own.
            delay_ns: of each cable, or one number for all; NaN or left out where unknown.
            access_delay_ns: of each host's access link, the same way.
            metric: of each cable, or ``[m, 2]`` of each direction; see :func:`~pnet_lp.model.metrics.metrics_of`.
            attributes: other numbers of each cable, or of each direction, by name.
            warnings: what was assumed, one sentence each.

        Raises:
            TopologyError: no switch or no rack, a self-loop, an index out of range, a duplicate or unprintable name, a
                negative, NaN or infinite capacity, a position, box or delay that is none.
        """
        where = label or "plane"
        for what, given in (("switches", switches), ("host_names", host_names)):
            if isinstance(given, str):
                raise TopologyError(f"{what} is a text", where=where, found=given, allowed="a list of names")
        names = tuple(map(str, range(switches))) if isinstance(switches, int) else tuple(map(str, switches))
        for one, listed in (("switch", () if isinstance(switches, int) else switches), ("host", host_names or ())):
            if any(name is None or name != name for name in listed):  # noqa: PLR0124 - NaN of any type
                raise TopologyError(f"a {one} has no name", where=where)
        n = len(names)
        if n == 0:
            raise TopologyError("a plane needs at least one switch", where=where)
        if not isinstance(switches, int):
            _check_names(names, "switch", "switches", where)
        u, v = _indices(cable_u, n, "cable end", where), _indices(cable_v, n, "cable end", where)
        if u.shape != v.shape:
            raise TopologyError(f"cables have {len(u)} first and {len(v)} second ends", where=where)
        if loops := np.flatnonzero(u == v).tolist():
            raise TopologyError(f"a cable joins switch {names[u[loops[0]]]!r} to itself", where=where)

        def cable(i: int) -> str:
            return f"cable {names[u[i]]!r} - {names[v[i]]!r}"

        forward = _capacities(capacity_gbps, len(u), cable, where)
        back = forward if capacity_back_gbps is None else _capacities(capacity_back_gbps, len(u), cable, where)
        hosts = _indices(host_switch, n, "host's switch", where, lowest=-1)
        hosts_named = _numbered(len(hosts)) if host_names is None else tuple(map(str, host_names))
        if len(hosts_named) != len(hosts):
            raise TopologyError(f"{len(hosts)} hosts have {len(hosts_named)} names", where=where)
        if host_names is not None:
            _check_names(hosts_named, "host", "hosts", where)

        def access(i: int) -> str:
            return f"access link of {hosts_named[i]!r}"

        up = _capacities(access_gbps, len(hosts), access, where)
        down = up if access_down_gbps is None else _capacities(access_down_gbps, len(hosts), access, where)
        if racks is None:
            rack_switch = ints(np.unique(hosts[hosts >= 0]) if np.any(hosts >= 0) else np.arange(n))
        else:
            rack_switch = _indices(racks, n, "rack's switch", where)
            if len(rack_switch) == 0:
                raise TopologyError("a plane needs at least one rack", where=where)
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
            access_up_gbps=floats(np.where(hosts >= 0, up, 0.0)),
            access_down_gbps=floats(np.where(hosts >= 0, down, 0.0)),
            host_names=hosts_named,
            tier=ints(np.broadcast_to(checked_array(tier, TopologyError, where, whole=True), (n,))),
            label=label,
            position=None if position is None else _positions(position, n, where),
            layout=layout,
            box=None if box is None else _boxes(box, n, where),
            delay_ns=None if delay_ns is None else _delays(delay_ns, len(u), cable, where),
            access_delay_ns=None
            if access_delay_ns is None
            else _delays(access_delay_ns, len(hosts), access, where, there=hosts >= 0),
            metric=None if metric is None else metrics_of(metric, len(u), where),
            attributes={
                name: floats(np.column_stack([values] * 2) if np.ndim(values) == 1 else values)
                for name, values in (attributes or {}).items()
            },
            warnings=tuple(warnings),
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The warnings, and which numbers of links others find shortest paths by that nothing follows here."""
        differ = {name for name, values in self.attributes.items() if np.any(values != values[:1, :1])}
        return self.warnings + tuple(
            f"{self.label or 'plane'}: shortest paths are those of fewest hops, whatever the {name} (--metric {name})"
            for name in WEIGHTS
            if name in differ and self.metric is None
        )

    @property
    def known_delays(self) -> tuple[FloatArray, FloatArray]:
        """Delays of cables and of access links in ns, NaN where there is none."""
        given = ((self.delay_ns, self.cable_count), (self.access_delay_ns, self.host_count))
        cables, access = (np.full(count, np.nan) if delay is None else delay for delay, count in given)
        return cables, access

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

    @cached_property
    def rack_names(self) -> tuple[str, ...]:
        """Name of each rack: that of its switch."""
        return tuple(self.switch_names[i] for i in self.rack_switch)

    @cached_property
    def arcs(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Directed links ``(tail, head, capacity_gbps)``, ``[2 m]`` each.

        Arc 2 i is cable i from u to v, arc 2 i + 1 its reverse.
        """
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
        """SHA-256 over all but label, positions, layout and attributes; boxes, delays and metrics enter where given."""
        given: list[str | IntArray | FloatArray] = []
        for name in ("box", "delay_ns", "access_delay_ns", "metric"):
            if (values := getattr(self, name)) is not None:
                given += [name, values]
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
                *given,
            ]
        )

    def scaled(self, factor: float) -> Plane:
        """Return the same plane with every link, access links included, ``factor`` times as fast.

        Raises:
            TopologyError: a link would get an invalid speed.
        """
        speeds: dict[str, Any] = {
            name: floats(getattr(self, name) * factor)
            for name in ("capacity_uv_gbps", "capacity_vu_gbps", "access_up_gbps", "access_down_gbps")
        }
        for speed in speeds.values():
            if np.any(bad := ~are_amounts(speed)):
                raise TopologyError(
                    f"a link {factor:g} times as fast is out of range",
                    where=self.label or "plane",
                    found=float(speed[bad][0]),
                    allowed=f"{AMOUNTS} Gb/s",
                )
        return replace(self, **speeds)

    def to_networkx(self) -> nx.MultiGraph[str]:
        """Return the plane as a MultiGraph from which :meth:`from_networkx` restores it, order included.

        Switch nodes are named as in the plane, with ``kind="switch"``, ``tier``, ``rack`` (its index, where it is one),
        ``x`` and ``y`` (its position, where known) and ``box`` (where the plane has boxes); host nodes have
        ``kind="host"`` and ``host`` (their index).  Edges carry ``capacity_gbps``, counted from the end ``tail`` to the
        other; ``capacity_back_gbps`` where that direction differs; ``delay_ns`` where it is known; ``igp_metric`` and
        ``igp_metric_back`` where the plane has metrics; and ``cable`` (its index) between switches.

        Raises:
            TopologyError: a switch and a host have the same name.
        """
        import networkx as nx  # noqa: PLC0415 - slow to load

        graph: nx.MultiGraph[str] = nx.MultiGraph(label=self.label)
        for name, tier in zip(self.switch_names, self.tier.tolist(), strict=True):
            graph.add_node(name, kind="switch", tier=tier)
        for rack, switch in enumerate(self.rack_switch.tolist()):
            graph.nodes[self.switch_names[switch]]["rack"] = rack
        if self.position is not None:
            for name, (x, y) in zip(self.switch_names, self.position.tolist(), strict=True):
                if not math.isnan(x):
                    graph.nodes[name].update(x=x, y=y)
        if self.box is not None:
            for name, box in zip(self.switch_names, self.box.tolist(), strict=True):
                graph.nodes[name]["box"] = box
        cables = zip(
            self.cable_u.tolist(),
            self.cable_v.tolist(),
            self.capacity_uv_gbps.tolist(),
            self.capacity_vu_gbps.tolist(),
            strict=True,
        )
        for i, (u, v, there, back) in enumerate(cables):
            tail = self.switch_names[u]
            edge = _edge(tail, there, back, self.delay_ns, i)
            if self.metric is not None:
                edge |= {METRIC: int(self.metric[i, 0]), METRIC_BACK: int(self.metric[i, 1])}
            graph.add_edge(tail, self.switch_names[v], **edge, cable=i)
        for i, host in enumerate(self.host_names):
            if host in graph:
                raise TopologyError(f"the name {host!r} is used by a switch and a host", where=self.label or "plane")
            graph.add_node(host, kind="host", host=i)
            if self.host_switch[i] >= 0:
                switch = self.switch_names[self.host_switch[i]]
                up, down = float(self.access_up_gbps[i]), float(self.access_down_gbps[i])
                graph.add_edge(host, switch, **_edge(host, up, down, self.access_delay_ns, i))
        return graph

    def to_frame(self) -> pd.DataFrame:
        """Return a row per cable between switches: ``u``, ``v``, and what the edges of :meth:`to_networkx` carry."""
        import networkx as nx  # noqa: PLC0415 - slow to load

        graph = self.to_networkx()
        graph.remove_nodes_from(self.host_names)
        found: pd.DataFrame = nx.to_pandas_edgelist(graph, "u", "v")
        return found

    @classmethod
    def from_networkx(
        cls, graph: nx.Graph[Any], *, link_gbps: float = DEFAULT_LINK_GBPS, capacity: str | None = None, label: str = ""
    ) -> Plane:
        """Return the plane a networkx graph describes; the inverse of :meth:`to_networkx`.

        Args:
            graph: any networkx graph.  Nodes with ``kind="host"`` are hosts and must have at most one edge, to a
                switch; all others are switches.  A directed graph must hold both directions of every cable.  A position
                is ``x`` and ``y``, ``Longitude`` and ``Latitude``, or ``pos``; all switches have a ``box``, or none.
            link_gbps: speed of edges without a capacity.
            capacity: the edge attribute that holds the capacity in Gb/s.  Default: ``capacity_gbps``; in a graph
                without that, ``capacity`` or ``bandwidth``, if only one of them occurs; in a graph without these,
                ``LinkSpeedRaw``, in bit/s.  Other names are not read: a graph in which only some edges have a speed, or
                none has one and edges have other attributes, gets a sentence among the plane's ``warnings``.
            label: where the graph came from.

        Raises:
            TopologyError: as :meth:`from_cables`; a host with several links; a link without its reverse; an attribute
                of ours that is not what it should be; a ``capacity`` that no edge has.
        """
        arguments = cable_arguments(graph, link_gbps=link_gbps, capacity=capacity, where=label or "plane")
        return cls.from_cables(**arguments, label=label)


def _positions(values: npt.ArrayLike, n: int, where: str) -> FloatArray | None:
    """Return the checked positions of ``n`` switches, or None if none is known."""
    array = floats(checked_array(values, TopologyError, where))
    if array.shape != (n, 2):
        raise TopologyError(f"{n} switches have positions of shape {array.shape}", where=where)
    if np.any(np.isinf(array)) or np.any(np.isnan(array[:, 0]) != np.isnan(array[:, 1])):
        raise TopologyError("a position is not a pair of finite numbers", where=where)
    if np.any(far := np.abs(array) > LARGEST):
        raise TopologyError(
            "a position is too far away", where=where, found=float(array[far][0]), allowed=f"up to {LARGEST:g}"
        )
    return None if np.all(np.isnan(array)) else array


def _boxes(values: npt.ArrayLike, n: int, where: str) -> IntArray:
    boxes = _indices(values, 2**31 - 1, "box number", where)
    if len(boxes) != n:
        raise TopologyError(f"{n} switches have {len(boxes)} boxes", where=where, allowed="one for each switch")
    return boxes


@lru_cache(maxsize=2)
def _numbered(hosts: int) -> tuple[str, ...]:
    """Return the names of hosts that have none, which the planes of a network share."""
    return tuple(f"h{i}" for i in range(hosts))


def _check_names(names: tuple[str, ...], one: str, many: str, where: str) -> None:
    seen: set[str] = set()
    for name in names:
        # Unprintable names would forge lines in files and on screens, and join ambiguously in fingerprints.
        if not name.isprintable() or name != name.strip() or not name:
            raise TopologyError(f"a {one}'s name is not printable text", where=where, found=name)
        if name in seen:
            raise TopologyError(f"the name {name!r} is used by two {many}", where=where)
        seen.add(name)


def _indices(values: npt.ArrayLike, n: int, what: str, where: str, lowest: int = 0) -> IntArray:
    raw = checked_array(values, TopologyError, where)
    if raw.size == 0:
        return ints(np.empty(0))
    if raw.ndim != 1 or not np.issubdtype(raw.dtype, np.integer):
        raise TopologyError(f"{what}s must be a list of whole numbers", where=where)
    bad = (raw < lowest) | (raw >= n)
    if np.any(bad):
        raise TopologyError(f"no such {what}", where=where, found=int(raw[bad][0]), allowed=f"{lowest} to {n - 1}")
    return ints(raw)


def _capacities(values: npt.ArrayLike, count: int, name: Callable[[int], str], where: str) -> FloatArray:
    allowed = f"{AMOUNTS} Gb/s"
    try:
        raw = checked_array(values, TopologyError, where).astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TopologyError("a link's speed is not a number", where=where, allowed=allowed) from None
    if raw.ndim > 0 and raw.shape != (count,):
        raise TopologyError(f"{count} links have {raw.size} speeds", where=where)
    speeds = floats(np.broadcast_to(raw, (count,)))
    if bad := np.flatnonzero(~are_amounts(speeds)).tolist():
        raise TopologyError(f"{name(bad[0])}: invalid speed", where=where, found=float(speeds[bad[0]]), allowed=allowed)
    return speeds


def _delays(
    values: npt.ArrayLike, count: int, name: Callable[[int], str], where: str, there: npt.ArrayLike = True
) -> FloatArray | None:
    """Return the checked delays of ``count`` links, those not ``there`` having none; or None if none is known."""
    try:
        raw = checked_array(values, TopologyError, where).astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TopologyError("a link's delay is not a number", where=where, allowed=DELAYS) from None
    if raw.ndim > 0 and raw.shape != (count,):
        raise TopologyError(f"{count} links have {raw.size} delays", where=where)
    delays = floats(np.broadcast_to(raw, (count,)))
    if bad := np.flatnonzero(~are_delays(delays) & ~np.isnan(delays)).tolist():
        raise TopologyError(f"{name(bad[0])}: invalid delay", where=where, found=float(delays[bad[0]]), allowed=DELAYS)
    delays = floats(np.where(there, delays, np.nan))
    return None if np.all(np.isnan(delays)) else delays


def _edge(tail: str, there: float, back: float, delay_ns: FloatArray | None, i: int) -> dict[str, Any]:
    attributes: dict[str, Any] = {"tail": tail, "capacity_gbps": there}
    if back != there:
        attributes["capacity_back_gbps"] = back
    if delay_ns is not None and not math.isnan(delay_ns[i]):
        attributes["delay_ns"] = float(delay_ns[i])
    return attributes
