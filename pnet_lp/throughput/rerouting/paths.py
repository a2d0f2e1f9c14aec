"""Paths as lists of links, and the shortest ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.rounded import mul_down
from pnet_lp.throughput.problems.base import separated

Index = npt.NDArray[np.int64]


@brief()
@dataclass(frozen=True, eq=False)
class Paths:
    """Paths: the demand of each, and its links, ``link[ptr[n]:ptr[n + 1]]``.

    A *link* is an arc or an access link, as in :attr:`FlowProblem.link_capacity`.
    """

    owner: Index
    ptr: Index
    link: Index

    @classmethod
    def of(cls, owner: Sequence[int], links: Sequence[Index]) -> Paths:
        """Return the paths of these demands, each with its links."""
        ptr = np.cumsum([0, *map(len, links)], dtype=np.int64)
        return cls(np.array(owner, dtype=np.int64), ptr, np.concatenate([np.empty(0, dtype=np.int64), *links]))

    @cached_property
    def path(self) -> Index:
        """The path of each entry of :attr:`link`."""
        return np.repeat(np.arange(len(self.owner)), np.diff(self.ptr))

    def of_links(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return the sum of the values of each path's links."""
        return floats(np.bincount(self.path, weights=values[self.link], minlength=len(self.owner)))

    def __add__(self, other: Paths) -> Paths:
        return Paths(
            np.concatenate([self.owner, other.owner]),
            np.concatenate([self.ptr, self.ptr[-1] + other.ptr[1:]]),
            np.concatenate([self.link, other.link]),
        )

    def __getitem__(self, which: Index) -> Paths:
        count = np.diff(self.ptr)[which]
        ptr = np.concatenate([[0], np.cumsum(count)])
        return Paths(
            self.owner[which], ptr, self.link[np.repeat(self.ptr[which] - ptr[:-1], count) + np.arange(ptr[-1])]
        )


def distances(problem: FlowProblem, length: FloatArray, down: BoolArray | None = None) -> FloatArray:
    """Return float64 ``[J]``: the length of each demand's shortest path, rounded down.

    Where few links have a length, switches between which paths have none are one node, and nodes are few.

    Args:
        problem: the links and the demands.
        length: float64 ``[L]``.
        down: bool ``[L]``, links that no path uses.
    """
    usable = np.ones(len(length), dtype=np.bool_) if down is None else ~down
    if 4 * np.count_nonzero(length) > len(problem.capacity):
        # A path over a link that is down is longer than every other.
        long = np.where(usable, length, 2 * length.sum())
        return _core.demand_distances(problem.core, *separated(problem, long))
    arcs, (planes, endpoints) = len(problem.capacity), problem.attach.shape
    best = np.full(problem.demand_count, np.inf)
    for p in range(planes):
        here = slice(*problem.arc_ptr[p : p + 2].tolist())
        between = _between_nodes(problem, p, length[here], usable[here])
        first, last = arcs + p * endpoints + problem.src, arcs + (planes + p) * endpoints + problem.dst
        source, target = problem.attach[p, problem.src], problem.attach[p, problem.dst]
        joined = (source >= 0) & (target >= 0) & usable[first] & usable[last]
        whole = between(source[joined], target[joined]) + length[first[joined]] + length[last[joined]]
        best[joined] = np.minimum(best[joined], whole)
    # Every sum of a few numbers is off by a few parts in 2^53 at most.
    reached = np.isfinite(best)
    best[reached] = mul_down(best[reached], 1 - (len(length) + 4) * 2.0**-52)
    return floats(best)


def _between_nodes(
    problem: FlowProblem, plane: int, length: FloatArray, usable: BoolArray
) -> Callable[[IntArray, IntArray], FloatArray]:
    """Return the function that gives the distances from switches of a plane to others."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import connected_components, dijkstra  # noqa: PLC0415

    here = slice(*problem.arc_ptr[plane : plane + 2].tolist())
    tail, head, nodes = problem.tail[here], problem.head[here], int(problem.node_count[plane])
    none = usable & (length == 0)
    graph = sp.coo_array((np.ones(int(none.sum())), (tail[none], head[none])), shape=(nodes, nodes))
    count, node = connected_components(graph, directed=True, connection="strong")
    # Of parallel links the shortest; those of length 0 lead one way only.
    crossing = np.flatnonzero(usable & (node[tail] != node[head]))
    crossing = crossing[np.argsort(length[crossing], kind="stable")]
    keys, first = np.unique(node[tail[crossing]].astype(np.int64) * count + node[head[crossing]], return_index=True)
    links = sp.csr_array((length[crossing][first], np.divmod(keys, count)), shape=(count, count))
    table = dijkstra(links)
    return lambda source, target: floats(table[node[source], node[target]])


def shortest_paths(flow: FlowProblem, length: FloatArray, demands: Index, down: BoolArray) -> Paths:
    """Return the shortest path of each of these demands over links that are up, the best of all planes."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

    if not len(demands):
        return Paths.of([], [])
    best = np.full(len(demands), np.inf)
    found: list[Index] = [np.empty(0, dtype=np.int64)] * len(demands)
    arcs, (planes, endpoints) = len(flow.capacity), flow.attach.shape
    for p in range(planes):
        here = slice(*flow.arc_ptr[p : p + 2].tolist())
        # Of parallel links the shortest, sorted by their ends.
        own = np.where(down[here], np.inf, length[here])
        nodes, order = int(flow.node_count[p]), np.argsort(own, kind="stable")[: int(np.isfinite(own).sum())]
        between = flow.tail[here].astype(np.int64) * nodes + flow.head[here]
        keys, place = np.unique(between[order], return_index=True)
        kept = order[place]
        graph = sp.csr_array((own[kept], np.divmod(keys, nodes)), shape=(nodes, nodes))
        ends = arcs + p * endpoints + flow.src[demands], arcs + (planes + p) * endpoints + flow.dst[demands]
        source, target = flow.attach[p, flow.src[demands]], flow.attach[p, flow.dst[demands]]
        usable = (source >= 0) & (target >= 0) & ~down[ends[0]] & ~down[ends[1]]
        if not usable.any():
            continue
        roots, row = np.unique(source[usable], return_inverse=True)
        distance, before = dijkstra(graph, indices=roots, return_predecessors=True)
        which = np.flatnonzero(usable)
        through = distance[row, target[which]] + length[ends[0][which]] + length[ends[1][which]]
        better = through < best[which]
        which, row = which[better], row[better]
        best[which] = through[better]
        # All paths back from their targets, one link at a time; a row of a path that has arrived stays there.
        at, steps = target[which].astype(np.int64), []
        while (moving := at != source[which]).any():
            last = np.where(moving, before[row, at], at)
            arc = kept[np.minimum(np.searchsorted(keys, last * nodes + at), len(keys) - 1)] + here.start
            steps.append(np.where(moving, arc, -1))
            at = last
        back = np.array([ends[1][which], *steps, ends[0][which]])[::-1].T
        for n, own in zip(which.tolist(), back, strict=True):
            found[n] = own[own >= 0].astype(np.int64)
    return Paths.of(demands.tolist(), found)
