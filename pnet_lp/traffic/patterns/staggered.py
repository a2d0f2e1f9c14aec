"""Traffic with locality: much of it stays in the rack or in the pod."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.arrays import IntArray
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.matching import random_bijection
from pnet_lp.traffic.places import drawn_between, pods_of_racks, racks_of_endpoints, spans

_DRAWS = 1000
"""Draws before giving up on one that can be made one to one."""


class StaggeredParams(Params):
    """Parameters of ``staggered``."""

    edge: float = Field(ge=0, le=1, description="probability of a destination in the same rack (paper: EdgeP)")
    pod: float = Field(
        ge=0, le=1, description="probability of a destination in another rack of the same pod (paper: PodP)"
    )
    bijective: bool = Field(
        False, description="whether every host also receives from exactly one, as in Hedera's evaluation"
    )
    seed: OwnSeed = None

    @model_validator(mode="after")
    def _at_most_one(self) -> StaggeredParams:
        if self.edge + self.pod > 1:
            raise ValueError(f"edge and pod are probabilities of one draw, and {self.edge + self.pod:g} is above 1")
        return self


@traffics.register(
    "staggered",
    params=StaggeredParams,
    example="edge=0.5,pod=0.3",
    summary="1.0 from every host to a random one in its rack, its pod or elsewhere, with given probabilities",
    source="Al-Fares et al.: Hedera, NSDI 2010, figure 9 (stag): staggered prob (EdgeP, PodP)",
)
def staggered(params: StaggeredParams, context: TrafficContext) -> TrafficMatrix:
    """Return a demand of 1.0 per host, to a destination drawn evenly from those of its kind.

    Racks and pods are those of the first plane.  Where a network has no pods and ``pod`` is 0, each rack counts as one,
    so that all that leaves a rack goes anywhere.  ``bijective`` draws kinds until destinations can be one to one, and
    then destinations: in a small network that changes the probabilities of the kinds.

    Raises:
        TrafficError: demands between racks; no pods; a host without a destination in its rack, its pod or
            elsewhere; no draw that is one to one.
    """
    if context.level == "rack":
        raise TrafficError("staggered traffic is between the hosts of racks", where=context.label, allowed="level=host")
    rack = racks_of_endpoints(context)
    pod = _pods(params, context)[rack]
    n = context.endpoints
    order = np.lexsort((rack, pod))  # the hosts of a rack, and of a pod, are neighbours
    place = np.arange(n)
    reach = [(place, place + 1), spans(rack[order]), spans(pod[order]), (np.zeros_like(place), np.full(n, n))]
    begin, end = np.array([span[0] for span in reach]), np.array([span[1] for span in reach])
    # Of each kind (rack, pod, elsewhere) those that are within one span and not in the one inside it.
    room = np.diff(end - begin, axis=0)
    limits = np.array([params.edge, params.edge + params.pod])
    for scope, (chance, where) in enumerate(
        zip(np.diff(limits, prepend=0, append=1), ("in its rack", "in its pod", "outside its pod"), strict=True)
    ):
        if chance > 0 and (lonely := np.flatnonzero(room[scope] == 0)).size:
            name = context.network.host_names[int(order[lonely[0]])]
            raise TrafficError(f"host {name!r} has no destination {where}", where=context.label)
    draw = context.random("staggered", params.seed)
    if params.bijective:
        return context.matrix(order, order[_one_to_one(limits, rack[order], pod[order], draw, context)])
    kind = np.searchsorted(limits, draw.random(n), side="right")
    outer, inner = (kind + 1, place), (kind, place)
    drawn = drawn_between(draw, (begin[outer], end[outer]), (begin[inner], end[inner]))
    return context.matrix(order, order[drawn])


def _one_to_one(
    limits: npt.NDArray[np.float64], rack: IntArray, pod: IntArray, draw: np.random.Generator, context: TrafficContext
) -> npt.NDArray[np.int64]:
    """Return the destination of each place, a permutation; the hosts of a rack and of a pod are neighbours."""
    pods = np.split(np.arange(len(pod)), np.flatnonzero(np.diff(pod)) + 1)
    for _ in range(_DRAWS):
        dst = np.full(len(pod), -1)
        if not all(_within_pod(members, limits, rack, draw, dst) for members in pods):
            break
        src, free = np.flatnonzero(dst < 0), np.setdiff1d(np.arange(len(pod)), dst)
        chosen = random_bijection(pod[src], pod[free], draw)
        if chosen is not None:
            dst[src] = free[chosen]
            return dst
    raise TrafficError(f"no draw of {_DRAWS} can be one to one", where=context.label, allowed="bijective=false")


def _within_pod(
    members: npt.NDArray[np.int64],
    limits: npt.NDArray[np.float64],
    rack: IntArray,
    draw: np.random.Generator,
    dst: npt.NDArray[np.int64],
) -> bool:
    """Set ``dst`` of the members of a pod that send to their racks and their pod; return whether that can be."""
    racks = np.split(members, np.flatnonzero(np.diff(rack[members])) + 1)
    for _ in range(_DRAWS):
        dst[members] = -1
        kind = np.searchsorted(limits, draw.random(len(members)), side="right")
        for inside in racks:
            src = inside[kind[inside - members[0]] == 0]
            chosen = random_bijection(src - inside[0], np.arange(len(inside)), draw)
            if chosen is None:
                break
            dst[src] = inside[chosen]
        else:
            src, free = members[kind == 1], np.setdiff1d(members, dst[members])
            chosen = random_bijection(rack[src], rack[free], draw)
            if chosen is not None:
                dst[src] = free[chosen]
                return True
    return False


def _pods(params: StaggeredParams, context: TrafficContext) -> IntArray:
    plane = context.network.planes[0]
    pods = pods_of_racks(plane)
    if pods is not None:
        return pods
    if params.pod > 0:
        raise TrafficError(
            "the network has no pods, which are racks under common aggregation switches below a third tier",
            where=context.label,
            allowed="pod=0, or a network such as fat-tree:k=4",
        )
    return np.arange(len(plane.rack_switch), dtype=np.int32)
