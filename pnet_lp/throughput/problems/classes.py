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


@brief()
@dataclass(frozen=True, repr=False)
class Classes:
    """The aggregated endpoints and demands; fields as in :class:`~pnet_lp.throughput.problems.flow.FlowProblem`."""

    attach: IntArray
    access_up: FloatArray
    access_down: FloatArray
    src: IntArray
    dst: IntArray
    demand: FloatArray
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
    named = np.zeros(traffic.endpoints, dtype=bool)
    named[traffic.src] = named[traffic.dst] = True
    used = np.flatnonzero(named)
    position = np.full(traffic.endpoints, -1, dtype=np.int64)
    position[used] = np.arange(len(used))
    src, dst = position[traffic.src], position[traffic.dst]

    if merge:
        rows = np.vstack([attach[:, used], access_up[:, used], access_down[:, used]]).T
        color = _labels(row.tobytes() for row in rows)
        color = _refine(color, src, dst, traffic.demand)
    else:
        color = np.arange(len(used))
    count = int(color.max()) + 1

    # Number classes by their first member, so that problems without alike hosts keep the network's order.
    first = np.full(count, len(used), dtype=np.int64)
    np.minimum.at(first, color, np.arange(len(used)))
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(count)
    color, first = rank[color], np.sort(first)

    size = np.bincount(color, minlength=count)
    # The entries of a matrix are sorted, and stay so where each endpoint is a class of its own.
    apart = count == len(used)
    row, column, demand = (
        (src, dst, traffic.demand) if apart else _added(color[src], color[dst], traffic.demand)
    )
    member = used[first]
    endpoint_class = np.full(traffic.endpoints, -1)
    endpoint_class[used] = color
    return Classes(
        attach=ints(attach[:, member]),
        access_up=floats(access_up[:, member] * size),
        access_down=floats(access_down[:, member] * size),
        src=ints(row),
        dst=ints(column),
        demand=floats(demand),
        endpoint_class=ints(endpoint_class),
    )


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
