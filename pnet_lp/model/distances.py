"""Hop counts from many switches at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TopologyError
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Level, Network
from pnet_lp.model.plane import Plane

UNREACHED = np.iinfo(np.int32).max
"""The hop count of a pair without a path."""

MOST_STEPS = 100_000_000_000
"""Steps from 64 switches over a link, of a search that is begun; some minutes."""

_GATHER_BYTES = 1 << 26  # memory of one step of the search


@brief()
@dataclass(frozen=True)
class Step:
    """What a search reaches at one distance from a batch of sources.

    Attributes:
        first: index, among the sources, of the batch's first.
        hops: the distance, in switch-to-switch links; at least 1.
        at: int64 ``[r]``, the switches of interest that have links.
        new: uint64 ``[r, words]``; bit ``i`` of a row says that source ``first + i`` is ``hops`` away from the row's
            switch.
    """

    first: int
    hops: int
    at: npt.NDArray[np.int64]
    new: npt.NDArray[np.uint64]


def search(plane: Plane, ends: IntArray) -> Iterator[Step]:
    """Yield how far apart the switches ``ends`` are, nearest first; links of capacity 0 lead nowhere.

    A breadth-first search from up to thousands of switches at once: each switch holds one bit per source that has
    reached it, and a step combines the bits of each switch's neighbours.
    """
    n = plane.switch_count
    tail, head, capacity = plane.arcs
    links = np.unique(np.column_stack([head, tail])[capacity > 0], axis=0)
    heads, first = np.unique(links[:, 0], return_index=True)
    tails = links[:, 1]
    wanted = np.isin(heads, ends)
    _check_work(plane, len(links), len(ends))
    words = max(1, min(_GATHER_BYTES // (8 * max(len(links), 1)), -(-len(ends) // 64)))
    for start in range(0, len(ends), 64 * words):
        sources = ends[start : start + 64 * words]
        reached = np.zeros((n, words), dtype=np.uint64)
        bit = np.arange(len(sources))
        reached[sources, bit // 64] = np.uint64(1) << (bit % 64).astype(np.uint64)
        for hops in range(1, n if len(links) else 1):
            new = np.bitwise_or.reduceat(reached[tails], first, axis=0) & ~reached[heads]
            if not new.any():
                break
            reached[heads] |= new
            yield Step(start, hops, heads[wanted].astype(np.int64), new[wanted])


def _check_work(plane: Plane, links: int, ends: int) -> None:
    """Raise TopologyError where a search from ``ends`` switches over ``links`` links would not end in minutes."""
    steps = -(-ends // 64) * links
    if MOST_STEPS // max(plane.switch_count, 1) < steps <= MOST_STEPS:
        steps *= _eccentricity(plane)
    if steps > MOST_STEPS:
        raise TopologyError(
            f"hops between all of {ends:,} switches over {links:,} links take too long",
            where=plane.label or None,
            allowed="a smaller network",
        )


def _eccentricity(plane: Plane) -> int:
    """Return how far the farthest switch is from the first rack: at least half of the most hops there are."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

    tail, head, capacity = plane.arcs
    live = capacity > 0
    shape = (plane.switch_count, plane.switch_count)
    graph = csr_array((np.ones(int(live.sum())), (tail[live], head[live])), shape=shape)
    far = dijkstra(graph, indices=plane.rack_switch[:1], unweighted=True)
    return int(far[np.isfinite(far)].max())


def hop_matrix(plane: Plane, ends: IntArray) -> IntArray:
    """Return int32 ``[e, e]``: the hops from each of the distinct switches ``ends`` to each other.

    A pair without a path has :data:`UNREACHED`.
    """
    hops = np.full((len(ends), len(ends)), UNREACHED, dtype=np.int32)
    np.fill_diagonal(hops, 0)
    place = np.empty(plane.switch_count, dtype=np.int64)
    place[ends] = np.arange(len(ends))
    for step in search(plane, ends):
        # Bytes in the order of their bits, whatever the machine's.
        octets = step.new.astype("<u8", copy=False).view(np.uint8)
        sources = hops[step.first : step.first + 8 * octets.shape[1]]
        bits = np.unpackbits(octets, axis=1, count=len(sources), bitorder="little").view(np.bool_)
        for end, reached in zip(place[step.at].tolist(), bits, strict=True):
            sources[reached, end] = step.hops
    hops.setflags(write=False)
    return hops


@brief()
@dataclass(frozen=True)
class Sites:
    """The places where endpoints attach: endpoints of one site share their switch in every plane.

    Attributes:
        of: int32 ``[endpoints]``, the site of each endpoint.
        switch: int32 ``[sites, planes]``, its switch in each plane, -1 for none.
    """

    of: IntArray
    switch: IntArray

    @property
    def count(self) -> int:
        """Number of sites."""
        return len(self.switch)

    @property
    def sizes(self) -> IntArray:
        """int32 ``[sites]``, endpoints of each site."""
        return ints(np.bincount(self.of, minlength=self.count))


def find_sites(network: Network, level: Level) -> Sites:
    """Return where the racks or hosts of ``network`` are; each rack is a site of its own."""
    where = [plane.rack_switch if level == "rack" else plane.host_switch for plane in network.planes]
    switch, of = np.unique(np.column_stack(where), axis=0, return_inverse=True)
    return Sites(ints(of.ravel()), ints(switch))


def site_hops(network: Network, sites: Sites) -> IntArray:
    """Return int32 ``[sites, sites]``: the hops between sites, the fewest over the planes."""
    fewest = np.full((sites.count, sites.count), UNREACHED, dtype=np.int32)
    # Planes that are one and the same are searched once.
    for index in {plane.fingerprint: i for i, plane in enumerate(network.planes)}.values():
        ends, place = np.unique(sites.switch[:, index], return_inverse=True)
        attached = np.flatnonzero(sites.switch[:, index] >= 0)
        place = place.ravel()[attached] - int(ends[0] < 0)
        hops = hop_matrix(network.planes[index], ints(ends[ends >= 0]))
        pairs = np.ix_(attached, attached)
        fewest[pairs] = np.minimum(fewest[pairs], hops[np.ix_(place, place)])
    np.fill_diagonal(fewest, 0)
    fewest.setflags(write=False)
    return fewest
