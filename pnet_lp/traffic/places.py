"""Where endpoints are: in which rack, in which pod."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.model import Plane
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.components import components
from pnet_lp.traffic.base import TrafficContext

_AGGREGATION = 1
"""The tier that joins the racks of a pod."""


def racks_of_hosts(plane: Plane) -> IntArray:
    """Return int32 ``[hosts]``: the rack of each host in ``plane``, -1 where it is in none."""
    rack = np.full(plane.switch_count + 1, -1)
    rack[plane.rack_switch] = np.arange(len(plane.rack_switch))
    # A host without a link has switch -1, which is the last place here, and no rack's.
    return ints(rack[plane.host_switch])


def racks_of_endpoints(context: TrafficContext) -> IntArray:
    """Return int32 ``[endpoints]``: the rack of each endpoint in the first plane.

    Raises:
        TrafficError: a host is in no rack of the first plane.
    """
    if context.level == "rack":
        return ints(np.arange(context.endpoints))
    return _racks_of_all_hosts(context)


def _racks_of_all_hosts(context: TrafficContext) -> IntArray:
    network = context.network
    racks = racks_of_hosts(network.planes[0])
    # A host that failures have cut off from the first plane is in the rack that it has in another one.
    for plane in network.planes[1:] if network.common_racks else ():
        racks = ints(np.where(racks < 0, racks_of_hosts(plane), racks))
    if (lost := np.flatnonzero(racks < 0)).size:
        raise TrafficError(
            f"host {network.host_names[int(lost[0])]!r} is in no rack of the first plane", where=context.label
        )
    return racks


def pods_of_racks(plane: Plane) -> IntArray | None:
    """Return int32 ``[racks]``: the pod of each rack, or None where ``plane`` has no pods.

    The pods are what is left connected by the two lowest tiers: the racks under common aggregation switches.  A plane
    without a third tier has none, nor has one in which all racks are in one pod.
    """
    if plane.tier.max() <= _AGGREGATION:
        return None
    low = plane.tier <= _AGGREGATION
    kept = low[plane.cable_u] & low[plane.cable_v]
    component = components(plane.switch_count, plane.cable_u[kept], plane.cable_v[kept])
    names, pod = np.unique(component[plane.rack_switch], return_inverse=True)
    return ints(pod) if len(names) > 1 else None


def in_drawn_racks(context: TrafficContext, share: float, random: np.random.Generator) -> BoolArray:
    """Return bool ``[endpoints]``: who is in the racks drawn, a ``share`` of all, rounded, but at least one."""
    inhabited, rack = np.unique(racks_of_endpoints(context), return_inverse=True)
    count = len(inhabited)
    drawn = np.zeros(count, dtype=np.bool_)
    drawn[random.permutation(count)[: max(1, round(share * count))]] = True
    return drawn[rack]


Span: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Begin and end (exclusive) of runs of places, one run per entry."""


def spans(groups: npt.NDArray[np.int32]) -> Span:
    """Return the run of equal values that holds each place of ``groups``."""
    begins = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    lengths = np.diff(np.r_[begins, len(groups)])
    return np.repeat(begins, lengths), np.repeat(begins + lengths, lengths)


def drawn_between(random: np.random.Generator, outer: Span, inner: Span) -> npt.NDArray[np.int64]:
    """Return, for each, one of the places in its span ``outer`` but not in ``inner``, which lies within it."""
    gap = inner[1] - inner[0]
    drawn: npt.NDArray[np.int64] = outer[0] + random.integers(0, outer[1] - outer[0] - gap)
    return drawn + np.where(drawn >= inner[0], gap, 0)


def hosts_of_endpoints(context: TrafficContext) -> FloatArray:
    """Return float64 ``[endpoints]``: the hosts of each rack in the first plane; 1 each where there are none.

    Raises:
        TrafficError: a host is in no rack of the first plane.
    """
    network = context.network
    if context.level == "host" or network.host_count == 0:
        return floats(np.ones(context.endpoints))
    return floats(np.bincount(_racks_of_all_hosts(context), minlength=network.rack_count))
