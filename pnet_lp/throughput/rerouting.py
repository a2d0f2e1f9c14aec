"""Maximum concurrent flow with links down, from the basis of the optimum with all of them up.

The linear program over paths, by column generation.  One path of each demand, its *key*, is eliminated: it carries what
the demand's other paths leave.  So the basis grows with the links that limit and the demands that are split, not with
all demands.  Columns: K; then the amount ``y_p`` on each path p that is no key.  Rows, per unit of the mean demand:

    K sum_j d_j [l on key_j] + sum_p y_p ([l on p] - [l on key_j(p)]) <= c_l    for each link l; dual: length
    K d_j - sum_{p of j} y_p >= 0                                               for each demand j with such a path

A failed link has the capacity 0.  The basis remains dual feasible, so a few steps of the dual simplex method restore
feasibility; shortest paths under the new lengths are priced in until the bounds meet.  A demand that has lost all its
paths takes one without links.  Generalised upper bounds: G. B. Dantzig, R. M. Van Slyke (1967).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pnet_lp import _core
from pnet_lp.model import Interval
from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import Certificate
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import div_down, div_up, mul_down, mul_up, sum_down, totals_down, totals_up
from pnet_lp.throughput.problems.base import joined, separated
from pnet_lp.throughput.problems.program import LinearProgram, compressed_columns
from pnet_lp.throughput.solvers.highs import CONVERGED, array_of, highspy_module, pass_model, set_options, silent

_Index = npt.NDArray[np.int64]

_Basis = tuple[list[int], list[int]]
"""The status of each column and row."""

SOLVER = "highs-simplex"

_MOST_DEMANDS, _MOST_LINKS = 20_000, 10_000
"""Beyond, a program over paths has too many limiting links to pay."""

_ROUNDS = 60
"""Pricings, at most."""

_STEPS = 5_000
"""Steps of the simplex method between two pricings: more would take longer than a solve from nothing."""

_CLOSER = 0.1
"""The part of the tolerance to which the program is solved with all links up, so that what fits still is within it."""

_HOP = 1e-9
"""What a link is longer, as a part of the mean length: of equally short paths one of few links."""


@brief()
@dataclass(frozen=True, eq=False)
class Rerouted:
    """What is proved with links down.

    Attributes:
        interval: the bounds on K of the demands that are not lost, rounded outwards.
        lengths: those that prove the upper bound; 0 on links that are down.
        steps: of the simplex method.
    """

    interval: Interval
    lengths: Lengths
    steps: int


@dataclass(frozen=True, eq=False)
class _Paths:
    """Paths: the demand of each, and its links, ``link[ptr[n]:ptr[n + 1]]``."""

    owner: _Index
    ptr: _Index
    link: _Index

    @classmethod
    def of(cls, owner: Sequence[int], links: Sequence[_Index]) -> _Paths:
        ptr = np.cumsum([0, *map(len, links)], dtype=np.int64)
        return cls(np.array(owner, dtype=np.int64), ptr, np.concatenate([np.empty(0, dtype=np.int64), *links]))

    @cached_property
    def path(self) -> _Index:
        """The path of each entry of :attr:`link`."""
        return np.repeat(np.arange(len(self.owner)), np.diff(self.ptr))

    def of_links(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return the sum of the values of each path's links."""
        return floats(np.bincount(self.path, weights=values[self.link], minlength=len(self.owner)))

    def __add__(self, other: _Paths) -> _Paths:
        return _Paths(
            np.concatenate([self.owner, other.owner]),
            np.concatenate([self.ptr, self.ptr[-1] + other.ptr[1:]]),
            np.concatenate([self.link, other.link]),
        )

    def __getitem__(self, which: _Index) -> _Paths:
        _, link = self.entries(which)
        return _Paths(self.owner[which], np.concatenate([[0], np.cumsum(np.diff(self.ptr)[which])]), link)

    @property
    def first(self) -> _Index:
        """The first path of each demand, where paths are in the order of demands."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    def entries(self, which: _Index) -> tuple[_Index, _Index]:
        """Return the links of these paths one after the other, and before them the place in ``which`` of each one's."""
        count = np.diff(self.ptr)[which]
        place = np.repeat(np.arange(len(which)), count)
        within = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        return place, self.link[np.repeat(self.ptr[which], count) + within]


