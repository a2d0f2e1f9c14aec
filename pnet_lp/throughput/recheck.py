"""The arithmetic of a certificate a second time, in NumPy and SciPy, for :mod:`pnet_lp.throughput.verify`.

Nothing here calls the Rust core or a solver, and what the core computed (reachability, rows, bounds) is not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from pnet_lp.errors import CertificateError
from pnet_lp.model import Certificate
from pnet_lp.model.arrays import BoolArray, FloatArray
from pnet_lp.routing import PathRule
from pnet_lp.throughput.problem import FlowProblem

_Index = npt.NDArray[np.int64]

SAME = 1e-9
"""How far, relatively, a claimed number may be from the recomputed one: sums differ in their order only."""


@dataclass
class Checks:
    """The checks of one file, in order.

    Attributes:
        path: the file, for messages.
        held: one clause per check that held.
    """

    path: str
    held: list[str] = field(default_factory=list)

    def require(self, holds: bool | np.bool_, what: str, otherwise: str) -> None:
        """Note that ``what`` holds, or raise CertificateError saying ``otherwise``."""
        if not holds:
            raise CertificateError(otherwise, where=self.path)
        self.held.append(what)

    def same(self, key: str, claimed: float, computed: float) -> None:
        """Compare a claimed number with the recomputed one."""
        self.require(
            abs(claimed - computed) <= SAME * max(abs(claimed), abs(computed)),
            f"{key} is {computed:.9g}",
            f"{key} is claimed to be {claimed!r}, but the proof gives {computed!r}",
        )


def plane_arcs(problem: FlowProblem, plane: int) -> slice:
    """Return where the arcs of ``plane`` are."""
    return slice(int(problem.arc_ptr[plane]), int(problem.arc_ptr[plane + 1]))


def demand_distances(problem: FlowProblem, plane: int, length: FloatArray) -> FloatArray:
    """Return the shortest length between the switches of each demand in one plane, ``[J]``, ``inf`` where no path is.

    Args:
        problem: the problem.
        plane: index of the plane.
        length: float64, of each arc of the plane, >= 0; zero is a length like any other.
    """
    arcs = plane_arcs(problem, plane)
    tail, head = problem.tail[arcs], problem.head[arcs]
    n = int(problem.node_count[plane])
    # Towards a destination is from it against the arcs.  Of parallel arcs the shortest counts; SciPy would add them up.
    order = np.lexsort((length, tail, head))
    distinct = np.ones(len(order), dtype=bool)
    distinct[1:] = (np.diff(head[order]) != 0) | (np.diff(tail[order]) != 0)
    kept = order[distinct]
    pointer = np.searchsorted(head[kept], np.arange(n + 1))
    # Built from its parts, the matrix keeps zeros as entries, which Dijkstra takes for arcs of length zero.
    backwards = sp.csr_array((length[kept], tail[kept], pointer), shape=(n, n))
    source, target = problem.attach[plane, problem.src], problem.attach[plane, problem.dst]
    found = np.full(problem.demand_count, np.inf)
    attached = np.flatnonzero((source >= 0) & (target >= 0))
    if len(attached):
        targets, row = np.unique(target[attached], return_inverse=True)
        found[attached] = dijkstra(backwards, indices=targets)[row, source[attached]]
    return found


def routable(problem: FlowProblem, rule: PathRule) -> BoolArray:
    """Return bool ``[P, J]``: whether a routing with paths can use each plane for each demand.

    It uses a plane for hosts only whose access links carry something in both directions, and ``vlb`` only where there
    is a way back.
    """
    back = replace(problem, src=problem.dst, dst=problem.src)
    usable = (problem.access_up[:, problem.dst] > 0) & (problem.access_down[:, problem.src] > 0)
    return reachable(problem) & (reachable(back) if rule.kind == "vlb" else usable)


def reachable(problem: FlowProblem) -> BoolArray:
    """Return bool ``[P, J]``: whether each plane has a path for each demand, over links that carry anything."""
    usable = (problem.access_up[:, problem.src] > 0) & (problem.access_down[:, problem.dst] > 0)
    hops = [
        demand_distances(problem, p, np.ones(int(problem.arc_ptr[p + 1] - problem.arc_ptr[p])))
        for p in range(problem.plane_count)
    ]
    return usable & np.isfinite(np.stack(hops))


@dataclass(frozen=True, eq=False)
class Rows:
    """The pairs (plane, destination switch) with traffic between switches.

    Attributes:
        plane, switch: ``[rows]``, sorted by plane, then switch.
        demand_row: ``[P, J]``, the row of each demand in each plane; -1 where it does not enter the plane's links.
        state: ``[rows + 1]``, where the states (row, switch) of each row begin when all are numbered in one sequence.
    """

    plane: _Index
    switch: _Index
    demand_row: _Index
    state: _Index


def find_rows(problem: FlowProblem, available: BoolArray) -> Rows:
    """Return the rows of ``problem``, numbered as in a certificate."""
    source, target = problem.attach[:, problem.src], problem.attach[:, problem.dst]
    between = available & (source != target)
    plane, demand = np.nonzero(between)
    pairs, row = np.unique(np.stack([plane, target[plane, demand]]), axis=1, return_inverse=True)
    demand_row = np.full(between.shape, -1, dtype=np.int64)
    demand_row[plane, demand] = row.ravel()
    state = np.concatenate([[0], np.cumsum(problem.node_count[pairs[0]], dtype=np.int64)])
    return Rows(pairs[0], pairs[1], demand_row, state)


@dataclass(frozen=True, eq=False)
class Split:
    """Splitting fractions as arcs between states; one entry per fraction above 0."""

    tail: _Index
    head: _Index
    arc: _Index
    fraction: FloatArray


def propagate(amount: FloatArray, split: Split) -> tuple[FloatArray, int]:
    """Send ``amount`` along the fractions in topological order, all rows at once (Kahn 1962).

    Args:
        amount: float64 ``[states]``, what enters at each state; on return, what passes it.
        split: sorted by tail.

    Returns:
        What each entry of ``split`` carries, and how many entries were never reached because they lie on or after a
        cycle.
    """
    states = len(amount)
    begin = np.searchsorted(split.tail, np.arange(states + 1))
    waiting = np.bincount(split.head, minlength=states)
    carried = np.zeros(len(split.tail))
    ready = np.flatnonzero(waiting == 0)
    left = len(split.tail)
    while len(ready):
        count = begin[ready + 1] - begin[ready]
        # Concatenated ranges begin[u] .. begin[u + 1] of all ready states u.
        entry = np.repeat(begin[ready] - np.cumsum(count) + count, count) + np.arange(count.sum())
        carried[entry] = amount[split.tail[entry]] * split.fraction[entry]
        head = split.head[entry]
        np.add.at(amount, head, carried[entry])
        np.subtract.at(waiting, head, 1)
        left -= len(entry)
        reached = np.unique(head)
        ready = reached[waiting[reached] == 0]
    return carried, left


def check_arrays(check: Checks, proof: object, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Check that the arrays of a certificate have these shapes and no negative or infinite entry."""
    for key, shape in shapes.items():
        values = getattr(proof, key)
        check.require(
            values.shape == shape,
            f"{key} has the shape {shape}",
            f"certificate.{key} has the shape {values.shape}, not {shape}",
        )
        check.require(
            np.all(np.isfinite(values) & (values >= 0)),
            f"{key} is not negative",
            f"certificate.{key} has a negative or infinite entry",
        )


