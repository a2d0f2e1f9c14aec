"""The bound of the access links: no host sends or receives more than its links carry."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from pnet_lp.model import Plane
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.servers import Servers
from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Instance, Silent
from pnet_lp.throughput.bounds.witness import AccessLinks


@BOUNDS.register("nic", summary="access links of a host in all planes, over what it sends or receives")
def nic(instance: Instance) -> Bound:
    """Return the smallest ratio of access speed to demand, over hosts and directions."""
    if instance.level == "rack":
        raise Silent("access links do not limit racks")
    if instance.given.servers is not None:
        return _of_servers(instance, instance.given.servers)
    problem = instance.problem
    best: tuple[float, AccessLinks] | None = None
    sent, received = problem.demands.totals(problem.attach.shape[1])
    for direction, demand, speed in (("up", sent, problem.access_up), ("down", received, problem.access_down)):
        total = speed.sum(axis=0)
        busy = np.flatnonzero(demand)
        worst = busy[np.argmin(total[busy] / demand[busy])]
        value = float(total[worst] / demand[worst])
        if best is None or value < best[0]:
            members = np.flatnonzero(problem.endpoint_class == worst)
            links = AccessLinks(
                int(members[0]),
                len(members),
                "up" if direction == "up" else "down",
                float(total[worst]),
                float(demand[worst]),
            )
            best = value, links
    assert best is not None  # there is a demand, and it has a source
    return Bound(best[0], exact=True, witness=best[1])


def _of_servers(instance: Instance, servers: Servers) -> Bound:
    """Return the smallest ratio of the speed of network cards to what has to pass them.

    That is what goes to other servers, over all cards of a server; over an accelerator's own where none forwards at
    that end.
    """
    traffic, hosts = instance.traffic, instance.given.host_count
    pairs = traffic.pairs
    away = pairs.src // servers.size != pairs.dst // servers.size
    best: tuple[float, AccessLinks | None] = math.inf, None
    ends: tuple[tuple[Literal["up", "down"], IntArray, bool], ...] = (
        ("up", pairs.src, servers.relay == "none"),
        ("down", pairs.dst, servers.relay in ("none", "source")),
    )
    for direction, end, alone in ends:
        together = 1 if alone else servers.size
        speeds = [_speeds(plane, direction) for plane in instance.given.planes]
        speed = np.sum(speeds, axis=0).reshape(-1, together).sum(axis=1)
        demand = np.bincount(end[away] // together, pairs.demand[away], hosts // together)
        busy = np.flatnonzero(demand)
        if not len(busy):
            continue
        worst = int(busy[np.argmin(speed[busy] / demand[busy])])
        value = float(speed[worst] / demand[worst])
        if value < best[0]:
            links = AccessLinks(worst, 1, direction, float(speed[worst]), float(demand[worst]), server=not alone)
            best = value, links
    return Bound(best[0], exact=True, witness=best[1])


def _speeds(plane: Plane, direction: Literal["up", "down"]) -> FloatArray:
    """Return what each host's port into a plane carries in a direction, Gb/s."""
    speed = plane.access_up_gbps if direction == "up" else plane.access_down_gbps
    return floats(np.where(plane.host_switch >= 0, speed, 0.0))
