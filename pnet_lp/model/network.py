"""A network: several planes over common racks and hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SpecError, TopologyError
from pnet_lp.model.arrays import IntArray, fingerprint, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.plane import Plane
from pnet_lp.model.servers import LINK_KINDS, LinkKind, Servers, kinds_of, one_graph

if TYPE_CHECKING:
    from pnet_lp import Drawing

Variant: TypeAlias = Literal["serial", "homogeneous", "heterogeneous", "serial-high"]
VARIANTS: tuple[str, ...] = get_args(Variant)

Level: TypeAlias = Literal["rack", "host"]
LEVELS: tuple[str, ...] = get_args(Level)

MOST_PLANES = 4096
"""Planes of a network."""


class Link(NamedTuple):
    """A directed link.

    Attributes:
        plane: of the network; their number for links inside servers.
        ends: names of the tail and the head.
        kind: what it joins.
    """

    plane: int
    ends: tuple[str, str]
    kind: LinkKind


@brief("variant", "plane_count", "rack_count", "host_count", "switch_count", "cable_count")
@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """Several planes over the same hosts or racks (P-Net, section 3).

    Build one with :meth:`from_planes`.  All planes list hosts in the same order.  If ``common_racks`` is true, they
    also list racks in the same order: index ``i`` means the same rack in every plane.

    Attributes:
        planes: the planes, at least one.
        variant: how the planes relate; only for tables, nothing is derived from it.
        common_racks: whether all planes have the same racks, so that rack-level demands make sense.
        servers: what is inside the servers that hosts are the accelerators of; None where each host is by itself.
    """

    planes: tuple[Plane, ...]
    variant: Variant
    common_racks: bool
    servers: Servers | None = None

    @classmethod
    def from_planes(
        cls, planes: Sequence[Plane], variant: Variant | None = None, servers: Servers | None = None
    ) -> Network:
        """Return the network of ``planes``, with racks and hosts matched by name.

        Racks and hosts get the order of the first plane.  Planes with different racks make a network for host-level
        demands only, if they have hosts.

        Raises:
            TopologyError: there is no plane, or the planes have different hosts, or they share neither hosts nor racks;
                or the ``servers`` do not fit (:meth:`Servers.attached`).
        """
        if not planes:
            raise TopologyError("a network needs at least one plane")
        if len(planes) > MOST_PLANES:
            raise TopologyError("too many planes", found=len(planes), allowed=f"at most {MOST_PLANES}")
        first = planes[0]
        hosts_aligned = [_align_hosts(plane, first) for plane in planes]
        rack_order = first.rack_names
        common = all(plane is first or set(plane.rack_names) == set(rack_order) for plane in hosts_aligned)
        if not common and first.host_count == 0:
            other = next(p for p in hosts_aligned if set(p.rack_names) != set(rack_order))
            name = min(set(other.rack_names) ^ set(rack_order))
            raise TopologyError(
                f"planes {first.label or 0!r} and {other.label!r} have no common racks: only one has {name!r}",
                allowed="planes over the same racks, or with hosts of the same names",
            )
        aligned = [_align_racks(plane, rack_order) for plane in hosts_aligned] if common else hosts_aligned
        if variant is None:
            same = all(plane.fingerprint == aligned[0].fingerprint for plane in aligned)
            variant = "serial" if len(aligned) == 1 else "homogeneous" if same else "heterogeneous"
        made = cls(planes=tuple(aligned), variant=variant, common_racks=common)
        return made if servers is None else made.with_servers(servers)

    @property
    def plane_count(self) -> int:
        """Number of planes."""
        return len(self.planes)

    @property
    def host_count(self) -> int:
        """Number of hosts; 0 in a network of racks only."""
        return self.planes[0].host_count

    @property
    def host_names(self) -> tuple[str, ...]:
        """Name of each host."""
        return self.planes[0].host_names

    @property
    def rack_names(self) -> tuple[str, ...]:
        """Name of each rack; if planes have different racks, those of the first plane."""
        return self.planes[0].rack_names

    @property
    def rack_count(self) -> int:
        """Number of racks of the first plane."""
        return len(self.planes[0].rack_switch)

    @property
    def switch_count(self) -> int:
        """Number of switches in all planes together."""
        return sum(plane.switch_count for plane in self.planes)

    @property
    def cable_count(self) -> int:
        """Number of switch-to-switch cables in all planes together."""
        return sum(plane.cable_count for plane in self.planes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Assumptions about planes whose sources leave something open, one sentence each."""
        return tuple(dict.fromkeys(warning for plane in self.planes for warning in plane.assumptions))

    @property
    def default_level(self) -> Level:
        """``host`` if the network has hosts, else ``rack``."""
        return "host" if self.host_count else "rack"

    def endpoint_names(self, level: Level) -> tuple[str, ...]:
        """Return the names that demands of ``level`` refer to, or raise SpecError where there is no such level."""
        check_level(level)
        return self.host_names if level == "host" else self.rack_names

    def check_level(self, level: Level) -> None:
        """Check that demands of ``level`` mean something on this network.

        Raises:
            SpecError: there is no such level.
            TopologyError: the network has no endpoints of it.
        """
        check_level(level)
        if level == "host" and self.host_count == 0:
            raise TopologyError(
                "the network has no hosts, so host-level demands mean nothing",
                allowed="level=rack, or hosts_per_switch=n",
            )
        if level == "rack" and self.servers is not None:
            raise TopologyError(
                "servers are of hosts, so rack-level demands mean nothing on the network",
                allowed="level=host, or server=none where a file has them",
            )
        if level == "rack" and not self.common_racks:
            raise TopologyError(
                "the planes do not share their racks, so rack-level demands mean nothing", allowed="level=host"
            )

    def settled_level(self, level: Level | None) -> Level:
        """Return ``level``, or by default :attr:`default_level`; errors as of :meth:`check_level`."""
        settled = self.default_level if level is None else level
        self.check_level(settled)
        return settled

    def with_servers(self, servers: Servers) -> Network:
        """Return the network whose hosts are the accelerators of ``servers``, attached by rails.

        Raises:
            TopologyError: they do not fit; see :meth:`Servers.attached`.
        """
        return replace(self, planes=servers.attached(self.planes), servers=servers)

    def with_server_hops(self, hops: int) -> Network:
        """Return the network where links inside servers count as so many hops, 0 or 1; see :attr:`Servers.hops`.

        Raises:
            SpecError: another number, or there are no servers, no accelerator forwards, or links have metrics.
        """
        if hops not in (0, 1):
            raise SpecError("not a number of hops", where="server_hops", found=hops, allowed="0 or 1")
        if self.servers is None or self.servers.relay == "none":
            what = "there are no servers" if self.servers is None else "no accelerator forwards"
            raise SpecError(what, where="server_hops", found=hops, allowed="with server=TOPOLOGY, and relay not none")
        if any(plane.metric is not None for plane in self.planes):
            raise SpecError("links have metrics", where="server_hops", found=hops, allowed="networks without metrics")
        return replace(self, servers=replace(self.servers, hops=hops))

    def restricted(self, level: Level, kept: IntArray) -> Network:
        """Return the network without the racks, or at host level without the hosts, that are not ``kept``.

        Args:
            level: what endpoints are.
            kept: indices of racks or hosts, in the order that they get.
        """
        names = [self.host_names[i] for i in kept.tolist()] if level == "host" else []
        made = {
            id(plane): _with_hosts(plane, kept, tuple(names))
            if level == "host"
            else replace(plane, rack_switch=ints(plane.rack_switch[kept]))
            for plane in self.planes
        }
        return replace(self, planes=tuple(made[id(plane)] for plane in self.planes))

    def draw(self, path: str | Path | None = None, **shown: Any) -> Drawing:
        """Return a drawing of the network, and write it to ``path`` if given; see :func:`pnet_lp.draw`."""
        import pnet_lp  # noqa: PLC0415 - it lies above this layer

        return pnet_lp.draw(self, path, **shown)

    @cached_property
    def graph(self) -> Network:
        """The network without servers that problems on this one are about: itself, or :func:`one_graph`."""
        if self.servers is None:
            return self
        return replace(self, planes=one_graph(self.planes, self.servers), servers=None)

    @cached_property
    def link_kinds(self) -> tuple[npt.NDArray[np.int8], ...]:
        """Of each plane of :attr:`graph` the kind of each directed link, an index into ``LINK_KINDS``."""
        return tuple(kinds_of(plane, p, self.plane_count) for p, plane in enumerate(self.graph.planes))

    def link(self, plane: int, arc: int) -> Link:
        """Return what a directed link of :attr:`graph` is: ``arc`` counts as ``Plane.arcs`` of the ``plane``."""
        graph = self.graph.planes[plane]
        tail, head = (int(ends[arc]) for ends in graph.arcs[:2])
        part = plane if graph.part_of is None else int(graph.part_of[arc // 2])
        return Link(
            self.plane_count if part < 0 else part,
            (graph.switch_names[tail], graph.switch_names[head]),
            LINK_KINDS[self.link_kinds[plane][arc]],
        )

    @property
    def received(self) -> int:
        """Arcs of each path in :attr:`graph` that are no links: one where there are layers, into who receives."""
        return int(self.servers is not None and self.servers.layered)

    @property
    def receivers(self) -> int:
        """What is added to a host's number where it receives in :attr:`graph`: hosts, where there are layers, or 0."""
        return self.received * self.host_count

    def named(self, plane: int, switches: Sequence[int]) -> list[str]:
        """Return the names along a path in a plane of :attr:`graph`; ``0:spine1`` is one of the network's planes."""
        graph, found = self.graph.planes[plane], self._part_of_switch
        names = [
            graph.switch_names[u] if found is None or found[u] < 0 else f"{found[u]}:{graph.switch_names[u]}"
            for u in switches
        ]
        # In layers an accelerator is several switches, one after the other.
        return names if found is None else [name for i, name in enumerate(names) if i == 0 or name != names[i - 1]]

    @cached_property
    def _part_of_switch(self) -> IntArray | None:
        """int32, of each switch of the one graph the plane of the network that it is in, -1 for none."""
        graph = self.graph.planes[0]
        if graph.part_of is None:
            return None
        found = np.full(graph.switch_count, -1)
        for ends in (graph.cable_u, graph.cable_v):
            of_plane = (graph.part_of >= 0) & (graph.part_of < self.plane_count) & (graph.tier[ends] > 0)
            found[ends[of_plane]] = graph.part_of[of_plane]
        return ints(found)

    def check_without_servers(self, what: str) -> None:
        """Raise TopologyError where there are servers, for ``what`` is not defined with them."""
        if self.servers is not None:
            raise TopologyError(
                f"{what} is not defined for networks with servers",
                allowed="the network without them, server=none where a file has them",
            )

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the planes' fingerprints, in order, and what is inside servers."""
        inside = [] if self.servers is None else self.servers.identity
        return fingerprint(["network/1", *(plane.fingerprint for plane in self.planes), *inside])


def check_level(level: object) -> None:
    """Raise SpecError where ``level`` is none of :data:`LEVELS`."""
    if level not in LEVELS:
        raise SpecError("no such level", where="level", found=level, allowed=", ".join(LEVELS))


def check_network(found: object) -> None:
    """Raise SpecError where ``found`` is not a network."""
    if not isinstance(found, Network):
        raise SpecError(
            "not a network", where="network", found=type(found).__name__, allowed="a Network, as build_network returns"
        )


def _reordered(names: tuple[str, ...], order: tuple[str, ...]) -> list[int]:
    index = {name: i for i, name in enumerate(names)}
    return [index[name] for name in order]


def _align_hosts(plane: Plane, first: Plane) -> Plane:
    if plane.host_names == first.host_names:
        return plane
    if set(plane.host_names) != set(first.host_names):
        name = min(set(plane.host_names) ^ set(first.host_names))
        raise TopologyError(
            f"planes name different hosts: only one of {first.label!r} ({first.host_count} hosts) and "
            f"{plane.label!r} ({plane.host_count} hosts) has {name!r}",
            allowed="planes over the same hosts",
        )
    return _with_hosts(plane, _reordered(plane.host_names, first.host_names), first.host_names)


def _with_hosts(plane: Plane, hosts: Sequence[int] | IntArray, names: tuple[str, ...]) -> Plane:
    return replace(
        plane,
        host_names=names,
        host_switch=ints(plane.host_switch[hosts]),
        access_up_gbps=floats(plane.access_up_gbps[hosts]),
        access_down_gbps=floats(plane.access_down_gbps[hosts]),
        access_delay_ns=None if plane.access_delay_ns is None else floats(plane.access_delay_ns[hosts]),
    )


def _align_racks(plane: Plane, rack_order: tuple[str, ...]) -> Plane:
    if plane.rack_names == rack_order:
        return plane
    return replace(plane, rack_switch=ints(plane.rack_switch[_reordered(plane.rack_names, rack_order)]))
