"""Cuts, which rates have to pass whatever paths they take, and the fair rates between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.throughput.objectives.max_min.filling import fill
from pnet_lp.throughput.objectives.max_min.levels import Index
from pnet_lp.throughput.problems import Problem
from pnet_lp.throughput.problems.base import joined, separated

_NOISE = 1e-7
"""Links with less than this part of the largest share of one have no part in a cut."""

_LITTLE, _SPARED = 0.01, 0.02
"""Nor have demands that take this part of the mean, which together take this part of what all do beyond the volume."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Cut:
    """Links with lengths: what rates take of them in all is no more than their volume.

    Attributes:
        link, length: integers and float64, the links, as in :attr:`FlowProblem.link_capacity`.
        demand, takes: integers and float64, the demands that have to cross them, and what a Gb/s takes at least.
        volume: the sum of capacity times length.
        around: whether it is around an endpoint: all lengths are 1.
    """

    link: Index
    length: FloatArray
    demand: Index
    takes: FloatArray
    volume: float
    around: bool = False


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Filled:
    """Fair rates between cuts.

    Attributes:
        rate: float64 ``[J]``, Gb/s.
        level: the same per unit demand.
        cut: integers ``[J]``, of each demand a cut that it fills, on which no other has more; ``len(cuts)`` or more
            where it has all that it asks.
        part: float64 ``[J]``, the part of the cut's volume that it takes.
    """

    rate: FloatArray
    level: FloatArray
    cut: Index
    part: FloatArray


def filled_between(cuts: Sequence[Cut], demand: FloatArray, cap: FloatArray) -> Filled:
    """Return the fair rates between ``cuts`` of demands that are weights, none above its ``cap`` ``[J]``, Gb/s.

    Raises:
        SolverError: nothing limits a demand.
    """
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load

    own = np.flatnonzero(np.isfinite(cap))
    row = np.repeat(np.arange(len(cuts)), [len(cut.demand) for cut in cuts])
    rows = np.concatenate([row, len(cuts) + np.arange(len(own))])
    columns = np.concatenate([*(cut.demand for cut in cuts), own])
    takes = np.concatenate([*(cut.takes for cut in cuts), np.ones(len(own))])
    usage = sp.csc_array((takes, (rows, columns)), shape=(len(cuts) + len(own), len(demand)))
    usage.sort_indices()
    volume = floats([*(cut.volume for cut in cuts), *cap[own]])
    level, cut, per_unit = fill(usage, volume, demand)
    rate = floats(np.minimum(level * demand, cap))
    return Filled(rate, level, cut, floats(per_unit * rate / volume[cut]))


def cut_of(problem: Problem, lengths: Lengths, rate: FloatArray) -> Cut:
    """Return the cut that lengths are, which rates ``[J]``, Gb/s, do not pass.

    Demands with hardly a part in it are left out: it would be their limit, and hardly a bound on them.
    """
    flow, length = problem.flow, joined(lengths)
    share = np.where(length > 0, flow.link_capacity, 0.0) * length
    length = floats(np.where(share > _NOISE * share.max(), length, 0.0))
    kept = separated(flow, length)
    takes = problem.distances(kept)
    volume, spent = flow.volume(kept), takes * rate
    order = np.argsort(spent, kind="stable")
    little = spent[order] < _LITTLE * spent.mean()
    least = np.count_nonzero(little & (np.cumsum(spent[order]) <= _SPARED * (spent.sum() - volume)))
    has = np.sort(order[least:])
    has = has[takes[has] > 0]
    link = np.flatnonzero(length)
    return Cut(link, floats(length[link]), has, floats(takes[has]), volume)


def around_endpoints(flow: FlowProblem) -> Iterator[Cut]:
    """Yield the cuts around endpoints: their access links, and the core links of their switches, out and in."""
    attached, arcs = flow.attach >= 0, len(flow.capacity)
    planes, endpoints = flow.attach.shape
    # Within a switch a demand crosses no core link.
    local = (attached[:, flow.src] & (flow.attach[:, flow.src] == flow.attach[:, flow.dst])).any(axis=0)
    _, group = np.unique(flow.attach, axis=1, return_inverse=True)
    plane_of_arc = np.repeat(np.arange(planes), np.diff(flow.arc_ptr))
    widest = int(flow.node_count.max())
    for k, (end, access, tip) in enumerate(
        ((flow.src, flow.access_up, flow.tail), (flow.dst, flow.access_down, flow.head))
    ):
        by_end = _Groups(end, endpoints)
        for e in np.unique(end).tolist():
            on = np.flatnonzero(attached[:, e] & (access[:, e] > 0))
            if np.isfinite(access[on, e]).all():
                yield _plain(flow, arcs + (k * planes + on) * endpoints + e, by_end.of(e))
        by_group = _Groups(np.where(local, -1, group.ravel()[end]), int(group.max()) + 1)
        by_switch = _Groups(plane_of_arc * widest + tip, planes * widest)
        for g, e in zip(*np.unique(group, return_index=True), strict=True):
            on = np.flatnonzero(attached[:, e])
            links = [by_switch.of(int(p) * widest + int(flow.attach[p, e])) for p in on]
            if len(demands := by_group.of(int(g))):
                yield _plain(flow, np.concatenate(links), demands)


class _Groups:
    """The places of each number in an array of numbers from 0 on; those of -1 are in no group."""

    def __init__(self, number: Index, count: int) -> None:
        self._order = np.argsort(number, kind="stable")
        self._start = np.searchsorted(number[self._order], np.arange(count + 1))

    def of(self, number: int) -> Index:
        return self._order[self._start[number] : self._start[number + 1]]


def _plain(flow: FlowProblem, link: Index, demand: Index) -> Cut:
    ones = np.ones(len(link)), np.ones(len(demand))
    return Cut(link, floats(ones[0]), demand, floats(ones[1]), float(flow.link_capacity[link].sum()), around=True)