def check_shapes(check: Checks, proof: Certificate, problem: FlowProblem) -> None:
    """Check the shapes that do not depend on the rows, and that lengths are lengths."""
    access = problem.attach.shape
    shapes = {
        "length": (len(problem.tail),),
        "up_length": access,
        "down_length": access,
        "share": (problem.plane_count, problem.demand_count),
    }
    check_arrays(check, proof, shapes)


def upper_bound(check: Checks, proof: Certificate, problem: FlowProblem, available: BoolArray) -> float:
    """Return sum c l / sum d dist, which bounds K for any lengths (linear-programming duality)."""
    volume = float(problem.capacity @ proof.length)
    for key, speed, length in (
        ("up_length", problem.access_up, proof.up_length),
        ("down_length", problem.access_down, proof.down_length),
    ):
        long = length > 0
        check.require(
            np.all(np.isfinite(speed[long])),
            f"{key} is on links that limit something",
            f"certificate.{key} has a length on a link without a limit",
        )
        volume += float(speed[long] @ length[long])
    distance = np.full(problem.demand_count, np.inf)
    for p in range(problem.plane_count):
        through = (
            proof.up_length[p, problem.src]
            + demand_distances(problem, p, proof.length[plane_arcs(problem, p)])
            + proof.down_length[p, problem.dst]
        )
        distance = np.where(available[p], np.minimum(distance, through), distance)
    carried = float(problem.demand @ distance)
    check.require(
        carried > 0, "the lengths separate a demand", "the lengths are zero along a path of every demand"
    )
    return volume / carried