class Rerouting:
    """The optimum with all links up, and what remains of it with some of them down.

    A *link* is an arc or an access link, as in :attr:`FlowProblem.link_capacity`.  What is found with links down does
    not depend on what was asked before.

    Attributes:
        flow: the problem with all links up.
        best: its bounds, after :meth:`optimise`.
    """

    def __init__(self, flow: FlowProblem, certificate: Certificate, interval: Interval, tolerance: float) -> None:
        self.flow, self.tolerance = flow, tolerance
        self.best = Rerouted(interval, certificate.lengths, 0)
        found = certificate.paths(flow, NotImplemented)
        up = len(flow.capacity) + found.plane * flow.attach.shape[1]
        first, arcs = flow.arc_ptr[found.plane], found.path_arc
        ends = up + flow.src[found.demand], up + flow.attach.size + flow.dst[found.demand]
        links = [
            np.concatenate([[start], arcs[slice(*pair)] + arc, [end]]).astype(np.int64)
            for start, end, arc, pair in zip(*ends, first, pairwise(found.path_ptr.tolist()), strict=True)
        ]
        # By demand, the path that carries most first: that is the key.
        order = np.lexsort((-found.part, found.demand))
        self._paths = _Paths.of(found.demand[order].tolist(), [links[n] for n in order])
        self._basis: _Basis = ([], [])
        self._model: _Model | None = None

    @staticmethod
    def pays(flow: FlowProblem) -> bool:
        """Whether the program is small enough to be solved again and again."""
        return flow.demand_count <= _MOST_DEMANDS and len(flow.link_capacity) <= _MOST_LINKS

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process makes a model of its own, and what the core keeps of the problem."""
        return self.__dict__ | {"_model": None, "flow": replace(self.flow)}

    def optimise(self) -> bool:
        """Solve with all links up; returns whether the bounds have met so closely that failures can begin there."""
        nothing = np.zeros(len(self.flow.link_capacity), dtype=bool), np.zeros(self.flow.demand_count, dtype=bool)
        goal = _CLOSER * self.tolerance
        model = self._model = _Model(self.flow, self._paths)
        self.best = self._search(model, *nothing, np.empty(0, dtype=np.int64), goal)
        if not self.best.interval.gap <= max(goal, 0.5 * self.tolerance):
            return False
        # Only paths that carry something remain, and the one that carries most is the key.
        amount = model.amount
        order = np.lexsort((-amount, model.paths.owner))
        order = order[(amount[order] > 0) | (np.diff(model.paths.owner[order], prepend=-1) > 0)]
        self._paths = model.paths[order]
        model = self._model = _Model(self.flow, self._paths)
        solved = model.run(dual=False)
        if solved is None:
            return False
        # Those of a vertex are few; of first-order steps almost every link has one, and so every failure others.
        _, length = solved
        bound = self._bound(length, self._distances(length), nothing[1])
        interval = Interval(self.best.interval.lower, max(self.best.interval.lower, bound))
        if interval.gap <= goal:
            self.best = Rerouted(interval, separated(self.flow, length), self.best.steps)
        self._basis = model.basis()
        return True

    def without(self, down: BoolArray, lost: BoolArray) -> Rerouted | None:
        """Return what is proved with links down, None where too many steps are needed.

        Args:
            down: bool ``[L]``, the links.
            lost: bool ``[J]``, the demands that have no path then, which do not count.
        """
        if self._model is None:
            self._model = _Model(self.flow, self._paths)
        model = self._model
        hit = self._paths.of_links(down) > 0
        owner = np.unique(self._paths.owner[hit])
        model.begin(np.flatnonzero(down), self._basis)
        gone = _Paths.of(np.flatnonzero(lost).tolist(), [np.empty(0, dtype=np.int64)] * int(lost.sum()))
        model.add(gone + self._shortest(joined(self.best.lengths), owner[~lost[owner]], down))
        try:
            found = self._search(model, down, lost, owner[~lost[owner]], self.tolerance)
        finally:
            model.end()
        return found if found.interval.gap <= self.tolerance else None

    def _search(self, model: _Model, down: BoolArray, lost: BoolArray, hit: _Index, goal: float) -> Rerouted:
        """Return the best bounds after pricing until they meet; first only for demands that are ``hit``."""
        whole = not lost.any()
        lower, upper, lengths = 0.0, self.best.interval.upper if whole else np.inf, self.best.lengths
        if (joined(lengths)[down] > 0).any():
            lengths = separated(self.flow, np.where(down, 0.0, joined(lengths)))
        begun = model.steps
        for round_ in range(_ROUNDS):
            solved = model.run(dual=round_ == 0)
            if solved is None:
                break
            amount, length = solved
            paths = model.paths
            lower = max(lower, self._attained(paths, amount, down, lost))
            if lower >= (1 - goal) * upper:
                break
            length[down] = 0.0
            far = float(length.sum())
            if far <= 0 or model.steps - begun > 4 * _STEPS:
                break
            if round_ == 0 and len(hit):
                # The demands that have lost a path need most of the new ones, and all others take ten times as long.
                model.add(self._shortest(length, hit, down))
                continue
            # A path over a link that is down is longer than every other.
            long = np.where(down, 2 * far, length)
            distance = self._distances(long)
            bound = self._bound(length, distance, lost)
            if bound < upper:
                upper, lengths = bound, separated(self.flow, length)
            shortest = np.full(self.flow.demand_count, np.inf)
            np.minimum.at(shortest, paths.owner, paths.of_links(long))
            short = np.flatnonzero((distance < shortest * (1 - 1e-9) - 1e-13 * far) & ~lost)
            if lower >= (1 - goal) * upper or not short.size:
                break
            model.add(self._shortest(length, short, down))
        return Rerouted(Interval(lower, max(lower, upper)), lengths, model.steps - begun)

    def _attained(self, paths: _Paths, amount: FloatArray, down: BoolArray, lost: BoolArray) -> float:
        """Return a K at which the split that amounts ``[paths]`` stand for fits, rounded down."""
        flow, owner = self.flow, paths.owner
        amount = np.where((paths.of_links(down) > 0) | lost[owner], 0.0, np.maximum(amount, 0.0))
        used = np.flatnonzero(amount)
        total = totals_down(owner[used], amount[used], flow.demand_count)
        if (total[~lost] <= 0).any():
            return 0.0
        each = np.zeros(len(owner))
        each[used] = mul_up(div_up(amount[used], total[owner[used]]), flow.demand[owner[used]])
        entry = np.flatnonzero(each[paths.path])
        load = totals_up(paths.link[entry], each[paths.path[entry]], len(down))
        loaded = (load > 0) & np.isfinite(flow.link_capacity)
        most = div_down(flow.link_capacity[loaded], load[loaded]).min(initial=np.inf)
        return flow.attained(float(most))

    def _bound(self, length: FloatArray, distance: FloatArray, lost: BoolArray) -> float:
        """Return what K is at most by these lengths and distances, rounded up."""
        carried = self.flow.merged_down(sum_down(mul_down(self.flow.demand[~lost], distance[~lost])))
        return float(div_up(self.flow.volume(separated(self.flow, length)), carried)) if carried > 0 else np.inf

    def _distances(self, length: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the length of each demand's shortest path, rounded down."""
        return _core.demand_distances(self.flow.core, *separated(self.flow, length))

    def _shortest(self, length: FloatArray, demands: _Index, down: BoolArray) -> _Paths:
        """Return the shortest path of each of these demands over links that are up, the best of all planes."""
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load
        from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

        flow = self.flow
        if not len(demands):
            return _Paths.of([], [])
        length = length + _HOP * (length.mean() or 1.0)
        best = np.full(len(demands), np.inf)
        found: list[_Index] = [np.empty(0, dtype=np.int64)] * len(demands)
        arcs, (planes, endpoints) = len(flow.capacity), flow.attach.shape
        for p in range(planes):
            here = slice(*flow.arc_ptr[p : p + 2].tolist())
            # Of parallel links the shortest, sorted by their ends.
            own = np.where(down[here], np.inf, length[here])
            nodes, order = int(flow.node_count[p]), np.argsort(own, kind="stable")[: int(np.isfinite(own).sum())]
            between = flow.tail[here].astype(np.int64) * nodes + flow.head[here]
            keys, place = np.unique(between[order], return_index=True)
            kept = order[place]
            graph = sp.csr_array((own[kept], np.divmod(keys, nodes)), shape=(nodes, nodes))
            ends = arcs + p * endpoints + flow.src[demands], arcs + (planes + p) * endpoints + flow.dst[demands]
            source, target = flow.attach[p, flow.src[demands]], flow.attach[p, flow.dst[demands]]
            usable = (source >= 0) & (target >= 0) & ~down[ends[0]] & ~down[ends[1]]
            if not usable.any():
                continue
            roots, row = np.unique(source[usable], return_inverse=True)
            distance, before = dijkstra(graph, indices=roots, return_predecessors=True)
            which = np.flatnonzero(usable)
            through = distance[row, target[which]] + length[ends[0][which]] + length[ends[1][which]]
            better = through < best[which]
            which, row = which[better], row[better]
            best[which] = through[better]
            # All paths back from their targets, one link at a time; a row of a path that has arrived stays there.
            at, steps = target[which].astype(np.int64), []
            while (moving := at != source[which]).any():
                last = np.where(moving, before[row, at], at)
                arc = kept[np.minimum(np.searchsorted(keys, last * nodes + at), len(keys) - 1)] + here.start
                steps.append(np.where(moving, arc, -1))
                at = last
            back = np.array([ends[1][which], *steps, ends[0][which]])[::-1].T
            for n, own in zip(which.tolist(), back, strict=True):
                found[n] = own[own >= 0].astype(np.int64)
        return _Paths.of(demands.tolist(), found)


