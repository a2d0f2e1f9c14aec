"""Random simple connected graphs with given degrees.

Ports are paired at random (the configuration model), which is uniform over the graphs wanted except for the few pairs
that make a loop or a parallel cable; those are undone by degree-preserving swaps with randomly drawn cables.  In small
graphs that leaves a bias, which further random swaps remove: they form a Markov chain whose limit is uniform.  At last,
separate components are joined, again by swaps.  All steps end: where pairing keeps failing, which happens only in small
graphs of very uneven degrees, the chain starts from a graph built by Havel and Hakimi's method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import TopologyError
from pnet_lp.topology.family import check_memory

Ends: TypeAlias = list[tuple[int, int]]

_BYTES_PER_CABLE = 700  # peak, measured
_PAIRINGS = 8  # fresh pairings before the fallback
_DRAWS = 256  # cables tried as partner of one faulty cable
_MIXING = 16  # swaps tried per cable
_ENOUGH = 1 << 16  # swaps tried after pairing: a share of mended pairs that needs more is too small to matter


def random_graph(degrees: Sequence[int], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return the cables ``[m, 2]`` of a random simple connected graph.

    Args:
        degrees: cables at each of the ``n`` switches; any sum that is even.
        rng: equal generators give equal graphs.

    Raises:
        TopologyError: no such graph exists; the message says why.
    """
    n, total = len(degrees), sum(degrees)
    check_memory("random graph", _BYTES_PER_CABLE * (total // 2) + (n * n if total > n * (n - 1) // 2 else 0))
    if total % 2:
        raise TopologyError("the degrees of a graph add up to an even number", found=total)
    if not _graphical(degrees):
        raise TopologyError(
            f"no graph without parallel cables has these degrees: {n} switches, degrees "
            f"{min(degrees)} to {max(degrees)}"
        )
    if n > 1 and (min(degrees) == 0 or total < 2 * (n - 1)):
        raise TopologyError(
            f"no connected graph has these degrees: {n} switches, {total // 2} cables, smallest degree {min(degrees)}"
        )
    if total > n * (n - 1) // 2:
        # Pairing fails in dense graphs; the complement of a dense random graph is a sparse random graph.
        absent = _simple([n - 1 - degree for degree in degrees], rng)
        present = np.triu(np.ones((n, n), dtype=bool), 1)
        present[tuple(np.sort(_array(absent), axis=1).T)] = False
        ends = [(int(u), int(v)) for u, v in np.argwhere(present)]
    else:
        ends = _simple(degrees, rng)
    return _array(_connected(ends, n, rng))


def _array(ends: Ends) -> npt.NDArray[np.int64]:
    return np.array(ends, dtype=np.int64).reshape(-1, 2)


class _Swaps:
    """Cables under swaps that keep every degree and add neither loops nor parallel cables."""

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self.copies: dict[tuple[int, int], int] = dict(Counter(map(_pair, ends)))

    def faulty(self, i: int) -> bool:
        """Whether cable ``i`` is a loop or one of several between its ends."""
        u, v = self.ends[i]
        return u == v or self.copies[_pair((u, v))] > 1

    def swap(self, i: int, j: int, *, crossed: bool) -> bool:
        """Replace cables ``u-v`` and ``x-y`` by ``u-x`` and ``v-y`` (crossed: ``u-y`` and ``v-x``) if both are new."""
        (u, v), (x, y) = self.ends[i], self.ends[j]
        if crossed:
            x, y = y, x
        first, second = (u, x) if u < x else (x, u), (v, y) if v < y else (y, v)
        copies = self.copies
        if u == x or v == y or first == second or first in copies or second in copies:
            return False
        for old in ((u, v) if u < v else (v, u), (x, y) if x < y else (y, x)):
            if copies[old] == 1:
                del copies[old]
            else:
                copies[old] -= 1
        copies[first] = copies[second] = 1
        self.ends[i], self.ends[j] = (u, x), (v, y)
        return True


def _pair(ends: tuple[int, int]) -> tuple[int, int]:
    u, v = ends
    return (u, v) if u < v else (v, u)


def _graphical(degrees: Sequence[int]) -> bool:
    """Return whether a simple graph has these degrees, whose sum is even."""
    # Always, if they differ by at most one, as in almost all networks: a circulant graph less a matching has them.
    if degrees and max(degrees) - min(degrees) <= 1 and min(degrees) >= 0 and max(degrees) < len(degrees):
        return True
    import networkx as nx  # noqa: PLC0415 - slow to load

    return bool(nx.is_graphical(degrees))


def _simple(degrees: Sequence[int], rng: np.random.Generator) -> Ends:
    """Return a random simple graph with these degrees, which must be graphical."""
    ports = np.repeat(np.arange(len(degrees)), degrees)
    for _ in range(_PAIRINGS):
        swaps = _Swaps([(int(u), int(v)) for u, v in rng.permutation(ports).reshape(-1, 2)])
        if all(_mended(swaps, i, rng) for i in range(len(swaps.ends)) if swaps.faulty(i)):
            return _mixed(swaps, min(_MIXING * len(swaps.ends), _ENOUGH), rng)
    import networkx as nx  # noqa: PLC0415 - slow to load

    swaps = _Swaps(list(nx.havel_hakimi_graph(list(degrees)).edges))
    return _mixed(swaps, _MIXING * len(swaps.ends), rng)


def _mixed(swaps: _Swaps, count: int, rng: np.random.Generator) -> Ends:
    """Return the cables, by now those of a simple graph, after ``count`` random tries of :meth:`_Swaps.swap`."""
    # So many that the pairs of ends are numbers in a set, and nothing is called.
    us, vs = (list(ends) for ends in zip(*swaps.ends, strict=True)) if swaps.ends else ([], [])
    n = 1 + max(us + vs, default=0)
    pairs = [u * n + v if u < v else v * n + u for u, v in swaps.ends]
    present = set(pairs)
    for i, j, crossed in _draws(len(us), count, rng):
        u, v = us[i], vs[i]
        x, y = (vs[j], us[j]) if crossed else (us[j], vs[j])
        if u == x or v == y:
            continue
        first = u * n + x if u < x else x * n + u
        if first in present:
            continue
        second = v * n + y if v < y else y * n + v
        if second in present or first == second:
            continue
        present -= {pairs[i], pairs[j]}
        present |= {first, second}
        us[i], vs[i], pairs[i] = u, x, first
        us[j], vs[j], pairs[j] = v, y, second
    return list(zip(us, vs, strict=True))


def _mended(swaps: _Swaps, i: int, rng: np.random.Generator) -> bool:
    return any(swaps.swap(i, j, crossed=crossed) for _, j, crossed in _draws(len(swaps.ends), _DRAWS, rng))


def _draws(m: int, count: int, rng: np.random.Generator) -> Iterator[tuple[int, int, bool]]:
    """Return ``count`` random (cable, cable, crossed) triples."""
    first, second = rng.integers(m, size=(count, 2)).T.tolist()
    return zip(first, second, (rng.random(count) < 0.5).tolist(), strict=True)


def _connected(ends: Ends, n: int, rng: np.random.Generator) -> Ends:
    """Join the components of a simple graph by swaps; needs no isolated switch and at least ``n - 1`` cables.

    Swapping a cable that lies on a cycle with any cable of another component makes one component of the two, and no
    parallel cable, as nothing joined them before.  The component with the most spare cables goes first and keeps the
    others' spare cables, so it runs out of them only when all are joined.
    """
    parent = list(range(n))

    def root(u: int) -> int:
        while parent[u] != u:
            parent[u] = u = parent[parent[u]]
        return u

    spare: list[int] = []
    tree: list[int] = []
    for e, (u, v) in enumerate(ends):
        a, b = root(u), root(v)
        (spare if a == b else tree).append(e)
        parent[a] = b
    components: dict[int, tuple[list[int], list[int]]] = {root(u): ([], []) for u in range(n)}
    for kind, members in enumerate((spare, tree)):
        for e in members:
            components[root(ends[e][0])][kind].append(e)
    (spare, _), *others = sorted(components.values(), key=lambda component: -len(component[0]))
    for more, branches in others:
        e = spare.pop(int(rng.integers(len(spare))))
        f = int(rng.choice(more or branches))
        (a, b), (c, d) = ends[e], ends[f]
        ends[e], ends[f] = (a, c), (b, d)
        # If f was spare, a-c now joins the trees and b-d closes a cycle; if not, both are branches.
        spare += more
    return ends
