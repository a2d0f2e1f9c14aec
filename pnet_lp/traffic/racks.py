"""From demands between hosts to demands between their racks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import IntArray
from pnet_lp.model.brief import brief
from pnet_lp.traffic.places import racks_of_hosts


@brief()
@dataclass(frozen=True, repr=False)
class RackTraffic:
    """A host-level matrix as its racks see it.

    Attributes:
        matrix: the demands between racks.
        inside: sum of the demands between hosts of one rack, which no link between switches sees and ``matrix`` lacks.
        inside_count: number of pairs of hosts with such a demand.
    """

    matrix: TrafficMatrix
    inside: float
    inside_count: int


def aggregate(traffic: TrafficMatrix, network: Network) -> RackTraffic:
    """Return ``traffic``, demands between hosts, added up by rack.

    The total is kept: it is that of the matrix and ``inside`` together.

    Raises:
        TrafficError: the matrix is not between the hosts of ``network``, or a host with a demand is in no rack or in
            different racks of different planes.
        TopologyError: the planes do not share their racks.
    """
    where = traffic.label or "traffic"
    network.check_level("rack")
    if (traffic.level, traffic.endpoints) != ("host", network.host_count):
        raise TrafficError(
            f"the matrix is between {traffic.endpoints} {traffic.level}s",
            where=where,
            allowed=f"demands between the network's {network.host_count} hosts",
        )
    rack = _common_racks(network, np.union1d(traffic.src, traffic.dst), where)
    src, dst = rack[traffic.src], rack[traffic.dst]
    away = src != dst
    matrix = TrafficMatrix.from_entries(
        "rack", network.rack_count, src[away], dst[away], traffic.demand[away], label=traffic.label
    )
    return RackTraffic(matrix, float(traffic.demand[~away].sum()), int((~away).sum()))


def _common_racks(network: Network, hosts: IntArray, where: str) -> IntArray:
    """Return the rack of each host, the same in every plane for all ``hosts``."""
    racks = [racks_of_hosts(plane) for plane in network.planes]
    first = racks[0]
    for index, other in enumerate(racks):
        wrong = hosts[(other[hosts] != first[hosts]) | (other[hosts] < 0)]
        if not wrong.size:
            continue
        host = int(wrong[0])
        name = network.host_names[host]
        if other[host] < 0:
            raise TrafficError(f"host {name!r} is in no rack of plane {index}", where=where)
        raise TrafficError(
            f"host {name!r} is in rack {network.rack_names[first[host]]!r} of plane 0 and in "
            f"{network.rack_names[other[host]]!r} of plane {index}",
            where=where,
            allowed="planes whose racks hold the same hosts",
        )
    return first
