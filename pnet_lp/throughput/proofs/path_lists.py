"""Whether the paths that demands may take are those that the routing gives them, found out without the core.

A list is right if as many paths cannot be better, and more do not exist where it has fewer than it may.  For shortest
paths that is a matter of counting those that are shorter than the longest listed: by products of matrices up to one
link more than the distance, beyond by a search whose every step leads to a path.  Paths without a common link are a
flow, and shortest in total if its residual graph has no negative cycle.

Taken as it is: which of equally long paths, and which planes, the seed has drawn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pnet_lp.errors import CertificateError
from pnet_lp.model.arrays import BoolArray, FloatArray
from pnet_lp.model.paths import PathSet, Policy
from pnet_lp.routing.rule import ALL, PathKind
from pnet_lp.throughput.problems.flow import FlowProblem
from pnet_lp.throughput.proofs.second import plane_arcs

_Index: TypeAlias = npt.NDArray[np.int64]
_Verdicts: TypeAlias = npt.NDArray[np.int8]

STEPS = 1 << 25
"""How much is searched unless told otherwise, about ten seconds of it; a step is the look at one link."""

_NO, _OPEN, _YES = 0, 1, 2
"""Verdicts, in an order in which the minimum is "and" and the maximum "or"; open is what the budget left open."""

_FAR = 2**31 - 1
_MANY = 2.0**53  # numbers of walks are exact below
_ENTRIES = 1 << 18  # of the arrays that are made block by block
_STEP = 8  # links that are looked at in the time that one step takes besides
_AT_ONCE = 16  # links that NumPy relaxes in about the time in which the search looks at one


@dataclass(frozen=True)
class Completeness:
    """How far lists of paths were checked.

    Attributes:
        checked: demands whose list is right.
        trusted: demands whose list was taken on trust, as the budget ran out before anything was found wrong with it.
    """

    checked: int
    trusted: int


def check_complete(
    flow: FlowProblem,
    paths: PathSet,
    available: BoolArray,
    *,
    kind: PathKind,
    count: int,
    policy: Policy,
    budget: int = STEPS,
) -> Completeness:
    """Check that each demand has the paths that a routing gives it: not one too few, none twice, none better left out.

    Args:
        flow: links and demands.
        paths: of each demand simple paths from its source to its destination, as ``second_paths.check_paths`` sees to.
        available: bool ``[P, J]``, whether each plane has a path for each demand.
        kind: ``EqualCost``: paths as short as the shortest; ``KShortest``: the shortest simple paths;
            ``EdgeDisjoint``: paths without a common directed link, of least total length.
        count: paths per demand at most.
        policy: which planes they may come from, see :class:`pnet_lp.routing.PathRule`.
        budget: how many steps the searches may take; a demand for which they are not enough is taken on trust.

    Raises:
        CertificateError: a list is wrong; the message names the demand.
    """
    lists = _Lists(flow, paths, available, policy, _Budget(budget))
    lists.refuse(lists.repeated, "lists a path twice")
    foreign = np.any((lists.number > 0) & ~lists.allowed, axis=0)
    lists.refuse(foreign, f"lists a path in a plane that the policy {policy!r} does not give it")
    judge = _JUDGES[kind](lists)
    best = judge.best()
    lists.refuse(best == _NO, judge.worse)
    wanted = str(count)
    if kind == PathKind.EqualCost:
        wanted = f"{'all' if count == ALL else count} of the shortest"
    if policy == "round-robin":
        enough = _divided(lists, judge, count)
        lists.refuse(enough == _NO, f"does not list {wanted} paths divided over the planes that connect it")
    else:
        listed = lists.fold(np.add, lists.number)
        enough = np.where(listed > count, _NO, judge.all(listed < count))[0]
        lists.refuse(enough == _NO, f"does not list {wanted} paths, although it has more than those listed")
    checked = int(np.count_nonzero(np.minimum(best, enough) == _YES))
    return Completeness(checked, flow.demand_count - checked)


class _Budget:
    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> bool:
        """Take off ``steps``, or what is left; return whether there were as many."""
        enough = steps <= self.left
        self.left = self.left - steps if enough else 0
        return enough


class _Lists:
    """The lists by plane and by group: a group of planes has a number of paths of its own.

    ``round-robin`` makes each plane a group, ``[P, J]``; else all planes allowed to a demand are one, ``[1, J]``.

    Attributes:
        source, target: int ``[P, J]``, the switches of each demand.
        pair, plane, hops: int ``[N]``, of each path.
        number: int ``[P, J]``, listed paths.
        distance: int ``[P, J]``, links on the shortest path, ``_FAR`` where there is none.
        walks: float64 ``[2, P, J]``, how many paths have as many links, and one link more.
        allowed: bool ``[P, J]``, whether the policy lets a demand use a plane.
    """

    def __init__(
        self, flow: FlowProblem, paths: PathSet, available: BoolArray, policy: Policy, budget: _Budget
    ) -> None:
        self.flow, self.paths, self.budget = flow, paths, budget
        self.source, self.target = flow.attach[:, flow.src], flow.attach[:, flow.dst]
        self.pair, self.plane, self.hops = paths.pair_of_path, paths.plane, paths.hops
        self.arc = paths.path_arc + np.repeat(flow.arc_ptr[:-1][self.plane], self.hops)
        self.owner = np.repeat(np.arange(paths.path_count), self.hops)
        self.number = self.count(np.ones(paths.path_count, dtype=bool))
        self.distance, self.walks = _near_walks(flow, available)
        self.apart = policy == "round-robin"
        self.allowed = available
        if policy == "shortest":
            self.allowed = available & (self.distance == self.distance.min(axis=0))
        elif policy == "single":
            # Which plane was drawn is known from the list only; one without a path says nothing of it.
            drawn = (self.number > 0) & (np.cumsum(self.number > 0, axis=0) == 1)
            self.allowed = available & (drawn | ~drawn.any(axis=0))

    def count(self, chosen: BoolArray) -> _Index:
        """Return how many of the ``chosen`` paths each demand has in each plane, ``[P, J]``."""
        shape = (self.flow.plane_count, self.flow.demand_count)
        place = self.plane[chosen].astype(np.int64) * shape[1] + self.pair[chosen]
        return np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)

    def fold(self, function: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of groups from those of planes, ``[P, J]``."""
        return values if self.apart else function.reduce(values, axis=0, keepdims=True)

    @cached_property
    def longest(self) -> _Index:
        """Links of the longest listed path, int ``[groups, J]``, 0 where there is none."""
        longest = np.zeros_like(self.number)
        np.maximum.at(longest, (self.plane, self.pair), self.hops)
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
        # Paths are told apart link by link; those that agree so far share a number.
        alike = self.pair * self.flow.plane_count + self.plane
        first, links = self.paths.path_ptr[:-1], len(self.flow.tail)
        for at in range(int(self.hops.max(initial=0))):
            longer = np.flatnonzero(self.hops > at)
            key = alike[longer] * links + self.arc[first[longer] + at]
            alike[longer] = np.unique(key, return_inverse=True)[1]
        key = alike * (self.hops.max(initial=0) + 1) + self.hops
        _, group, size = np.unique(key, return_inverse=True, return_counts=True)
        return np.bincount(self.pair[size[group] > 1], minlength=self.flow.demand_count) > 0


