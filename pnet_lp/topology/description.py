"""What was built: the figures of ``pnet-lp topology``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pnet_lp.errors import TopologyError
from pnet_lp.model import Network, Plane
from pnet_lp.model.brief import brief
from pnet_lp.model.components import strong_components
from pnet_lp.model.distances import count_rack_hops
from pnet_lp.model.network import Variant
from pnet_lp.model.servers import Inside, Relay, Servers


@brief("label", "switches", "hosts", "racks", "cables", "diameter", "mean_hops")
@dataclass(frozen=True, repr=False)
class PlaneDescription:
    """One plane in figures.

    Attributes:
        label: the expression or file it came from.
        switches: number of switches.
        switches_per_tier: the same by tier, from the hosts upwards; tiers without switches are left out.
        hosts: hosts with a link into the plane.
        racks: number of racks.
        cables: switch-to-switch cables; parallel ones count each.
        degree_min, degree_mean, degree_max: cables at a switch.
        ports_min, ports_max: cables and access links at a switch.
        ports_used: those of all switches together.
        ports_free: ports without a cable or access link; None where it was not said how many a switch has.
        connected: whether every switch reaches every other over links with a capacity.
        diameter: most hops (switch-to-switch links) between two racks; None where there are no two, or two without a
            path.
        mean_hops: mean hops over ordered pairs of distinct racks; None where ``diameter`` is.
        disconnected_pairs: ordered pairs of racks without a path.
        capacity_gbps: sum over the switch-to-switch links, each direction counted, in Gb/s.
        speeds: ``(Gb/s, number of directed switch-to-switch links of that speed)``, slowest first.
        access_speeds: the same of the access links.
        boxes: physical boxes that hold the switches; None where each switch is a box of its own.
        cables_between_boxes: cables that leave a box; None where ``boxes`` is.
        fingerprint: of the plane.
    """

    label: str
    switches: int
    switches_per_tier: tuple[int, ...]
    hosts: int
    racks: int
    cables: int
    degree_min: int
    degree_mean: float
    degree_max: int
    ports_min: int
    ports_max: int
    ports_used: int
    ports_free: int | None
    connected: bool
    diameter: int | None
    mean_hops: float | None
    disconnected_pairs: int
    capacity_gbps: float
    speeds: tuple[tuple[float, int], ...]
    access_speeds: tuple[tuple[float, int], ...]
    boxes: int | None
    cables_between_boxes: int | None
    fingerprint: str

    def to_json(self) -> dict[str, Any]:
        """Return the plane's part of the document of ``pnet-lp topology --json``."""
        return asdict(self) | {
            "switches_per_tier": list(self.switches_per_tier),
            "speeds": [{"gbps": speed, "links": count} for speed, count in self.speeds],
            "access_speeds": [{"gbps": speed, "links": count} for speed, count in self.access_speeds],
        }


