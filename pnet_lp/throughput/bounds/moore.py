"""The degree bound: how near everything could be, were the cables plugged in anew."""

from __future__ import annotations

import math

import numpy as np

from pnet_lp.model import Plane
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, ints
from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Instance
from pnet_lp.throughput.bounds.volume import bound_by_volume


@BOUNDS.register(
    "moore",
    summary="capacity of all links over the fewest hops that the switches' numbers of cables allow",
    source="Singla, Godfrey, Kolla: High Throughput Data Center Topology Design, NSDI 2014, section 4; Cerf, Cowan, "
    "Mullin, Stanton: A lower bound on the average shortest path length in regular graphs, Networks 1974",
)
def moore(instance: Instance) -> Bound:
    """Return the ``mean-path`` bound with hops replaced by the fewest that the numbers of cables allow.

    A site s whose switch in plane p has k cables has at most ``k b^(h-1)`` switches at exactly h hops there, where b is
    the most cables of a switch other than the one it was reached by, and each switch holds at most m sites; so at most
    ``R_s(h)``, the sum over planes of ``m (1 + k + k b + ... + k b^(h-1)) - 1``, other sites are within h hops in any
    plane.  Whichever they are, the i-th largest demand of s cannot do better than the smallest h with R_s(h) >= i, so
    the sum of demand times these h, over sources or over destinations, is at most the sum of demand times hops, and the
    capacity over it bounds K for any traffic, capacities and number of planes.

    For one plane that is d-regular, with one rack a switch and equal demands, it is the bound of Singla et al.
    """
    demand = instance.graph.demand
    src = np.repeat(np.arange(demand.shape[0]), np.diff(demand.indptr))
    hops = max(
        _fewest_hops(instance, ints(src), demand.data, outwards=True),
        _fewest_hops(instance, ints(demand.indices), demand.data, outwards=False),
    )
    value, lengths = bound_by_volume(instance.problem, hops)
    return Bound(value, exact=True, witness=lengths)


def _fewest_hops(instance: Instance, end: IntArray, demand: FloatArray, *, outwards: bool) -> float:
    """Return the least possible sum of demand times hops if every site's demands find their partners as near as can be.

    Args:
        instance: the network.
        end: the site of each demand that searches its partner.
        demand: the demands.
        outwards: whether paths lead away from the site.
    """
    order = np.lexsort((-demand, end))
    end, demand = end[order], demand[order]
    begin = np.searchsorted(end, end)
    rank = np.arange(len(end)) - begin
    sites = instance.sites
    planes = [_Reach(plane, sites.switch[:, p], outwards) for p, plane in enumerate(instance.network.planes)]
    kinds, kind = np.unique(np.stack([plane.ports for plane in planes]), axis=1, return_inverse=True)
    kind = kind.ravel()[end]
    total = 0.0
    for i, ports in enumerate(kinds.T):
        mine = kind == i
        if np.any(mine):
            reach = _reach(planes, ports, int(rank[mine].max()) + 1)
            hops = np.searchsorted(reach, rank[mine], side="right")
            if hops.max() == len(reach):
                return math.inf
            total += float((demand[mine] * hops).sum())
    return total


class _Reach:
    """What one plane lets a search reach.

    Attributes:
        ports: int64 ``[sites]``, cables of each site's switch that lead anywhere, -1 for a site that is not attached.
        branch: most cables by which a search leaves a switch that it has reached.
        shared: most sites of a switch.
    """

    def __init__(self, plane: Plane, switch: IntArray, outwards: bool) -> None:
        tail, head, capacity = plane.arcs
        usable = capacity > 0
        here, there = (tail, head) if outwards else (head, tail)
        cables = np.bincount(here[usable], minlength=plane.switch_count)
        self.ports = np.where(switch >= 0, cables[switch], -1)
        self.branch = int((cables - _leads_back(here, there, usable, plane.switch_count)).max())
        attached = switch[switch >= 0]
        self.shared = int(np.bincount(attached).max()) if len(attached) else 0


def _leads_back(here: IntArray, there: IntArray, usable: BoolArray, n: int) -> IntArray:
    """Return 1 for switches from which a usable link leads back to each neighbour that a search can come from.

    Arc 2 i + 1 is the reverse of arc 2 i, so a cable whose one direction is dead is one without a link back.
    """
    one_way = usable & ~usable.reshape(-1, 2)[:, ::-1].ravel()
    back = np.ones(n, dtype=np.int32)
    back[there[one_way]] = 0
    # A switch without any cable has none to come by.
    back[np.bincount(here[usable], minlength=n) == 0] = 0
    return back


def _reach(planes: list[_Reach], ports: IntArray, enough: int) -> list[int]:
    """Return ``R(0), R(1), ...``, how many other sites are within so many hops, until enough are or no more come."""
    # Of each attached plane: its reach, switches within the hops so far, and switches at exactly so many.
    near = [(plane, 1, int(k)) for plane, k in zip(planes, ports.tolist(), strict=True) if k >= 0]
    reach: list[int] = []
    while True:
        reach.append(sum(plane.shared * switches - 1 for plane, switches, _ in near))
        if reach[-1] >= enough or all(ring == 0 for *_, ring in near):
            return reach
        near = [(plane, switches + ring, ring * plane.branch) for plane, switches, ring in near]
