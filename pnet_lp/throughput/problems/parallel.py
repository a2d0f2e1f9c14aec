"""Links between the same two switches, or between equivalent ones, solved as one.

A flow on parallel links is a flow on one link with the sum of their capacities, and vice versa.  Methods that look for
paths would otherwise see as many paths as there are choices among parallel links on each, all of one length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.model.arrays import FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.throughput.problems.equivalent import equivalent_switches
from pnet_lp.throughput.problems.proof import Flows

_Longs: TypeAlias = npt.NDArray[np.int64]


@brief()
@dataclass(frozen=True, repr=False)
class MergedLinks:
    """A problem with equivalent switches and parallel links merged.

    Attributes:
        original: the problem as given.
        switch: int64 ``[switches of all planes]``, the merged switch that each is part of.
        first: int32 ``[B]``, the first arc of each merged one.
        owner: int32 ``[A]``, the merged arc that each arc is part of; -1 inside a merged switch.
    """

    original: FlowProblem
    switch: _Longs
    first: IntArray
    owner: IntArray

    @cached_property
    def problem(self) -> FlowProblem:
        """The problem on the merged links; the original itself where none are merged."""
        original, first, owner = self.original, self.first, self.owner
        if len(first) == len(owner):
            return original
        # Merged switches are numbered by their first members, so that those of a plane follow each other.
        before = self.switch[original.first_switch]
        count = np.diff(np.append(before, self.switch.max() + 1))
        plane = np.repeat(np.arange(original.plane_count), np.diff(original.arc_ptr))[first]
        tail, head = (self.switch[end[first]] - before[plane] for end in original.ends)
        attach = self.switch[np.maximum(original.attach, 0) + original.first_switch[:, None]] - before[:, None]
        return replace(
            original,
            node_count=ints(count),
            arc_ptr=ints(np.searchsorted(first, original.arc_ptr)),
            tail=ints(tail),
            head=ints(head),
            capacity=self._total,
            arc_id=ints(original.arc_id[first]),
            attach=ints(np.where(original.attach < 0, -1, attach)),
            metric=None if original.shortest is None or original.metric is None else ints(original.metric[first]),
            partner=None if original.partner is None else ints(owner[original.partner[first]]),
            inside=None if original.inside is None else original.inside[first],
        )

    @cached_property
    def _total(self) -> FloatArray:
        """float64 ``[B]``: the capacity of each merged arc, Gb/s."""
        return self._sums(self.original.capacity)

    def _sums(self, values: FloatArray) -> FloatArray:
        """Return float64 ``[B]``: the sum of ``values`` ``[A]`` over each merged arc."""
        kept = self.owner >= 0
        return floats(np.bincount(self.owner[kept], weights=values[kept], minlength=len(self.first)))

    def of_arcs(self, values: FloatArray) -> FloatArray:
        """Return values of the original arcs ``[A]``, equal on merged ones, for the merged arcs ``[B]``."""
        return floats(values[self.first])

    def reduce(self, proof: _core.Proof) -> _core.Proof:
        """Return a proof on the merged links near one on the original ones."""
        if self.problem is self.original:
            return proof
        length = floats(self._sums(self.original.capacity * proof.length) / self._total)
        row, arc = _entries(self.original, proof)
        kept = self.owner[arc] >= 0
        keys, place = np.unique((row * len(self.first) + self.owner[arc])[kept], return_inverse=True)
        fraction = floats(np.bincount(place, weights=proof.split_fraction[kept], minlength=len(keys)))
        row, arc = keys // len(self.first), keys % len(self.first)
        if self.problem.node_count.sum() == len(self.switch):
            return _with_entries(self.problem, proof, length, row, arc, fraction)
        return self._without_cycles(proof, length, row, arc, fraction)

    def _without_cycles(
        self, proof: _core.Proof, length: FloatArray, row: _Longs, arc: _Longs, fraction: FloatArray
    ) -> _core.Proof:
        """Return the proof of entries of merged switches.

        One member may have sent traffic to a neighbour, whose twin sent it to another member: a cycle, if both are one.
        """
        problem = self.problem
        plane = problem.rows[:, 0]
        arcs = np.diff(problem.arc_ptr)[plane]
        begin = np.cumsum(arcs, dtype=np.int64) - arcs
        flow = np.zeros(problem.flow_variables)
        flow[begin[row] + arc - problem.arc_ptr[plane[row]]] = fraction
        ends = proof.up_length, proof.down_length
        found = Flows(flow, proof.share, np.ones_like(length), *ends).proof(problem)
        return _core.Proof(length, *ends, found.share, found.split_ptr, found.split_arc, found.split_fraction)

    def lengths(self, length: FloatArray, up: FloatArray, down: FloatArray) -> Lengths:
        """Return the lengths on the original links that those on the merged ones stand for."""
        return floats(np.where(self.owner >= 0, length[self.owner], 0.0)), floats(up), floats(down)

    def expand(self, proof: _core.Proof) -> _core.Proof:
        """Return the proof on the original links that a proof on the merged ones stands for."""
        if self.problem is self.original:
            return proof
        row, merged = _entries(self.problem, proof)
        members = np.argsort(self.owner, kind="stable")
        end = np.cumsum(np.bincount(self.owner + 1, minlength=len(self.first) + 1))
        begin, count = end[:-1], np.diff(end)
        entry = np.repeat(np.arange(len(merged)), count[merged])
        nth = np.arange(len(entry)) - np.repeat(np.cumsum(count[merged]) - count[merged], count[merged])
        arc = members[begin[merged[entry]] + nth]
        order = np.lexsort((arc, row[entry]))
        entry, arc = entry[order], arc[order]
        fraction = proof.split_fraction[entry] * self._part[arc]
        return _with_entries(
            self.original,
            proof,
            self.lengths(proof.length, proof.up_length, proof.down_length)[0],
            row[entry],
            arc,
            fraction,
        )

    @cached_property
    def _part(self) -> FloatArray:
        """float64 ``[A]``: what part of the flow of its merged arc each takes, of that out of its tail."""
        place = np.unique(self.original.ends[0] * (len(self.first) + 1) + self.owner, return_inverse=True)[1]
        return floats(self.original.capacity / np.bincount(place, weights=self.original.capacity)[place])


def merge_links(problem: FlowProblem, cost: FloatArray | None = None) -> MergedLinks:
    """Return ``problem`` with equivalent switches merged, and all links that lead from one switch to another.

    Links of different ``cost`` ``[A]`` stay apart, and links that share their capacity with others.
    """
    switch = equivalent_switches(problem, cost)
    arcs = np.arange(len(problem.tail))
    tail, head = (switch[end] for end in problem.ends)
    keys: list[npt.NDArray[Any]] = [head, tail]
    if cost is not None:
        keys.insert(0, cost)
    if problem.partner is not None:
        keys.insert(0, np.where(problem.partner == arcs, -1, arcs))
    order = np.lexsort(keys)
    order = order[(tail != head)[order]]
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    # Of equal keys the sort keeps the order, so that the first of each run is the first of all.
    first, run = np.unique(order[new], return_inverse=True)
    owner = np.full(len(arcs), -1, dtype=np.int64)
    owner[order] = run[np.cumsum(new) - 1]
    return MergedLinks(problem, switch, ints(first), ints(owner))


def _entries(problem: FlowProblem, proof: _core.Proof) -> tuple[_Longs, _Longs]:
    """Return the row and the arc, counted through all planes, of each splitting fraction of a proof."""
    count = np.diff(proof.split_ptr)
    row = np.repeat(np.arange(len(count), dtype=np.int64), count)
    offset = problem.arc_ptr[:-1][problem.rows[:, 0]]
    return row, (np.repeat(offset, count) + proof.split_arc).astype(np.int64)


def _with_entries(
    problem: FlowProblem, proof: _core.Proof, length: FloatArray, row: _Longs, arc: _Longs, fraction: FloatArray
) -> _core.Proof:
    """Return ``proof`` with lengths and splitting fractions of ``problem``: as of :func:`_entries`, sorted."""
    plane = problem.rows[:, 0]
    return _core.Proof(
        length,
        proof.up_length,
        proof.down_length,
        proof.share,
        ints(np.searchsorted(row, np.arange(len(plane) + 1))),
        ints(arc - problem.arc_ptr[:-1][plane[row]]),
        floats(fraction),
    )
