"""Where hosts attach."""

from __future__ import annotations

import numpy as np

from pnet_lp.errors import SpecError
from pnet_lp.model import Plane
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.topology.family import check_size


def spread_hosts(hosts: int, switches: int) -> IntArray:
    """Return int32 ``[hosts]``, the switch of each host: as even as possible, neighbours in index together.

    The larger racks are spread over all indices rather than coming first, and nothing is drawn at random, so every
    plane of a network places its hosts alike.
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
        TopologyError: a speed that is no speed.
    """
    if per_switch < 0:
        raise SpecError("a negative number of hosts", where="--hosts-per-switch", found=per_switch)
    if per_switch == 0 or plane.host_count:
        return plane
    check_size("--hosts-per-switch", hosts=per_switch * len(plane.rack_switch))
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
    )
