"""Where endpoints are, and how many hops apart, by the core's search from many places at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp import _core
from pnet_lp.errors import TopologyError
from pnet_lp.model.arcs import Arcs, usable_arcs
from pnet_lp.model.arrays import BoolArray, IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.hops import HopDistribution
from pnet_lp.model.network import Level, Network
from pnet_lp.model.plane import Plane

UNREACHED = np.iinfo(np.int32).max
"""The hop count of a pair without a path."""

_SOURCES = 256
"""Sites that the core searches from at once."""

_MOST_STEPS = 10_000_000_000
"""Steps of such a search over a link for which searches are begun; some minutes."""


@brief()
@dataclass(frozen=True, repr=False)
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


def searchable(arcs: Arcs, sites: Sites, *, by_metric: bool = False) -> _core.Planes:
    """Return the planes for the core to search from every site, by hops unless ``by_metric``.

    Raises:
        TopologyError: that would take too long.
    """
    planes = _core.Planes(
        arcs.node_count, arcs.ptr, arcs.tail, arcs.head, ints(sites.switch.T), arcs.metric if by_metric else None
    )
    # A link is passed whenever some of the sources come over it that had not: seldom where all is near.
    steps = -(-sites.count // _SOURCES) * len(arcs.tail)
    if steps <= _MOST_STEPS < steps * _SOURCES:
        steps *= min(_SOURCES, _farthest(planes, arcs, sites))
    if steps > _MOST_STEPS:
        raise TopologyError(
            f"hops between all of {sites.count:,} places over {len(arcs.tail):,} links take too long",
            allowed="a smaller network",
        )
    return planes


def _nothing_down(arcs: Arcs, sites: Sites) -> tuple[BoolArray, BoolArray]:
    return np.zeros((1, len(arcs.tail)), dtype=np.bool_), np.zeros((1, sites.switch.size), dtype=np.bool_)


def _farthest(planes: _core.Planes, arcs: Arcs, sites: Sites) -> int:
    """Return how far the farthest site is from the first: at least half of the most hops there are."""
    everywhere = np.arange(sites.count, dtype=np.int32)
    down = _nothing_down(arcs, sites)
    return int(_core.hops_between(planes, np.zeros_like(everywhere), everywhere, *down, threads=0).max())


def count_rack_hops(plane: Plane) -> HopDistribution:
    """Return the hops between all ordered pairs of distinct racks of a plane; links of capacity 0 lead nowhere."""
    network = Network((plane,), "serial", common_racks=True)
    arcs, sites = usable_arcs(network), find_sites(network, "rack")
    down = _nothing_down(arcs, sites)
    (pairs,) = _core.count_hops(searchable(arcs, sites), sites.sizes, *down, threads=0).tolist()
    return HopDistribution(tuple(pairs), sites.count * (sites.count - 1) - sum(pairs))


def site_hops(network: Network, sites: Sites) -> IntArray:
    """Return int32 ``[sites, sites]``: the hops between sites, the fewest over the planes, or :data:`UNREACHED`."""
    arcs = usable_arcs(network)
    planes = searchable(arcs, sites)
    down = _nothing_down(arcs, sites)
    everywhere = np.arange(sites.count, dtype=np.int32)
    fewest = np.empty((sites.count, sites.count), dtype=np.int32)
    for first in range(0, sites.count, _SOURCES):
        here = everywhere[first : first + _SOURCES]
        src, dst = np.repeat(here, sites.count), np.tile(everywhere, len(here))
        fewest[here] = _core.hops_between(planes, src, dst, *down, threads=0).reshape(len(here), -1)
    fewest[fewest < 0] = UNREACHED
    np.fill_diagonal(fewest, 0)
    fewest.setflags(write=False)
    return fewest