def _near_walks(flow: FlowProblem, available: BoolArray) -> tuple[_Index, FloatArray]:
    """Return distances and how many walks have as many links and one more, as in :class:`_Lists`.

    Such a walk is a simple path: without a loop, which has two links at least, it would be shorter than the shortest.
    """
    distance = np.full(available.shape, _FAR, dtype=np.int64)
    walks = np.zeros((2, *available.shape))
    for p, n in enumerate(flow.node_count.tolist()):
        arcs = plane_arcs(flow, p)
        between = np.flatnonzero(flow.tail[arcs] != flow.head[arcs]) + arcs.start
        # Parallel links are added up.
        step = sp.csr_array((np.ones(len(between)), (flow.tail[between], flow.head[between])), shape=(n, n))
        demands = np.flatnonzero(available[p])
        targets, column = np.unique(flow.attach[p, flow.dst[demands]], return_inverse=True)
        width = max(1, _ENTRIES // n)
        for first in range(0, len(targets), width):
            block = (column >= first) & (column < first + width)
            j, to = demands[block], column[block] - first
            at = flow.attach[p, flow.src[j]]
            ways = np.zeros((n, len(targets[first : first + width])))
            ways[targets[first : first + width], np.arange(ways.shape[1])] = 1.0
            for length in range(n + 1):
                here = ways[at, to]
                found = (distance[p, j] == _FAR) & (here > 0)
                distance[p, j[found]] = length
                for more in (0, 1):
                    now = distance[p, j] + more == length
                    walks[more, p, j[now]] = here[now]
                if np.all(distance[p, j] < length):
                    break
                ways = np.minimum(step @ ways, _MANY)
    return distance, walks


def _verdicts(holds: BoolArray) -> _Verdicts:
    return np.where(holds, _YES, _NO).astype(np.int8)


class _Judge(ABC):
    """What makes a list right, for one kind of routing.

    Attributes:
        worse: what a demand does whose list is not the best of its number.
    """

    worse: ClassVar[str]

    def __init__(self, lists: _Lists) -> None:
        self.lists = lists

    @abstractmethod
    def best(self) -> _Verdicts:
        """Return whether no lists of as many paths are better, ``[J]``."""

    @abstractmethod
    def all(self, asked: BoolArray) -> _Verdicts:
        """Return whether there is no longer list, ``[groups, J]``; yes where nothing is ``asked``, ``[groups, J]``."""


class _EqualCost(_Judge):
    worse = "lists a path longer than its shortest"

    def best(self) -> _Verdicts:
        return _verdicts(np.all(self.lists.longest <= self._nearest, axis=0))

    def all(self, asked: BoolArray) -> _Verdicts:
        return _all_listed(self.lists, self._nearest, asked)

    @cached_property
    def _nearest(self) -> _Index:
        lists = self.lists
        return lists.fold(np.minimum, np.where(lists.allowed, lists.distance, _FAR))


class _Shortest(_Judge):
    worse = "leaves out a path shorter than one that it lists"

    def best(self) -> _Verdicts:
        longest = self.lists.longest
        shorter: _Verdicts = _all_listed(self.lists, longest - 1, longest > 0).min(axis=0)
        return shorter

    def all(self, asked: BoolArray) -> _Verdicts:
        return _all_listed(self.lists, np.full_like(self.lists.longest, _FAR - 1), asked)


def _all_listed(lists: _Lists, bound: _Index, asked: BoolArray) -> _Verdicts:
    """Return whether all simple paths of at most ``bound`` links are listed, ``[groups, J]`` as the arguments.

    The listed ones are some of these, and different, so it is enough to count.
    """
    within, asked = np.broadcast_to(bound, lists.allowed.shape), lists.allowed & asked
    listed = lists.count(lists.hops <= within[lists.plane, lists.pair])
    known = lists.walks[0] * (lists.distance <= within) + lists.walks[1] * (lists.distance < within)
    verdict = _verdicts(~asked | (known == listed))
    open_ended = asked & (known <= listed) & (within > lists.distance + 1) & (lists.source != lists.target)
    searches: dict[int, _Search] = {}
    for j, p in np.argwhere(open_ended.T).tolist():
        if p not in searches:
            searches[p] = _Search(lists.flow, p, lists.budget)
        most = int(listed[p, j])
        found = searches[p].count(int(lists.source[p, j]), int(lists.target[p, j]), int(within[p, j]), most)
        verdict[p, j] = _OPEN if found is None else _YES if found == most else _NO
    return lists.fold(np.minimum, verdict)


class _Search:
    """Depth-first search for the simple paths in one plane."""

    def __init__(self, flow: FlowProblem, plane: int, budget: _Budget) -> None:
        arcs = plane_arcs(flow, plane)
        n = int(flow.node_count[plane])
        self.budget = budget
        self.out: list[dict[int, int]] = [{} for _ in range(n)]
        for tail, head in zip(flow.tail[arcs].tolist(), flow.head[arcs].tolist(), strict=True):
            if tail != head:
                self.out[tail][head] = self.out[tail].get(head, 0) + 1
        self.into: list[list[int]] = [[] for _ in range(n)]
        for tail, heads in enumerate(self.out):
            for head in heads:
                self.into[head].append(tail)

    def count(self, source: int, target: int, bound: int, most: int) -> int | None:
        """Return the number of simple paths of at most ``bound`` links, or one above ``most`` if there are more.

        None if the budget runs out.  Every step leads to a path, which bounds the time by what is found: where several
        links might lead on, distances to the target around the switches passed tell which do.
        """
        found, passed = 0, {source}
        far = self._distances(target, passed, bound)
        # Of each switch passed: where to go on, in how many ways it was reached, how many links are left.
        stack = [(source, self._onward(source, passed, bound, far), 1, bound, far)]
        while stack and self.budget.left:
            switch, onward, ways, left, far = stack[-1]
            if not onward:
                passed.discard(switch)
                stack.pop()
                continue
            switch, parallel = onward.pop()
            ways, left = ways * parallel, left - 1
            if switch == target:
                found += ways
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
            stack.append((switch, onward, ways, left, far))
        return None if stack else found

    def _onward(self, switch: int, passed: set[int], left: int, far: dict[int, int]) -> list[tuple[int, int]]:
        """Return the switches to go on to with ``left`` links, and how many links lead there."""
        self.budget.spend(_STEP + len(self.out[switch]))
        return [(v, n) for v, n in self.out[switch].items() if far.get(v, left) < left and v not in passed]

    def _distances(self, target: int, passed: set[int], most: int) -> dict[int, int]:
        """Return the links to ``target`` around the switches passed, of all switches that have fewer than ``most``."""
        far, queue, links = {target: 0}, [target], 0
        for u in queue:
            distance = far[u] + 1
            if distance == most:
                break
            links += _STEP + len(self.into[u])
            for v in self.into[u]:
                if v not in far and v not in passed:
                    far[v] = distance
                    queue.append(v)
        self.budget.spend(links)
        return far


class _EdgeDisjoint(_Judge):
    """Paths as a flow of units, over all planes side by side: switches and links are numbered through."""

    worse = "lists paths without a common link that are longer in total than as many others"

    def __init__(self, lists: _Lists) -> None:
        super().__init__(lists)
        flow = lists.flow
        begin = np.concatenate([[0], np.cumsum(flow.node_count, dtype=np.int64)])
        plane = np.repeat(np.arange(flow.plane_count), np.diff(flow.arc_ptr))
        self.switches = int(begin[-1])
        self.tail, self.head = begin[plane] + flow.tail, begin[plane] + flow.head
        self.by_head = np.argsort(self.head, kind="stable")
        self.place = np.argsort(self.by_head)
        self.entered, self.first = np.unique(self.head[self.by_head], return_index=True)
        self.source, self.target = begin[:-1, None] + lists.source, begin[:-1, None] + lists.target
        self.meeting = lists.allowed & (lists.source == lists.target)
        self.used_ptr = lists.paths.path_ptr[lists.paths.pair_ptr]
        user, links = lists.pair[lists.owner], max(1, len(self.tail))
        uses = np.sort(user * links + lists.arc)
        shared = uses[1:][np.diff(uses) == 0] // links
        lists.refuse(
            np.bincount(shared, minlength=flow.demand_count) > 0, "lists two paths with a common link"
        )

    def best(self) -> _Verdicts:
        verdict = np.full(self.lists.flow.demand_count, _YES, dtype=np.int8)
        for demands in self._blocks(np.diff(self.used_ptr) > 0):
            state = np.zeros((self.switches + 2, len(demands)), dtype=np.int32)
            verdict[demands] = self._settle(state, demands, 1, join=not self.lists.apart)
        return verdict

    def all(self, asked: BoolArray) -> _Verdicts:
        lists = self.lists
        # On one switch there is one path and no other.
        verdict = _verdicts(~(self.meeting & asked & (lists.number == 0)))
        between = lists.allowed & asked & ~self.meeting
        for demands in self._blocks(between.any(axis=0)):
            state = np.ones((self.switches + 2, len(demands)), dtype=np.int32)
            plane, column = np.nonzero(between[:, demands])
            j = demands[column]
            state[self.source[plane, j], column] = 0
            settled = self._settle(state, demands, 0, join=False)
            reached = state[self.target[plane, j], column] == 0
            verdict[plane, j] = np.where(reached, _NO, settled[column])
        return lists.fold(np.minimum, verdict)

    def _blocks(self, asked: BoolArray) -> Iterator[_Index]:
        demands = np.flatnonzero(asked)
        width = max(1, _ENTRIES // max(1, len(self.tail)))
        for first in range(0, len(demands), width):
            yield demands[first : first + width]

    def _settle(self, state: npt.NDArray[np.int32], demands: _Index, cost: int, *, join: bool) -> _Verdicts:
        """Lower the states until no residual link leads to a lower one (Bellman 1958), and return whether they settle.

        They do not if there is a negative cycle.

        Args:
            state: int32 ``[switches + 2, demands]``; the last two stand for the sources and the targets of all planes.
            demands: their indices.
            cost: what a link adds; a listed path's link is walked backwards only and takes it off.
            join: whether all planes allowed to a demand have their sources in common, and their targets.
        """
        lists, columns = self.lists, np.arange(len(demands))
        begin, uses = self.used_ptr[demands], np.diff(self.used_ptr)[demands]
        column = np.repeat(columns, uses)
        used = lists.arc[np.repeat(begin - np.cumsum(uses) + uses, uses) + np.arange(uses.sum())]
        tails, place = self.tail[self.by_head], self.place[used]
        joined = (lists.allowed & ~self.meeting)[:, demands]
        common = (
            (self.switches, np.where(joined, self.source[:, demands], self.switches)),
            (self.switches + 1, np.where(joined, self.target[:, demands], self.switches + 1)),
        )
        # A plane in which both are one switch, and whose path is not listed, leads from the sources to the targets.
        free = (self.meeting & (lists.number == 0))[:, demands].any(axis=0)
        changed = np.ones(len(demands), dtype=bool)
        lost = np.zeros_like(changed)
        while changed.any() and not lost.any():
            if not lists.budget.spend(1 + (len(tails) * len(demands) + _STEP * len(used)) // _AT_ONCE):
                break
            before = state.copy()
            over = state[tails] + np.int32(cost)
            over[place, column] = _FAR
            state[self.entered] = np.minimum(
                state[self.entered], np.minimum.reduceat(over, self.first, axis=0)
            )
            np.minimum.at(state, (self.tail[used], column), state[self.head[used], column] - cost)
            if join:
                for end, ends in common:
                    state[ends, columns] = np.minimum(state[end], state[ends, columns].min(axis=0))
                np.minimum(state[-1], state[-2], out=state[-1], where=free)
            changed = (state != before).any(axis=0)
            # A walk without a cycle takes off each used link once at most.
            lost = state.min(axis=0) < -uses
        return np.where(lost, _NO, np.where(changed, _OPEN, _YES)).astype(np.int8)


def _divided(lists: _Lists, judge: _Judge, count: int) -> _Verdicts:
    """Return whether ``count`` paths are divided over the planes, the rest going round from any one, ``[J]``."""
    planes = np.maximum(1, np.count_nonzero(lists.allowed, axis=0))
    share, rest = count // planes, count % planes
    more = np.count_nonzero(lists.number > share, axis=0)
    # A plane may fall short of its share, and of the rest if not all of that is listed, only if it has no more paths.
    all_listed = judge.all((lists.number < share) | ((lists.number == share) & (more < rest)))
    turn = np.cumsum(lists.allowed, axis=0)
    verdict = np.where(lists.allowed.any(axis=0), _NO, _YES)
    for first in range(lists.flow.plane_count):
        wanted = share + ((turn - turn[first]) % planes < rest)
        right = np.where(lists.number < wanted, all_listed, np.where(lists.number == wanted, _YES, _NO))
        right = np.where(lists.allowed, right, _YES).min(axis=0)
        verdict = np.maximum(verdict, np.where(lists.allowed[first], right, _NO))
    return verdict.astype(np.int8)


_JUDGES: dict[PathKind, type[_Judge]] = {
    PathKind.EqualCost: _EqualCost,
    PathKind.KShortest: _Shortest,
    PathKind.EdgeDisjoint: _EdgeDisjoint,
}
