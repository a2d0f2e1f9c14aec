"""Traffic with locality: much of it stays in the rack or in the pod."""

from __future__ import annotations

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.arrays import IntArray
from pnet_lp.registry import Params
from pnet_lp.traffic.base import Context, Seed, traffics
from pnet_lp.traffic.places import drawn_between, pods_of_racks, racks_of_endpoints, spans


class StaggeredParams(Params):
    """Parameters of ``staggered``."""

    edge: float = Field(
        ge=0, le=1, description="probability of a destination in the same rack (paper: EdgeP)"
    )
    pod: float = Field(
        ge=0, le=1, description="probability of a destination in another rack of the same pod (paper: PodP)"
    )
    seed: Seed = None

    @model_validator(mode="after")
    def _at_most_one(self) -> StaggeredParams:
        if self.edge + self.pod > 1:
            raise ValueError(
                f"edge and pod are probabilities of one draw, and {self.edge + self.pod:g} is above 1"
            )
        return self


@traffics.register(
    "staggered",
    params=StaggeredParams,
    summary="1.0 from every host to a random one in its rack, its pod or elsewhere, with given probabilities",
    source="Hedera (NSDI'10), section 5.3: staggered prob (EdgeP, PodP)",
)
def staggered(params: StaggeredParams, context: Context) -> TrafficMatrix:
    """Return a demand of 1.0 per host, to a destination drawn evenly from those of its kind.

    Racks and pods are those of the first plane.  Where a network has no pods and ``pod`` is 0, each rack counts as one,
    so that all that leaves a rack goes anywhere.

    Raises:
        TrafficError: demands between racks; no pods; a host without anybody to send to in its rack, its pod or
            elsewhere.
    """
    if context.level == "rack":
        raise TrafficError(
            "staggered traffic is between the hosts of racks", where=context.label, allowed="--level host"
        )
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
        zip(
            np.diff(limits, prepend=0, append=1),
            ("in its rack", "in its pod", "outside its pod"),
            strict=True,
        )
    ):
        if chance > 0 and (lonely := np.flatnonzero(room[scope] == 0)).size:
            name = context.network.host_names[int(order[lonely[0]])]
            raise TrafficError(f"host {name!r} has nobody to send to {where}", where=context.label)
    draw = context.random("staggered", params.seed)
    kind = np.searchsorted(limits, draw.random(n), side="right")
    outer, inner = (kind + 1, place), (kind, place)
    drawn = drawn_between(draw, (begin[outer], end[outer]), (begin[inner], end[inner]))
    return context.matrix(order, order[drawn])


def _pods(params: StaggeredParams, context: Context) -> IntArray:
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
