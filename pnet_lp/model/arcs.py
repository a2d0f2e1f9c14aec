"""The directed links of a network in the order that the core expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.network import Network
from pnet_lp.model.plane import Plane


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Arcs:
    """The links of ``P`` planes that carry anything, ``A`` in all, plane by plane and sorted by tail.

    Attributes:
        node_count: int32 ``[P]``, switches of each plane.
        ptr: int32 ``[P + 1]``, where each plane's arcs begin.
        tail, head: int32 ``[A]``, switches, local to the plane.
        capacity: float64 ``[A]``, Gb/s, > 0; links of capacity 0 are left out.
        id: int32 ``[A]``, the arc's index in ``Plane.arcs``.
        metric: int32 ``[A]``; None where no plane has metrics, else 1 in planes without.
        partner: int32 ``[A]``, the arc that is the same link as each, itself where there is none; None where no plane
            has layers.
        inside: bool ``[A]``, whether each is inside a server; None where there are none.
    """

    node_count: IntArray
    ptr: IntArray
    tail: IntArray
    head: IntArray
    capacity: FloatArray
    id: IntArray
    metric: IntArray | None = None
    partner: IntArray | None = None
    inside: BoolArray | None = None


def usable_arcs(network: Network) -> Arcs:
    """Return the directed links of all planes that have a capacity; TopologyError where there are servers.

    Of a network with servers it takes those of its ``graph``: what does not ask for it is not defined for servers.
    """
    network.check_without_servers("this")
    tails, heads, capacities, ids, metrics = [], [], [], [], []
    partners: list[npt.NDArray[np.int64]] = []
    inside: list[BoolArray] = []
    for plane in network.planes:
        tail, head, capacity = plane.arcs
        kept = np.flatnonzero(capacity > 0)
        # Sorted by tail, so that a node's arcs are contiguous; stable, so that the order is a function of the plane.
        kept = kept[np.argsort(tail[kept], kind="stable")]
        tails.append(tail[kept])
        heads.append(head[kept])
        capacities.append(capacity[kept])
        ids.append(kept)
        metrics.append(np.ones(len(kept)) if plane.metric is None else plane.metric.ravel()[kept])
        inside.append(_inside(plane, kept // 2))
        partners.append(sum(len(others) for others in partners) + _partners(plane, kept))
    return Arcs(
        node_count=ints([plane.switch_count for plane in network.planes]),
        ptr=ints(np.cumsum([0, *map(len, tails)])),
        tail=ints(np.concatenate(tails)),
        head=ints(np.concatenate(heads)),
        capacity=floats(np.concatenate(capacities)),
        id=ints(np.concatenate(ids)),
        metric=ints(np.concatenate(metrics)) if any(plane.metric is not None for plane in network.planes) else None,
        partner=ints(np.concatenate(partners)) if any(plane.partner is not None for plane in network.planes) else None,
        inside=np.concatenate(inside) if any(plane.part_of is not None for plane in network.planes) else None,
    )


def _inside(plane: Plane, cables: npt.NDArray[np.int64]) -> BoolArray:
    """Return of each of the ``cables`` whether it is inside a server."""
    if plane.part_of is None:
        return np.zeros(len(cables), dtype=bool)
    return np.asarray((plane.part_of[cables] < 0) | (plane.part_of[cables] == plane.part_of.max(initial=0)))


def _partners(plane: Plane, kept: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return of each of the arcs ``kept`` which of them is the same link."""
    if plane.partner is None:
        return np.arange(len(kept))
    place = np.full(2 * plane.cable_count, -1)
    place[kept] = np.arange(len(kept))
    return np.asarray(place[2 * plane.partner[kept // 2].astype(np.int64) + kept % 2])
