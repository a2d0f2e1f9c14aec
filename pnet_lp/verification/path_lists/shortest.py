"""Lists of shortest paths, judged by counting."""

from __future__ import annotations

import heapq
from functools import cached_property

import numpy as np

from pnet_lp.model.arrays import BoolArray, rows
from pnet_lp.model.flow import FlowProblem
from pnet_lp.verification.distances import metrics, plane_arcs
from pnet_lp.verification.path_lists.judge import NO, OPEN, STEP, YES, Judge, Verdicts, verdicts
from pnet_lp.verification.path_lists.lists import FAR, Budget, Index, Lists


class EqualCost(Judge):
    """Paths as short as the shortest."""

    worse = "lists a path longer than its shortest"

    def best(self) -> Verdicts:
        """See :meth:`Judge.best`."""
        return verdicts(np.all(self.lists.longest <= self._nearest, axis=0))

    def all(self, requested: BoolArray) -> Verdicts:
        """See :meth:`Judge.all`."""
        return _all_listed(self.lists, self._nearest, requested)

    @cached_property
    def _nearest(self) -> Index:
        lists = self.lists
        return lists.fold(np.minimum, np.where(lists.allowed, lists.distance, FAR))


class Shortest(Judge):
    """The shortest paths."""

    worse = "leaves out a path shorter than one that it lists"

    def best(self) -> Verdicts:
        """See :meth:`Judge.best`."""
        longest = self.lists.longest
        shorter: Verdicts = _all_listed(self.lists, longest - 1, longest > 0).min(axis=0)
        return shorter

    def all(self, requested: BoolArray) -> Verdicts:
        """See :meth:`Judge.all`."""
        return _all_listed(self.lists, np.full_like(self.lists.longest, FAR - 1), requested)


def _all_listed(lists: Lists, bound: Index, requested: BoolArray) -> Verdicts:
    """Return whether all simple paths of at most the length ``bound`` are listed, ``[groups, J]`` as the arguments.

    The listed ones are some of these, and different, so it is enough to count.
    """
    within, requested = np.broadcast_to(bound, lists.allowed.shape), lists.allowed & requested
    listed = lists.count(lists.length <= within[lists.plane, lists.pair])
    known = lists.walks[0] * (lists.distance <= within) + lists.walks[1] * (lists.distance < within)
    verdict = verdicts(~requested | (known == listed))
    open_ended = (
        requested & (known <= listed) & (within > lists.distance + lists.counted) & (lists.source != lists.target)
    )
    searches: dict[int, _Search] = {}
    for j, p in np.argwhere(open_ended.T).tolist():
        if p not in searches:
            searches[p] = _Search(lists.flow, p, lists.budget)
        most = int(listed[p, j])
        found = searches[p].count(int(lists.source[p, j]), int(lists.target[p, j]), int(within[p, j]), most)
        verdict[p, j] = OPEN if found is None else YES if found == most else NO
    return lists.fold(np.minimum, verdict)


class _Search:
    """Depth-first search for the simple paths in one plane."""

    def __init__(self, flow: FlowProblem, plane: int, budget: Budget) -> None:
        arcs = plane_arcs(flow, plane)
        n = int(flow.node_count[plane])
        self.budget = budget
        # Of each switch: the next one and the metric, with the number of such links.
        self.out: list[dict[tuple[int, int], int]] = [{} for _ in range(n)]
        metric = metrics(flow, plane).astype(np.int64)
        for tail, *link in rows(flow.tail[arcs], flow.head[arcs], metric):
            if tail != link[0]:
                self.out[tail][*link] = self.out[tail].get((*link,), 0) + 1
        self.into: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        for tail, links in enumerate(self.out):
            for head, length in links:
                self.into[head].append((tail, length))

    def count(self, source: int, target: int, bound: int, most: int) -> int | None:
        """Return the number of simple paths of at most the length ``bound``, or one above ``most`` if there are more.

        None if the budget runs out.  Every step leads to a path, which bounds the time by what is found: where several
        links might lead on, distances to the target around the switches passed show which do.
        """
        found, passed = 0, {source}
        far = self._distances(target, passed, bound)
        # Of each switch passed: where to go on, by how many paths it was reached, what length is left.
        stack = [(source, self._onward(source, passed, bound, far), 1, bound, far)]
        while stack and self.budget.left:
            switch, onward, paths, left, far = stack[-1]
            if not onward:
                passed.discard(switch)
                stack.pop()
                continue
            switch, length, parallel = onward.pop()
            paths, left = paths * parallel, left - length
            if switch == target:
                found += paths
                if found > most:
                    return found
                continue
            passed.add(switch)
            onward = self._onward(switch, passed, left, far)
            # The distances may lead through what was passed since.  One of the links does lead on, so a single one
            # does, and to a neighbour of the target all do.
            if len(onward) > 1 and left > 2:
                far = self._distances(target, passed, left)
                onward = self._onward(switch, passed, left, far)
            stack.append((switch, onward, paths, left, far))
        return None if stack else found

    def _onward(self, switch: int, passed: set[int], left: int, far: dict[int, int]) -> list[tuple[int, int, int]]:
        """Return the switches to go on to with ``left`` of the length, by what metric, and by how many such links."""
        self.budget.spend(STEP + len(self.out[switch]))
        return [
            (v, length, n)
            for (v, length), n in self.out[switch].items()
            if far.get(v, left) + length <= left and v not in passed
        ]

    def _distances(self, target: int, passed: set[int], most: int) -> dict[int, int]:
        """Return the distance to ``target`` around the switches passed, of switches that have less than ``most``."""
        far, heap, links = {target: 0}, [(0, target)], 0
        while heap:
            distance, u = heapq.heappop(heap)
            if distance > far[u]:
                continue
            links += STEP + len(self.into[u])
            for v, length in self.into[u]:
                longer = distance + length
                if longer < far.get(v, most) and v not in passed:
                    far[v] = longer
                    heapq.heappush(heap, (longer, v))
        self.budget.spend(links)
        return far
