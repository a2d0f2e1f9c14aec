"""TUB: the bound of the path lengths for the demands that need the longest paths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pnet_lp.errors import SolverError
from pnet_lp.memory import check_fits
from pnet_lp.model.arrays import FloatArray, floats, ints
from pnet_lp.model.distances import UNREACHED, site_hops
from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Instance, Silent
from pnet_lp.throughput.bounds.witness import Matching

EXACT_SITES = 150
"""Sites up to which unequal totals are matched by a linear program; with more, by one assignment."""

_BYTES_PER_PAIR = 40


@BOUNDS.register(
    "tub",
    summary="capacity of all links over the most hops that demands of the same totals can need",
    source="Namyar, Supittayapornpong, Zhang, Yu, Govindan: A Throughput-Centric View of the Performance of Datacenter "
    "Topologies, SIGCOMM 2021, section 3",
)
def tub(instance: Instance) -> Bound:
    """Return ``sum c_a`` over the largest ``sum t_st hops(s, t)`` of a matrix t with the totals of the one given.

    No endpoint sends or receives more in t than in the traffic matrix.  The value bounds the K of the t that the
    witness gives, and so the worst K of all such t; the K of the traffic matrix may be larger.  It never exceeds the
    ``mean-path`` bound without access links, for the traffic matrix is one of those t.

    With equal totals t is a permutation (the vertices of the hose polytope), found by an assignment; the value is then
    2 E c over its weight, as in the paper.  Unequal totals make t a transportation plan: exact for up to
    :data:`EXACT_SITES` sites; beyond, any plan gives a valid bound, and that of one assignment is taken.
    """
    problem, sites = instance.problem, instance.sites
    sent, received = (  # of each site
        np.bincount(instance.class_site, weights=total, minlength=sites.count).astype(np.float64)
        for total in problem.demands.totals(problem.attach.shape[1])
    )
    busy = np.flatnonzero((sent > 0) | (received > 0))
    check_fits(
        sites.count**2 * _BYTES_PER_PAIR,
        f"tub with the hops of {sites.count:,}^2 pairs",
        SolverError,
        allowed="other bounds, level=rack, or a smaller network",
    )
    hops = site_hops(instance.network, sites)[np.ix_(busy, busy)].astype(np.float64)
    sent, received = sent[busy], received[busy]
    far = sent[:, None] * received[None, :] * (hops == UNREACHED)
    if not hops.any():
        raise Silent("all endpoints are on one switch")
    if far.any():
        s, t = np.unravel_index(int(far.argmax()), far.shape)
        src, dst, amount = np.array([s]), np.array([t]), np.array([min(sent[s], received[t])])
        value, exact = 0.0, True
    else:
        equal = bool(np.ptp(sent) == 0 and np.ptp(received) == 0)
        exact = equal or len(busy) <= EXACT_SITES
        src, dst, amount = _plan(hops, sent, received) if exact and not equal else _assign(hops, sent, received)
        value = float(problem.capacity.sum() / (amount * hops[src, dst]).sum())
    first = np.full(sites.count, len(sites.of))
    np.minimum.at(first, sites.of, np.arange(len(sites.of)))
    witness = Matching(ints(first[busy[src]]), ints(first[busy[dst]]), floats(amount))
    return Bound(value, exact=exact, of="worst-case", witness=witness)


_Plan = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], FloatArray]


def _assign(hops: FloatArray, sent: FloatArray, received: FloatArray) -> _Plan:
    """Return the permutation with the largest sum of amount times hops, an amount being the smaller total."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to load

    amount = np.minimum(sent[:, None], received[None, :])
    src, dst = linear_sum_assignment(amount * hops, maximize=True)
    kept = (amount[src, dst] > 0) & (hops[src, dst] > 0)
    return src[kept], dst[kept], amount[src[kept], dst[kept]]


def _plan(hops: FloatArray, sent: FloatArray, received: FloatArray) -> _Plan:
    """Return the transportation plan with the largest sum of amount times hops within the totals."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.optimize import linprog  # noqa: PLC0415 - the same

    n = len(hops)
    src, dst = np.nonzero((hops > 0) & (sent[:, None] > 0) & (received[None, :] > 0))
    pair = np.arange(len(src))
    limits = sp.csr_array((np.ones(2 * len(src)), (np.r_[src, n + dst], np.r_[pair, pair])), shape=(2 * n, len(src)))
    scale = max(float(sent.max()), float(received.max()))
    totals = np.r_[sent, received] / scale
    solved = linprog(-hops[src, dst], A_ub=limits, b_ub=totals, method="highs-ds")  # type: ignore[call-overload]
    if solved.status != 0:
        raise SolverError(f"the program of the longest demands was not solved: {solved.message}")
    # The solver keeps totals to its tolerance; scaled down the plan keeps them exactly.
    amount = np.where(solved.x > 1e-9, solved.x, 0.0)
    over = float(((limits @ amount) / np.where(totals > 0, totals, 1.0)).max())
    amount *= scale / max(over, 1.0)
    kept = amount > 0
    return src[kept], dst[kept], amount[kept]
