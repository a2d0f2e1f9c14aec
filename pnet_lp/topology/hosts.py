"""Where hosts attach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SpecError
from pnet_lp.model import Plane
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.layout import Layout
from pnet_lp.topology.family import HostParams, LinkParams, check_size


def spread_hosts(hosts: int, switches: int) -> IntArray:
    """Return int32 ``[hosts]``, the switch of each host: as even as possible, neighbours in index together.

    The larger racks are spread over all indices rather than coming first, and nothing is drawn at random, so every
    plane of a network places its hosts in the same way.
    """
    return ints(np.arange(hosts) * switches // max(hosts, 1))


def attach_hosts(plane: Plane, per_switch: int, host_gbps: float) -> Plane:
    """Return ``plane`` with ``per_switch`` hosts on every rack; a plane that has hosts stays as it is.

    Hosts are named after their switch (``"3.h0"``), so planes over the same racks name the same hosts, in whatever
    order they list them.

    Args:
        plane: any plane.
        per_switch: hosts on each rack; 0 changes nothing.
        host_gbps: speed of every access link, Gb/s in each direction.

    Raises:
        SpecError: ``per_switch`` is negative, or makes too many hosts.
        TopologyError: an invalid link speed.
    """
    if per_switch < 0:
        raise SpecError("a negative number of hosts", where="hosts_per_switch", found=per_switch)
    if per_switch == 0 or plane.host_count:
        return plane
    check_size("hosts_per_switch", hosts=per_switch * len(plane.rack_switch))
    return Plane.from_cables(
        plane.switch_names,
        plane.cable_u,
        plane.cable_v,
        plane.capacity_uv_gbps,
        capacity_back_gbps=plane.capacity_vu_gbps,
        racks=plane.rack_switch,
        host_switch=np.repeat(plane.rack_switch, per_switch),
        access_gbps=host_gbps,
        host_names=[f"{rack}.h{i}" for rack in plane.rack_names for i in range(per_switch)],
        tier=plane.tier,
        label=plane.label,
        position=plane.position,
        layout=plane.layout,
        box=plane.box,
        delay_ns=plane.delay_ns,
        metric=plane.metric,
        attributes=plane.attributes,
        warnings=plane.warnings,
    )


def flat_plane(
    switches: int, u: npt.ArrayLike, v: npt.ArrayLike, hosts_per_switch: int, params: HostParams, layout: Layout
) -> Plane:
    """Return a plane without tiers in which every switch is a rack, with equally many hosts on each."""
    return Plane.from_cables(
        switches,
        u,
        v,
        params.link_gbps,
        racks=np.arange(switches),
        host_switch=np.repeat(np.arange(switches), hosts_per_switch),
        access_gbps=params.access_gbps,
        layout=layout,
    )


def server_plane(
    servers: int,
    switch_names: Sequence[str],
    tiers: npt.ArrayLike,
    u: npt.ArrayLike,
    v: npt.ArrayLike,
    ports: int,
    params: LinkParams,
    layout: Layout | None = None,
) -> Plane:
    """Return a server-centric plane, in which servers forward.

    Flow never transits a host, so a server is a node of the graph, of tier 0 and a rack of its own, and the host behind
    it has an access link as fast as all ports of the server together: what limits is the ports.

    The ``servers`` have the first indices, ahead of the switches; each has so many ``ports``.  Without a ``layout`` the
    plane is drawn by tiers.
    """
    return Plane.from_cables(
        [f"server{i}" for i in range(servers)] + list(switch_names),
        u,
        v,
        params.link_gbps,
        racks=np.arange(servers),
        host_switch=np.arange(servers),
        access_gbps=ports * params.link_gbps,
        tier=np.concatenate([np.zeros(servers), np.asarray(tiers)]).astype(np.int64),
        layout=layout,
    )
