"""A problem of any path, and splitting fractions by destination, a second time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.model import ArcCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import add_down, add_up, div_up, mul_up, totals_down, totals_up
from pnet_lp.verification.checks import SAME, Checks
from pnet_lp.verification.distances import demand_distances, plane_arcs
from pnet_lp.verification.second import SecondProblem, Subject

_Index = npt.NDArray[np.int64]


class SecondArcs(SecondProblem):
    """Any path in any plane, with shares of planes, and fractions by destination."""

    def __init__(self, subject: Subject, certificate: ArcCertificate) -> None:
        super().__init__(subject, certificate)
        check, available = self.check, subject.available
        self.available = available
        self.certificate = certificate
        share = certificate.share
        check.arrays(certificate, {"share": available.shape})
        check.require(
            np.all(available | (share == 0)),
            "shares are on planes that have a path",
            "a share is on a plane without a path",
        )
        total = np.zeros(share.shape[1])
        for part in share:
            total = add_down(total, part)
        check.require(np.all(np.abs(total - 1) <= SAME), "shares sum to 1", "the shares of a demand do not sum to 1")
        self.share = div_up(share, total)

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`SecondProblem.distances`."""
        return any_distances(self.flow, self.available, lengths)

    def loads(self, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondProblem.loads`."""
        amount = mul_up(self.share, rate)
        return _core_load(self.check, self.certificate, self.flow, self.available, amount), self._access(amount)


def any_distances(flow: FlowProblem, available: BoolArray, lengths: Lengths) -> FloatArray:
    """Return float64 ``[J]``: lengths of shortest paths in the planes ``available`` ``[P, J]``, rounded down."""
    length, up, down = lengths
    found = np.full(flow.demand_count, np.inf)
    for p in range(flow.plane_count):
        between = demand_distances(flow, p, length[plane_arcs(flow, p)])
        through = add_down(add_down(up[p, flow.src], between), down[p, flow.dst])
        found = np.where(available[p], np.minimum(found, through), found)
    return floats(found)


@brief()
@dataclass(frozen=True, eq=False, repr=False)
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


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """Splitting fractions as arcs between states; one entry per fraction above 0."""

    tail: _Index
    head: _Index
    arc: _Index
    fraction: FloatArray


def propagate(amount: FloatArray, split: Split) -> tuple[FloatArray, int]:
    """Send ``amount`` along the fractions in topological order, all rows at once, rounded up (Kahn 1962).

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
        carried[entry] = mul_up(amount[split.tail[entry]], split.fraction[entry])
        reached, at, entered = np.unique(split.head[entry], return_inverse=True, return_counts=True)
        amount[reached] = add_up(amount[reached], totals_up(at, carried[entry], len(reached)))
        waiting[reached] -= entered
        left -= len(entry)
        ready = reached[waiting[reached] == 0]
    return carried, left


def entries(check: Checks, proof: ArcCertificate, problem: FlowProblem, rows: Rows) -> tuple[_Index, _Index]:
    """Return the row of each fraction, and its arc as a place in the problem, both checked."""
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
        arc.dtype.kind == "i" and np.all((arc >= 0) & (arc < last - first)),
        "fractions are on arcs",
        "certificate.split_arc names an unknown arc",
    )
    place = first + arc
    check.require(
        np.all(np.diff(np.sort(row.astype(np.int64) * len(problem.tail) + place)) > 0),
        "an arc has one fraction a row",
        "certificate.split_arc names an arc twice in a row",
    )
    check.require(
        np.all(np.isfinite(fraction) & (fraction >= 0)),
        "fractions are not negative",
        "certificate.split_fraction has a negative or infinite entry",
    )
    return row, place


def _core_load(
    check: Checks, proof: ArcCertificate, problem: FlowProblem, available: BoolArray, amount: FloatArray
) -> FloatArray:
    """Return the load of each arc, ``[A]``, when ``amount`` ``[P, J]`` enters at the sources."""
    rows = find_rows(problem, available)
    row, place = entries(check, proof, problem, rows)
    fraction = proof.split_fraction
    tail = rows.state[row] + problem.tail[place]
    order = np.argsort(tail, kind="stable")
    head = rows.state[row] + problem.head[place]
    total = totals_down(tail, fraction, int(rows.state[-1]))
    # Of what passes nothing is lost, not even what the fractions are short of 1.
    part = np.zeros_like(fraction)
    part[fraction > 0] = div_up(fraction[fraction > 0], total[tail[fraction > 0]])
    split = Split(tail[order], head[order], place[order], part[order])
    target = rows.state[:-1] + rows.switch
    check.require(
        not np.any(np.isin(tail, target)), "no fraction leaves a destination", "a fraction leaves its destination"
    )

    plane, demand = np.nonzero(rows.demand_row >= 0)
    entering = rows.state[rows.demand_row[plane, demand]] + problem.attach[plane, problem.src[demand]]
    passing = totals_up(entering, amount[plane, demand], int(rows.state[-1]))
    carried, left = propagate(passing, split)
    check.require(left == 0, "the fractions form no cycle", "the fractions of a row form a cycle")
    transit = passing > 0
    transit[target] = False
    check.require(
        np.all(np.abs(total[transit] - 1) <= SAME),
        "fractions sum to 1 wherever traffic passes, so all of it arrives",
        "the fractions at a switch that traffic passes do not sum to 1",
    )
    return totals_up(split.arc, carried, len(problem.tail))
