"""Any path in any plane, when there is no time for more than one tree in each plane, and one cut.

The work is about that of reading the network: neither distances nor a flow towards each destination are computed, and
demands that follow from weights are not written out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from pnet_lp.model import Interval, TreeCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.components import strong_components
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import add_down, add_up, div_down, div_up, mul_down, mul_up, sum_down, sum_up, totals_up
from pnet_lp.throughput.problems.arcs import ArcProblem
from pnet_lp.throughput.problems.proof import Certified, Flows

_PRODUCT = 2.0**-52
"""By what part the product of two sums may differ from the sum of products, each rounded."""

_SOME = 4096
"""Demands looked at first for one that crosses more than one of the longest links."""

_SUBTREES = 2
"""Links of the tree that are looked at in each direction, those that fill first."""

_CUT_VERTICES = 4
"""Switches that are looked at, at most, before another kind of cut is taken: all other switches have to stay joined."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A tree of two-way links over switches of a plane, of the widest paths to its root, among these the shortest.

    Attributes:
        order: int64, the switches in the tree, each after its parent, all below a switch right after it.
        last: int64 ``[switches]``, the place in ``order`` after the last one below each.
        to_root, from_root: int32 ``[switches]``, see :class:`TreeCertificate`.
    """

    order: IntArray
    last: IntArray
    to_root: IntArray
    from_root: IntArray

    @classmethod
    def of(cls, flow: FlowProblem, plane: int) -> Self:
        """Return the tree of a plane, from the switch whose links carry most."""
        arcs, nodes = slice(*flow.arc_ptr[plane : plane + 2].tolist()), int(flow.node_count[plane])
        tail, head = flow.tail[arcs].astype(np.int64), flow.head[arcs].astype(np.int64)
        capacity = flow.capacity[arcs]
        # Of parallel links the widest.
        widest = np.lexsort((-capacity, tail * nodes + head))
        key = (tail * nodes + head)[widest]
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else np.empty(0, dtype=np.int64)
        arc, key = widest[first], key[first]
        back = np.searchsorted(key, head[arc] * nodes + tail[arc])
        back = np.where(back < len(key), back, 0)
        both = key[back] == head[arc] * nodes + tail[arc] if len(key) else np.empty(0, dtype=bool)
        arc, back = arc[both], arc[back[both]]
        begin = np.searchsorted(tail[arc], np.arange(nodes + 1)).tolist()
        heads, width = head[arc].tolist(), np.minimum(capacity[arc], capacity[back]).tolist()
        root = int(np.bincount(tail, weights=capacity, minlength=nodes).argmax())
        entered, seen = [-1] * nodes, [False] * nodes
        waiting = [(-np.inf, 0, root, -1)]
        children: list[list[int]] = [[] for _ in range(nodes)]
        while waiting:
            narrow, hops, u, by = heapq.heappop(waiting)
            if seen[u]:
                continue
            seen[u], entered[u] = True, by
            if by >= 0:
                children[int(tail[arc[by]])].append(u)
            for i in range(begin[u], begin[u + 1]):
                if not seen[heads[i]]:
                    heapq.heappush(waiting, (max(narrow, -width[i]), hops + 1, heads[i], i))
        order: list[int] = []
        last = [0] * nodes
        stack = [(root, False)]
        while stack:
            u, done = stack.pop()
            if done:
                last[u] = len(order)
                continue
            order.append(u)
            stack.append((u, True))
            stack += [(v, False) for v in children[u]]
        into = np.array(entered)
        joined = into >= 0
        to_root, from_root = np.full(nodes, -1), np.full(nodes, -1)
        to_root[joined], from_root[joined] = back[into[joined]], arc[into[joined]]
        return cls(ints(np.array(order)), ints(np.array(last)), ints(to_root), ints(from_root))

    def below(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return float64 ``[switches]`` twice: the sums of ``values`` over those below each, and over all others.

        The sums are rounded up; a switch is below itself, and those that are not in the tree have 0.
        """
        ordered = values[self.order]
        ahead = np.append(0.0, np.cumsum(ordered))
        behind = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
        place = np.zeros(len(values), dtype=np.int64)
        place[self.order] = np.arange(len(ordered))
        inside = ordered.copy()
        parent = np.full(len(ordered), -1)
        stack: list[int] = []
        ends = self.last[self.order].tolist()
        for i in range(len(ends)):
            while stack and ends[stack[-1]] <= i:
                stack.pop()
            parent[i] = stack[-1] if stack else -1
            stack.append(i)
        for i in range(len(ordered) - 1, 0, -1):
            inside[parent[i]] += inside[i]
        more = 1 + 4 * len(ordered) * np.finfo(np.float64).eps
        found = np.zeros((2, len(values)))
        found[0, self.order] = mul_up(inside, more)
        found[1, self.order] = mul_up(add_up(ahead[place[self.order]], behind[self.last[self.order]]), more)
        return floats(found[0]), floats(found[1])


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class OneCut:
    """Links of length 1, which exactly the demands from some endpoints to others cross.

    Attributes:
        lengths: of all links.
        sources, targets: bool ``[E]``, from where to where a demand is 1 long; all others are 0 long.
    """

    lengths: Lengths
    sources: BoolArray
    targets: BoolArray


