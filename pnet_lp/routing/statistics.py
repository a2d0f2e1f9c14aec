"""Statistics over the paths of all pairs, gathered block by block."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.model.paths import PathSet
from pnet_lp.routing.base import Routing
from pnet_lp.routing.count import ShortestCounts, count_shortest
from pnet_lp.routing.rule import ALL

_PAIRS = 1 << 20  # pairs of a block


def path_statistics(network: Network, level: Level, routing: Routing, *, threads: int = 0) -> dict[str, Any]:
    """Return statistics over the paths of all ordered pairs, as a JSON document.

    Hops are links between switches.  Pairs without a path are counted and enter no mean.  Where a routing takes
    all shortest paths these are counted and not listed, so that there may be any number of them.

    Raises:
        RoutingError: a routing without a list of paths, or a pair whose paths alone do not fit into memory.
        TopologyError: pairs of that level mean nothing on the network.
    """
    network.check_level(level)
    graph, to = network.graph, network.receivers
    gathered = _Statistics(graph.plane_count, network.received)
    count = len(network.endpoint_names(level))
    # Destination by destination: the searches of a destination serve all its pairs.
    rows = max(1, _PAIRS // max(count, 1))
    for first in range(0, count, rows):
        dst, src = np.indices((min(rows, count - first), count)).reshape(2, -1)
        dst += first
        other = src != dst
        src, dst = src[other], dst[other] + to
        rule = routing.rule
        if rule is not None and rule.equal_cost and rule.count == ALL:
            gathered.count(count_shortest(graph, level, src, dst, policy=rule.policy, seed=rule.seed, threads=threads))
        else:
            for _, paths in routing.iterate(graph, level, src, dst, threads=threads):
                gathered.add(paths)
    return gathered.document()


class _Statistics:
    """Sums over pairs; counts of paths are floats, exact up to 2^53."""

    def __init__(self, planes: int, received: int) -> None:
        # Arcs of each path that are no links.
        self.received = received
        self.pairs = self.connected = 0
        self.least, self.most = math.inf, 0.0
        self.shortest_hops = 0
        self.histogram: Counter[int] = Counter()
        self.planes = np.zeros(planes)

    def add(self, paths: PathSet) -> None:
        per_pair, hops = paths.paths_per_pair, paths.hops
        first = paths.pair_ptr[:-1][per_pair > 0]
        self._add_pairs(per_pair, hops[first])
        self._add_hops(hops, np.ones(len(hops)))
        self.planes += np.bincount(paths.plane, minlength=len(self.planes))

    def count(self, shortest: ShortestCounts) -> None:
        per_pair = shortest.count.sum(axis=1)
        connected = shortest.hops >= 0
        hops = np.where(connected, shortest.hops, np.iinfo(np.int32).max).min(axis=1)
        self._add_pairs(per_pair, hops[per_pair > 0])
        self._add_hops(shortest.hops[connected], shortest.count[connected])
        self.planes += shortest.count.sum(axis=0)

    def _add_pairs(self, per_pair: npt.NDArray[Any], shortest: npt.NDArray[Any]) -> None:
        """Add the number of paths of each pair, and the hops of the shortest of each that has any."""
        connected = per_pair[per_pair > 0]
        self.pairs += len(per_pair)
        self.connected += len(connected)
        if len(connected):
            self.least = min(self.least, float(connected.min()))
            self.most = max(self.most, float(connected.max()))
        self.shortest_hops += int((shortest - self.received).sum())

    def _add_hops(self, hops: npt.NDArray[Any], count: npt.NDArray[Any]) -> None:
        for h, n in enumerate(np.bincount(hops - self.received, weights=count).tolist()):
            if n:
                self.histogram[h] += int(n)

    def document(self) -> dict[str, Any]:
        total = sum(self.histogram.values())
        any_path = self.connected > 0
        return {
            "pairs": self.pairs,
            "disconnected_pairs": self.pairs - self.connected,
            "paths": {
                "total": total,
                "per_pair_min": int(self.least) if any_path else 0,
                "per_pair_mean": total / self.connected if any_path else 0.0,
                "per_pair_max": int(self.most),
            },
            "hops": {
                "mean": sum(h * n for h, n in self.histogram.items()) / total if any_path else None,
                "mean_shortest": self.shortest_hops / self.connected if any_path else None,
                "max": max(self.histogram, default=0),
                "histogram": {str(h): n for h, n in sorted(self.histogram.items())},
            },
            "planes": [int(n) for n in self.planes],
        }
