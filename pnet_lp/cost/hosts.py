"""What hosts are bought with: network cards, and what is inside servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from pnet_lp.cost.bill import Part
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane


def of_hosts(network: Network, *, nics: bool, scale_up: bool) -> tuple[tuple[Part, int], ...]:
    """Return the parts that are to be counted, and how many: network cards, switches and links inside servers.

    A card has a port for each plane that its host attaches to.  What is down has been bought.

    Raises:
        SpecError: there are none.
    """
    found: Counter[Part] = Counter()
    if nics:
        if not network.host_count:
            raise SpecError("the network has no hosts", where="nics", allowed="planes with hosts")
        found += Counter(_cards(network))
    if scale_up:
        if network.servers is None:
            raise SpecError("the network has no servers", where="scale_up", allowed="a network with --server")
        servers = network.host_count // network.servers.size
        for part, count in Counter(_inside(network.servers.scale_up)).items():
            found[part] += servers * count
    return tuple(found.items())


def _cards(network: Network) -> Iterator[Part]:
    """Yield the card of each host that has one."""
    speeds = np.stack(
        [
            np.where(plane.host_switch >= 0, np.maximum(plane.access_up_gbps, plane.access_down_gbps), np.nan)
            for plane in network.planes
        ],
        axis=1,
    )
    rows, counts = np.unique(np.sort(speeds, axis=1), axis=0, return_counts=True)
    for row, count in zip(rows, counts.tolist(), strict=True):
        ports = Counter(row[~np.isnan(row)].tolist())
        for _ in range(count if ports else 0):
            yield Part.with_ports("nic", ports)


def _inside(plane: Plane) -> Iterator[Part]:
    """Yield the switches and the links of a scale-up network; its racks are accelerators where it has no hosts."""
    links = [
        (u, v, max(forth, back))
        for u, v, forth, back in zip(
            plane.cable_u.tolist(),
            plane.cable_v.tolist(),
            plane.capacity_uv_gbps.tolist(),
            plane.capacity_vu_gbps.tolist(),
            strict=True,
        )
    ]
    on = np.flatnonzero(plane.host_switch >= 0)
    attached = np.maximum(plane.access_up_gbps, plane.access_down_gbps)[on].tolist()
    links += [(-1, switch, speed) for switch, speed in zip(plane.host_switch[on].tolist(), attached, strict=True)]
    ports: dict[int, Counter[float]] = {}
    for u, v, speed in links:
        yield Part("scale-up-link", speed)
        for switch in (u, v):
            ports.setdefault(switch, Counter())[speed] += 1
    accelerators = {-1} if plane.host_count else set(plane.rack_switch.tolist())
    for switch in sorted(ports.keys() - accelerators):
        yield Part.with_ports("scale-up-switch", ports[switch])