@brief("demand_count")
@dataclass(frozen=True, eq=False, repr=False)
class TreeProblem(ArcProblem):
    """Any path; what is proved is the flow along a tree in each plane, and one cut.

    Attributes:
        flow: links and demands; every plane joins all endpoints.
        trees: one in each plane, with the switches of all endpoints.
        crossing: what leaves those below each switch, see :func:`_crossing`.
        cut: the cut.
    """

    rough = True

    trees: tuple[Tree, ...]
    crossing: list[tuple[FloatArray, FloatArray]]
    cut: OneCut

    @classmethod
    def within(cls, flow: FlowProblem) -> TreeProblem | None:
        """Return the problem with its trees and cut, or None where a plane has no tree, or no cut is found."""
        if not all(flow.joins(p) for p in range(flow.plane_count)):
            return None
        trees = tuple(Tree.of(flow, p) for p in range(flow.plane_count))
        if not all(np.isin(attach, tree.order).all() for tree, attach in zip(trees, flow.attach, strict=True)):
            return None
        crossing, best, least = _crossing(flow, trees), None, np.inf
        for cut in _cuts(flow, trees, crossing):
            takes = _between(flow, cut.sources, cut.targets)
            if takes > 0 and _volume(flow, cut.lengths) / takes < least:
                best, least = cut, _volume(flow, cut.lengths) / takes
        return None if best is None else cls(flow, trees, crossing, best)

    def nothing(self) -> TreeCertificate:  # type: ignore[override]
        """See :meth:`Problem.nothing`: planes carry in proportion to what they could alone."""
        flow, alone = self.flow, []
        for p in range(flow.plane_count):
            arcs, up, down = self._loads(p)
            speed = np.concatenate([flow.capacity[self._arcs(p)], flow.access_up[p], flow.access_down[p]])
            load = np.concatenate([arcs, up, down])
            alone.append(float((speed[load > 0] / load[load > 0]).min(initial=np.inf)))
        part = np.array(alone)
        part = np.isinf(part).astype(np.float64) if np.isinf(part).any() else part
        whole = [np.concatenate([getattr(tree, key) for tree in self.trees]) for key in ("to_root", "from_root")]
        return TreeCertificate(*self.cut.lengths, floats(part / part.sum()), *map(ints, whole))

    def bounds(self, proof: TreeCertificate) -> tuple[float, float]:  # type: ignore[override]
        """See :meth:`Problem.bounds`."""
        found = self._certified(proof).interval
        return found.lower, found.upper

    def keeping(self, kept: IntArray) -> Self:
        """See :meth:`Problem.keeping`."""
        return self._on(self.flow.keeping(kept))

    def weighted(self, demand: FloatArray) -> Self:
        """See :meth:`Problem.weighted`."""
        return self._on(self.flow.weighted(demand))

    @property
    def lengths_of_all(self) -> Lengths:
        """See :attr:`Problem.lengths_of_all`: 1 / capacity."""
        return self._reciprocal

    @cached_property
    def _reciprocal(self) -> Lengths:
        nothing = Flows.lengths_of_nothing(self.flow)
        return floats(nothing[0]), floats(nothing[1]), floats(nothing[2])

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`Problem.distances`: those by the cut are known, and by :attr:`lengths_of_all` a part of them."""
        flow = self.flow
        if lengths[0] is self._reciprocal[0]:
            return self._near_all
        unit = self._unit(lengths)
        if unit is None:
            return super().distances(lengths)
        return floats(np.where(self.cut.sources[flow.src] & self.cut.targets[flow.dst], unit, 0.0))

    def farthest(self, lengths: Lengths) -> float:
        """See :meth:`ConcurrentProblem.farthest`."""
        if (unit := self._unit(lengths)) is not None:
            return unit
        # All that is asked is whether a demand crosses more than one of the longest links: of most, some show it.
        far = float(self._near(lengths, slice(_SOME)).max())
        return far if far > 1.5 * float(lengths[0].max()) else super().farthest(lengths)

    @cached_property
    def _near_all(self) -> FloatArray:
        return self._near(self._reciprocal, slice(None))

    def _near(self, lengths: Lengths, some: slice) -> FloatArray:
        """Return float64: how long paths of some demands are at least."""
        return floats(np.min([self._at_least(p, lengths, some) for p in range(self.flow.plane_count)], axis=0))

    def _at_least(self, plane: int, lengths: Lengths, some: slice) -> FloatArray:
        """Return float64: how long paths of some demands in a plane are at least, by their first and last link."""
        flow, arcs, nodes = self.flow, self._arcs(plane), int(self.flow.node_count[plane])
        length, up, down = lengths[0][arcs], lengths[1][plane], lengths[2][plane]
        tail, head = flow.tail[arcs].astype(np.int64), flow.head[arcs].astype(np.int64)
        first, last = np.full((2, nodes), np.inf)
        np.minimum.at(first, tail, length)
        np.minimum.at(last, head, length)
        src, dst = flow.src[some], flow.dst[some]
        source, target = flow.attach[plane][src].astype(np.int64), flow.attach[plane][dst]
        found = add_down(first[source], last[target])
        order = np.lexsort((length, tail * nodes + head))
        key = (tail * nodes + head)[order]
        pair = source * nodes + target
        place = np.minimum(np.searchsorted(key, pair), len(key) - 1)
        found = np.where(key[place] == pair, np.minimum(found, length[order][place]), found)
        found = np.where(source == target, 0.0, found)
        return add_down(add_down(found, up[src]), down[dst])

    def _on(self, flow: FlowProblem) -> Self:
        return replace(self, flow=flow, crossing=_crossing(flow, self.trees))

    def access_loads(  # type: ignore[override]
        self, certificate: TreeCertificate, rate: FloatArray | float
    ) -> FloatArray:
        """See :meth:`Problem.access_loads`."""
        part = _whole(certificate.part)
        if np.ndim(rate):
            return self.flow.access_loads(mul_up(part[:, None], rate))
        return floats([mul_up(mul_up(part[:, None], rate), total) for total in _totals(self.flow)])

    def _unit(self, lengths: Lengths) -> float | None:
        """Return what the length of the cut is in ``lengths``; None where these are others."""
        found = max(float(each.max(initial=0.0)) for each in lengths)
        same = all(np.array_equal(a, found * b) for a, b in zip(lengths, self.cut.lengths, strict=True))
        return found if same else None

    def _arcs(self, plane: int) -> slice:
        return slice(*self.flow.arc_ptr[plane : plane + 2].tolist())

    def _loads(self, plane: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return what all demands put at most on arcs and on access links up and down, in a plane that carries all."""
        arcs = self._arcs(plane)
        load = np.zeros(arcs.stop - arcs.start)
        tree = self.trees[plane]
        up, down = self.crossing[plane]
        used = tree.to_root >= 0
        load[tree.to_root[used]] = up[used]
        load[tree.from_root[used]] = down[used]
        sent, received = _totals(self.flow)
        return floats(load), sent, received

    def _certified(self, proof: TreeCertificate) -> Certified[TreeCertificate]:  # type: ignore[override]
        flow, part, arcs, rates = self.flow, _whole(proof.part), [], []
        for p in range(flow.plane_count):
            core, up, down = (mul_up(part[p], load) for load in self._loads(p))
            arcs.append(core)
            speed = np.concatenate([flow.capacity[self._arcs(p)], flow.access_up[p], flow.access_down[p]])
            load = np.concatenate([core, up, down])
            used = (load > 0) & np.isfinite(speed)
            rates.append(float(div_down(speed[used], load[used]).min(initial=np.inf)))
        lower, load = min(rates), np.concatenate(arcs)
        takes = _between(flow, self.cut.sources, self.cut.targets)
        upper = float(div_up(_volume(flow, self.cut.lengths), takes))
        return Certified(proof, Interval(lower, upper), floats(mul_up(lower, load)))


