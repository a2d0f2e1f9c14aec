"""Local search: pairs of circuits exchange their ends where the LP's prices say that this carries more."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from pnet_lp.errors import SpecError
from pnet_lp.model import ThroughputResult, TrafficMatrix
from pnet_lp.model.brief import brief
from pnet_lp.optical.circuits import Circuits
from pnet_lp.optical.limits import circuit_limits, gap
from pnet_lp.throughput import Progress, solve
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE

_CHEAPEST = 1500
"""Circuits of least price that may be given up; all pairs of them are compared."""

_RANKED = 4096
"""Exchanges looked at in the order of their gain."""

_EVEN = 1.0
"""Added to the price of every circuit, in mean prices.  Where a few circuits have all the price, this ranks exchanges
by hops, which decide once those circuits are relieved."""

_SAME = 1e-9
"""Relative difference up to which two throughputs are the same, and then mean hops decide."""

Swap = tuple[int, int, bool]
"""Circuits ``a-b`` and ``c-d`` become ``a-c`` and ``b-d``, or, where crossed, ``a-d`` and ``b-c``."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Improved:
    """Circuits and their throughput.

    Attributes:
        circuits: the best found.
        result: their throughput.
        solves: throughputs solved, those of the starts included.
        first_gbps: throughput of the best start.
    """

    circuits: Circuits
    result: ThroughputResult
    solves: int
    first_gbps: float


