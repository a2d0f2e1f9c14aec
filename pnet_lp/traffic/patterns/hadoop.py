"""The stages of a MapReduce job: reading blocks, shuffling, writing copies."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.seeds import OwnSeed
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.places import drawn_between, racks_of_endpoints, spans


class HadoopPattern(Params):
    """Parameters of ``hadoop``."""

    stage: Literal["read", "shuffle", "write"] = Field(
        "shuffle",
        description="read: mappers fetch blocks from other racks; shuffle: mappers send to all reducers; "
        "write: reducers store copies of their output",
    )
    mappers: float = Field(0.5, gt=0, lt=1, description="share of the endpoints that map, rounded")
    reducers: float = Field(0.5, gt=0, lt=1, description="share of the endpoints that reduce, rounded; others than map")
    copies: int = Field(3, ge=2, le=3, description="copies of each block of output, the local one included")
    seed: OwnSeed = None

    @model_validator(mode="after")
    def _apart(self) -> HadoopPattern:
        if self.mappers + self.reducers > 1:
            total = self.mappers + self.reducers
            raise ValueError(f"mappers and reducers are different endpoints, and {total:g} of all is above 1")
        return self


@traffics.register(
    "hadoop",
    params=HadoopPattern,
    summary="one stage of a MapReduce job: read, shuffle or write",
    source="Dean, Ghemawat: MapReduce: Simplified Data Processing on Large Clusters, OSDI 2004; Shvachko et al.: The "
    "Hadoop Distributed File System, MSST 2010",
)
def hadoop(params: HadoopPattern, context: TrafficContext) -> TrafficMatrix:
    """Return the demands of one stage; mappers and reducers are drawn, no endpoint is both, the same in every stage.

    read: 1.0 to each mapper from a random endpoint of another rack, the reads of a job without locality.  shuffle: each
    mapper's output is 1.0, in equal parts for all reducers.  write: HDFS's pipeline: 1.0 from each reducer to a random
    endpoint of another rack, and from there (for three copies) to another of that rack, which is a demand at host level
    only.

    Raises:
        TrafficError: a block or a copy is to come from or go to another rack, and there is none; a copy has nowhere to
            go in its rack.
    """
    random = context.random("hadoop", params.seed)
    n = context.endpoints
    drawn = random.permutation(n)
    first = min(max(1, round(params.mappers * n)), n - 1)
    mappers = drawn[:first]
    reducers = drawn[first : first + max(1, round(params.reducers * n))]
    if params.stage == "shuffle":
        context.check_demands(len(mappers) * len(reducers))
        src, dst = np.repeat(mappers, len(reducers)), np.tile(reducers, len(mappers))
        return context.matrix(src, dst, 1 / len(reducers))
    rack = racks_of_endpoints(context)
    order = np.argsort(rack, kind="stable")
    begin, end = spans(rack[order])
    if end[0] == n:
        raise TrafficError("all hosts are in one rack, and a job uses others", where=context.label)
    home = np.argsort(order)[mappers if params.stage == "read" else reducers]
    everywhere = np.zeros_like(home), np.full_like(home, n)
    away = drawn_between(random, everywhere, (begin[home], end[home]))
    if params.stage == "read":
        return context.matrix(order[away], mappers)
    if params.copies == 2 or context.level == "rack":
        return context.matrix(reducers, order[away])
    if (alone := away[end[away] - begin[away] == 1]).size:
        name = context.network.host_names[int(order[alone[0]])]
        raise TrafficError(
            f"host {name!r} has no other host in its rack for the third copy",
            where=context.label,
            allowed="copies=2, or racks of several hosts",
        )
    third = drawn_between(random, (begin[away], end[away]), (away, away + 1))
    return context.matrix(np.r_[reducers, order[away]], order[np.r_[away, third]])
