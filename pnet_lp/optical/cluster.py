"""Which processes share a rack: a partition into equal parts that keeps traffic inside."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pnet_lp.errors import SpecError
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.throughput.bounds.search import exchange, spectral_orders

_EXCHANGED = 500_000
"""Most demands among the processes of a part that are exchanged pair by pair; a denser part keeps the order's cut."""


def cluster(traffic: TrafficMatrix, racks: int) -> IntArray:
    """Return int32 ``[processes]``: the rack of each process, equally many in every rack.

    The processes are bisected recursively, in proportion to the racks of either half: along the order they have and
    along the order of a second eigenvector of the Laplacian (Fiedler 1973), each improved by exchanging pairs
    (Kernighan and Lin 1970); the half with less traffic across is kept.  If consecutive processes in consecutive racks
    leave no more traffic between racks, that is the answer.  Racks that are separated last are neighbours in
    the numbering, which favours trees.  It is a heuristic; nothing is drawn at random.

    Args:
        traffic: demands between processes.
        racks: number of racks, a divisor of the number of processes.

    Raises:
        SpecError: the processes do not fill the racks.
    """
    if racks < 1 or traffic.endpoints % racks:
        raise SpecError(
            f"{traffic.endpoints} processes do not fill the racks equally",
            where="clustering",
            found=racks,
            allowed=f"a divisor of {traffic.endpoints}",
        )
    in_order = np.arange(traffic.endpoints) // (traffic.endpoints // racks)
    if in_order[-1] == 0:
        return ints(in_order)
    demand = traffic.to_csr()
    bisected = np.empty(traffic.endpoints, dtype=np.int64)
    _bisect(demand, np.arange(traffic.endpoints), 0, racks, bisected)
    return ints(min(in_order, bisected, key=lambda rack: between(traffic, rack)))


def between(traffic: TrafficMatrix, rack: npt.NDArray[np.integer]) -> float:
    """Return the sum of the demands between processes of different racks."""
    return float(traffic.demand[rack[traffic.src] != rack[traffic.dst]].sum())


def _bisect(
    demand: sp.csr_array, members: npt.NDArray[np.int64], first: int, racks: int, rack: npt.NDArray[np.int64]
) -> None:
    """Write the racks ``first`` to ``first + racks - 1`` of ``members`` into ``rack``."""
    if racks == 1:
        rack[members] = first
        return
    inside = sp.csr_array(demand[members][:, members])
    left = racks // 2
    size = len(members) // racks * left
    ones = np.ones(len(members), dtype=np.int64)
    best, least = np.empty(0, dtype=np.bool_), np.inf
    for order in (np.arange(len(members)), *spectral_orders(inside, 1)):
        side = np.zeros(len(members), dtype=np.bool_)
        side[order[:size]] = True
        if inside.nnz <= _EXCHANGED:
            side = exchange(side, ones, inside)
        across = _across(inside, side)
        if across < least:
            best, least = side, across
    _bisect(demand, members[best], first, left, rack)
    _bisect(demand, members[~best], first + left, racks - left, rack)


def _across(inside: sp.csr_array, side: npt.NDArray[np.bool_]) -> float:
    pairs = inside.tocoo()
    return float(pairs.data[side[pairs.row] != side[pairs.col]].sum())