def improve(
    starts: Sequence[Circuits],
    traffic: TrafficMatrix,
    *,
    solves: int = 24,
    enough_gbps: float = math.inf,
    tolerance: float = DEFAULT_TOLERANCE,
    threads: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Improved:
    """Return circuits that carry at least as much of ``traffic`` as the best of those given.

    The lengths of a certificate are the dual prices of capacity.  A circuit that is not there is worth the
    distance between its ends, and one that is costs its length when given up, so worth less cost is the slope of K for
    an exchange of ends; prices are evened out, because where a few circuits have them all, they leave the others open.
    Several exchanges of the steepest slopes that share no circuit are made at once, half as many each time that K does
    not grow, and the next steepest one when not even one exchange helps.  Where K stays the same, fewer hops count as
    growth.  Ports in use stay as they are, and every demand keeps a path.

    Args:
        starts: where to begin, at least one; every demand must have a path.
        traffic: demands between racks.
        solves: most throughputs to solve; those of ``starts`` are solved in any case.
        enough_gbps: throughput at which to stop.
        tolerance: as of :func:`~pnet_lp.throughput.solve`.  What counts as growth is the lower bound's, which is
            attained, whatever the tolerance.
        threads: as of :func:`~pnet_lp.throughput.solve`.
        on_progress: as of :func:`~pnet_lp.throughput.solve`.

    Raises:
        SpecError: nowhere to begin, or a demand without a path.
        TrafficError, SolverError: as :func:`~pnet_lp.throughput.solve`.
    """
    if not starts:
        raise SpecError("a search needs circuits to begin with", where="circuits")
    if not all(start.joins(traffic) for start in starts):
        raise SpecError("the circuits leave a demand without a path", where="circuits")

    def solved(candidate: Circuits) -> ThroughputResult:
        return solve(candidate.network(), traffic, tolerance=tolerance, threads=threads, on_progress=on_progress)

    solved_starts = [(solved(start), start) for start in starts]
    result, circuits = max(solved_starts, key=lambda pair: pair[0].throughput_gbps)
    first = result.throughput_gbps
    limit = min(enough_gbps, circuit_limits(traffic, circuits.links, circuits.link_gbps).tightest_gbps)
    step, skip, made = max(1, circuits.count // 8), 0, len(starts)
    swaps = _ranked(circuits, result)
    while made < solves and gap(result.throughput_gbps, limit) > tolerance:
        chosen = _apart(swaps, step, skip)
        if not chosen:
            break
        candidate = _swapped(circuits, chosen)
        if candidate.joins(traffic):
            made += 1
            found = solved(candidate)
            if _better(candidate, found, circuits, result, traffic):
                circuits, result, skip = candidate, found, 0
                swaps = _ranked(circuits, result)
                continue
        # Half as many; from a single exchange on, the next steepest one.
        step, skip = (step // 2, skip) if step > 1 else (1, skip + 1)
    return Improved(circuits, result, made, first)


def _better(
    candidate: Circuits, found: ThroughputResult, circuits: Circuits, result: ThroughputResult, traffic: TrafficMatrix
) -> bool:
    """Whether ``candidate`` carries more than ``circuits``, or the same over fewer hops."""
    more, enough = found.throughput_gbps, result.throughput_gbps
    if abs(more - enough) > _SAME * enough:
        return more > enough
    return candidate.mean_hops(traffic) < circuits.mean_hops(traffic) - _SAME


def _ranked(circuits: Circuits, result: ThroughputResult) -> list[Swap]:
    """Return the exchanges by their slope, steepest first, in layers that have each circuit at most once.

    The steepest ones after one that did not help mostly share a circuit with it, and are the last to be worth a try.
    """
    assert result.certificate is not None
    # Arcs 2 i and 2 i + 1 of a plane are the directions of its cable i, and no circuit has capacity 0.
    length = np.asarray(result.certificate.length)
    there, back = (length / length.mean() + _EVEN).reshape(-1, 2).T
    price = there + back
    distance = _distances(circuits, there, back)
    worth = distance + distance.T
    cheap = np.argsort(price, kind="stable")[:_CHEAPEST]
    u, v, cost = circuits.u[cheap], circuits.v[cheap], price[cheap]
    first, second = np.triu_indices(len(cheap), 1)
    found: list[tuple[float, Swap]] = []
    for crossed in (False, True):
        c, d = (v, u) if crossed else (u, v)
        gain = worth[np.ix_(u, c)][first, second] + worth[np.ix_(v, d)][first, second]
        gain -= cost[first] + cost[second]
        # No circuit joins a rack to itself.
        gain[(u[first] == c[second]) | (v[first] == d[second])] = -np.inf
        gain[~np.isfinite(gain)] = -np.inf
        for k in np.argsort(-gain, kind="stable")[:_RANKED].tolist():
            if gain[k] == -np.inf:
                break
            found.append((float(gain[k]), (int(cheap[first[k]]), int(cheap[second[k]]), crossed)))
    found.sort(key=lambda item: (-item[0], item[1]))
    return _layers([swap for _, swap in found])


def _layers(swaps: list[Swap]) -> list[Swap]:
    """Return ``swaps`` in layers: each goes into the first that has neither of its circuits."""
    used: dict[int, int] = {}
    layers: list[tuple[int, Swap]] = []
    for swap in swaps:
        layer = max(used.get(circuit, -1) for circuit in swap[:2]) + 1
        used[swap[0]] = used[swap[1]] = layer
        layers.append((layer, swap))
    return [swap for _, swap in sorted(layers, key=lambda item: item[0])]


def _distances(
    circuits: Circuits, there: npt.NDArray[np.float64], back: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return ``[racks, racks]``: the length of a shortest path."""
    tail, head = np.concatenate([circuits.u, circuits.v]), np.concatenate([circuits.v, circuits.u])
    length = np.concatenate([there, back])
    # SciPy adds up parallel entries, so of each only the shortest is kept.
    order = np.lexsort((length, head, tail))
    tail, head, length = tail[order], head[order], length[order]
    kept = np.r_[True, (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])]
    graph = sp.csr_array((length[kept], (tail[kept], head[kept])), shape=(circuits.racks,) * 2)
    return np.asarray(dijkstra(graph))


def _apart(swaps: list[Swap], count: int, skip: int) -> list[Swap]:
    """Return the first ``count`` exchanges after ``skip`` that share no circuit."""

    def free() -> Iterator[Swap]:
        taken: set[int] = set()
        for i, j, crossed in swaps[skip:]:
            if i not in taken and j not in taken:
                taken |= {i, j}
                yield i, j, crossed

    return [swap for _, swap in zip(range(count), free(), strict=False)]


def _swapped(circuits: Circuits, swaps: list[Swap]) -> Circuits:
    ends = np.column_stack([circuits.u, circuits.v])
    for i, j, crossed in swaps:
        (a, b), (c, d) = ends[i].copy(), ends[j].copy()
        ends[i], ends[j] = ((a, d), (b, c)) if crossed else ((a, c), (b, d))
    return Circuits.from_ends(circuits.racks, circuits.links, ends, circuits.link_gbps)