def _crossing(flow: FlowProblem, trees: tuple[Tree, ...]) -> list[tuple[FloatArray, FloatArray]]:
    """Return of each plane float64 ``[switches]`` twice: what leaves those below each switch at most, what enters."""
    factors, found = flow.demands.factors, []
    sends, receives = _totals(flow) if factors is None else factors[:2]
    for attach, nodes, tree in zip(flow.attach, flow.node_count.tolist(), trees, strict=True):
        from_below, from_others = tree.below(totals_up(attach, sends, nodes))
        to_below, to_others = tree.below(totals_up(attach, receives, nodes))
        if factors is None:
            found.append((np.minimum(from_below, to_others), np.minimum(from_others, to_below)))
        else:
            ends = (from_below, to_others), (from_others, to_below)
            up, down = (mul_up(mul_up(*each), 1 + _PRODUCT) for each in ends)
            found.append((up, down))
    return [(floats(up), floats(down)) for up, down in found]


def _whole(part: FloatArray) -> FloatArray:
    """Return parts over their sum, rounded up."""
    return div_up(part, sum_down(part))


def _totals(flow: FlowProblem) -> tuple[FloatArray, FloatArray]:
    """Return float64 ``[E]`` twice: what each endpoint sends and receives, rounded up."""
    factors, endpoints = flow.demands.factors, flow.attach.shape[1]
    if factors is None:
        return totals_up(flow.src, flow.demand, endpoints), totals_up(flow.dst, flow.demand, endpoints)
    sends, receives, own = factors
    more = 1 + 4 * endpoints * np.finfo(np.float64).eps

    def others(weight: FloatArray) -> FloatArray:
        ahead, behind = np.append(0.0, np.cumsum(weight)), np.append(np.cumsum(weight[::-1])[::-1], 0.0)
        return mul_up(add_up(ahead[:-1], behind[1:]), more)

    return add_up(mul_up(sends, others(receives)), own), add_up(mul_up(receives, others(sends)), own)


