"""Links between the same two switches, solved as one.

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

_Longs: TypeAlias = npt.NDArray[np.int64]


@brief()
@dataclass(frozen=True, repr=False)
class MergedLinks:
    """A problem with parallel links merged.

    Attributes:
        original: the problem as given.
        first: int32 ``[B]``, the first arc of each merged one.
        owner: int32 ``[A]``, the merged arc that each arc is part of.
    """

    original: FlowProblem
    first: IntArray
    owner: IntArray

    @cached_property
    def problem(self) -> FlowProblem:
        """The problem on the merged links; the original itself where none are parallel."""
        original, first, owner = self.original, self.first, self.owner
        if len(first) == len(owner):
            return original
        return replace(
            original,
            arc_ptr=ints(np.searchsorted(first, original.arc_ptr)),
            tail=ints(original.tail[first]),
            head=ints(original.head[first]),
            capacity=self._total,
            arc_id=ints(original.arc_id[first]),
            metric=None,
            partner=None if original.partner is None else ints(owner[original.partner[first]]),
            inside=None if original.inside is None else original.inside[first],
        )

    @cached_property
    def _total(self) -> FloatArray:
        """float64 ``[B]``: the capacity of each merged arc, Gb/s."""
        return floats(np.bincount(self.owner, weights=self.original.capacity, minlength=len(self.first)))

    def of_arcs(self, values: FloatArray) -> FloatArray:
        """Return values of the original arcs ``[A]``, equal on merged ones, for the merged arcs ``[B]``."""
        return floats(values[self.first])

    def reduce(self, proof: _core.Proof) -> _core.Proof:
        """Return a proof on the merged links near one on the original ones."""
        if self.problem is self.original:
            return proof
        priced = np.bincount(self.owner, weights=self.original.capacity * proof.length, minlength=len(self.first))
        row, arc = _entries(self.original, proof)
        keys, place = np.unique(row * len(self.first) + self.owner[arc], return_inverse=True)
        fraction = floats(np.bincount(place, weights=proof.split_fraction, minlength=len(keys)))
        length = floats(priced / self._total)
        return _with_entries(self.problem, proof, length, keys // len(self.first), keys % len(self.first), fraction)

    def lengths(self, length: FloatArray, up: FloatArray, down: FloatArray) -> Lengths:
        """Return the lengths on the original links that those on the merged ones stand for."""
        return floats(length[self.owner]), floats(up), floats(down)

    def expand(self, proof: _core.Proof) -> _core.Proof:
        """Return the proof on the original links that a proof on the merged ones stands for."""
        if self.problem is self.original:
            return proof
        row, merged = _entries(self.problem, proof)
        members = np.argsort(self.owner, kind="stable")
        count = np.bincount(self.owner, minlength=len(self.first))
        begin = np.cumsum(count) - count
        entry = np.repeat(np.arange(len(merged)), count[merged])
        nth = np.arange(len(entry)) - np.repeat(np.cumsum(count[merged]) - count[merged], count[merged])
        arc = members[begin[merged[entry]] + nth]
        part = self.original.capacity[arc] / self._total[merged[entry]]
        order = np.lexsort((arc, row[entry]))
        fraction = proof.split_fraction[entry] * part
        return _with_entries(
            self.original, proof, floats(proof.length[self.owner]), row[entry][order], arc[order], fraction[order]
        )


def merge_links(problem: FlowProblem, cost: FloatArray | None = None) -> MergedLinks:
    """Return ``problem`` with all links that lead from one switch to another merged into one.

    Links of different ``cost`` ``[A]`` stay apart, and links that share their capacity with others.
    """
    arcs = np.arange(len(problem.tail))
    plane = np.repeat(np.arange(problem.plane_count), np.diff(problem.arc_ptr))
    keys: list[npt.NDArray[Any]] = [problem.head, problem.tail, plane]
    if cost is not None:
        keys.insert(0, cost)
    if problem.partner is not None:
        keys.insert(0, np.where(problem.partner == arcs, -1, arcs))
    order = np.lexsort(keys)
    new = np.ones(len(arcs), dtype=bool)
    new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    # Of equal keys the sort keeps the order, so that the first of each run is the first of all.
    first, run = np.unique(order[new], return_inverse=True)
    owner = np.empty(len(arcs), dtype=np.int64)
    owner[order] = run[np.cumsum(new) - 1]
    return MergedLinks(problem, ints(first), ints(owner))


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
