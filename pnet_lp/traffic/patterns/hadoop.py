"""The stages of a MapReduce job: reading blocks, shuffling, writing copies."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.model import TrafficMatrix
from pnet_lp.registry import Params
from pnet_lp.traffic.base import Context, Seed, traffics
from pnet_lp.traffic.places import drawn_between, racks_of_endpoints, spans


class HadoopParams(Params):
    """Parameters of ``hadoop``."""

    stage: Literal["read", "shuffle", "write"] = Field(
        "shuffle",
        description="read: mappers fetch their blocks; shuffle: mappers send to all reducers; "
        "write: reducers store copies of their output",
    )
    mappers: float = Field(1.0, gt=0, le=1, description="share of the endpoints that map, rounded")
    reducers: float = Field(0.5, gt=0, le=1, description="share of the endpoints that reduce, rounded")
    copies: int = Field(3, ge=2, le=3, description="copies of each block of output, the local one included")
    seed: Seed = None


@traffics.register(
    "hadoop",
    params=HadoopParams,
    summary="one stage of a MapReduce job: read, shuffle or write",
    source="Dean, Ghemawat: MapReduce, OSDI 2004; Shvachko et al.: The Hadoop Distributed File System, MSST 2010",
)
def hadoop(params: HadoopParams, context: Context) -> TrafficMatrix:
    """Return the demands of one stage; mappers and reducers are drawn, and may be the same endpoints.

    read: 1.0 to each mapper from a random other endpoint, the remote reads of a job without locality.  shuffle: each
    mapper's output is 1.0, in equal parts for all reducers; the part for itself is no demand.  write: HDFS's pipeline:
    1.0 from each reducer to a random endpoint of another rack, and from there (for three copies) to another of that
    rack, which is a demand at host level only.

    Raises:
        TrafficError: the stage has no demand; a copy has nowhere to go.
    """
    random = context.random("hadoop", params.seed)
    n = context.endpoints
    mappers = random.permutation(n)[: max(1, round(params.mappers * n))]
    reducers = random.permutation(n)[: max(1, round(params.reducers * n))]
    if params.stage == "write":
        return _write(params, reducers, random, context)
    if params.stage == "read":
        drawn = random.integers(0, n - 1, len(mappers))
        return context.matrix(drawn + (drawn >= mappers), mappers)
    context.check_demands(len(mappers) * len(reducers))
    src, dst = np.repeat(mappers, len(reducers)), np.tile(reducers, len(mappers))
    away = src != dst
    if not away.any():
        raise TrafficError(
            "the only mapper is the only reducer", where=context.label, allowed="more mappers or reducers"
        )
    return context.matrix(src[away], dst[away], 1 / len(reducers))


def _write(
    params: HadoopParams, reducers: npt.NDArray[np.int64], random: np.random.Generator, context: Context
) -> TrafficMatrix:
    rack = racks_of_endpoints(context)
    order = np.argsort(rack, kind="stable")
    begin, end = spans(rack[order])
    n = context.endpoints
    if end[0] == n:
        raise TrafficError("all hosts are in one rack, and copies go to another", where=context.label)
    home = np.argsort(order)[reducers]
    everywhere = np.zeros_like(home), np.full_like(home, n)
    second = drawn_between(random, everywhere, (begin[home], end[home]))
    if params.copies == 2 or context.level == "rack":
        return context.matrix(reducers, order[second])
    if (alone := second[end[second] - begin[second] == 1]).size:
        name = context.network.host_names[int(order[alone[0]])]
        raise TrafficError(
            f"host {name!r} has nobody in its rack to send the third copy to",
            where=context.label,
            allowed="copies=2, or racks of several hosts",
        )
    third = drawn_between(random, (begin[second], end[second]), (second, second + 1))
    return context.matrix(np.r_[reducers, order[second]], order[np.r_[second, third]])
