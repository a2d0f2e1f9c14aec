"""Lists of paths without a common link, judged as flows of least cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pnet_lp.model.arrays import BoolArray
from pnet_lp.verification.distances import metrics
from pnet_lp.verification.path_lists.judge import NO, OPEN, STEP, YES, Judge, Verdicts, verdicts
from pnet_lp.verification.path_lists.lists import ENTRIES, FAR, Index, Lists

_AT_ONCE = 16  # links that NumPy relaxes in about the time in which a search visits one


class EdgeDisjoint(Judge):
    """Paths as a flow of units, over all planes side by side: switches and links are numbered through."""

    worse = "lists paths without a common link that are longer in total than as many others"

    def __init__(self, lists: Lists) -> None:
        super().__init__(lists)
        flow = lists.flow
        begin = np.concatenate([[0], np.cumsum(flow.node_count, dtype=np.int64)])
        plane = np.repeat(np.arange(flow.plane_count), np.diff(flow.arc_ptr))
        self.switches = int(begin[-1])
        self.tail, self.head = begin[plane] + flow.tail, begin[plane] + flow.head
        self.by_head = np.argsort(self.head, kind="stable")
        self.metric = np.concatenate([metrics(flow, p) for p in range(flow.plane_count)]).astype(np.int64)
        self.place = np.argsort(self.by_head)
        self.entered, self.first = np.unique(self.head[self.by_head], return_index=True)
        self.source, self.target = begin[:-1, None] + lists.source, begin[:-1, None] + lists.target
        self.meeting = lists.allowed & (lists.source == lists.target)
        self.used_ptr = lists.paths.path_ptr[lists.paths.pair_ptr]
        user, links = lists.pair[lists.owner], max(1, len(self.tail))
        uses = np.sort(user * links + lists.arc)
        shared = uses[1:][np.diff(uses) == 0] // links
        lists.refuse(np.bincount(shared, minlength=flow.demand_count) > 0, "lists two paths with a common link")

    def best(self) -> Verdicts:
        """See :meth:`Judge.best`."""
        verdict = np.full(self.lists.flow.demand_count, YES, dtype=np.int8)
        for demands in self._blocks(np.diff(self.used_ptr) > 0):
            state = np.zeros((self.switches + 2, len(demands)), dtype=np.int64)
            verdict[demands] = self._settle(state, demands, 1, join=not self.lists.apart)
        return verdict

    def all(self, requested: BoolArray) -> Verdicts:
        """See :meth:`Judge.all`."""
        lists = self.lists
        # On one switch there is one path and no other.
        verdict = verdicts(~(self.meeting & requested & (lists.number == 0)))
        between = lists.allowed & requested & ~self.meeting
        for demands in self._blocks(between.any(axis=0)):
            state = np.ones((self.switches + 2, len(demands)), dtype=np.int64)
            plane, column = np.nonzero(between[:, demands])
            j = demands[column]
            state[self.source[plane, j], column] = 0
            settled = self._settle(state, demands, 0, join=False)
            reached = state[self.target[plane, j], column] == 0
            verdict[plane, j] = np.where(reached, NO, settled[column])
        return lists.fold(np.minimum, verdict)

    def _blocks(self, requested: BoolArray) -> Iterator[Index]:
        demands = np.flatnonzero(requested)
        width = max(1, ENTRIES // max(1, len(self.tail)))
        for first in range(0, len(demands), width):
            yield demands[first : first + width]

    def _settle(self, state: Index, demands: Index, cost: int, *, join: bool) -> Verdicts:
        """Lower the states until no residual link leads to a lower one (Bellman 1958), and return whether they settle.

        They do not if there is a negative cycle.

        Args:
            state: int64 ``[switches + 2, demands]``; the last two stand for the sources and the targets of all planes.
            demands: their indices.
            cost: how often a link adds its metric; a listed path's link is walked backwards only and takes it off.
            join: whether all planes allowed to a demand have their sources in common, and their targets.
        """
        lists, columns = self.lists, np.arange(len(demands))
        begin, uses = self.used_ptr[demands], np.diff(self.used_ptr)[demands]
        column = np.repeat(columns, uses)
        used = lists.arc[np.repeat(begin - np.cumsum(uses) + uses, uses) + np.arange(uses.sum())]
        tails, place = self.tail[self.by_head], self.place[used]
        taken = np.bincount(column, self.metric[used], len(demands))
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
            if not lists.budget.spend(1 + (len(tails) * len(demands) + STEP * len(used)) // _AT_ONCE):
                break
            before = state.copy()
            over = state[tails] + cost * self.metric[self.by_head, None]
            over[place, column] = FAR
            state[self.entered] = np.minimum(state[self.entered], np.minimum.reduceat(over, self.first, axis=0))
            np.minimum.at(state, (self.tail[used], column), state[self.head[used], column] - cost * self.metric[used])
            if join:
                for end, ends in common:
                    state[ends, columns] = np.minimum(state[end], state[ends, columns].min(axis=0))
                np.minimum(state[-1], state[-2], out=state[-1], where=free)
            changed = (state != before).any(axis=0)
            # A walk without a cycle takes off each used link once at most.
            lost = state.min(axis=0) < -taken
        return np.where(lost, NO, np.where(changed, OPEN, YES)).astype(np.int8)
