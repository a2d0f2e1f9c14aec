"""Distances in planes a second time, and which demands have a path: shortest paths by SciPy, rounded down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, ints
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.paths import OffsetArray, PathSet
from pnet_lp.model.rounded import add_down, mul_down

_ROUNDS = 16
"""Of lowering lengths of paths by the last bit."""

_AT_ONCE = 1_000_000
"""Distances that are computed in one call of SciPy, a fraction of a second."""

_BLOCK = 1 << 22
"""Arcs times destinations looked at together."""


def plane_arcs(problem: FlowProblem, plane: int) -> slice:
    """Return where the arcs of ``plane`` are."""
    return slice(int(problem.arc_ptr[plane]), int(problem.arc_ptr[plane + 1]))


def metrics(problem: FlowProblem, plane: int) -> FloatArray:
    """Return float64, by what each arc of ``plane`` lengthens a path."""
    arcs = plane_arcs(problem, plane)
    return np.ones(arcs.stop - arcs.start) if problem.metric is None else problem.metric[arcs].astype(np.float64)


def distances_to(problem: FlowProblem, plane: int, targets: IntArray | None = None) -> FloatArray:
    """Return float64 ``[targets, switches]``, lengths of shortest paths by metric, ``inf`` without a path."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

    arcs, nodes, metric = plane_arcs(problem, plane), int(problem.node_count[plane]), metrics(problem, plane)
    tail, head = problem.tail[arcs], problem.head[arcs]
    # Of parallel links the shortest; a sparse matrix would add them up.
    order = np.lexsort((metric, tail, head))
    order = order[np.unique(head[order].astype(np.int64) * nodes + tail[order], return_index=True)[1]]
    backwards = sp.csr_array((metric[order], (head[order], tail[order])), shape=(nodes, nodes))
    ends = np.arange(nodes) if targets is None else targets
    found = np.empty((len(ends), nodes))
    # Some at a time: within a call neither Ctrl-C nor the clock is heard.
    for here in np.array_split(np.arange(len(ends)), 1 + len(ends) * nodes // _AT_ONCE):
        if len(here):
            found[here] = dijkstra(backwards, indices=ends[here])
    return found


def path_arcs(problem: FlowProblem, paths: PathSet) -> OffsetArray:
    """Return the arcs of all paths, one path after the other, as places in the problem."""
    first = problem.arc_ptr.astype(np.int64)[paths.plane]
    return np.asarray(paths.path_arc + np.repeat(first, paths.hops), dtype=np.int64)


def demand_distances(problem: FlowProblem, plane: int, length: FloatArray) -> FloatArray:
    """Return the shortest length between the switches of each demand in one plane, ``[J]``, ``inf`` where no path is.

    Rounded down: lengths to a switch are lowered until no arc is shorter than the difference between its ends, which
    is all that is asked of them.


    Args:
        problem: the problem.
        plane: index of the plane.
        length: float64, of each arc of the plane, >= 0; zero is a length like any other.
    """
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

    arcs = plane_arcs(problem, plane)
    n, node = _without_distance(problem, plane, length)
    tail, head = node[problem.tail[arcs]], node[problem.head[arcs]]
    between = tail != head
    tail, head, length = tail[between], head[between], length[between]
    # Towards a destination is from it against the arcs.  Of parallel arcs the shortest counts; SciPy would add them up.
    order = np.lexsort((length, tail, head))
    distinct = np.ones(len(order), dtype=bool)
    distinct[1:] = (np.diff(head[order]) != 0) | (np.diff(tail[order]) != 0)
    kept = order[distinct]
    pointer = np.searchsorted(head[kept], np.arange(n + 1))
    # Built from its parts, the matrix keeps zeros as entries, which Dijkstra takes for arcs of length zero.
    backwards = sp.csr_array((length[kept], tail[kept], pointer), shape=(n, n))
    source, target = problem.attach[plane, problem.src], problem.attach[plane, problem.dst]
    found = np.full(problem.demand_count, np.inf)
    attached = np.flatnonzero((source >= 0) & (target >= 0))
    source, target = node[source], node[target]
    if len(attached):
        is_target = np.bincount(target[attached], minlength=n) > 0
        targets, row = np.flatnonzero(is_target), (np.cumsum(is_target) - 1)[target[attached]]
        width = max(1, _BLOCK // max(len(tail), 1))
        for first in range(0, len(targets), width):
            far = dijkstra(backwards, indices=targets[first : first + width]).T
            block = attached[(row >= first) & (row < first + width)]
            near = _lowered(np.ascontiguousarray(far), tail[kept], head[kept], length[kept])
            found[block] = near[source[block], row[(row >= first) & (row < first + width)] - first]
    return found


def _without_distance(problem: FlowProblem, plane: int, length: FloatArray) -> tuple[int, IntArray]:
    """Return the number of sets of switches that arcs of length zero join in both directions, and that of each switch.

    From one of a set to another is no distance, so the set is one node; of prices that are zero nearly everywhere
    there are few.
    """
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    arcs, n = plane_arcs(problem, plane), int(problem.node_count[plane])
    free = np.flatnonzero(length == 0)
    ends = problem.tail[arcs][free], problem.head[arcs][free]
    graph = sp.csr_array((np.ones(len(free)), ends), shape=(n, n))
    count, node = connected_components(graph, directed=True, connection="strong")
    return int(count), ints(node)


def _lowered(far: FloatArray, tail: IntArray, head: IntArray, length: FloatArray) -> FloatArray:
    """Return float64 ``[nodes, targets]``: numbers that are at most the lengths of shortest paths, and nearly those.

    As ``far`` is 0 at the targets, it is enough that no arc is shorter than the difference between its ends.  Lowering
    ends does that, bit by bit; where paths are long, the bits that their sums may have gained are taken off instead.
    """
    order = np.argsort(tail, kind="stable")
    tail, head, length = tail[order], head[order], length[order, None]
    nodes, first = np.unique(tail, return_index=True)
    if not len(nodes):
        return far

    def through(add: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
        return np.minimum(far[nodes], np.minimum.reduceat(add(length, far[head]), first, axis=0))

    while not np.array_equal(nearer := through(np.add), far[nodes]):
        far[nodes] = nearer
    exact = far.copy()
    for _ in range(_ROUNDS):
        nearer = through(add_down)
        if np.array_equal(nearer, far[nodes]):
            return far
        far[nodes] = nearer
    long = np.isfinite(exact)
    exact[long] = mul_down(exact[long], 1 - 2.0**-52 * len(exact))
    return exact


def reachable(problem: FlowProblem) -> BoolArray:
    """Return bool ``[P, J]``: whether each plane has a path for each demand, over links that carry anything."""
    usable = (problem.access_up[:, problem.src] > 0) & (problem.access_down[:, problem.dst] > 0)
    hops = [
        demand_distances(problem, p, np.ones(int(problem.arc_ptr[p + 1] - problem.arc_ptr[p])))
        for p in range(problem.plane_count)
    ]
    return usable & np.isfinite(np.stack(hops))


def reachable_in_both_directions(problem: FlowProblem) -> BoolArray:
    """Return the same for planes that also have a path back."""
    back = replace(problem.pairs, src=problem.dst, dst=problem.src)
    return reachable(problem) & reachable(replace(problem, demands=back))


def reachable_by_paths(problem: FlowProblem) -> BoolArray:
    """Return the same for routings with paths: hosts need access links that carry something in both directions."""
    usable = (problem.access_up[:, problem.dst] > 0) & (problem.access_down[:, problem.src] > 0)
    return reachable(problem) & usable
