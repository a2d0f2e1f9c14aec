"""The one plane that a network with servers is drawn as: accelerators, scale-up switches, then all planes' switches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pnet_lp.drawing.places import find_places
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.layout import Layout
from pnet_lp.model.servers import Servers, one_graph
from pnet_lp.questions.throughput.links import link_table

_BETWEEN, _APART = 0.9, 1.5
"""Between two servers, and between two planes."""


@dataclass(frozen=True)
class _Given(Layout):
    """Places as they are."""

    spots: FloatArray

    def places(self, switches: int) -> FloatArray:
        """See :meth:`Layout.places`."""
        del switches
        return self.spots


@brief("plane")
@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A network with servers as one plane.

    Attributes:
        plane: what is drawn; ports of network cards that are down are left out.
        part: int32 ``[m]``, the plane of the network of each cable; the number of planes inside servers.
        kept: int64 ``[m]``, the cables among all, ports that are down included.
    """

    plane: Plane
    part: IntArray
    kept: npt.NDArray[np.int64]

    @classmethod
    def of(cls, network: Network, servers: Servers) -> Picture:
        """Return that of a network with servers."""
        (graph,) = one_graph(network.planes, replace(servers, relay="any"))
        assert graph.part_of is not None
        accelerator = np.arange(graph.switch_count) < network.host_count
        inside = graph.part_of == network.plane_count
        port = ~inside & (accelerator[graph.cable_u] | accelerator[graph.cable_v])
        kept = np.flatnonzero(~port | (graph.capacity_uv_gbps > 0) | (graph.capacity_vu_gbps > 0))
        plane = Plane.from_cables(
            graph.switch_count,
            graph.cable_u[kept],
            graph.cable_v[kept],
            graph.capacity_uv_gbps[kept],
            capacity_back_gbps=graph.capacity_vu_gbps[kept],
            racks=graph.rack_switch,
            label=network.planes[0].label,
            layout=_Given(_places(network, servers)),
        )
        # Switches of several planes have the same names.
        return cls(replace(plane, switch_names=graph.switch_names), ints(graph.part_of[kept]), kept)

    @property
    def network(self) -> Network:
        """The plane as a network."""
        return Network((self.plane,), "serial", common_racks=True)

    def values(
        self, network: Network, servers: Servers, traffic: TrafficMatrix, result: ThroughputResult
    ) -> tuple[FloatArray, FloatArray]:
        """Return float64 ``[2 m]`` twice: load and length of both directions of each cable, of a result."""
        table = link_table(network, traffic, result)
        plane, kind, tail = (np.array(table[name], dtype=object) for name in ("plane", "kind", "u"))
        number = np.array(table["cable"], dtype=np.int64)
        both = np.column_stack([np.array(table[key], dtype=np.float64) for key in ("load_gbps", "length")])
        host = {name: i for i, name in enumerate(network.host_names)}
        found = [both[kind == "server"]]
        for p in range(network.plane_count):
            ports = np.zeros((network.host_count, 2, 2))
            for row in np.flatnonzero((plane == p) & (kind == "access")).tolist():
                ports[number[row], 0 if host.get(tail[row]) == number[row] else 1] = both[row]
            on = np.arange(network.host_count) % servers.size % servers.rails == p % servers.rails
            found += [ports[on].reshape(-1, 2), both[(plane == p) & (kind == "core")]]
        load, length = (np.concatenate([part[:, i] for part in found]).reshape(-1, 2) for i in range(2))
        return floats(load[self.kept].ravel()), floats(length[self.kept].ravel())


def inner_switches(servers: Servers) -> int:
    """Return how many scale-up switches a server has."""
    return servers.scale_up.switch_count - (0 if servers.scale_up.host_count else servers.size)


def _places(network: Network, servers: Servers) -> FloatArray:
    """Return where accelerators, scale-up switches below them, and planes above them stand."""
    hosts, size, inner = network.host_count, servers.size, inner_switches(servers)
    number = np.arange(hosts)
    row = number + _BETWEEN * (number // size)
    count = hosts // size
    below = np.repeat(row[::size] - 0.5, inner) + np.tile((np.arange(inner) + 0.5) * size / max(inner, 1), count)
    spots = [np.column_stack([row, np.zeros(hosts)]), np.column_stack([below, np.full(len(below), -1.0)])]
    planes = [find_places(plane) for plane in network.planes]
    widths = [float(np.ptp(place[:, 0])) for place in planes]
    slot = max((row[-1] + 1) / len(planes), max(widths) + _APART)
    begin = (row[-1] - slot * len(planes)) / 2
    above = max(1.6, 0.1 * slot * len(planes))
    for p, (place, width) in enumerate(zip(planes, widths, strict=True)):
        left = begin + slot * p + (slot - width) / 2
        spots.append(place - place.min(axis=0) + (left, above))
    return floats(np.concatenate(spots))