def lower_bound(check: Checks, proof: Certificate, problem: FlowProblem, available: BoolArray) -> float:
    """Return the largest K at which the flow that shares and fractions define fits, min c / load."""
    share = proof.share
    check.require(
        np.all(available | (share == 0)),
        "shares are on planes that have a path",
        "a share is on a plane without a path",
    )
    check.require(
        np.all(np.abs(share.sum(axis=0) - 1) <= SAME),
        "shares sum to 1",
        "the shares of a demand do not sum to 1",
    )
    amount = share * problem.demand
    ratios = [ratio_of(problem.capacity, _core_load(check, proof, problem, available, amount))]
    for end, speed in ((problem.src, problem.access_up), (problem.dst, problem.access_down)):
        load = np.stack([totals(end, row, speed.shape[1]) for row in amount])
        ratios.append(ratio_of(speed, load))
    return min(ratios)


def _core_load(
    check: Checks, proof: Certificate, problem: FlowProblem, available: BoolArray, amount: FloatArray
) -> FloatArray:
    """Return the load of each arc, ``[A]``, when ``amount`` ``[P, J]`` enters at the sources."""
    rows = find_rows(problem, available)
    pointer, arc, fraction = proof.split_ptr.astype(np.int64), proof.split_arc, proof.split_fraction
    check.require(
        pointer.shape == (len(rows.plane) + 1,)
        and pointer[0] == 0
        and pointer[-1] == len(arc) == len(fraction)
        and np.all(np.diff(pointer) >= 0),
        f"fractions are given for {len(rows.plane)} rows",
        "certificate.split_ptr does not describe the rows",
    )
    row = np.repeat(np.arange(len(rows.plane)), np.diff(pointer))
    first, last = problem.arc_ptr[rows.plane[row]], problem.arc_ptr[rows.plane[row] + 1]
    check.require(
        np.all((arc >= 0) & (arc < last - first)),
        "fractions are on arcs",
        "certificate.split_arc names an unknown arc",
    )
    place = first + arc
    check.require(
        len(np.unique(np.stack([row, place]), axis=1).T) == len(arc),
        "an arc has one fraction a row",
        "certificate.split_arc names an arc twice in a row",
    )
    check.require(
        np.all(np.isfinite(fraction) & (fraction >= 0)),
        "fractions are not negative",
        "certificate.split_fraction has a negative or infinite entry",
    )
    tail = rows.state[row] + problem.tail[place]
    order = np.argsort(tail, kind="stable")
    head = rows.state[row] + problem.head[place]
    split = Split(tail[order], head[order], place[order], fraction[order])
    target = rows.state[:-1] + rows.switch
    check.require(
        not np.any(np.isin(tail, target)),
        "no fraction leaves a destination",
        "a fraction leaves its destination",
    )

    plane, demand = np.nonzero(rows.demand_row >= 0)
    entering = rows.state[rows.demand_row[plane, demand]] + problem.attach[plane, problem.src[demand]]
    passing = totals(entering, amount[plane, demand], int(rows.state[-1]))
    carried, left = propagate(passing, split)
    check.require(left == 0, "the fractions form no cycle", "the fractions of a row form a cycle")
    total = totals(tail, fraction, len(passing))
    on_the_way = passing > 0
    on_the_way[target] = False
    check.require(
        np.all(np.abs(total[on_the_way] - 1) <= SAME),
        "fractions sum to 1 wherever traffic passes, so all of it arrives",
        "the fractions at a switch that traffic passes do not sum to 1",
    )
    return totals(split.arc, carried, len(problem.tail))


def totals(index: npt.NDArray[np.integer], values: FloatArray, count: int) -> FloatArray:
    """Return the sum of the values of each index, ``[count]``."""
    return np.bincount(index, weights=values, minlength=count).astype(np.float64, copy=False)


def ratio_of(capacity: FloatArray, load: FloatArray) -> float:
    """Return the largest K at which K times the loads fit into the capacities."""
    used = load > 0
    return float((capacity[used] / load[used]).min()) if np.any(used) else math.inf
