"""The paths that demands may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arcs import Arcs
from pnet_lp.model.arrays import IntArray
from pnet_lp.model.brief import brief

Form: TypeAlias = Literal["arc", "path", "split"]
"""What a routing leaves open: any path in any plane; how a demand is split over given paths; nothing."""

Policy: TypeAlias = Literal["any", "round-robin", "shortest", "single"]
"""Which planes the paths of a pair may come from."""

OffsetArray = npt.NDArray[np.int64]


@brief("pair_count", "path_count")
@dataclass(frozen=True, eq=False, repr=False)
class PathSet:
    """Paths of ``J`` pairs of endpoints, ``N`` in all, shortest first within a pair.

    Attributes:
        arcs: the links that the paths are made of.
        pair_ptr: int64 ``[J + 1]``, where each pair's paths begin.
        plane: int32 ``[N]``, the plane of each path; a path never changes plane.
        path_ptr: int64 ``[N + 1]``, where each path's arcs begin.
        path_arc: int32, the arcs, local to the path's plane (add ``arcs.ptr[plane]`` for their place in ``arcs``).  The
            path between two endpoints on one switch has none.
    """

    arcs: Arcs
    pair_ptr: OffsetArray
    plane: IntArray
    path_ptr: OffsetArray
    path_arc: IntArray

    @property
    def pair_count(self) -> int:
        """Number of pairs, J."""
        return len(self.pair_ptr) - 1

    @property
    def path_count(self) -> int:
        """Number of paths, N."""
        return len(self.plane)

    @property
    def hops(self) -> OffsetArray:
        """int64 ``[N]``, links between switches on each path."""
        return np.diff(self.path_ptr)

    @property
    def paths_per_pair(self) -> OffsetArray:
        """int64 ``[J]``, 0 for a pair without a path."""
        return np.diff(self.pair_ptr)

    @property
    def pair_of_path(self) -> OffsetArray:
        """int64 ``[N]``, the pair that each path belongs to."""
        return np.repeat(np.arange(self.pair_count), self.paths_per_pair)

    @property
    def link(self) -> OffsetArray:
        """int64: the places in ``arcs`` of the links of all paths, one path after the other."""
        first = self.arcs.ptr.astype(np.int64)[self.plane]
        return np.asarray(self.path_arc + np.repeat(first, self.hops), dtype=np.int64)

    def switches(self, path: int) -> IntArray:
        """Return the switches that a path passes, local to its plane; empty for a path without links."""
        first = self.arcs.ptr[self.plane[path]]
        arcs = first + self.path_arc[self.path_ptr[path] : self.path_ptr[path + 1]]
        return np.concatenate([self.arcs.tail[arcs[:1]], self.arcs.head[arcs]])
