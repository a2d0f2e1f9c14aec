"""Lists of paths by plane and by group, and how many steps may be spent on them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pnet_lp.errors import CertificateError
from pnet_lp.model.arrays import BoolArray, FloatArray, ints
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.paths import PathSet
from pnet_lp.routing.rule import PathRule
from pnet_lp.verification.distances import distances_to, metrics, path_arcs, plane_arcs
from pnet_lp.verification.draws import drawn_planes

Index: TypeAlias = npt.NDArray[np.int64]

FAR = 2**31 - 1
_MANY = 2.0**53  # numbers of walks are exact below
ENTRIES = 1 << 18  # of the arrays that are made block by block


class Budget:
    """Steps that are left to searches."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> bool:
        """Take off ``steps``, or what is left; return whether there were as many."""
        enough = steps <= self.left
        self.left = self.left - steps if enough else 0
        return enough


class Lists:
    """The lists by plane and by group: a group of planes has a number of paths of its own.

    ``round-robin`` makes each plane a group, ``[P, J]``; else all planes allowed to a demand are one, ``[1, J]``.

    Attributes:
        source, target: int ``[P, J]``, the switches of each demand.
        pair, plane, hops, length: int ``[N]``, of each path; its length is the sum of its links' metrics.
        number: int ``[P, J]``, listed paths.
        distance: int ``[P, J]``, length of the shortest path, ``FAR`` where there is none.
        walks: float64 ``[2, P, J]``, how many paths are as long, and one longer; the latter of paths by hops.
        counted: up to how much above the distance ``walks`` has all paths.
        drawn: int ``[J]``, the plane that the seed draws, -1 where none has a path.
        allowed: bool ``[P, J]``, whether the policy lets a demand use a plane.
    """

    def __init__(self, flow: FlowProblem, paths: PathSet, available: BoolArray, rule: PathRule, budget: Budget) -> None:
        self.flow, self.paths, self.budget = flow, paths, budget
        self.source, self.target = flow.attach[:, flow.src], flow.attach[:, flow.dst]
        self.pair, self.plane, self.hops = paths.pair_of_path, paths.plane, paths.hops
        self.arc = path_arcs(flow, paths)
        self.owner = np.repeat(np.arange(paths.path_count), self.hops)
        self.number = self.count(np.ones(paths.path_count, dtype=bool))
        if flow.metric is None:
            self.length, self.counted = self.hops.astype(np.int64), 1
            self.distance, self.walks = _near_walks(flow, available)
        else:
            metric = flow.metric[self.arc].astype(np.float64)
            self.length = np.bincount(self.owner, metric, paths.path_count).astype(np.int64)
            self.counted, self.distance, self.walks = 0, *_shortest_walks(flow, available)
        self.drawn = drawn_planes(flow, available, seed=rule.seed, per_flow=rule.per_flow)
        self.apart = rule.policy == "round-robin"
        self.allowed = available
        if rule.policy == "shortest":
            self.allowed = available & (self.distance == self.distance.min(axis=0))
        elif rule.policy == "single":
            self.allowed = np.arange(flow.plane_count)[:, None] == self.drawn

    def count(self, chosen: BoolArray) -> Index:
        """Return how many of the ``chosen`` paths each demand has in each plane, ``[P, J]``."""
        shape = (self.flow.plane_count, self.flow.demand_count)
        place = self.plane[chosen].astype(np.int64) * shape[1] + self.pair[chosen]
        return np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)

    def fold(self, function: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of groups from those of planes, ``[P, J]``."""
        return values if self.apart else function.reduce(values, axis=0, keepdims=True)

    @cached_property
    def longest(self) -> Index:
        """Length of the longest listed path, int ``[groups, J]``, 0 where there is none."""
        longest = np.zeros_like(self.number)
        np.maximum.at(longest, (self.plane, self.pair), self.length)
        return self.fold(np.maximum, longest)

    def refuse(self, wrong: BoolArray, what: str) -> None:
        """Raise CertificateError if a demand is ``wrong``, bool ``[J]``."""
        if np.any(wrong):
            j = int(np.argmax(wrong))
            ends = self.flow.member[[self.flow.src[j], self.flow.dst[j]]]
            raise CertificateError(f"demand {j} (from {ends[0]} to {ends[1]}) {what}")

    @cached_property
    def repeated(self) -> BoolArray:
        """Bool ``[J]``: whether a path is listed twice."""
        # Paths are compared link by link; those that agree so far share a number.
        prefix = self.pair * self.flow.plane_count + self.plane
        first, links = self.paths.path_ptr[:-1], len(self.flow.tail)
        for at in range(int(self.hops.max(initial=0))):
            longer = np.flatnonzero(self.hops > at)
            key = prefix[longer] * links + self.arc[first[longer] + at]
            prefix[longer] = np.unique(key, return_inverse=True)[1]
        key = prefix * (self.hops.max(initial=0) + 1) + self.hops
        _, group, size = np.unique(key, return_inverse=True, return_counts=True)
        return np.bincount(self.pair[size[group] > 1], minlength=self.flow.demand_count) > 0


def _near_walks(flow: FlowProblem, available: BoolArray) -> tuple[Index, FloatArray]:
    """Return distances and how many walks have as many links and one more, as in :class:`Lists`.

    Such a walk is a simple path: without a loop, which has two links at least, it would be shorter than the shortest.
    """
    distance = np.full(available.shape, FAR, dtype=np.int64)
    walks = np.zeros((2, *available.shape))
    for p, n in enumerate(flow.node_count.tolist()):
        arcs = plane_arcs(flow, p)
        between = np.flatnonzero(flow.tail[arcs] != flow.head[arcs]) + arcs.start
        # Parallel links are added up.
        step = sp.csr_array((np.ones(len(between)), (flow.tail[between], flow.head[between])), shape=(n, n))
        demands = np.flatnonzero(available[p])
        targets, column = np.unique(flow.attach[p, flow.dst[demands]], return_inverse=True)
        width = max(1, ENTRIES // n)
        for first in range(0, len(targets), width):
            block = (column >= first) & (column < first + width)
            j, to = demands[block], column[block] - first
            at = flow.attach[p, flow.src[j]]
            count = np.zeros((n, len(targets[first : first + width])))
            count[targets[first : first + width], np.arange(count.shape[1])] = 1.0
            for length in range(n + 1):
                here = count[at, to]
                found = (distance[p, j] == FAR) & (here > 0)
                distance[p, j[found]] = length
                for more in (0, 1):
                    now = distance[p, j] + more == length
                    walks[more, p, j[now]] = here[now]
                if np.all(distance[p, j] < length):
                    break
                count = np.minimum(step @ count, _MANY)
    return distance, walks


def _shortest_walks(flow: FlowProblem, available: BoolArray) -> tuple[Index, FloatArray]:
    """Return the same by metric, walks longer than the shortest left out."""
    distance = np.full(available.shape, FAR, dtype=np.int64)
    walks = np.zeros((2, *available.shape))
    for p, n in enumerate(flow.node_count.tolist()):
        arcs, metric = plane_arcs(flow, p), metrics(flow, p)
        tail, head = flow.tail[arcs], flow.head[arcs]
        demands = np.flatnonzero(available[p])
        for target in np.unique(flow.attach[p, flow.dst[demands]]):
            j = demands[flow.attach[p, flow.dst[demands]] == target]
            at = flow.attach[p, flow.src[j]]
            (far,) = distances_to(flow, p, ints([target]))
            with np.errstate(invalid="ignore"):
                onward = np.flatnonzero(far[tail] == far[head] + metric)
            step = sp.csr_array((np.ones(len(onward)), (tail[onward], head[onward])), shape=(n, n))
            count = np.zeros(n)
            count[target] = 1.0
            total = count
            while count.any():
                count = step @ count
                total = np.minimum(total + count, _MANY)
            reached = np.isfinite(far[at])
            distance[p, j[reached]], walks[0, p, j[reached]] = far[at[reached]], total[at[reached]]
    return distance, walks
