"""The split of each demand over its paths, and what remains of it with links down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.rounded import add_up, div_down, div_up, mul_down, mul_up, sub_up, totals_down, totals_up
from pnet_lp.throughput.rerouting.paths import Index, Paths, shortest_paths

if TYPE_CHECKING:
    import scipy.sparse as sp

_FULL = 1e-3
"""The part of its capacity from which on room makes no difference."""

_TURNS = 64
"""Parts of the demands that get their paths one after the other."""

_NOTHING = np.empty(0, dtype=np.int64)


class Flow:
    """The paths of a flow, by demand and by link.

    Attributes:
        problem: the links and the demands.
        paths: in the order of their demands.
        amount: float64 ``[paths]``, Gb/s that each carries at K = 1, rounded up.
        load: float64 ``[L]``, of all links, rounded up.
    """

    def __init__(self, problem: FlowProblem, paths: Paths, part: FloatArray) -> None:
        """Take paths, and the part of its demand that each carries."""
        self.problem = problem
        used = np.flatnonzero(part > 0)
        order = used[np.argsort(paths.owner[used], kind="stable")]
        self.paths, part = paths[order], part[order]
        owner, links = self.paths.owner, len(problem.link_capacity)
        self.amount = mul_up(div_up(part, totals_down(owner, part, problem.demand_count)[owner]), problem.demand[owner])
        self.load = totals_up(self.paths.link, self.amount[self.paths.path], links)
        order = np.argsort(self.paths.link, kind="stable")
        self._user, self._users = self.paths.path[order], np.searchsorted(self.paths.link[order], np.arange(links + 1))
        self._begin = np.searchsorted(owner, np.arange(problem.demand_count + 1))

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process makes anew what the core keeps of the problem."""
        return self.__dict__ | {"problem": replace(self.problem)}

    def users(self, links: Index) -> tuple[Index, Index]:
        """Return the paths over each of these links, one after the other, and the link of each entry."""
        parts = [self._user[self._users[link] : self._users[link + 1]] for link in links.tolist()]
        return np.concatenate([_NOTHING, *parts]), np.repeat(links, [len(part) for part in parts])

    def paths_of(self, demands: Index) -> Index:
        """Return the paths of demands."""
        count = self._begin[demands + 1] - self._begin[demands]
        skipped = self._begin[demands] - np.cumsum(count) + count
        found: Index = np.arange(int(count.sum())) + np.repeat(skipped, count)
        return found


