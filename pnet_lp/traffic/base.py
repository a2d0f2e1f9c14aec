"""The registry of traffic patterns and what a pattern is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.model.demands import check_pairs
from pnet_lp.model.network import Level
from pnet_lp.registry import Registry
from pnet_lp.seeds import generator


@brief()
@dataclass(frozen=True, repr=False)
class TrafficContext:
    """What a pattern may look at: the network, the level, the seed.

    A pattern gets the whole network rather than a number of endpoints, because families such as staggered or
    longest-matching traffic depend on racks, pods and distances.

    Attributes:
        network: the network the matrix is for.
        level: whether demands are between racks or between hosts.
        seed: the run's seed; a pattern with a ``seed`` parameter prefers its own.
        label: the expression the user gave; becomes the matrix's label and the head of messages.
    """

    network: Network
    level: Level
    seed: int
    label: str

    @property
    def endpoints(self) -> int:
        """Number of racks, or of hosts at host level."""
        return len(self.network.endpoint_names(self.level))

    @property
    def server_size(self) -> int:
        """How many accelerators a server has, 0 where endpoints are in none."""
        servers = self.network.servers if self.level == "host" else None
        return 0 if servers is None else servers.size

    @property
    def coarser(self) -> str:
        """The level that has fewer endpoints, as the beginning of a list of what to do instead; empty at that level."""
        return "level=rack, " if self.level == "host" else ""

    def check_demands(self, count: int) -> None:
        """Raise TrafficError where a matrix of ``count`` demands, and the problem made of it, need too much memory."""
        check_pairs(count, f"{self.label} with {count:,} demands between {self.endpoints:,} {self.level}s")

    def random(self, component: str, seed: int | None) -> np.random.Generator:
        """Return the generator of one component, from the pattern's own ``seed`` if it has one."""
        return generator(self.seed if seed is None else seed, f"traffic/{component}")

    def all_pairs(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return every ordered pair of distinct endpoints, by source, or raise TrafficError: they are too many."""
        self.check_demands(self.endpoints * (self.endpoints - 1))
        src, dst = np.nonzero(~np.eye(self.endpoints, dtype=np.bool_))
        return src, dst

    def drawn_or_given(self, index: int | None, key: str, random: np.random.Generator) -> int:
        """Return the endpoint ``index``, the value of parameter ``key``, or a random one where there is none."""
        if index is None:
            return int(random.integers(self.endpoints))
        if index >= self.endpoints:
            raise TrafficError(
                f"no such {self.level}", where=f"{self.label}: {key}", found=index, allowed=f"0 to {self.endpoints - 1}"
            )
        return index

    def matrix(self, src: npt.ArrayLike, dst: npt.ArrayLike, demand: npt.ArrayLike = 1.0) -> TrafficMatrix:
        """Return the checked matrix with these entries; see :meth:`TrafficMatrix.from_entries`."""
        return TrafficMatrix.from_entries(self.level, self.endpoints, src, dst, demand, label=self.label)

    def product(self, sends: npt.ArrayLike, receives: npt.ArrayLike) -> TrafficMatrix:
        """Return the checked matrix of these weights; see :meth:`TrafficMatrix.from_weights`."""
        return TrafficMatrix.from_weights(self.level, sends, receives, label=self.label)


Pattern: TypeAlias = Callable[[Any, TrafficContext], TrafficMatrix]
"""``(parameters, context) -> matrix``; the parameters are an instance of the entry's model."""

traffics: Registry[Pattern] = Registry("traffic", package="pnet_lp.traffic.patterns", group="pnet_lp.traffic")
