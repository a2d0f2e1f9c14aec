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
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.certificates import ArcCertificate
from pnet_lp.model.components import strong_components
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import div_down, div_up, mul_down, mul_up, sum_down, totals_down, totals_up
from pnet_lp.throughput.problems.base import joined
from pnet_lp.throughput.problems.program import LinearProgram, compressed_columns
from pnet_lp.throughput.solvers.highs import array_of, highspy_module, pass_model, set_options, silent

_Index = npt.NDArray[np.int64]

_Basis = tuple[list[int], list[int]]
"""The status of each column and row."""

SOLVER = "highs-simplex"

MOST_DEMANDS, MOST_LINKS = 20_000, 10_000
"""Beyond, a program over paths has too many limiting links to pay."""

_ROUNDS = 60
"""Pricings, at most."""

_MOST_NODES = 200
"""Classes of switches at distance 0 from each other, up to which distances are found between them."""

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
        _, link = _entries(self, which)
        return _Paths(self.owner[which], np.concatenate([[0], np.cumsum(np.diff(self.ptr)[which])]), link)


def _least(tail: IntArray, head: IntArray, length: FloatArray) -> _Index:
    """Return the shortest of the links between any two nodes, sorted by these, without infinite ones."""
    order = np.lexsort((length, head, tail))
    order = order[np.isfinite(length[order])]
    other = (np.diff(tail[order], prepend=-1) != 0) | (np.diff(head[order], prepend=-1) != 0)
    found: _Index = order[other]
    return found


def _entries(paths: _Paths, which: _Index) -> tuple[_Index, _Index]:
    """Return the links of these paths one after the other, and for each the place in ``which`` that it is of."""
    count = np.diff(paths.ptr)[which]
    end = np.cumsum(count)
    place = np.repeat(np.arange(len(which)), count)
    return place, paths.link[np.arange(len(place)) - np.repeat(end - count, count) + np.repeat(paths.ptr[which], count)]


