"""Classes of alike hosts: the exact aggregation of a host-level problem.

Two hosts are alike if they attach to the same switch with the same speed in every plane and send to, and receive
from, every class the same amount.  The coarsest such partition is found by colour refinement.  Averaging a flow over
each class keeps it feasible, and lengths that are equal within a class lose nothing in the dual, so the problem on
classes has the same optimum as the one on hosts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.model import TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.demands import Demands, Pairs, Product


@brief()
@dataclass(frozen=True, repr=False)
class Classes:
    """The aggregated endpoints and demands; fields as in :class:`~pnet_lp.throughput.problems.flow.FlowProblem`."""

    attach: IntArray
    access_up: FloatArray
    access_down: FloatArray
    demands: Demands
    endpoint_class: IntArray


def endpoint_classes(
    attach: IntArray,
    access_up: FloatArray,
    access_down: FloatArray,
    traffic: TrafficMatrix,
    *,
    merge: bool = True,
) -> Classes:
    """Return the coarsest exact aggregation of the endpoints that have a demand.

    Args:
        attach: int32 ``[planes, endpoints]``, the switch of each endpoint, -1 for none.
        access_up: float64 ``[planes, endpoints]``, Gb/s, ``inf`` where access does not limit.
        access_down: the same for the other direction.
        traffic: the demands.
        merge: whether to look for alike endpoints at all; otherwise each is a class of its own.
    """
    rule = traffic.demands
    named = np.zeros(traffic.endpoints, dtype=bool)
    if isinstance(rule, Product):
        named = (rule.sends > 0) | (rule.receives > 0)
    else:
        named[rule.src] = named[rule.dst] = True
    used = np.flatnonzero(named)
    rows = np.vstack([attach[:, used], access_up[:, used], access_down[:, used]])
    if not merge:
        color = np.arange(len(used))
    elif isinstance(rule, Product):
        color = _equal(np.vstack([rows, rule.sends[used], rule.receives[used]]))
    else:
        position = np.cumsum(named) - 1
        color = _refine(_equal(rows), position[rule.src], position[rule.dst], rule.demand)
    count = int(color.max(initial=-1)) + 1

    # Number classes by their first member, so that problems without alike hosts keep the network's order.
    first = np.full(count, len(used), dtype=np.int64)
    np.minimum.at(first, color, np.arange(len(used)))
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(count)
    color, first = rank[color], np.sort(first)

    size = np.bincount(color, minlength=count)
    member = used[first]
    endpoint_class = np.full(traffic.endpoints, -1)
    endpoint_class[used] = color
    return Classes(
        attach=ints(attach[:, member]),
        access_up=floats(access_up[:, member] * size),
        access_down=floats(access_down[:, member] * size),
        demands=_between(rule, endpoint_class, size, member),
        endpoint_class=ints(endpoint_class),
    )


def _between(
    rule: Demands, classes: npt.NDArray[np.int64], size: npt.NDArray[np.int64], member: npt.NDArray[np.int64]
) -> Demands:
    """Return the demands between ``classes`` of these sizes, of which ``member`` are examples."""
    if isinstance(rule, Product):
        sends, receives = rule.sends[member], rule.receives[member]
        return Product(
            floats(size * sends), floats(size * receives), floats(size * (size - 1) * sends * receives)
        )
    src, dst = classes[rule.src], classes[rule.dst]
    # The entries of a matrix are sorted, and stay so where each endpoint is a class of its own.
    if np.all(size == 1):
        return Pairs(ints(src), ints(dst), rule.demand)
    row, column, demand = _added(src, dst, rule.demand)
    return Pairs(ints(row), ints(column), floats(demand))


def _added(
    row: npt.NDArray[np.int64], column: npt.NDArray[np.int64], demand: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the entries of a matrix, sorted, of which several may be given for one place."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    size = int(max(row.max(), column.max())) + 1
    merged = sp.csr_array(sp.coo_array((demand, (row, column)), shape=(size, size)))
    merged.sum_duplicates()
    found = merged.tocoo()
    return found.row, found.col, found.data


def _labels(rows: Iterable[Hashable]) -> npt.NDArray[np.int64]:
    """Return a label per row, equal for equal rows."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(row, len(seen)) for row in rows])


def _equal(values: FloatArray) -> npt.NDArray[np.int64]:
    """Return a label per column, equal for equal columns."""
    order = np.lexsort(values)
    new = np.any(values[:, order[1:]] != values[:, order[:-1]], axis=0)
    label = np.empty(len(order), dtype=np.int64)
    label[order] = np.cumsum(np.r_[False, new])
    return label


def _refine(
    color: npt.NDArray[np.int64],
    src: npt.NDArray[np.int64],
    dst: npt.NDArray[np.int64],
    demand: FloatArray,
) -> npt.NDArray[np.int64]:
    """Split classes until all members of each send to, and receive from, every class alike."""
    n = len(color)
    if int(color.max()) + 1 == n:
        return color
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    while (count := int(color.max()) + 1) < n:
        member = sp.csr_array((np.ones(n), (np.arange(n), color)), shape=(n, count))
        entries = sp.csr_array((demand, (src, dst)), shape=(n, n))
        # A host sends nothing to itself, so a class that is uniform but for the diagonal is uniform.
        sums = sp.csr_array(sp.hstack([entries @ member, entries.T @ member]))
        sums.sort_indices()
        rows = (slice(*sums.indptr[i : i + 2]) for i in range(n))
        parts = ((sums.indices[row].tobytes(), sums.data[row].tobytes()) for row in rows)
        refined = _labels(zip(color.tolist(), parts, strict=True))
        if int(refined.max()) + 1 == count:
            return color
        color = refined
    return color