def _between(flow: FlowProblem, sources: BoolArray, targets: BoolArray) -> float:
    """Return the sum of all demands from some endpoints to others, rounded down; either disjoint, or one to all."""
    factors = flow.demands.factors
    if factors is None:
        return sum_down(flow.demand[sources[flow.src] & targets[flow.dst]])
    sends, receives, own = factors
    same = sources & targets
    alone, others = sources & ~same, targets & ~same
    found = mul_down(sum_down(sends[alone]), sum_down(receives[targets]))
    found = add_down(found, mul_down(sum_down(sends[same]), sum_down(receives[others])))
    return float(mul_down(add_down(found, sum_down(own[same])), 1 - 2 * _PRODUCT))


def _volume(flow: FlowProblem, lengths: Lengths) -> float:
    """Return the sum of capacity times length over all links, rounded up, hosts of a class taken as they are."""
    speeds = flow.capacity, flow.access_up, flow.access_down
    return sum_up(np.concatenate([speed[length > 0] for speed, length in zip(speeds, lengths, strict=True)]))


def _cuts(
    flow: FlowProblem, trees: tuple[Tree, ...], crossing: list[tuple[FloatArray, FloatArray]]
) -> Iterator[OneCut]:
    """Yield cuts that may be small: access links, around a switch and, in a single plane, below a link of the tree."""
    planes, endpoints = flow.attach.shape
    everyone = np.ones(endpoints, dtype=bool)
    none, access = np.zeros(len(flow.capacity)), np.zeros((planes, endpoints))
    totals = _totals(flow)
    for side, speeds in enumerate((flow.access_up, flow.access_down)):
        speed = speeds.sum(axis=0)
        limits = np.isfinite(speed) & (totals[side] > 0)
        if limits.any():
            e = int(np.argmin(np.where(limits, speed / np.where(limits, totals[side], 1.0), np.inf)))
            one, length = np.arange(endpoints) == e, np.zeros((planes, endpoints))
            length[:, e] = 1.0
            yield (
                OneCut((none, length, access), one, everyone)
                if side == 0
                else OneCut((none, access, length), everyone, one)
            )
    tail, head = flow.tail.astype(np.int64), flow.head.astype(np.int64)
    sides = [slice(*flow.arc_ptr[p : p + 2].tolist()) for p in range(planes)]
    _, group = np.unique(flow.attach, axis=1, return_inverse=True)
    group = group.ravel()
    for side, ends in enumerate((tail, head)):
        speed = np.zeros(endpoints)
        for p, arcs in enumerate(sides):
            speed += np.bincount(ends[arcs], flow.capacity[arcs], minlength=int(flow.node_count[p]))[flow.attach[p]]
        total = np.bincount(group, totals[side])[group]
        ratio = np.where(total > 0, speed / np.where(total > 0, total, 1.0), np.inf)
        for e in np.argsort(ratio, kind="stable")[:_CUT_VERTICES].tolist():
            inside = [np.arange(int(flow.node_count[p])) == flow.attach[p, e] for p in range(planes)]
            if all(_others_joined(flow, p, int(flow.attach[p, e])) for p in range(planes)):
                yield _around(flow, inside, out=side == 0)
                break
    if planes == 1:
        tree, load = trees[0], crossing[0]
        used = np.flatnonzero(tree.to_root >= 0)
        for side, arcs_of in enumerate((tree.to_root, tree.from_root)):
            full = load[side][used] / flow.capacity[arcs_of[used]]
            for u in used[np.argsort(-full, kind="stable")[:_SUBTREES]].tolist():
                below = np.zeros(int(flow.node_count[0]), dtype=bool)
                first = int(np.flatnonzero(tree.order == u)[0])
                below[tree.order[first : tree.last[u]]] = True
                yield _around(flow, [below], out=side == 0)


