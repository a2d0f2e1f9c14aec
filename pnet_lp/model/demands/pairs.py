"""Demands between numbered endpoints: what every representation answers, and the list of pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.errors import TrafficError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints, longs
from pnet_lp.model.brief import brief

Index = npt.NDArray[np.int64]

BYTES_PER_PAIR = 120
"""Measured peak of writing pairs out and of their flow problem: 86 to 91 bytes each, up to 115 where they are drawn."""

LISTED_PAIRS = 1_000_000
"""Up to this many pairs, demands that are a rule have the fingerprint of those that list them."""


def check_pairs(count: int, what: str) -> None:
    """Raise TrafficError where ``what`` with ``count`` pairs, and the problem made of it, need too much memory."""
    check_fits(count * BYTES_PER_PAIR, what, TrafficError, allowed="level=rack, sparser traffic, or a smaller network")


class Demands(ABC):
    """Demands between numbered endpoints."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of demands above 0."""

    @property
    @abstractmethod
    def total(self) -> float:
        """Sum of all demands."""

    @property
    @abstractmethod
    def range(self) -> FloatArray:
        """float64: a selection of demands with the smallest and the largest."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether every endpoint is known, without a check of each pair, to send to every other."""

    @abstractmethod
    def listed(self, what: str) -> Pairs:
        """Return the demands one by one, sorted by source, then destination.

        Raises:
            TrafficError: they do not fit into memory; the message begins with ``what``.
        """

    @abstractmethod
    def scaled(self, factor: float) -> Demands:
        """Return demands ``factor`` times as large."""

    @abstractmethod
    def named(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Return bool ``[endpoints]``: which of them send or receive anything."""

    @abstractmethod
    def received(self, endpoints: int) -> npt.NDArray[np.bool_]:
        """Return bool ``[endpoints]``: which of them are destinations."""

    @abstractmethod
    def totals(self, endpoints: int) -> FloatArray:
        """Return float64 ``[2, endpoints]``: what each sends, and what it receives."""

    @abstractmethod
    def leaving(self, inside: npt.NDArray[np.bool_]) -> float:
        """Return the sum of the demands from endpoints ``inside``, bool ``[endpoints]``, to others."""

    @abstractmethod
    def weights(self, endpoints: int) -> FloatArray:
        """Return float64 ``[n, endpoints]``: columns that are equal only where endpoints can be exchanged."""

    @abstractmethod
    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return float64 ``[endpoints]``: what each sends to another one with the column of weights of ``endpoint``.

        Where no other has it, what it sends to ``endpoint`` itself.
        """

    @abstractmethod
    def sent_to_itself(self, endpoint: int) -> float:
        """Return what an endpoint sends to itself: as a class of hosts, what these send to each other."""

    @abstractmethod
    def refined(self, classes: Index, used: Index) -> Index:
        """Return the coarsest equitable refinement: members of a class send to, and receive from, each class the same.

        Args:
            classes: int64 ``[used]``, a partition in which all endpoints of a class are equivalent so far.
            used: int64, the endpoints that send or receive anything.
        """

    @abstractmethod
    def merged(self, classes: Index, size: Index, member: Index) -> Demands:
        """Return the demands between classes of equivalent endpoints.

        Args:
            classes: int64 ``[endpoints]``, the class of each, -1 for none.
            size: int64 ``[classes]``, how many are in each.
            member: int64 ``[classes]``, one of each.
        """

    @abstractmethod
    def core(self, endpoints: int) -> _core.Demands:
        """Return the core's representation."""

    @abstractmethod
    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return what a fingerprint is taken of, ``head`` within it; of few demands the same for list and rule."""

    @property
    def factors(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Weights of sources and of destinations whose products demands are, and demands to oneself; None if listed."""
        return None

    @property
    def groups(self) -> tuple[FloatArray, FloatArray, IntArray, IntArray, float] | None:
        """Weights whose products are demands in groups, group and owner of each endpoint, the part sent to others."""
        return None

    @property
    def parts(self) -> tuple[Demands, ...]:
        """What they are the sum of: themselves, or a rule and then a list."""
        return (self,)


class Rule(Demands):
    """Base of demands that follow from a rule: they are listed once they are needed."""

    def listed(self, what: str) -> Pairs:
        """Return the demands one by one, sorted by source, then destination."""
        if "_listed" not in self.__dict__:
            check_pairs(self.count, what)
        return self._listed

    @cached_property
    def _listed(self) -> Pairs:
        return self._written_out()

    def sent_to_itself(self, endpoint: int) -> float:
        """Return what an endpoint sends to itself: nothing, where the rule does not say more."""
        del endpoint
        return 0.0

    def refined(self, classes: Index, used: Index) -> Index:
        """Split classes until the members of each send to, and receive from, every class the same."""
        if int(classes.max(initial=-1)) + 1 == len(classes):
            return classes
        return self.listed("the matrix").refined(classes, used)

    @abstractmethod
    def between(self, src: IntArray, dst: IntArray) -> FloatArray:
        """Return the demand of each of some pairs of different endpoints, 0 where there is none."""

    @abstractmethod
    def _written_out(self) -> Pairs:
        """Return the demands one by one, sorted by source, then destination."""


class Listed(ABC):
    """Base of what has demands: pairs, or a rule from which these follow once they are needed."""

    demands: Demands

    @property
    @abstractmethod
    def _words(self) -> str:
        """What the demands are of, for messages."""

    @property
    def pairs(self) -> Pairs:
        """The demands one by one, sorted by source, then destination; TrafficError where they do not fit in memory."""
        return self.demands.listed(self._words)

    @property
    def demand_count(self) -> int:
        """Number of demands, J."""
        return self.demands.count

    @property
    def src(self) -> IntArray:
        """int32 ``[J]``, where each demand begins."""
        return self.pairs.src

    @property
    def dst(self) -> IntArray:
        """int32 ``[J]``, where it ends."""
        return self.pairs.dst

    @property
    def demand(self) -> FloatArray:
        """float64 ``[J]``, from 1e-15 to 1e15, in Gb/s or, for the unit matrices, 1.0 per pair."""
        return self.pairs.demand


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
        """Pairs are not checked."""
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
        """Return a number for each endpoint: no two endpoints are equivalent."""
        return np.arange(endpoints, dtype=np.float64)[None, :]

    def sent_to(self, endpoint: int, endpoints: int) -> FloatArray:
        """Return what each endpoint sends to an equivalent one."""
        here = self.dst == endpoint
        coming = np.bincount(self.src[here], weights=self.demand[here], minlength=endpoints)
        return np.asarray(coming, dtype=np.float64)

    def sent_to_itself(self, endpoint: int) -> float:
        """Return what an endpoint sends to itself."""
        return float(self.demand[(self.src == endpoint) & (self.dst == endpoint)].sum())

    def refined(self, classes: Index, used: Index) -> Index:
        """Split classes until the members of each send to, and receive from, every class the same."""
        src, dst = np.searchsorted(used, self.src), np.searchsorted(used, self.dst)
        return _refine(classes, src, dst, self.demand)

    def merged(self, classes: Index, size: Index, member: Index) -> Pairs:
        """Return the demands between classes."""
        del member
        src, dst = classes[self.src], classes[self.dst]
        # The entries of a matrix are sorted, and stay so where each endpoint is a class of its own.
        if np.all(size == 1):
            return Pairs(ints(src), ints(dst), self.demand)
        return added(src, dst, self.demand)

    def core(self, endpoints: int) -> _core.Demands:
        """Return the core's representation."""
        return _core.Demands.pairs(endpoints, self.src, self.dst, self.demand)

    def identity(self, head: str) -> list[str | npt.NDArray[np.generic]]:
        """Return the pairs."""
        return [f"traffic/1 {head}", self.src, self.dst, self.demand]


def added(src: Index | IntArray, dst: Index | IntArray, demand: FloatArray) -> Pairs:
    """Return demands as a list, sorted, of which several may be given for one pair."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    size = int(max(src.max(), dst.max())) + 1
    merged = sp.csr_array(sp.coo_array((demand, (src, dst)), shape=(size, size)))
    merged.sum_duplicates()
    found = merged.tocoo()
    return Pairs(ints(found.row), ints(found.col), floats(found.data))


def _refine(classes: Index, src: Index, dst: Index, demand: FloatArray) -> Index:
    """Split classes until the members of each send to, and receive from, every class the same.

    Only endpoints are looked at again that send to, or receive from, what has a new number; of the parts of a class the
    largest keeps the number, so that an endpoint has few in all (Hopcroft's "process the smaller half").
    """
    n = len(classes)
    if int(classes.max()) + 1 == n:
        return classes
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    sent = sp.csr_array((demand, (src, dst)), shape=(n, n))
    moved = sp.csr_array(sp.hstack([sent, sent.T]))
    ones, pointer = np.ones(2 * n), np.arange(2 * n + 1)
    classes, looked_at = classes.copy(), np.arange(n)
    while len(looked_at) and (count := int(classes.max()) + 1) < n:
        member = sp.csr_array((ones, np.concatenate([classes, count + classes]), pointer), shape=(2 * n, 2 * count))
        # A host sends nothing to itself, so a class that is uniform but for the diagonal is uniform.
        sums = sp.csr_array((moved[looked_at] if len(looked_at) < n else moved) @ member)
        sums.sort_indices()
        part = _labels(classes[looked_at], longs(sums.indptr), longs(sums.indices), sums.data)
        renumbered = _split(classes, looked_at, part)
        looked_at = np.unique(moved[renumbered].indices % n)
    return classes


def _split(classes: Index, some: Index, part: Index) -> Index:
    """Split ``classes`` into the ``part`` of each of ``some`` members, and all others; return who has a new number."""
    size = np.bincount(classes)
    of = np.empty(int(part.max()) + 1, dtype=np.int64)
    of[part] = classes[some]
    many = np.bincount(part)
    others = size - np.bincount(of, many, len(size)).astype(np.int64)
    # The largest part of each class, first in its order.
    order = np.lexsort((-many, of))
    leading = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
    kept = leading[many[leading] > others[of[leading]]]
    number = np.full(len(of), -1)
    number[kept] = of[kept]
    new = np.flatnonzero(number < 0)
    number[new] = len(size) + np.arange(len(new))
    # Where a part of these members keeps the number, all others have another one.
    left = of[kept][others[of[kept]] > 0]
    onto = np.full(len(size), -1)
    onto[left] = len(size) + len(new) + np.arange(len(left))
    onto = onto[classes]
    onto[some] = number[part]
    renumbered = np.flatnonzero((onto >= 0) & (onto != classes))
    classes[renumbered] = onto[renumbered]
    return renumbered


def _labels(classes: Index, ptr: Index, columns: Index, values: FloatArray) -> Index:
    """Return a label per row of a sparse matrix, equal for rows of one class that are equal bit by bit."""
    label = np.empty(len(classes), dtype=np.int64)
    lengths = np.diff(ptr)
    count = 0
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        place = ptr[rows, None] + np.arange(length)
        words = np.hstack([classes[rows, None], columns[place], values[place].view(np.int64)], dtype=np.int64)
        distinct, own = np.unique(words.view(f"V{words.itemsize * words.shape[1]}"), return_inverse=True)
        label[rows] = count + own.ravel()
        count += len(distinct)
    return label
