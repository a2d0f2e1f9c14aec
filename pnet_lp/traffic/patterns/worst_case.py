"""Matrices chosen against the network: endpoints send as far, or as near, as they can."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pnet_lp.errors import TrafficError
from pnet_lp.memory import check_fits
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.arrays import IntArray
from pnet_lp.model.distances import UNREACHED, Sites, find_sites, site_hops
from pnet_lp.registry import NoParams, Params
from pnet_lp.traffic.base import TrafficContext, traffics
from pnet_lp.traffic.places import hosts_of_endpoints

_ASSIGNMENT_BYTES = 26
"""Measured peak of an assignment problem, per pair of rows and columns."""
_MANY_ENDPOINTS = 4096
"""Endpoints of unequal racks beyond which racks are matched in their place: an assignment of more takes ten seconds."""
_TRANSPORT_BYTES = 52
"""Of the transportation problem of racks, per pair of them: hops, costs, the plan, and what an assignment takes."""
_PROGRAM_BYTES = 1100
"""Measured peak of the linear program of unequal rates, per pair of sites."""


@traffics.register(
    "longest-matching",
    summary="1.0 from every endpoint to one other, each chosen once, so that the sum of hops is largest",
    source="Jyothi, Singla, Godfrey, Kolla: Measuring and Understanding Throughput of Network Topologies, SC 2016; "
    "Namyar, Supittayapornpong, Zhang, Yu, Govindan: A Throughput-Centric View of the Performance of Datacenter "
    "Topologies, SIGCOMM 2021",
)
def longest_matching(_: NoParams, context: TrafficContext) -> TrafficMatrix:
    """Return the permutation of greatest total hop count (maximal permutation); see :func:`_matching`.

    Where one switch has all hosts, no two are a hop apart, and each sends to the next.
    """
    if context.level == "host" and context.endpoints > 1 and find_sites(context.network, "host").count == 1:
        hosts = np.arange(context.endpoints)
        return context.matrix(hosts, np.roll(hosts, -1))
    return _matching(context, farthest=True)


@traffics.register(
    "shortest-matching",
    summary="1.0 from every endpoint to one other in another rack, each chosen once, so that the sum of hops is least",
)
def shortest_matching(_: NoParams, context: TrafficContext) -> TrafficMatrix:
    """Return the permutation of least total hop count; see :func:`_matching`."""
    return _matching(context, farthest=False)


class KodialamParams(Params):
    """Parameters of ``kodialam``."""

    hose: Literal["hosts", "uniform"] = Field(
        "hosts",
        description="most that a rack sends and receives; hosts: in proportion to its hosts, 1.0 on average; "
        "uniform: 1.0.  A host sends and receives 1.0 in either case",
    )


@traffics.register(
    "kodialam",
    params=KodialamParams,
    summary="what every endpoint's sending and receiving limits allow with the largest sum of demand times hops",
    source="Kodialam, Lakshman, Sengupta: Traffic-Oblivious Routing in the Hose Model, ToN 2011; evaluation: "
    "Jyothi, Singla, Godfrey, Kolla: Measuring and Understanding Throughput of Network Topologies, SC 2016",
)
def kodialam(params: KodialamParams, context: TrafficContext) -> TrafficMatrix:
    """Return a vertex of: maximise sum d(s, t) hops(s, t), no endpoint sending or receiving more than its rate.

    Hops are the fewest over the planes.  Where all racks have one rate the vertices are permutations, and the sum is
    that of ``longest-matching``; unequal rates split demands.  At host level the program is that of racks, and each
    demand is spread evenly over the hosts of its two racks.

    Raises:
        TrafficError: as :func:`_matching`, but for a rack that has most of the hosts.
    """
    sites = _sites(context)
    rates = sites.sizes.astype(np.float64)
    if context.level == "rack" and params.hose == "hosts":
        rates = hosts_of_endpoints(context)
        rates = rates[np.argsort(sites.of)] / rates.mean()
    equal = bool(np.all(rates == rates[0]))
    _check_memory(sites.count, _ASSIGNMENT_BYTES if equal else _PROGRAM_BYTES, context)
    hops = _reachable(_hops(sites, context), sites, context)
    if equal:
        src, dst = np.arange(sites.count), _assign(-hops, np.arange(sites.count))
        demand = rates
    else:
        src, dst, demand = _hose(hops, rates)
    if context.level == "rack":
        rack = np.argsort(sites.of)
        return context.matrix(rack[src], rack[dst], demand)
    sizes = sites.sizes
    context.check_demands(int((sizes[src].astype(np.int64) * sizes[dst]).sum()))
    members = np.split(np.argsort(sites.of, kind="stable"), np.cumsum(sizes)[:-1])
    return context.matrix(
        np.concatenate([np.repeat(members[s], sizes[t]) for s, t in zip(src, dst, strict=True)]),
        np.concatenate([np.tile(members[t], sizes[s]) for s, t in zip(src, dst, strict=True)]),
        np.repeat(demand / (sizes[src] * sizes[dst]), sizes[src] * sizes[dst]),
    )


def _matching(context: TrafficContext, *, farthest: bool) -> TrafficMatrix:
    """Return the permutation with the most or the fewest hops, counted as the fewest over the planes.

    No endpoint sends to one that shares its switch in every plane, so every demand leaves its rack.  Where all racks
    have equally many hosts the racks are matched, and each host sends to its counterpart: a transportation problem of
    equal supplies is solved by a permutation.

    Raises:
        TrafficError: one rack has all or most of the hosts; a pair without a path; too little memory.
    """
    sites = _sites(context)
    sizes = sites.sizes
    equal = bool(np.all(sizes == sizes[0]))
    group = np.arange(sites.count) if equal else sites.of
    if 2 * sizes.max() > context.endpoints:
        raise TrafficError(
            f"one rack has {int(sizes.max())} of {context.endpoints} hosts, more than there are others to send to",
            where=context.label,
        )
    # The matrix of sites is one of its parts where that of endpoints is needed.
    many = not equal and len(group) > _MANY_ENDPOINTS
    if many:
        _check_memory(sites.count, _TRANSPORT_BYTES, context)
    else:
        _check_memory(len(group), _ASSIGNMENT_BYTES, context)
    hops = _reachable(_hops(sites, context), sites, context)
    cost = -hops if farthest else hops
    if many:
        return context.matrix(np.arange(len(group)), _transport(cost, sites))
    _check_memory(len(group), _ASSIGNMENT_BYTES, context)
    matched = _assign(cost[np.ix_(group, group)], group)
    if not equal:
        return context.matrix(np.arange(len(group)), matched)
    members = np.argsort(sites.of, kind="stable").reshape(sites.count, -1)
    return context.matrix(members, members[matched])


def _sites(context: TrafficContext) -> Sites:
    sites = find_sites(context.network, context.level)
    if sites.count < 2:
        raise TrafficError("all hosts are in one rack", where=context.label, allowed="at least two racks")
    return sites


def _check_memory(side: int, bytes_per_pair: int, context: TrafficContext) -> None:
    check_fits(
        side**2 * bytes_per_pair,
        f"{context.label} with the distances of {side:,}^2 pairs",
        TrafficError,
        allowed=f"{context.coarser}a smaller network",
    )


def _hops(sites: Sites, context: TrafficContext) -> IntArray:
    """Return the hops between sites; TopologyError where there are servers, whose accelerators are on no rack alone."""
    context.network.check_without_servers(context.label)
    return site_hops(context.network, sites)


def _reachable(hops: IntArray, sites: Sites, context: TrafficContext) -> npt.NDArray[np.float64]:
    """Return ``hops`` as numbers to reckon with."""
    if (lost := np.argwhere(hops == UNREACHED)).size:
        names = context.network.endpoint_names(context.level)
        s, t = (names[int(np.flatnonzero(sites.of == site)[0])] for site in lost[0])
        raise TrafficError(
            f"there is no path from {s!r} to {t!r} in any plane, so the distance is not defined", where=context.label
        )
    return hops.astype(np.float64)


def _assign(cost: npt.NDArray[np.float64], group: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Return the cheapest permutation in which no endpoint is assigned to one of its own group."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to load

    apart = np.where(group[:, None] == group[None, :], (len(cost) + 1) * (np.abs(cost).max() + 1), cost)
    return linear_sum_assignment(apart)[1].astype(np.int64)


def _transport(cost: npt.NDArray[np.float64], sites: Sites) -> npt.NDArray[np.int64]:
    """Return a cheapest permutation of endpoints of unequal sites, of which none has more than all others together.

    How many endpoints of one site are assigned to another is a transportation problem.  Its first plan is by layers:
    layer l has the l-th endpoint of every site that has as many, and is assigned as sites are; those of the largest
    that are left alone exchange with others.  Cycles along which it becomes cheaper are cancelled until there are none
    (Klein 1967).
    """
    plan, done = np.zeros(cost.shape, dtype=np.int64), 0
    for size in np.unique(sites.sizes).tolist():
        there = np.flatnonzero(sites.sizes >= size)
        if len(there) < 2:
            _exchange(cost, plan, int(there[0]), size - done)
        else:
            plan[there, there[_assign(cost[np.ix_(there, there)], there)]] += size - done
        done = size
    apart = np.where(np.eye(len(cost), dtype=np.bool_), np.inf, cost)
    while cycles := _cheaper_cycles(apart, plan):
        for sources in cycles:
            used = np.roll(sources, -1)
            # Each source of a cycle takes over the destination of the next one that it reaches most cheaply.
            extra = np.where(plan[used] > 0, apart[sources] - apart[used], np.inf)
            targets = extra.argmin(axis=1)
            moved = plan[used, targets].min()
            plan[used, targets] -= moved
            plan[sources, targets] += moved
    src, dst = np.nonzero(plan)
    amounts = plan[src, dst]
    # Those of a site who send most to one other are those who receive most from one, so that many are equivalent.
    members = np.argsort(sites.of, kind="stable")
    sending, receiving = (
        members[np.argsort(np.repeat(order, amounts[order]), kind="stable")]
        for order in (np.lexsort((dst, -amounts, src)), np.lexsort((src, -amounts, dst)))
    )
    found = np.empty(len(members), dtype=np.int64)
    found[sending] = receiving
    return found


def _exchange(cost: npt.NDArray[np.float64], plan: npt.NDArray[np.int64], site: int, endpoints: int) -> None:
    """Assign so many further endpoints of ``site`` to others, and others to them, where it costs least."""
    others = plan.copy()
    others[site], others[:, site] = 0, 0
    src, dst = np.nonzero(others)
    order = np.argsort(cost[src, site] + cost[site, dst] - cost[src, dst], kind="stable")
    src, dst = src[order], dst[order]
    before = np.r_[0, np.cumsum(others[src, dst])[:-1]]
    moved = np.clip(endpoints - before, 0, others[src, dst])
    plan[src, dst] -= moved
    np.add.at(plan[:, site], src, moved)
    np.add.at(plan[site], dst, moved)


def _cheaper_cycles(cost: npt.NDArray[np.float64], plan: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """Return disjoint cycles of sources that make ``plan`` cheaper, each source taking over a target of the next.

    They are cycles of predecessors in the method of Bellman and Ford, none where that ends.
    """
    src, dst = np.nonzero(plan)
    begins = np.flatnonzero(np.r_[True, src[1:] != src[:-1]])
    potential = np.zeros(len(cost))
    before = np.full(len(cost), -1)
    while True:
        reached = potential[:, None] + cost
        first = reached.argmin(axis=0)
        through = reached[first, np.arange(len(cost))][dst] - cost[src, dst]
        lower = np.minimum.reduceat(through, begins)
        improved = lower < potential  # hops are whole numbers, so nothing is rounded
        if not improved.any():
            return []
        least = np.flatnonzero(through == np.repeat(lower, np.diff(np.r_[begins, len(src)])))
        chosen = least[np.r_[True, src[least][1:] != src[least][:-1]]]
        before[improved] = first[dst[chosen]][improved]
        potential = np.where(improved, lower, potential)
        if found := _cycles(before):
            return found


def _cycles(before: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """Return the cycles along predecessors, each in the order of travel; -1 has none."""
    seen, found = np.full(len(before), -1), []
    for start in range(len(before)):
        at, path = start, []
        while at >= 0 and seen[at] < 0:
            seen[at] = start
            path.append(at)
            at = int(before[at])
        if at >= 0 and seen[at] == start:
            found.append(np.array(path[path.index(at) :][::-1]))
    return found


def _hose(
    hops: npt.NDArray[np.float64], rates: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return sources, destinations and demands of the costliest matrix within the rates, sparse for being a vertex."""
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.optimize import linprog  # noqa: PLC0415 - the same

    n = len(rates)
    src, dst = np.nonzero(~np.eye(n, dtype=np.bool_))
    pair, one = np.arange(len(src)), np.ones(2 * len(src))
    limits = sp.csr_array((one, (np.r_[src, n + dst], np.r_[pair, pair])), shape=(2 * n, len(src)))
    # The dual simplex ends at a vertex.  The stubs know no sparse matrices.
    solved = linprog(-hops[src, dst], A_ub=limits, b_ub=np.r_[rates, rates], method="highs-ds")  # type: ignore[call-overload]
    if solved.status != 0:
        raise TrafficError(f"the program of the worst demands was not solved: {solved.message}")
    used = solved.x > 1e-9 * rates.max()
    return src[used], dst[used], solved.x[used]
