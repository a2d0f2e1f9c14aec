"""A problem over all shortest paths, and splitting fractions by destination, a second time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pnet_lp.errors import CertificateError
from pnet_lp.model import ShortestCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import add_down
from pnet_lp.routing.rule import ALL
from pnet_lp.verification.arcs import SecondArcs, entries, find_rows
from pnet_lp.verification.distances import distances_to, metrics, plane_arcs
from pnet_lp.verification.second import Subject

_BLOCK = 1 << 22
"""Arcs times destinations looked at together."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class _Near:
    """How far it is to the destinations of a plane.

    Attributes:
        row: int32 ``[switches]``, the row of each destination in ``far``, -1 for the others.
        far: float64 ``[destinations, switches]``, by links, or by metric.
    """

    row: IntArray
    far: FloatArray


class SecondShortest(SecondArcs):
    """Shortest paths only, with shares of planes, and fractions by destination on arcs of such paths."""

    def __init__(self, subject: Subject, certificate: ShortestCertificate) -> None:
        rule = subject.routing.rule
        if rule is None or not rule.equal_cost or rule.count < ALL or rule.policy == "single":
            raise CertificateError(
                "certificate.form: the routing does not have all shortest paths",
                where=subject.check.path,
                found=subject.routing.expression,
                allowed="path",
            )
        flow = subject.flow
        self._near = [_near(flow, p) for p in range(flow.plane_count)]
        available = subject.available
        if rule.policy != "round-robin":
            far = np.stack([_of_demands(flow, p, near) for p, near in enumerate(self._near)])
            far = np.where(available, far, np.inf)
            available = available & (far == far.min(axis=0))
        super().__init__(replace(subject, available=available), certificate)
        self._check_arcs()

    def _check_arcs(self) -> None:
        """Check that fractions are on arcs that lead along a shortest path."""
        flow, rows = self.flow, find_rows(self.flow, self.available)
        row, place = entries(self.check, self.certificate, flow, rows)
        on = np.ones(len(row), dtype=bool)
        for p, near in enumerate(self._near):
            own = rows.plane[row] == p
            to, arc = near.row[rows.switch[row[own]]], place[own]
            ends = near.far[to, flow.tail[arc]], near.far[to, flow.head[arc]]
            on[own] = _leads(*ends, metrics(flow, p)[arc - flow.arc_ptr[p]])
        self.check.require(
            on.all(),
            "fractions are on shortest paths",
            "certificate.split_arc names an arc that is on no shortest path",
        )

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`SecondProblem.distances`."""
        flow, (length, up, down) = self.flow, lengths
        found = np.full(flow.demand_count, np.inf)
        for p, near in enumerate(self._near):
            between = _along(flow, p, near, length[plane_arcs(flow, p)])
            through = add_down(add_down(up[p, flow.src], between), down[p, flow.dst])
            found = np.where(self.available[p], np.minimum(found, through), found)
        return floats(found)


def _leads(tail: FloatArray, head: FloatArray, metric: FloatArray) -> BoolArray:
    """Return whether arcs are on a shortest path, where their ends are so far from the destination."""
    return np.asarray(np.isfinite(tail) & (tail == head + metric))


def _near(flow: FlowProblem, plane: int) -> _Near:
    attach = flow.attach[plane, flow.dst]
    targets = ints(np.unique(attach[attach >= 0]))
    row = np.full(int(flow.node_count[plane]), -1)
    row[targets] = np.arange(len(targets))
    return _Near(ints(row), floats(distances_to(flow, plane, targets)))


def _of_demands(flow: FlowProblem, plane: int, near: _Near) -> FloatArray:
    """Return float64 ``[J]``: how far each demand has to go in a plane, ``inf`` where it cannot."""
    source, target = flow.attach[plane, flow.src], flow.attach[plane, flow.dst]
    attached = (source >= 0) & (target >= 0)
    found = np.full(flow.demand_count, np.inf)
    found[attached] = near.far[near.row[target[attached]], source[attached]]
    return found


def _along(flow: FlowProblem, plane: int, near: _Near, length: FloatArray) -> FloatArray:
    """Return float64 ``[J]``: the least length of a shortest path of each demand in one plane, rounded down."""
    arcs = plane_arcs(flow, plane)
    tail, head, metric = flow.tail[arcs], flow.head[arcs], metrics(flow, plane)
    source, target = flow.attach[plane, flow.src], flow.attach[plane, flow.dst]
    attached = np.flatnonzero((source >= 0) & (target >= 0))
    row = near.row[target[attached]]
    found = np.full(flow.demand_count, np.inf)
    width = max(1, _BLOCK // max(len(tail), 1))
    for first in range(0, len(near.far), width):
        far = near.far[first : first + width]
        least = _least(far, tail, head, metric, length)
        here = attached[(row >= first) & (row < first + width)]
        found[here] = least[near.row[target[here]] - first, source[here]]
    return floats(found)


def _least(far: FloatArray, tail: IntArray, head: IntArray, metric: FloatArray, length: FloatArray) -> FloatArray:
    """Return float64 ``[destinations, switches]``: the least length along arcs that lead nearer by their metric."""
    least = np.where(far == 0, 0.0, np.inf)
    to, arc = np.nonzero(_leads(far[:, tail], far[:, head], metric))
    # Whatever is nearer is known before what is further away.
    begins = far[to, tail[arc]]
    order = np.argsort(begins, kind="stable")
    to, arc, begins = to[order], arc[order], begins[order]
    ends = np.flatnonzero(np.diff(begins)) + 1
    for some in np.split(np.arange(len(order)), ends):
        through = add_down(length[arc[some]], least[to[some], head[arc[some]]])
        np.minimum.at(least, (to[some], tail[arc[some]]), through)
    return floats(least)
