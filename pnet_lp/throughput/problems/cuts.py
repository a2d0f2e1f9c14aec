"""What the links that its own columns share allow a demand, whatever the others do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.paths import OffsetArray
from pnet_lp.throughput.problems.base import ColumnProblem


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Cuts:
    """Links through which all that a demand gets must go: each of its columns uses one of them.

    Attributes:
        demand, link: integers, pairs of a demand and a link of its cut.
        most: float64 ``[J]``, Gb/s that a demand gets at most.
    """

    demand: IntArray | OffsetArray
    link: IntArray | OffsetArray
    most: FloatArray
    _partner: IntArray

    @classmethod
    def of(cls, problem: ColumnProblem) -> Self:
        """Return the cuts of links that are narrowest for the columns of the demand that share them."""
        usage, capacity, owner = problem.usage, problem.flow.link_capacity, problem.demand_of_column
        column, link = np.repeat(np.arange(usage.shape[1]), np.diff(usage.indptr)), usage.indices
        # Two arcs that are one link, each with half of its capacity and of what passes it, count as the first of them.
        partner = np.arange(len(capacity))
        if problem.flow.partner is not None:
            partner[: len(problem.flow.partner)] = problem.flow.partner
            capacity = np.where(partner == np.arange(len(capacity)), capacity, capacity + capacity[partner])
            kept = link <= partner[link]
            column, link = column[kept], link[kept]
        pair = owner[column].astype(np.int64) * len(capacity) + link
        _, place, count = np.unique(pair, return_inverse=True, return_counts=True)
        order = np.lexsort((capacity[link] / count[place], column))
        _, first = np.unique(column[order], return_index=True)
        cut = np.unique(pair[order[first]])
        demand, link = cut // len(capacity), cut % len(capacity)
        most = np.bincount(demand, weights=capacity[link], minlength=problem.demand_count)
        return cls(demand, link, floats(most), ints(partner))

    def lengths(self, demands: BoolArray) -> FloatArray:
        """Return float64 ``[L]``, 1 on the cuts of ``demands``, bool ``[J]``: they prove what these get at most."""
        length = np.zeros(len(self._partner))
        link = self.link[demands[self.demand]]
        length[link] = length[self._partner[link]] = 1.0
        return length
