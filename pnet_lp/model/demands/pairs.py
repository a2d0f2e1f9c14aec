"""Demands one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints, longs
from pnet_lp.model.brief import brief
from pnet_lp.model.demands.base import Demands, Index


@brief("count", "total")
@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Demands):
    """Demands one by one.

    Attributes:
        src, dst: int32 ``[j]``, endpoints.
        demand: float64 ``[j]``, > 0.
    """

    src: IntArray
    dst: IntArray
    demand: FloatArray

    @property
    def count(self) -> int:
        """Number of demands above 0."""
        return len(self.demand)

    @property
    def total(self) -> float:
        """Sum of all demands."""
        return float(self.demand.sum())

    @property
    def range(self) -> FloatArray:
        """All of them."""
        return self.demand

    @property
    def complete(self) -> bool:
        """Pairs are not looked at."""
        return False

    def listed(self, what: str) -> Pairs:
        """Return the pairs themselves."""
        del what
        return self

    def scaled(self, factor: float) -> Pairs:
        """Return them ``factor`` times as large, without those that vanish."""
        demand = self.demand * factor
        kept = demand != 0
        return Pairs(ints(self.src[kept]), ints(self.dst[kept]), floats(demand[kept]))

    def named(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints send or receive anything."""
        found = np.zeros(endpoints, dtype=bool)
        found[self.src] = found[self.dst] = True
        return found

    def received(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Say which endpoints are destinations."""
        found = np.zeros(endpoints, dtype=bool)
        found[self.dst] = True
        return found

    def totals(self, endpoints: int) -> FloatArray:
        """Return the sums of the demands from and to each endpoint."""
        ends = (self.src, self.dst)
        return floats(np.stack([np.bincount(end, self.demand, endpoints) for end in ends]))

    def leaving(self, inside: npt.NDArray[np.bool_]) -> float:
        """Return the sum of the demands from endpoints ``inside`` to others."""
        return float(self.demand[inside[self.src] & ~inside[self.dst]].sum())

    def weights(self, endpoints: int) -> FloatArray:
        """Return a number for each endpoint: whoever has demands of its own is like no other."""
        return np.arange(endpoints, dtype=np.float64)[None, :]

    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to one like this."""
        here = self.dst == endpoint
        coming = np.bincount(self.src[here], weights=self.demand[here], minlength=endpoints)
        return np.asarray(coming, dtype=np.float64)

    def sent_to_itself(self, endpoint: int) -> float:
        """Return what an endpoint sends to itself."""
        return float(self.demand[(self.src == endpoint) & (self.dst == endpoint)].sum())

    def refined(self, group: Index, used: Index) -> Index:
        """Split classes until all members of each send to, and receive from, every class equally."""
        src, dst = np.searchsorted(used, self.src), np.searchsorted(used, self.dst)
        return _refine(group, src, dst, self.demand)

    def merged(self, classes: Index, size: Index, member: Index) -> Pairs:
        """Return the demands between classes."""
        del member
        src, dst = classes[self.src], classes[self.dst]
        # The entries of a matrix are sorted, and stay so where each endpoint is a class of its own.
        if np.all(size == 1):
            return Pairs(ints(src), ints(dst), self.demand)
        row, column, demand = _added(src, dst, self.demand)
        return Pairs(ints(row), ints(column), floats(demand))

    def core(self, endpoints: int) -> _core.Demands:
        """Return them as the core holds them."""
        return _core.Demands.pairs(endpoints, self.src, self.dst, self.demand)

    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return the pairs."""
        return [f"traffic/1 {head}", self.src, self.dst, self.demand]


def _added(row: Index, column: Index, demand: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the entries of a matrix, sorted, of which several may be given for one place."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    size = int(max(row.max(), column.max())) + 1
    merged = sp.csr_array(sp.coo_array((demand, (row, column)), shape=(size, size)))
    merged.sum_duplicates()
    found = merged.tocoo()
    return found.row, found.col, found.data


def _refine(group: Index, src: Index, dst: Index, demand: FloatArray) -> Index:
    """Split classes until all members of each send to, and receive from, every class equally."""
    n = len(group)
    if int(group.max()) + 1 == n:
        return group
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    sent = sp.csr_array((demand, (src, dst)), shape=(n, n))
    moved = sp.csr_array(sp.hstack([sent, sent.T]))
    while (count := int(group.max()) + 1) < n:
        columns = np.concatenate([group, count + group])
        member = sp.csr_array((np.ones(2 * n), columns, np.arange(2 * n + 1)), shape=(2 * n, 2 * count))
        # A host sends nothing to itself, so a class that is uniform but for the diagonal is uniform.
        sums = sp.csr_array(moved @ member)
        sums.sort_indices()
        refined = _labels(group, longs(sums.indptr), longs(sums.indices), sums.data)
        if int(refined.max()) + 1 == count:
            return group
        group = refined
    return group


def _labels(group: Index, ptr: Index, columns: Index, values: FloatArray) -> Index:
    """Return a label per row of a sparse matrix, equal for rows of one group that are equal bit by bit."""
    label = np.empty(len(group), dtype=np.int64)
    lengths = np.diff(ptr)
    count = 0
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        place = ptr[rows, None] + np.arange(length)
        words = np.hstack([group[rows, None], columns[place], values[place].view(np.int64)], dtype=np.int64)
        distinct, own = np.unique(words.view(f"V{words.itemsize * words.shape[1]}"), return_inverse=True)
        label[rows] = count + own.ravel()
        count += len(distinct)
    return label
