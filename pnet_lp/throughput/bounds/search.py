"""Where good cuts may be: orders of a graph's nodes, and improvements of a given cut.

Everything here is a heuristic: it proposes sides, and what a side is worth is computed elsewhere.  All sums are made by
NumPy's own loops and not by a threaded library, so that proposals do not depend on the number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pnet_lp.model.arrays import BoolArray, FloatArray
from pnet_lp.model.brief import brief
from pnet_lp.seeds import generator

if TYPE_CHECKING:
    import scipy.sparse as sp

_KRYLOV_STEPS = 120
_FLAT_SWAPS = 60
"""Swaps without a new best after which a pass of Kernighan and Lin ends."""
_PASSES = 20
_FLIPS = 2000

Order = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]


def spectral_orders(capacity: sp.csr_array, count: int) -> list[Order]:
    """Return ``count`` orders of the nodes, each by an approximate second eigenvector of the normalised Laplacian.

    Lanczos' method with full orthogonalisation from different starts: in a symmetric graph there are several such
    vectors, and each start finds another (Fiedler 1973; Spielman and Teng 2007).
    """
    weights = capacity + capacity.T
    degree = weights.sum(axis=1)
    root = np.sqrt(np.where(degree > 0, degree, 1.0))
    n = weights.shape[0]
    if n < 3:
        return [np.arange(n)] * min(count, 1)
    orders = []
    for start in range(count):
        vector = _second_vector(weights, root, generator(0, "bounds/spectral", start).normal(size=n))
        # Rounded, so that ties are ties; equal values stay in the order of the nodes.
        orders.append(np.argsort(np.round(vector / np.abs(vector).max(), 9), kind="stable"))
    return orders


def _second_vector(weights: sp.csr_array, root: FloatArray, start: FloatArray) -> FloatArray:
    """Return a vector on the nodes that varies as little as possible along links, the constant one apart."""
    from scipy.linalg import eigh_tridiagonal  # noqa: PLC0415 - slow to load

    n = len(root)
    basis = np.zeros((min(_KRYLOV_STEPS, n - 1) + 1, n))
    basis[0] = root / np.sqrt((root * root).sum())
    alpha: list[float] = []
    beta: list[float] = []
    vector = start
    for step in range(1, len(basis)):
        for _ in range(2):
            vector = vector - np.einsum("ij,i->j", basis[:step], np.einsum("ij,j->i", basis[:step], vector))
        length = float(np.sqrt((vector * vector).sum()))
        if length < 1e-9:
            break
        if step > 1:
            beta.append(length)
        basis[step] = vector / length
        vector = (weights @ (basis[step] / root)) / root
        alpha.append(float((vector * basis[step]).sum()))
    last = len(alpha) - 1
    _, vectors = eigh_tridiagonal(np.array(alpha), np.array(beta), select="i", select_range=(last, last))
    found: FloatArray = np.einsum("ij,i->j", basis[1 : len(alpha) + 1], vectors[:, 0]) / root
    return found


def halves(order: Order, size: Counts, capacity: sp.csr_array) -> Counts:
    """Return how many members of each node are in one half, so that little capacity is cut.

    The first nodes of ``order`` that hold half of the members, then improved by :func:`exchange`; at most one node is
    divided.

    Args:
        order: the nodes.
        size: int64 ``[nodes]``, members of each.
        capacity: ``[nodes, nodes]``.
    """
    before = np.cumsum(size[order]) - size[order]
    members = np.zeros_like(size)
    members[order] = np.clip(int(size.sum()) // 2 - before, 0, size[order])
    whole = (members == 0) | (members == size)
    # Nodes without members take the side of the order's first half.
    first = np.zeros(len(size), dtype=np.bool_)
    first[order] = before < int(size.sum()) // 2
    side = exchange(np.where(size > 0, 2 * members > size, first), np.where(whole, size, 0), capacity)
    members[whole] = np.where(side, size, 0)[whole]
    return members


@brief()
@dataclass(frozen=True, repr=False)
class Sweep:
    """What every prefix of an order separates, forwards and backwards: ``[2, nodes - 1]`` each."""

    capacity: FloatArray
    demand: FloatArray

    @property
    def ratio(self) -> FloatArray:
        """Capacity over demand; ``inf`` where no demand crosses."""
        crossing = self.demand > 0
        return np.where(crossing, self.capacity, np.inf) / np.where(crossing, self.demand, 1.0)


def sweep(order: Order, capacity: sp.csr_array, demand: sp.csr_array) -> Sweep:
    """Return what leaves, and what enters, each prefix of ``order``."""
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return Sweep(_crossing(position, capacity), _crossing(position, demand))


def _crossing(position: Order, matrix: sp.csr_array) -> FloatArray:
    n = len(position)
    tail = position[np.repeat(np.arange(n), np.diff(matrix.indptr))]
    head = position[matrix.indices]
    found = np.empty((2, n - 1))
    for row, (first, last) in enumerate([(tail, head), (head, tail)]):
        out = first < last
        begins = np.bincount(first[out], weights=matrix.data[out], minlength=n)
        ends = np.bincount(last[out], weights=matrix.data[out], minlength=n)
        # Sums of rates that begin and end cancel to rounding noise where nothing crosses.
        crossing = np.cumsum(begins - ends)[:-1]
        found[row] = np.where(crossing > 1e-9 * matrix.data.sum(), crossing, 0.0)
    return found


def lower_ratio(side: BoolArray, capacity: sp.csr_array, demand: sp.csr_array) -> BoolArray:
    """Return ``side`` after moving single nodes, each time the best one, while capacity over demand falls."""
    side = side.copy()
    moves = [_Moves(matrix, side) for matrix in (capacity, demand)]
    for _ in range(_FLIPS):
        (cut, cut_change), (across, across_change) = (move.value_and_changes(side) for move in moves)
        if across <= 0:
            return side
        after = across + across_change
        ratio = np.where(after > 1e-9 * across, np.maximum(cut + cut_change, 0.0), np.inf) / np.where(
            after > 1e-9 * across, after, 1.0
        )
        best = int(np.argmin(ratio))
        if not ratio[best] < (1 - 1e-9) * cut / across:
            return side
        side[best] = not side[best]
        for move in moves:
            move.flipped(best, side[best])
    return side


def ratio_of(side: BoolArray, capacity: sp.csr_array, demand: sp.csr_array) -> float:
    """Return the capacity that leaves ``side`` over the demand that does; ``inf`` where none does."""
    inside, outside = side.astype(np.float64), (~side).astype(np.float64)
    across = float((inside * (demand @ outside)).sum())
    return float((inside * (capacity @ outside)).sum()) / across if across > 0 else math.inf


class _Moves:
    """What leaves a side, and how that changes with each single node's change of side.

    With x the side as 0 and 1, ``sum m_uv x_u (1 - x_v)`` leaves it; node v changes that by
    ``(1 - 2 x_v) (M 1 - (M + M') x)_v``.
    """

    def __init__(self, matrix: sp.csr_array, side: BoolArray) -> None:
        self._both = matrix + matrix.T
        self._out = matrix.sum(axis=1)
        self._matrix = matrix
        self._near = self._both @ side.astype(np.float64)

    def value_and_changes(self, side: BoolArray) -> tuple[float, FloatArray]:
        # Half of what is near to members of the side lies inside it.
        inside = float(self._near[side].sum()) / 2
        return float(self._out[side].sum()) - inside, np.where(side, -1.0, 1.0) * (self._out - self._near)

    def flipped(self, node: int, joined: np.bool_) -> None:
        row = slice(self._both.indptr[node], self._both.indptr[node + 1])
        self._near[self._both.indices[row]] += self._both.data[row] * (1.0 if joined else -1.0)


def exchange(side: BoolArray, size: Counts, capacity: sp.csr_array) -> BoolArray:
    """Return ``side`` after exchanging nodes of equal size while less capacity is cut (Kernighan and Lin 1970).

    Args:
        side: bool ``[nodes]``.
        size: int64 ``[nodes]``; nodes of size 0 stay where they are.
        capacity: ``[nodes, nodes]``; both directions count.
    """
    both = capacity + capacity.T
    sign = np.where(side, 1.0, -1.0)
    for _ in range(_PASSES):
        gain, sign = _pass(sign, size, both)
        if gain <= 1e-9 * both.data.sum():
            break
    return sign > 0


def _pass(sign: FloatArray, size: Counts, both: sp.csr_array) -> tuple[float, FloatArray]:
    """Exchange pairs, each once and the best left first, and return to the best point so far."""
    start, sign = sign, sign.copy()
    pull = both @ sign
    free = size > 0
    total = best = 0.0
    swaps: list[tuple[int, int]] = []
    kept = 0
    while len(swaps) - kept < _FLAT_SWAPS:
        gain = -sign * pull
        a = int(np.argmax(np.where(free & (sign > 0), gain, -np.inf)))
        row = slice(both.indptr[a], both.indptr[a + 1])
        gain_a = float(gain[a])
        gain[both.indices[row]] -= 2 * both.data[row]
        partner = free & (sign < 0) & (size == size[a])
        if not (free[a] and sign[a] > 0):
            break
        if not partner.any():
            free[a] = False
            continue
        b = int(np.argmax(np.where(partner, gain, -np.inf)))
        total += gain_a + float(gain[b])
        for node in (a, b):
            sign[node] = -sign[node]
            row = slice(both.indptr[node], both.indptr[node + 1])
            pull[both.indices[row]] += 2 * sign[node] * both.data[row]
            free[node] = False
        swaps.append((a, b))
        if total > best + 1e-12 * abs(best):
            best, kept = total, len(swaps)
    result = start.copy()
    for a, b in swaps[:kept]:
        result[a], result[b] = -result[a], -result[b]
    return best, result
