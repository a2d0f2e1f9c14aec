"""``hedera``: flows on paths that have room for what they could send, all of them placed together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from pnet_lp import _core
from pnet_lp.model import Network
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.registry import Params
from pnet_lp.routing.base import ROUTINGS
from pnet_lp.routing.enumerate import enumerate_paths
from pnet_lp.routing.rule import ALL, PathKind, PathRule
from pnet_lp.routing.schemes.ecmp import Ecmp
from pnet_lp.routing.searches import prepare

_STEPS = 1000


class PlacementParams(Params):
    """How flows are placed."""

    placement: Literal["gff", "annealing"] = Field(
        "gff", description="Global First Fit: each on the first path with room; or simulated annealing"
    )
    steps: int | None = Field(None, ge=1, lt=1 << 32, description=f"steps of annealing; default: {_STEPS}")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.steps is not None and self.placement != "annealing":
            raise ValueError("steps are those of placement=annealing")
        return self

    @property
    def annealing(self) -> int | None:
        """Steps of annealing, None without it."""
        return (self.steps or _STEPS) if self.placement == "annealing" else None


@ROUTINGS.register(
    "hedera",
    params=PlacementParams,
    summary="as ecmp, but flows are placed on shortest paths that have room for what each could send",
    source="Hedera, NSDI 2010",
)
class Hedera(Ecmp):
    """All of a demand on the path that it is placed on; where there is no room, on that which ``ecmp`` draws.

    Each demand is one flow, and all are large and present from the start.  What a flow could send is max-min fair among
    those of its source and of its destination, if only access links (of a rack, all links of its switches) limit it.
    """

    params: PlacementParams

    def paths(
        self, network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike, *, threads: int = 0
    ) -> PathSet:
        """See :meth:`Routing.paths`."""
        drawn = super().paths(network, level, src, dst, threads=threads)
        # Round robin draws one plane for one path, the same as a single plane.
        policy = "single" if self.policy == "round-robin" else self.policy
        rule = PathRule(PathKind.EqualCost, ALL, policy, self.per_flow, self.seed)
        known = enumerate_paths(network, level, src, dst, rule, threads=threads, deadline=self.deadline)
        pairs = prepare(network, level, src, dst)
        send, receive = _rates(network, level, known)
        placed = _core.place_flows(
            pairs.src,
            pairs.dst,
            send,
            receive,
            known.pair_ptr,
            known.path_ptr,
            known.link,
            known.arcs.capacity,
            annealing=self.params.annealing,
            seed=self.seed,
        )
        chosen = [
            (known, int(path)) if path >= 0 else (drawn, int(drawn.pair_ptr[j]))
            for j, path in enumerate(placed)
            if drawn.paths_per_pair[j]
        ]
        links = [paths.path_arc[paths.path_ptr[i] : paths.path_ptr[i + 1]] for paths, i in chosen]
        return PathSet(
            known.arcs,
            drawn.pair_ptr,
            ints([paths.plane[i] for paths, i in chosen]),
            np.concatenate([[0], np.cumsum([len(link) for link in links], dtype=np.int64)]),
            ints(np.concatenate([np.zeros(0), *links])),
        )

    def iterate(
        self, network: Network, level: Level, src: npt.ArrayLike, dst: npt.ArrayLike, *, threads: int = 0
    ) -> Iterator[tuple[slice, PathSet]]:
        """Yield all pairs in one block, since the placement of one depends on the others."""
        paths = self.paths(network, level, src, dst, threads=threads)
        yield slice(0, paths.pair_count), paths


def _rates(network: Network, level: Level, paths: PathSet) -> tuple[FloatArray, FloatArray]:
    """Return float64 ``[endpoints]`` twice: Gb/s that each can send and receive, over all planes."""
    if level == "host":
        ups = [plane.access_up_gbps for plane in network.planes]
        downs = [plane.access_down_gbps for plane in network.planes]
        return floats(np.sum(ups, axis=0)), floats(np.sum(downs, axis=0))
    arcs, sums = paths.arcs, []
    for ends in (arcs.tail, arcs.head):
        total = np.zeros(len(network.endpoint_names(level)))
        for p, plane in enumerate(network.planes):
            here = slice(arcs.ptr[p], arcs.ptr[p + 1])
            carried = np.bincount(ends[here], arcs.capacity[here], minlength=plane.switch_count)
            total += np.where(plane.rack_switch >= 0, carried[plane.rack_switch], 0.0)
        sums.append(floats(total))
    return sums[0], sums[1]
