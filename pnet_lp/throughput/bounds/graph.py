"""Graphs that bounds are computed on: all switches of the planes that differ, and the same with each site one node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pnet_lp.model import Network
from pnet_lp.model.arcs import usable_arcs
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.distances import Sites

if TYPE_CHECKING:
    import scipy.sparse as sp


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Wiring:
    """The switches of the distinct planes numbered in one sequence.

    Planes that are one and the same count as one whose links are as many times as fast: the cheapest cut of each is the
    cheapest cut of all.

    Attributes:
        distinct: int32 ``[P]``, which distinct plane each plane is.
        first: int32 ``[D]``, a plane that is each distinct one.
        copies: float64 ``[D]``, how many are.
        offset: int32 ``[D + 1]``, where the switches of each distinct plane begin.
        tail, head: int32 ``[A]``, ends of each link that carries anything.
        capacity: float64 ``[A]``, Gb/s in all copies together.
    """

    distinct: IntArray
    first: IntArray
    copies: FloatArray
    offset: IntArray
    tail: IntArray
    head: IntArray
    capacity: FloatArray

    @classmethod
    def of(cls, network: Network) -> Wiring:
        """Return the wiring of ``network``."""
        number: dict[str, int] = {}
        distinct = [number.setdefault(plane.fingerprint, len(number)) for plane in network.planes]
        first = [distinct.index(d) for d in range(len(number))]
        copies = np.bincount(distinct).astype(np.float64)
        offset = np.cumsum([0, *(network.planes[p].switch_count for p in first)])
        arcs = usable_arcs(network)
        tails, heads, capacities = [], [], []
        for d, p in enumerate(first):
            own = slice(int(arcs.ptr[p]), int(arcs.ptr[p + 1]))
            tails.append(arcs.tail[own] + offset[d])
            heads.append(arcs.head[own] + offset[d])
            capacities.append(arcs.capacity[own] * copies[d])
        return cls(
            ints(distinct),
            ints(first),
            floats(copies),
            ints(offset),
            ints(np.concatenate(tails)),
            ints(np.concatenate(heads)),
            floats(np.concatenate(capacities)),
        )

    @property
    def switch_count(self) -> int:
        """Switches of the distinct planes together."""
        return int(self.offset[-1])

    def places(self, switch: IntArray) -> IntArray:
        """Return ``[n, D]`` from the switches ``[n, P]`` of n things in each plane; -1 stays."""
        there = switch[:, self.first]
        return ints(np.where(there >= 0, there + self.offset[:-1], -1)).reshape(there.shape)

    def by_plane(self, side: BoolArray) -> tuple[BoolArray, ...]:
        """Return a side of the switches plane by plane, the same in all copies."""
        return tuple(side[self.offset[d] : self.offset[d + 1]] for d in self.distinct.tolist())


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class SiteGraph:
    """Sites joined by links: a switch with one site is a part of its site's node, in every plane.

    A cut between nodes is a cut of the network that separates no such site from its switches.  Nodes ``[0, sites)`` are
    sites; the rest are switches without a site, or with several.

    Attributes:
        sites: number of sites.
        node: int32 ``[switches]``, the node of each switch of the wiring.
        capacity: ``[nodes, nodes]``, Gb/s from node to node.
        demand: ``[nodes, nodes]``, what sites ask to send to other sites.
    """

    sites: int
    node: IntArray
    capacity: sp.csr_array
    demand: sp.csr_array

    @classmethod
    def of(cls, wiring: Wiring, sites: Sites, src: IntArray, dst: IntArray, demand: FloatArray) -> SiteGraph:
        """Return the graph of ``sites`` with demands from site ``src`` to site ``dst``."""
        places = wiring.places(sites.switch)
        site, plane = np.nonzero(places >= 0)
        there = places[site, plane]
        alone = np.bincount(there, minlength=wiring.switch_count) == 1
        node = np.full(wiring.switch_count, -1)
        node[there] = site
        free = np.flatnonzero(~alone)
        node[free] = sites.count + np.arange(len(free))
        count = sites.count + len(free)
        return cls(
            sites.count,
            ints(node),
            _matrix(node[wiring.tail], node[wiring.head], wiring.capacity, count),
            _matrix(src, dst, demand, count),
        )

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return int(self.capacity.shape[0])


def _matrix(row: IntArray, column: IntArray, value: FloatArray, count: int) -> sp.csr_array:
    """Return ``[count, count]`` with equal entries added up and the diagonal left out."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    off = row != column
    matrix = sp.csr_array(sp.coo_array((value[off], (row[off], column[off])), shape=(count, count)))
    matrix.sum_duplicates()
    return matrix