@brief("count", "size", "relay", "rails")
@dataclass(frozen=True, repr=False)
class ServersDescription:
    """Servers in figures.

    Attributes:
        count: number of servers.
        size: accelerators of each.
        relay: which accelerators pass traffic on.
        rails: number of rails.
        ports: ports of the NICs in use, of all planes together.
        nic_gbps: speeds of the NICs, all ports together, out of the accelerator: ``(Gb/s, number of accelerators)``.
        scale_up: the scale-up network of one server.
        scale_up_gbps: speeds of accelerators into their scale-up network, likewise.
    """

    count: int
    size: int
    relay: Relay
    rails: int
    ports: int
    nic_gbps: tuple[tuple[float, int], ...]
    scale_up: PlaneDescription
    scale_up_gbps: tuple[tuple[float, int], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the part of the document."""
        found = {**vars(self), "scale_up": self.scale_up.to_json()}
        for key in ("nic_gbps", "scale_up_gbps"):
            found[key] = [{"gbps": speed, "accelerators": count} for speed, count in getattr(self, key)]
        return found


@brief("variant", "switches", "hosts", "racks", "cables")
@dataclass(frozen=True, repr=False)
class Description:
    """A network in figures.

    Attributes:
        variant: how the planes relate.
        switches, cables: of all planes together.
        hosts: number of hosts, which all planes share.
        racks: number of racks (of the first plane).
        common_racks: whether all planes have the same racks.
        capacity_gbps: sum of the planes' capacities.
        fingerprint: of the network.
        planes: one description per plane.
        servers: what is inside servers, and their scale-up network in figures; None where there are none.
    """

    variant: Variant
    switches: int
    hosts: int
    racks: int
    common_racks: bool
    cables: int
    capacity_gbps: float
    fingerprint: str
    planes: tuple[PlaneDescription, ...]
    servers: ServersDescription | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``pnet-lp topology --json``."""
        found = {**vars(self), "planes": [plane.to_json() for plane in self.planes]}
        inside = found.pop("servers")
        return found if inside is None else {**found, "servers": inside.to_json()}


def describe(network: Network, *, switch_ports: int | None = None) -> Description:
    """Return the figures of ``network``, each exact; ``switch_ports``, those of every switch, count the free ones.

    Planes that are one and the same are measured once.  The hop counts take the longest: some seconds for thousands
    of racks.

    Raises:
        TopologyError: a switch uses more ports than that.
    """
    measured: dict[str, PlaneDescription] = {}
    for plane in network.planes:
        if plane.fingerprint not in measured:
            measured[plane.fingerprint] = describe_plane(plane, switch_ports=switch_ports)
    planes = tuple(measured[plane.fingerprint] for plane in network.planes)
    return Description(
        variant=network.variant,
        planes=planes,
        switches=network.switch_count,
        hosts=network.host_count,
        racks=network.rack_count,
        common_racks=network.common_racks,
        cables=network.cable_count,
        capacity_gbps=sum(plane.capacity_gbps for plane in planes),
        fingerprint=network.fingerprint,
        servers=None if network.servers is None else _describe_servers(network, network.servers),
    )


def _describe_servers(network: Network, servers: Servers) -> ServersDescription:
    on = np.stack([plane.host_switch >= 0 for plane in network.planes])
    nics = np.stack([plane.access_up_gbps for plane in network.planes]).sum(axis=0)
    count = network.host_count // servers.size
    return ServersDescription(
        count=count,
        size=servers.size,
        relay=servers.relay,
        rails=servers.rails,
        ports=int(on.sum()),
        nic_gbps=_tally(nics),
        scale_up=describe_plane(servers.scale_up),
        scale_up_gbps=_tally(Inside.of(servers, network.host_count).speeds[0]),
    )


def describe_plane(plane: Plane, *, switch_ports: int | None = None) -> PlaneDescription:
    """Return the figures of one plane; see :func:`describe`."""
    attached = plane.host_switch[plane.host_switch >= 0]
    ports = plane.degree + np.bincount(attached, minlength=plane.switch_count)
    if switch_ports is not None and ports.max() > switch_ports:
        raise TopologyError(
            f"switch {plane.switch_names[int(ports.argmax())]!r} uses {ports.max()} ports",
            where=plane.label or "plane",
            allowed=f"at most {switch_ports}",
        )
    hops = count_rack_hops(plane)
    box = plane.box
    return PlaneDescription(
        label=plane.label,
        switches=plane.switch_count,
        switches_per_tier=tuple(np.unique(plane.tier, return_counts=True)[1].tolist()),
        hosts=len(attached),
        racks=len(plane.rack_switch),
        cables=plane.cable_count,
        degree_min=int(plane.degree.min()),
        degree_mean=float(plane.degree.mean()),
        degree_max=int(plane.degree.max()),
        ports_min=int(ports.min()),
        ports_max=int(ports.max()),
        ports_used=int(ports.sum()),
        ports_free=None if switch_ports is None else switch_ports * len(ports) - int(ports.sum()),
        connected=_strongly_connected(plane),
        diameter=hops.diameter,
        mean_hops=None if hops.disconnected else hops.mean,
        disconnected_pairs=hops.disconnected,
        capacity_gbps=float(plane.capacity_uv_gbps.sum() + plane.capacity_vu_gbps.sum()),
        speeds=_tally(plane.capacity_uv_gbps, plane.capacity_vu_gbps),
        access_speeds=_tally(
            plane.access_up_gbps[plane.host_switch >= 0], plane.access_down_gbps[plane.host_switch >= 0]
        ),
        boxes=None if box is None else len(np.unique(box)),
        cables_between_boxes=None if box is None else int(np.sum(box[plane.cable_u] != box[plane.cable_v])),
        fingerprint=plane.fingerprint,
    )


def _strongly_connected(plane: Plane) -> bool:
    tail, head, capacity = plane.arcs
    live = capacity > 0
    return not strong_components(plane.switch_count, tail[live], head[live]).any()


def _tally(*speeds: np.ndarray) -> tuple[tuple[float, int], ...]:
    values, counts = np.unique(np.concatenate(speeds), return_counts=True)
    return tuple(zip(values.tolist(), counts.tolist(), strict=True))