@brief()
@dataclass(frozen=True, eq=False)
class Keys:
    """How demands are split while links are down, unless they get other paths.

    What a path over such a link carried is taken by the demand's other paths, each by the same factor, or by a new one
    where none is left.

    Attributes:
        flow: with all links up.
        amount: as of ``flow``, 0 on paths that are down and of demands that are lost.
        new: paths of the demands that have none left.
        load: float64 ``[L]``, of all links at K = 1, rounded up.
        moved: the demands that had a path over a link that is down, without those that are lost.
    """

    flow: Flow
    amount: FloatArray
    new: Paths
    load: FloatArray
    moved: Index

    @classmethod
    def without(cls, flow: Flow, down: BoolArray, lost: BoolArray, rate: float) -> Keys:
        """Return the split with links ``down``, without the demands ``lost``, at a K of about ``rate``."""
        problem, paths, links = flow.problem, flow.paths, len(flow.load)
        used = np.unique(flow.users(np.flatnonzero(down))[0])
        hit = np.unique(paths.owner[used])
        own = flow.paths_of(hit)
        owner = paths.owner[own]
        left = np.where(np.isin(own, used) | lost[owner], 0.0, flow.amount[own])
        kept = totals_down(owner, left, problem.demand_count)
        some = kept[owner] > 0
        left[some] = mul_up(div_up(left[some], kept[owner][some]), problem.demand[owner][some])
        amount = flow.amount.copy()
        amount[own] = left
        changed = paths[own]
        # Sums of what was rounded up are exact until they are rounded up at the end, whatever is taken from them.
        more = sub_up(left, flow.amount[own])[changed.path]
        load = np.maximum(add_up(flow.load, totals_up(changed.link, more, links)), 0.0)
        moved = hit[~lost[hit]]
        gone = moved[kept[moved] <= 0]
        new = shortest_paths(problem, _crowded(problem, load, rate), gone, down)
        load = add_up(load, totals_up(new.link, problem.demand[new.owner][new.path], links))
        return cls(flow, floats(amount), new, floats(load), moved)

    def crowded(self, load: FloatArray, rate: float) -> FloatArray:
        """Return lengths of links, 1 where all is free, more where ``load`` at a K of ``rate`` leaves little room."""
        return _crowded(self.flow.problem, load, rate)

    def users(self, links: BoolArray) -> Index:
        """Return the demands whose keys use one of these links."""
        path = self.flow.users(np.flatnonzero(links))[0]
        old = self.flow.paths.owner[path[self.amount[path] > 0]]
        return np.union1d(old, self.new.owner[self.new.of_links(links) > 0])

    def lengths(self, length: FloatArray) -> FloatArray:
        """Return float64 ``[J]``, the mean length of each demand's paths."""
        problem = self.flow.problem
        path, link = self.flow.users(np.flatnonzero(length))
        owner = self.flow.paths.owner[path]
        found = np.bincount(owner, self.amount[path] * length[link], minlength=problem.demand_count) / problem.demand
        np.add.at(found, self.new.owner, self.new.of_links(length))
        return floats(found)

    def columns(self, demands: Index) -> sp.csc_array:
        """Return float64 ``[L, demands]``, the part of each of these demands on each link."""
        own = self.flow.paths_of(demands)
        own = own[self.amount[own] > 0]
        old, new = self.flow.paths[own], self.new[np.flatnonzero(np.isin(self.new.owner, demands))]
        paths = old + new
        part = np.concatenate([self.amount[own] / self.flow.problem.demand[old.owner], np.ones(len(new.owner))])
        column = np.searchsorted(demands, paths.owner)[paths.path]
        shape = (len(self.load), len(demands))
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load

        return sp.coo_array((part[paths.path], (paths.link, column)), shape=shape).tocsc()

    def flow_with(self, paths: Paths, share: FloatArray) -> Flow:
        """Return the flow where other paths carry a ``share`` of their demands, and keys the rest."""
        problem, old = self.flow.problem, self.flow.paths
        part = np.maximum(1 - np.bincount(paths.owner, share, problem.demand_count), 0.0)
        amount = part[old.owner] * self.amount / problem.demand[old.owner]
        return Flow(problem, old + paths, floats(np.concatenate([amount, share])))

    def split(self, paths: Paths, share: FloatArray) -> FloatArray:
        """Return the load where other paths carry a ``share`` of their demands, and keys the rest, rounded up."""
        demand = self.flow.problem.demand
        part = totals_down(paths.owner, share, len(demand))
        apart = np.unique(paths.owner)
        own = self.flow.paths_of(apart)
        old, new = self.flow.paths[own], self.new[np.flatnonzero(np.isin(self.new.owner, apart))]
        keys = old + new
        amount = np.concatenate([self.amount[own], demand[new.owner]])
        less = mul_down(np.minimum(part, 1.0)[keys.owner], amount)
        more = mul_up(share, demand[paths.owner])
        change = np.concatenate([-less[keys.path], more[paths.path]])
        link = np.concatenate([keys.link, paths.link])
        return np.maximum(add_up(self.load, totals_up(link, change, len(self.load))), 0.0)

    def most(self, load: FloatArray) -> float:
        """Return the K at which a load at K = 1 fits, rounded down."""
        problem = self.flow.problem
        loaded = (load > 0) & np.isfinite(problem.link_capacity)
        fits = div_down(problem.link_capacity[loaded], load[loaded]).min(initial=np.inf)
        return problem.attained(float(fits))


def one_by_one(problem: FlowProblem, rate: float) -> Paths:
    """Return a path for each demand, the largest first, short and where there is room at a K of ``rate``."""
    down = np.zeros(len(problem.link_capacity), dtype=np.bool_)
    load, found = np.zeros(len(down)), Paths.of([], [])
    for demands in np.array_split(np.argsort(-problem.demand, kind="stable"), _TURNS):
        paths = shortest_paths(problem, _crowded(problem, floats(load), rate), demands, down)
        load += np.bincount(paths.link, problem.demand[paths.owner][paths.path], len(load))
        found += paths
    return found


def _crowded(problem: FlowProblem, load: FloatArray, rate: float) -> FloatArray:
    capacity = problem.link_capacity
    room = np.where(np.isfinite(capacity), 1 - rate * load / capacity, 1.0)
    return floats(1 / np.maximum(room, _FULL))