class _Model:
    """The program in HiGHS.

    Attributes:
        paths: those of its columns: the keys, then one for each column but K.
        steps: of the simplex method, so far.
        amount: float64 ``[paths]``, of the last optimum.
    """

    def __init__(self, flow: FlowProblem, paths: _Paths) -> None:
        unit = float(flow.demand.mean())
        self._weight, self._capacity = floats(flow.demand / unit), floats(flow.link_capacity / unit)
        self.steps = 0
        self._basis: Any = None
        self._highs = silent()
        options = {"presolve": "off", "solver": "simplex", "threads": 1, "simplex_iteration_limit": _STEPS}
        # Exact weights of steepest edges would take a solve for each row of the first basis.
        tolerances = {f"{side}_feasibility_tolerance": 1e-9 for side in ("primal", "dual")}
        set_options(self._highs, {**options, **tolerances, "simplex_dual_edge_weight_strategy": 1})
        self._key = self.paths = paths[paths.first]
        load = np.bincount(self._key.link, self._weight[self._key.owner[self._key.path]], len(self._capacity))
        used = np.flatnonzero(load)
        lp = LinearProgram(
            cost=np.array([-1.0]),
            start=np.array([0, len(used)], dtype=np.int32),
            index=used.astype(np.int32),
            value=floats(load[used]),
            row_lower=np.full(len(load), -np.inf),
            row_upper=self._capacity,
        )
        pass_model(self._highs, lp)
        self._row: dict[int, int] = {}
        self.add(paths[np.setdiff1d(np.arange(len(paths.owner)), paths.first)])

    def basis(self) -> _Basis:
        """Return the status of each column and row."""
        found = self._highs.getBasis()
        return [int(each) for each in found.col_status], [int(each) for each in found.row_status]

    def begin(self, down: _Index, basis: _Basis) -> None:
        """Take links down, at a basis of the program as it is."""
        self._before = self.paths, dict(self._row)
        self._down = down
        if self._basis is None:
            module = highspy_module()
            self._basis = module.HighsBasis()
            self._basis.col_status, self._basis.row_status = (
                [module.HighsBasisStatus(i) for i in each] for each in basis
            )
            self._basis.valid = True
        self._highs.setBasis(self._basis)
        for link in down.tolist():
            self._highs.changeRowBounds(link, -np.inf, 0.0)

    def end(self) -> None:
        """Undo :meth:`begin`, and what was added since."""
        self.paths, self._row = self._before
        added = np.arange(1 + len(self.paths.owner) - len(self._key.owner), self._highs.getNumCol(), dtype=np.int32)
        if len(added):
            self._highs.deleteCols(len(added), added)
        added = np.arange(len(self._capacity) + len(self._row), self._highs.getNumRow(), dtype=np.int32)
        if len(added):
            self._highs.deleteRows(len(added), added)
        for link in self._down.tolist():
            self._highs.changeRowBounds(link, -np.inf, float(self._capacity[link]))

    def add(self, paths: _Paths) -> None:
        """Add paths that are no keys, with the rows of their demands."""
        count, links = len(paths.owner), len(self._capacity)
        new = [j for j in dict.fromkeys(paths.owner.tolist()) if j not in self._row]
        first = self._highs.getNumRow()
        self._row.update({j: first + i for i, j in enumerate(new)})
        if new:
            begins, rows = np.arange(len(new), dtype=np.int32), np.zeros(len(new), dtype=np.int32)
            least, most = np.zeros(len(new)), np.full(len(new), np.inf)
            self._highs.addRows(len(new), least, most, len(new), begins, rows, self._weight[new])
        if not count:
            return
        # On a path and not on the key: 1, the other way round: -1; on both: 0.
        column, entry = self._key.entries(paths.owner)
        place = np.concatenate([paths.path, column]) * links + np.concatenate([paths.link, entry])
        sign = np.repeat([1.0, -1.0], [len(paths.link), len(entry)])
        place, which = np.unique(place, return_inverse=True)
        value = np.bincount(which, weights=sign)
        place, value = place[value != 0], value[value != 0]
        column = np.concatenate([place // links, np.arange(count)])
        index = np.concatenate([place % links, [self._row[j] for j in paths.owner.tolist()]])
        start, rows, entries = compressed_columns(index, column, np.concatenate([value, np.full(count, -1.0)]), count)
        least, most = np.zeros(count), np.full(count, np.inf)
        self._highs.addCols(count, np.zeros(count), least, most, len(rows), start[:-1], rows, entries)
        self.paths += paths

    def run(self, *, dual: bool) -> tuple[FloatArray, FloatArray] | None:
        """Return the amounts ``[paths]`` and lengths ``[L]`` of an optimum, None where it is not reached.

        Args:
            dual: whether by the dual simplex method, else by the primal one.
        """
        highs = self._highs
        set_options(highs, {"simplex_strategy": 1 if dual else 4})
        highs.run()
        self.steps += int(highs.getInfo().simplex_iteration_count)
        if highs.modelStatusToString(highs.getModelStatus()) not in CONVERGED:
            return None
        solution = highs.getSolution()
        value, keys = array_of(solution.col_value), len(self._key.owner)
        others = np.bincount(self.paths.owner[keys:], weights=value[1:], minlength=keys)
        self.amount = np.concatenate([value[0] * self._weight - others, value[1:]])
        return self.amount, np.maximum(-array_of(solution.row_dual)[: len(self._capacity)], 0.0)
