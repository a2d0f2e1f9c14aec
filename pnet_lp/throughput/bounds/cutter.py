"""The cheapest cut for given sides of the endpoints: transit switches are free to join either side in every plane."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level
from pnet_lp.throughput.bounds.base import Instance
from pnet_lp.throughput.bounds.graph import Wiring
from pnet_lp.throughput.bounds.search import Counts
from pnet_lp.throughput.bounds.witness import Cut, cut_capacity, cut_demand

_UNITS = 1 << 30
"""SciPy's flows are 32-bit integers, so capacities become multiples of about their sum over this.  Only which cut is
found depends on it, not what the cut is said to carry."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class EndpointGroups:
    """Endpoints that attach to the same switches at the same speeds, so that only their number on each side matters.

    Attributes:
        of: int32 ``[endpoints]``, -1 for endpoints that are on no side.
        site: int32 ``[G]``, the site of each group.
        place: int32 ``[G, D]``, its switch in the wiring, by distinct plane, -1 for none.
        up, down: float64 ``[G, D]``, Gb/s of one member's access links in all copies of the plane.
        size: int64 ``[G]``, members.
    """

    of: IntArray
    site: IntArray
    place: IntArray
    up: FloatArray
    down: FloatArray
    size: Counts

    @classmethod
    def build(cls, instance: Instance, counted: BoolArray) -> EndpointGroups:
        """Return the groups of the endpoints that are ``counted``."""
        wiring, sites, network = instance.wiring, instance.sites, instance.network
        chosen = np.flatnonzero(counted)
        speeds = np.full((2, len(wiring.first), len(chosen)), np.inf)
        if instance.level == "host":
            for d, p in enumerate(wiring.first.tolist()):
                plane = network.planes[p]
                speeds[0, d] = plane.access_up_gbps[chosen] * wiring.copies[d]
                speeds[1, d] = plane.access_down_gbps[chosen] * wiring.copies[d]
        keys = np.vstack([sites.of[chosen][None], *speeds])
        _, first, label = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        of = np.full(len(counted), -1)
        of[chosen] = label.ravel()
        site = sites.of[chosen[first]]
        shape = (len(first), len(wiring.first))
        return cls(
            ints(of),
            ints(site),
            wiring.places(sites.switch[site]),
            floats(speeds[0].T[first]).reshape(shape),
            floats(speeds[1].T[first]).reshape(shape),
            np.bincount(label.ravel()),
        )


class Cutter:
    """Finds cuts of an instance by the sides of its endpoints.

    Args:
        instance: the network and its traffic.
        counted: bool ``[endpoints]``, those that must be on a side.
    """

    def __init__(self, instance: Instance, counted: BoolArray) -> None:
        self._instance = instance
        self._counted = counted
        self.groups = EndpointGroups.build(instance, counted)

    @property
    def wiring(self) -> Wiring:
        """The switches and links that are cut."""
        return self._instance.wiring

    @property
    def level(self) -> Level:
        """The level of the endpoints."""
        return self._instance.level

    def cut(self, sending: Counts) -> Cut:
        """Return the cheapest cut with ``sending[g]`` members of each group, its first ones, on the sending side."""
        side = self._switches(sending)
        of = self.groups.of
        order = np.argsort(of, kind="stable")
        begin = np.searchsorted(of[order], of[order])
        rank = np.empty(len(of), dtype=np.int64)
        rank[order] = np.arange(len(of)) - begin
        endpoints = (of >= 0) & (rank < sending[of])
        return self._cut(endpoints, side)

    def capacity(self, sending: Counts) -> float:
        """Return the Gb/s of :meth:`cut`, without adding up demands."""
        wiring, groups = self.wiring, self.groups
        side = self._switches(sending)
        group, plane = np.nonzero(groups.place >= 0)
        there = side[groups.place[group, plane]]
        core = float(wiring.capacity[side[wiring.tail] & ~side[wiring.head]].sum())
        members = np.where(there, groups.size[group] - sending[group], sending[group])
        speed = np.where(there, groups.down[group, plane], groups.up[group, plane])
        cut = members > 0
        return core + float((members[cut] * speed[cut]).sum())

    def opposite(self, cut: Cut) -> Cut:
        """Return the cheapest cut between the same two sets of endpoints, in the other direction."""
        endpoints = self._counted & ~cut.endpoints
        sending = np.bincount(self.groups.of[endpoints], minlength=len(self.groups.size))
        return self._cut(endpoints, self._switches(sending))

    def _cut(self, endpoints: BoolArray, side: BoolArray) -> Cut:
        network, traffic = self._instance.network, self._instance.traffic
        cut = Cut(endpoints, self._counted, self.wiring.by_plane(side), 0.0, 0.0)
        capacity, demand = cut_capacity(network, self.level, cut), cut_demand(traffic, cut)
        return replace(cut, capacity_gbps=capacity, demand=demand)

    def _switches(self, sending: Counts) -> BoolArray:
        """Return the side of each switch in a minimum cut between the endpoints (Ford and Fulkerson 1956)."""
        wiring, groups = self.wiring, self.groups
        n = wiring.switch_count
        source, sink = n, n + 1
        group, plane = np.nonzero(groups.place >= 0)
        place = groups.place[group, plane]
        # Gb/s between the endpoints of each side and each switch; infinite at rack level.
        ends = {"into": (sending, groups.up), "out": (groups.size - sending, groups.down)}
        access = {}
        for key, (count, speed) in ends.items():
            some = count[group] > 0
            rates = np.zeros(len(group))
            np.multiply(count[group], speed[group, plane], out=rates, where=some)
            access[key] = np.bincount(place, weights=rates, minlength=n)
        finite = [wiring.capacity, *(rates[np.isfinite(rates)] for rates in access.values())]
        unit = max(sum(float(rates.sum()) for rates in finite), 1e-300) / (_UNITS - len(wiring.capacity) - 2 * n)
        switch = np.arange(n)
        tail = np.concatenate([wiring.tail, np.full(n, source), switch])
        head = np.concatenate([wiring.head, switch, np.full(n, sink)])
        rates = np.concatenate([wiring.capacity, access["into"], access["out"]])
        scaled = np.ceil(np.minimum(rates / unit, _UNITS)).astype(np.int64)
        graph = sp.csr_array(sp.coo_array((scaled, (tail, head)), shape=(n + 2, n + 2)))
        graph.sum_duplicates()
        # Cables and access links of one pair may add up beyond the type's range only if they were infinite.
        graph.data = np.minimum(graph.data, _UNITS).astype(np.int32)
        graph = graph.astype(np.int32)
        flow = maximum_flow(graph, source, sink).flow
        left = sp.csr_array(graph - flow)
        left.eliminate_zeros()
        reached = breadth_first_order(left, source, return_predecessors=False)
        side = np.zeros(n + 2, dtype=np.bool_)
        side[reached] = True
        return side[:n]
