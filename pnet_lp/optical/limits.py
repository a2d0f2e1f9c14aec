"""What no choice of circuits can exceed, given only the number of ports: how far from the best a heuristic can be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.throughput.bounds import Bound, compute_bounds


@dataclass(frozen=True)
class CircuitLimits:
    """Upper bounds on K over all circuits with a given number of ports at each rack.

    Attributes:
        ports_gbps: what the ports of the busiest rack carry, over what it sends or receives: ``n c / max_r d_r``.
        hops_gbps: capacity of all ports over the fewest hops that demands can take if no rack has more neighbours than
            ports: the ``moore`` bound (Singla, Godfrey, Kolla, NSDI 2014, section 4).
    """

    ports_gbps: float
    hops_gbps: float

    @property
    def tightest_gbps(self) -> float:
        """The smaller one."""
        return min(self.ports_gbps, self.hops_gbps)


def circuit_limits(traffic: TrafficMatrix, links: int, link_gbps: float) -> CircuitLimits:
    """Return upper bounds on the throughput of demands between racks over any circuits, ``links`` at each rack."""
    racks = traffic.endpoints
    sent = np.bincount(traffic.src, weights=traffic.demand, minlength=racks)
    received = np.bincount(traffic.dst, weights=traffic.demand, minlength=racks)
    ports = links * link_gbps / float(max(sent.max(), received.max()))
    bound = compute_bounds(_any_circuits(racks, links, link_gbps), traffic, ["moore"]).found["moore"]
    assert isinstance(bound, Bound)
    return CircuitLimits(ports, bound.value_gbps)


def _any_circuits(racks: int, links: int, link_gbps: float) -> Network:
    """Return some network with ``links`` cables at every rack, which is all that the ``moore`` bound looks at.

    Two rings of cables in turn, u to u + 1, give each rack two of them; where ``links`` is odd a further matching gives
    one, and where the racks are odd in number too, one rack gets one more than it has ports, which loosens the bound.
    """
    u = np.repeat(np.arange(racks), links // 2)
    if links % 2:
        u = np.concatenate([u, np.arange(0, racks, 2)])
    plane = Plane.from_cables(racks, u, (u + 1) % racks, link_gbps, racks=np.arange(racks))
    return Network.from_planes([plane])


def gap(value_gbps: float, limit_gbps: float) -> float:
    """Return how far ``value_gbps`` is below ``limit_gbps``, as a part of the limit; 0 where nothing limits."""
    return 1 - value_gbps / limit_gbps if math.isfinite(limit_gbps) and limit_gbps > 0 else 0.0
