"""A problem of any path, and one tree in each plane, a second time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pnet_lp.model import TreeCertificate
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import Lengths
from pnet_lp.model.rounded import div_up, mul_up, sum_down, totals_up
from pnet_lp.verification.arcs import any_distances
from pnet_lp.verification.distances import plane_arcs
from pnet_lp.verification.second import SecondProblem, Subject

_PRODUCT = 2.0**-52
"""By what part the product of two sums may differ from the sum of products, each rounded."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class _Tree:
    """A tree: the arcs of each switch to and from its parent, that parent, and the switches, parents first."""

    up: IntArray
    down: IntArray
    parent: npt.NDArray[np.int64]
    order: list[int]

    def sides(
        self, attach: IntArray, sends: FloatArray, receives: FloatArray
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Return what is sent below each switch and received elsewhere, and the same the other way round."""
        out, into = (
            _sums(self.order, self.parent, totals_up(attach, each, len(self.parent))) for each in (sends, receives)
        )
        return (out[0], into[1]), (out[1], into[0])


class SecondTree(SecondProblem):
    """Any path in any plane; the flow goes along the trees, as much of each demand in each of them as the part says."""

    def __init__(self, subject: Subject, certificate: TreeCertificate) -> None:
        super().__init__(subject, certificate)
        flow, check = self.flow, self.check
        self.available = subject.available
        first = np.concatenate([[0], np.cumsum(flow.node_count)])
        check.arrays(certificate, {"part": flow.node_count.shape})
        part, tree = certificate.part, (certificate.to_root, certificate.from_root)
        check.require(float(part.sum()) > 0, "planes carry something", "certificate.part is 0 for all planes")
        check.require(
            all(arcs.shape == (first[-1],) and bool(np.all(arcs >= -1)) for arcs in tree),
            f"trees are given for {int(first[-1])} switches",
            "certificate.to_root or from_root is not an arc, or -1, for each switch",
        )
        self.part = div_up(part, sum_down(part))
        self.trees = {
            p: self._tree(p, *(arcs[first[p] : first[p + 1]] for arcs in tree))
            for p in np.flatnonzero(part > 0).tolist()
        }

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`SecondProblem.distances`."""
        return any_distances(self.flow, self.available, lengths)

    def loads(self, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondProblem.loads`: at most these are on the links of the trees.

        What crosses a link is not above what is sent on its one side, and not above what is received on the other.  Of
        demands by weights it is the product of the sums of weights, times the largest rate per unit demand.
        """
        flow, endpoints = self.flow, self.flow.attach.shape[1]
        load = np.zeros(len(flow.capacity))
        ends = totals_up(flow.src, rate, endpoints), totals_up(flow.dst, rate, endpoints)
        factors = flow.demands.factors
        for p, tree in self.trees.items():
            crossing = [np.minimum(*sides) for sides in tree.sides(flow.attach[p], *ends)]
            if factors is not None:
                most = float(div_up(rate, flow.demand).max())
                products = (mul_up(*sides) for sides in tree.sides(flow.attach[p], *factors[:2]))
                crossing = [
                    np.minimum(least, mul_up(mul_up(product, 1 + _PRODUCT), most))
                    for least, product in zip(crossing, products, strict=True)
                ]
            here = load[plane_arcs(flow, p)]
            for arcs, amount in zip((tree.up, tree.down), crossing, strict=True):
                here[arcs[arcs >= 0]] = mul_up(self.part[p], amount[arcs >= 0])
        return floats(load), self._access(mul_up(self.part[:, None], rate))

    def _tree(self, plane: int, up: IntArray, down: IntArray) -> _Tree:
        """Return the tree of a plane, checked."""
        flow, check, arcs = self.flow, self.check, plane_arcs(self.flow, plane)
        tail, head, count = flow.tail[arcs], flow.head[arcs], arcs.stop - arcs.start
        nodes = int(flow.node_count[plane])
        inner = np.flatnonzero(up >= 0)
        check.require(
            np.array_equal(inner, np.flatnonzero(down >= 0)) and np.all(up < count) and np.all(down < count),
            f"the tree of plane {plane} is on arcs",
            "certificate.to_root or from_root names an unknown arc, or only one of them has one",
        )
        parent = np.full(nodes, -1)
        parent[inner] = head[up[inner]]
        check.require(
            np.array_equal(tail[up[inner]], inner)
            and np.array_equal(head[down[inner]], inner)
            and np.array_equal(tail[down[inner]], parent[inner]),
            "each switch of the tree has links to and from its parent",
            "certificate.to_root or from_root has an arc that does not join a switch and its parent",
        )
        order = _from_the_root(parent)
        check.require(len(order) == nodes, "the tree has no cycle", "certificate.to_root leads around in a circle")
        ends = flow.attach[plane]
        # The root itself has no parent; what has none beside it is alone.
        joined = parent >= 0
        root = np.unique(parent[joined & ~np.isin(parent, inner)])
        check.require(
            bool(np.all(ends >= 0))
            and (
                (len(root) == 1 and bool(np.all(joined[ends] | (ends == root))))
                or (not len(root) and len(set(ends)) == 1)
            ),
            "all endpoints are in one tree",
            "certificate.to_root does not join all endpoints in one tree",
        )
        check.require(
            bool(self.available[plane].all()),
            f"plane {plane} has a path for every demand",
            f"certificate.part is above 0 for plane {plane}, which has no path for a demand",
        )
        return _Tree(up, down, parent, order)


def _from_the_root(parent: npt.NDArray[np.int64]) -> list[int]:
    """Return the switches, parents first; those on a cycle are missing."""
    children: list[list[int]] = [[] for _ in parent]
    for u, above in enumerate(parent.tolist()):
        if above >= 0:
            children[above].append(u)
    found = np.flatnonzero(parent < 0).tolist()
    for u in found:
        found += children[u]
    return found


def _sums(order: list[int], parent: npt.NDArray[np.int64], values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of ``values`` over the switches below each, and over all others of its tree, rounded up."""
    above, own = parent.tolist(), values.tolist()
    below, before, after = list(own), [0.0] * len(own), [0.0] * len(own)
    ahead, behind = [0.0] * len(own), [0.0] * len(own)
    for u in reversed(order):
        if above[u] >= 0:
            # What the later children of the same parent have so far.
            after[u] = behind[above[u]]
            behind[above[u]] = _plus(behind[above[u]], below[u])
            below[above[u]] = _plus(below[above[u]], below[u])
    others = [0.0] * len(own)
    for u in order:
        if above[u] >= 0:
            before[u] = ahead[above[u]]
            ahead[above[u]] = _plus(ahead[above[u]], below[u])
            others[u] = _plus(_plus(others[above[u]], own[above[u]]), _plus(before[u], after[u]))
    return floats(below), floats(others)


def _plus(a: float, b: float) -> float:
    return math.nextafter(a + b, math.inf) if a and b else a + b