class Rerouting:
    """The optimum with all links up, and what remains of it with some of them down.

    A *link* is an arc or an access link, as in :attr:`FlowProblem.link_capacity`.  What is found with links down does
    not depend on what was asked before.

    Attributes:
        flow: the problem with all links up.
        best: its bounds, after :meth:`optimise`.
    """

    def __init__(self, flow: FlowProblem, certificate: ArcCertificate, interval: Interval, tolerance: float) -> None:
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
        self._is_key = np.diff(self._paths.owner, prepend=-1) > 0
        self._unit = float(flow.demand.mean())
        self._basis: _Basis = ([], [])
        self._model: _Model | None = None

    @staticmethod
    def pays(flow: FlowProblem) -> bool:
        """Whether the program is small enough to be solved again and again."""
        return flow.demand_count <= MOST_DEMANDS and len(flow.link_capacity) <= MOST_LINKS

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process makes a model of its own, and what the core keeps of the problem."""
        return self.__dict__ | {"_model": None, "flow": replace(self.flow)}

    def optimise(self) -> bool:
        """Solve with all links up; returns whether the bounds have met so closely that failures can begin there."""
        nothing = np.zeros(len(self.flow.link_capacity), dtype=bool), np.zeros(self.flow.demand_count, dtype=bool)
        goal = _CLOSER * self.tolerance
        model = self._model = _Model(self)
        self.best = self._search(model, *nothing, np.empty(0, dtype=np.int64), goal)
        if not self.best.interval.gap <= max(goal, 0.5 * self.tolerance):
            return False
        # Only paths that carry something remain, and the one that carries most is the key.
        amount = model.amount
        order = np.lexsort((-amount, model.paths.owner))
        order = order[(amount[order] > 0) | (np.diff(model.paths.owner[order], prepend=-1) > 0)]
        self._paths = model.paths[order]
        self._is_key = np.diff(self._paths.owner, prepend=-1) > 0
        model = self._model = _Model(self)
        solved = model.run(dual=False)
        if solved is None:
            return False
        # Those of a vertex are few; of first-order steps almost every link has one, and so every failure others.
        _, length = solved
        bound = self._bound(length, self._distances(length), nothing[1])
        interval = Interval(self.best.interval.lower, max(self.best.interval.lower, bound))
        if interval.gap <= goal:
            self.best = Rerouted(interval, split(self.flow, length), self.best.steps)
        self._basis = model.basis()
        return True

    def without(self, down: BoolArray, lost: BoolArray) -> Rerouted | None:
        """Return what is proved with links down, None where too many steps are needed.

        Args:
            down: bool ``[L]``, the links.
            lost: bool ``[J]``, the demands that have no path then, which do not count.
        """
        if self._model is None:
            self._model = _Model(self)
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
            lengths = split(self.flow, np.where(down, 0.0, joined(lengths)))
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
                upper, lengths = bound, split(self.flow, length)
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
        return float(div_up(self.flow.volume(split(self.flow, length)), carried)) if carried > 0 else np.inf

    def _distances(self, length: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the length of each demand's shortest path, rounded down.

        Few links have a length: switches that others without one join in a cycle are one node.
        """
        import scipy.sparse as sp  # noqa: PLC0415 - slow to load
        from scipy.sparse.csgraph import shortest_path  # noqa: PLC0415

        flow, (arcs, up, down) = self.flow, split(self.flow, length)
        best = np.full(flow.demand_count, np.inf)
        for p in range(flow.plane_count):
            here = slice(*flow.arc_ptr[p : p + 2].tolist())
            tail, head, own = flow.tail[here], flow.head[here], arcs[here]
            node = strong_components(int(flow.node_count[p]), tail[own == 0], head[own == 0])
            count = int(node.max()) + 1
            if count > _MOST_NODES:
                return _core.demand_distances(flow.core, arcs, up, down)
            kept = _least(node[tail], node[head], own)
            ends = node[tail[kept]], node[head[kept]]
            between = shortest_path(sp.csr_array((own[kept], ends), shape=(count, count)), method="D")
            source, target = flow.attach[p, flow.src], flow.attach[p, flow.dst]
            through = between[node[source], node[target]] + up[p, flow.src] + down[p, flow.dst]
            best = np.minimum(best, np.where((source >= 0) & (target >= 0), through, np.inf))
        # Each of fewer than count + 2 sums is too large by the part 2^-53 at most.
        return floats(mul_down(best, 1 - (_MOST_NODES + 2) * 2.0**-53))

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
            tail, head, own = flow.tail[here], flow.head[here], np.where(down[here], np.inf, length[here])
            kept = _least(tail, head, own)
            nodes = int(flow.node_count[p])
            graph = sp.csr_array((own[kept], (tail[kept], head[kept])), shape=(nodes, nodes))
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
            keys = tail[kept].astype(np.int64) * nodes + head[kept]
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
    """The program in HiGHS."""

    def __init__(self, of: Rerouting) -> None:
        flow = of.flow
        self._flow, self._unit = flow, float(flow.demand.mean())
        self._links = len(flow.link_capacity)
        self.steps = 0
        self._basis: Any = None
        self._highs = silent()
        options = {"presolve": "off", "solver": "simplex", "threads": 1, "simplex_iteration_limit": _STEPS}
        # Exact weights of steepest edges would take a solve for each row of the first basis.
        tolerances = {f"{side}_feasibility_tolerance": 1e-9 for side in ("primal", "dual")}
        set_options(self._highs, {**options, **tolerances, "simplex_dual_edge_weight_strategy": 1})
        keys = np.flatnonzero(of._is_key)
        self._key = of._paths[keys]
        weight = flow.demand / self._unit
        load = np.bincount(self._key.link, weights=weight[self._key.owner[self._key.path]], minlength=self._links)
        used = np.flatnonzero(load)
        lp = LinearProgram(
            cost=np.array([-1.0]),
            start=np.array([0, len(used)], dtype=np.int32),
            index=used.astype(np.int32),
            value=floats(load[used]),
            row_lower=np.full(self._links, -np.inf),
            row_upper=flow.link_capacity / self._unit,
        )
        pass_model(self._highs, lp)
        self._row: dict[int, int] = {}
        self.paths, self.is_key = self._key, np.ones(len(keys), dtype=bool)
        self.add(of._paths[np.flatnonzero(~of._is_key)])

    def basis(self) -> _Basis:
        """Return the status of each column and row."""
        found = self._highs.getBasis()
        return [int(each) for each in found.col_status], [int(each) for each in found.row_status]

    def begin(self, down: _Index, basis: _Basis) -> None:
        """Take links down, at a basis of the program as it is."""
        self._before = self.paths, self.is_key, dict(self._row), self._highs.getNumCol(), self._highs.getNumRow()
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
        self.paths, self.is_key, self._row, columns, rows = self._before
        if self._highs.getNumCol() > columns:
            self._highs.deleteCols(
                self._highs.getNumCol() - columns, np.arange(columns, self._highs.getNumCol(), dtype=np.int32)
            )
        if self._highs.getNumRow() > rows:
            self._highs.deleteRows(
                self._highs.getNumRow() - rows, np.arange(rows, self._highs.getNumRow(), dtype=np.int32)
            )
        capacity = self._flow.link_capacity / self._unit
        for link in self._down.tolist():
            self._highs.changeRowBounds(link, -np.inf, float(capacity[link]))

    def add(self, paths: _Paths) -> None:
        """Add paths that are no keys, with the rows of their demands."""
        count = len(paths.owner)
        if not count:
            return
        weight = self._flow.demand / self._unit
        new = [j for j in dict.fromkeys(paths.owner.tolist()) if j not in self._row]
        first = self._highs.getNumRow()
        self._row.update({j: first + i for i, j in enumerate(new)})
        if new:
            zeros = np.zeros(len(new), dtype=np.int32)
            self._highs.addRows(
                len(new),
                np.zeros(len(new)),
                np.full(len(new), np.inf),
                len(new),
                np.arange(len(new), dtype=np.int32),
                zeros,
                weight[new],
            )
        # On a path and not on the key: 1, the other way round: -1; on both: 0.
        column, entry = _entries(self._key, paths.owner)
        place = np.concatenate([paths.path, column]) * self._links + np.concatenate([paths.link, entry])
        sign = np.repeat([1.0, -1.0], [len(paths.link), len(entry)])
        place, which = np.unique(place, return_inverse=True)
        value = np.bincount(which, weights=sign)
        place, value = place[value != 0], value[value != 0]
        column = np.concatenate([place // self._links, np.arange(count)])
        index = np.concatenate([place % self._links, [self._row[j] for j in paths.owner.tolist()]])
        start, rows, entries = compressed_columns(index, column, np.concatenate([value, np.full(count, -1.0)]), count)
        self._highs.addCols(
            count,
            np.zeros(count),
            np.zeros(count),
            np.full(count, np.inf),
            len(rows),
            start[:-1].astype(np.int32),
            rows.astype(np.int32),
            entries,
        )
        self.paths, self.is_key = self.paths + paths, np.concatenate([self.is_key, np.zeros(count, dtype=bool)])

    def run(self, *, dual: bool) -> tuple[FloatArray, FloatArray] | None:
        """Return the amounts ``[paths]`` and lengths ``[L]`` of an optimum, None where it is not reached.

        Args:
            dual: whether by the dual simplex method, else by the primal one.
        """
        highs = self._highs
        set_options(highs, {"simplex_strategy": 1 if dual else 4})
        highs.run()
        self.steps += int(highs.getInfo().simplex_iteration_count)
        if highs.modelStatusToString(highs.getModelStatus()) not in ("Optimal", "Unknown"):
            return None
        solution = highs.getSolution()
        value = array_of(solution.col_value)
        amount = np.zeros(len(self.paths.owner))
        keys = len(self._key.owner)
        amount[keys:] = value[1:]
        others = np.bincount(self.paths.owner[keys:], weights=value[1:], minlength=keys)
        amount[:keys] = value[0] * self._flow.demand / self._unit - others
        self.amount = amount
        return amount, np.maximum(-array_of(solution.row_dual)[: self._links], 0.0)


def split(flow: FlowProblem, length: FloatArray) -> Lengths:
    """Return lengths ``[L]`` as those of arcs and of access links."""
    arcs = len(flow.capacity)
    up, down = length[arcs:].reshape(2, *flow.attach.shape)
    return floats(length[:arcs]), floats(up), floats(down)
