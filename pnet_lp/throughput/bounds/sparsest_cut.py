"""The sparsest cut found: the least capacity over demand of any cut, halves or not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from pnet_lp.model.arrays import BoolArray
from pnet_lp.throughput.bounds.base import BOUNDS, Bound, Instance
from pnet_lp.throughput.bounds.cutter import Cutter
from pnet_lp.throughput.bounds.graph import SiteGraph
from pnet_lp.throughput.bounds.search import lower_ratio, ratio_of, sweep

_IMPROVED = 4
"""Cuts of each kind that are improved move by move: the best ones of all that are tried."""

Candidate: TypeAlias = tuple[float, BoolArray]


@BOUNDS.register(
    "sparsest-cut",
    summary="least capacity over demand of the cuts found",
    source="Jyothi, Singla, Godfrey, Kolla: Measuring and Understanding Throughput of Network Topologies, SC 2016",
)
def sparsest_cut(instance: Instance) -> Bound:
    """Return the smallest ratio found of a cut's capacity to the demand across it.

    Tried are every site alone and everything but it, all prefixes of the nodes in several orders, the halves of
    ``bisection``, and what a pair without a path can reach; the best are improved by moving single nodes, and switches
    without demands are then placed, in each plane for itself, by a minimum cut.  Finding the sparsest cut is NP-hard,
    so the bound is never called exact; every cut bounds K.
    """
    graph, traffic = instance.graph, instance.traffic
    counted = traffic.demands.named(traffic.endpoints)
    cutter = Cutter(instance, counted)
    tried = [
        candidate
        for kind in _candidates(instance)
        for candidate in sorted(kind, key=lambda candidate: candidate[0])[:_IMPROVED]
    ]
    best, shown = math.inf, None
    for _, side in tried:
        better = lower_ratio(side, graph.capacity, graph.demand)
        cut = cutter.cut(np.where(better[cutter.groups.site], cutter.groups.size, 0))
        value = cut.capacity_gbps / cut.demand if cut.demand > 0 else math.inf
        if value < best:
            best, shown = value, cut
    return Bound(best, exact=False, witness=shown)


def _candidates(instance: Instance) -> list[list[Candidate]]:
    """Return sides of the nodes with the ratio of what leaves them, by kind; none if no demand leaves its site."""
    if instance.graph.demand.nnz == 0:
        return []
    kinds = _reached(instance), _alone(instance.graph), _halves(instance), _prefixes(instance)
    return [list(kind) for kind in kinds]


def _reached(instance: Instance) -> Iterator[Candidate]:
    """Yield what the source of a demand without a path can reach."""
    graph, lost = instance.graph, instance.problem.disconnected
    if lost.size:
        site = int(instance.class_site[instance.problem.src[lost[0]]])
        side = np.zeros(graph.nodes, dtype=np.bool_)
        side[breadth_first_order(graph.capacity, site, return_predecessors=False)] = True
        yield ratio_of(side, graph.capacity, graph.demand), side


def _halves(instance: Instance) -> Iterator[Candidate]:
    """Yield the halves that ``bisection`` tries, a divided site on the side that has more of it."""
    graph = instance.graph
    for half in instance.halves:
        side = np.zeros(graph.nodes, dtype=np.bool_)
        side[: len(half)] = 2 * half > instance.sites.sizes
        for one in (side, ~side):
            yield ratio_of(one, graph.capacity, graph.demand), one


def _prefixes(instance: Instance) -> Iterator[Candidate]:
    """Yield the best prefix of each order, sending and receiving."""
    graph = instance.graph
    for order in instance.orders:
        ratio = sweep(order, graph.capacity, graph.demand).ratio
        for backwards, row in enumerate(ratio):
            if row.size:
                prefix = int(np.argmin(row))
                side = np.full(graph.nodes, bool(backwards))
                side[order[: prefix + 1]] = not backwards
                yield float(row[prefix]), side


def _alone(graph: SiteGraph) -> Iterator[Candidate]:
    """Yield the best single site, sending and receiving."""
    for axis in (1, 0):
        capacity, demand = graph.capacity.sum(axis=axis), graph.demand.sum(axis=axis)
        ratio = np.where(demand > 0, capacity, np.inf) / np.where(demand > 0, demand, 1.0)
        site = int(np.argmin(ratio))
        side = np.full(graph.nodes, axis == 0)
        side[site] = axis == 1
        yield float(ratio[site]), side
