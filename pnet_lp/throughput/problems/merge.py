"""Planes that are copies of each other, up to one factor of speed, solved as one plane, and parallel links as one link.

A flow on several proportional planes is a flow on one with the sum of their capacities, and vice versa, so a
homogeneous P-Net costs no more to solve than a serial network.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.throughput.problems.parallel import MergedLinks, merge_links
from pnet_lp.throughput.problems.warm_starts import carry

_RELATIVE = 1e-12
"""How equal scaled capacities must be.  Proofs are evaluated on the original problem, so this decides no bound."""


@brief()
@dataclass(frozen=True, repr=False)
class MergedPlanes:
    """A problem with proportional planes merged.

    Attributes:
        original: the problem as given.
        group: for each plane, the merged plane it belongs to.
        part: for each plane, its part of the merged plane's capacity.
    """

    original: FlowProblem
    group: tuple[int, ...]
    part: tuple[float, ...]

    @cached_property
    def problem(self) -> FlowProblem:
        """The problem on the merged planes; the original itself if no two planes are proportional."""
        original, first = self.original, self._first
        if len(first) == original.plane_count:
            return original
        arcs = [_arcs(original, p) for p in first]
        grown = [1.0 / self.part[p] for p in first]
        scale = np.array(grown)[:, None]
        return FlowProblem(
            node_count=ints(original.node_count[first]),
            arc_ptr=ints(np.cumsum([0, *(a.stop - a.start for a in arcs)])),
            tail=ints(np.concatenate([original.tail[a] for a in arcs])),
            head=ints(np.concatenate([original.head[a] for a in arcs])),
            capacity=floats(np.concatenate([original.capacity[a] * g for a, g in zip(arcs, grown, strict=True)])),
            arc_id=ints(np.concatenate([original.arc_id[a] for a in arcs])),
            attach=ints(original.attach[first]),
            access_up=floats(original.access_up[first] * scale),
            access_down=floats(original.access_down[first] * scale),
            demands=original.demands,
            endpoint_class=original.endpoint_class,
            metric=None if original.metric is None else ints(self.of_arcs(original.metric)),
            shortest=original.shortest,
        )

    @property
    def _first(self) -> list[int]:
        """One plane of each group, in the order of the groups."""
        return [self.group.index(g) for g in range(max(self.group) + 1)]

    def of_arcs(self, values: FloatArray | IntArray) -> FloatArray:
        """Return values of the original arcs ``[A]`` that are equal in merged planes, for the merged arcs."""
        return floats(np.concatenate([values[_arcs(self.original, p)] for p in self._first]))

    def reduce(self, proof: _core.Proof) -> _core.Proof:
        """Return a proof on the merged planes near one on the original planes: the first of a group says the split."""
        if self.problem is self.original:
            return proof
        members = [[p for p, owner in enumerate(self.group) if owner == g] for g in range(len(self._first))]
        return carry(proof, self.original, self.problem, members)

    def lengths(self, length: FloatArray, up: FloatArray, down: FloatArray) -> Lengths:
        """Return the lengths on the original planes that those on the merged ones stand for."""
        if self.problem is self.original:
            return floats(length), floats(up), floats(down)
        group = list(self.group)
        arcs = np.concatenate([length[_arcs(self.problem, g)] for g in group])
        return floats(arcs), floats(up[group]), floats(down[group])

    def expand(self, proof: _core.Proof) -> _core.Proof:
        """Return the proof on the original planes that a proof on the merged ones stands for."""
        if self.problem is self.original:
            return proof
        planes = range(self.original.plane_count)
        rows = [np.flatnonzero(self.problem.rows[:, 0] == g) for g in range(len(self._first))]
        pointer, counts, entries = proof.split_ptr, [], []
        for p in planes:
            own = rows[self.group[p]]
            counts.append(np.diff(pointer)[own])
            if len(own):
                entries.append(slice(pointer[own[0]], pointer[own[-1] + 1]))
        split_arc, split_fraction = proof.split_arc, proof.split_fraction
        return _core.Proof(
            *self.lengths(proof.length, proof.up_length, proof.down_length),
            proof.share[list(self.group)] * np.array(self.part)[:, None],
            np.cumsum([0, *np.concatenate(counts)], dtype=np.int32),
            np.concatenate([split_arc[e] for e in entries]) if entries else split_arc,
            np.concatenate([split_fraction[e] for e in entries]) if entries else split_fraction,
        )


@brief()
@dataclass(frozen=True, repr=False)
class Merged:
    """A problem with parallel links merged, and then proportional planes.

    Attributes:
        links: the problem as given, with parallel links merged.
        planes: the problem that leaves, with proportional planes merged.
    """

    links: MergedLinks
    planes: MergedPlanes

    @property
    def problem(self) -> FlowProblem:
        """The problem on merged links and planes; the original itself where nothing is merged."""
        return self.planes.problem

    def of_arcs(self, values: FloatArray) -> FloatArray:
        """Return values of the original arcs ``[A]`` that are equal where they are merged, for the merged arcs."""
        return self.planes.of_arcs(self.links.of_arcs(values))

    def reduce(self, proof: _core.Proof) -> _core.Proof:
        """Return a proof on the merged problem near one on the original."""
        return self.planes.reduce(self.links.reduce(proof))

    def lengths(self, length: FloatArray, up: FloatArray, down: FloatArray) -> Lengths:
        """Return the lengths on the original problem that those on the merged one stand for."""
        return self.links.lengths(*self.planes.lengths(length, up, down))

    def expand(self, proof: _core.Proof) -> _core.Proof:
        """Return the proof on the original problem that a proof on the merged one stands for."""
        return self.links.expand(self.planes.expand(proof))


def merge(problem: FlowProblem, cost: FloatArray | None = None) -> Merged:
    """Return ``problem`` with parallel links merged into one, and proportional planes.

    Where their arcs have a ``cost`` ``[A]``, only what costs the same is merged; where only shortest paths count, only
    what lengthens them as much.
    """
    if problem.shortest is not None and problem.metric is not None:
        kinds = [floats(problem.metric), *([] if cost is None else [cost])]
        cost = floats(np.unique(np.stack(kinds), axis=1, return_inverse=True)[1].ravel())
    links = merge_links(problem, cost)
    return Merged(links, merge_planes(links.problem, None if cost is None else links.of_arcs(cost)))


def merge_planes(problem: FlowProblem, cost: FloatArray | None = None) -> MergedPlanes:
    """Return ``problem`` with every set of proportional planes merged into one.

    Where their arcs have a ``cost`` ``[A]``, that has to be the same in all of them.
    """
    group: list[int] = []
    leaders: list[int] = []
    factor: list[float] = []
    for p in range(problem.plane_count):
        for g, leader in enumerate(leaders):
            ratio = _ratio(problem, leader, p)
            if ratio is not None and _equal(problem, cost, leader, p):
                group.append(g)
                factor.append(ratio)
                break
        else:
            group.append(len(leaders))
            factor.append(1.0)
            leaders.append(p)
    total = [sum(f for f, owner in zip(factor, group, strict=True) if owner == g) for g in range(len(leaders))]
    part = tuple(f / total[g] for f, g in zip(factor, group, strict=True))
    return MergedPlanes(problem, tuple(group), part)


def _equal(problem: FlowProblem, cost: FloatArray | None, a: int, b: int) -> bool:
    """Whether the arcs of two planes, which are as many, cost the same, and count the same where paths are shortest."""
    kinds = [cost, None if problem.shortest is None else problem.metric]
    here, there = _arcs(problem, a), _arcs(problem, b)
    return all(kind is None or np.array_equal(kind[here], kind[there]) for kind in kinds)


def _arcs(problem: FlowProblem, plane: int) -> slice:
    return slice(int(problem.arc_ptr[plane]), int(problem.arc_ptr[plane + 1]))


def _ratio(problem: FlowProblem, a: int, b: int) -> float | None:
    """Return the speed of plane ``b`` over plane ``a`` if they are proportional, else None."""
    arcs_a, arcs_b = _arcs(problem, a), _arcs(problem, b)
    same = (
        problem.node_count[a] == problem.node_count[b]
        and np.array_equal(problem.attach[a], problem.attach[b])
        and np.array_equal(problem.tail[arcs_a], problem.tail[arcs_b])
        and np.array_equal(problem.head[arcs_a], problem.head[arcs_b])
    )
    if not same:
        return None
    speeds_a = _speeds(problem, arcs_a, a)
    speeds_b = _speeds(problem, arcs_b, b)
    finite = np.isfinite(speeds_a)
    ratio = float(speeds_b[finite].sum() / speeds_a[finite].sum()) if speeds_a[finite].any() else 1.0
    proportional = ratio > 0 and np.allclose(speeds_a * ratio, speeds_b, rtol=_RELATIVE, atol=0.0)
    return ratio if proportional else None


def _speeds(problem: FlowProblem, arcs: slice, plane: int) -> FloatArray:
    return np.concatenate([problem.capacity[arcs], problem.access_up[plane], problem.access_down[plane]])