def _around(flow: FlowProblem, inside: list[BoolArray], *, out: bool) -> OneCut:
    """Return the cut of the links out of some switches of each plane, or into them; either side is joined."""
    length = np.zeros(len(flow.capacity))
    for p, side in enumerate(inside):
        arcs = slice(*flow.arc_ptr[p : p + 2].tolist())
        ends = (flow.tail[arcs], flow.head[arcs]) if out else (flow.head[arcs], flow.tail[arcs])
        length[arcs] = side[ends[0]] & ~side[ends[1]]
    within = np.stack([side[attach] for side, attach in zip(inside, flow.attach, strict=True)])
    here, elsewhere = np.all(within, axis=0), ~np.any(within, axis=0)
    access = np.zeros(flow.attach.shape)
    return OneCut((length, access, access), *((here, elsewhere) if out else (elsewhere, here)))


def _others_joined(flow: FlowProblem, plane: int, switch: int) -> bool:
    """Whether all endpoints of other switches can reach each other without this one."""
    arcs = slice(*flow.arc_ptr[plane : plane + 2].tolist())
    kept = (flow.tail[arcs] != switch) & (flow.head[arcs] != switch)
    component = strong_components(int(flow.node_count[plane]), flow.tail[arcs][kept], flow.head[arcs][kept])
    others = component[flow.attach[plane][flow.attach[plane] != switch]]
    return bool(others.size) and bool((others == others[0]).all())
