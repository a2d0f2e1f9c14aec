"""The loads of routings that fix the split a second time, for :mod:`pnet_lp.throughput.verify`.

Neither the core's searches nor its sums are used, except that ``ecmp``'s draws and the plane that the policy ``single``
draws are taken as they are, once they are known to be allowed.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from pnet_lp.model import LoadCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray
from pnet_lp.model.paths import PathSet
from pnet_lp.routing import PathRule
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.recheck import SAME, Checks, check_arrays, plane_arcs, ratio_of, totals


class _Hops:
    """One plane: hops between all switches, and the next hops of the fluid that splits equally."""

    def __init__(self, flow: FlowProblem, plane: int) -> None:
        arcs = plane_arcs(flow, plane)
        self.tail, self.head = flow.tail[arcs], flow.head[arcs]
        self.nodes = int(flow.node_count[plane])
        ones = np.ones(len(self.tail))
        backwards = sp.csr_array((ones, (self.head, self.tail)), shape=(self.nodes, self.nodes))
        self.to = dijkstra(backwards, unweighted=True)
        """float64 ``[to, from]``, ``inf`` where there is no path."""

    def next_hops(self, target: int) -> BoolArray:
        """Return which arcs are on a shortest path to ``target``."""
        hops = self.to[target]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.isfinite(hops[self.tail]) & (hops[self.tail] == hops[self.head] + 1))

    def push(self, target: int, entering: FloatArray) -> FloatArray:
        """Return the load of each arc when ``entering`` ``[nodes]`` is bound for ``target``."""
        hops, used = self.to[target], self.next_hops(target)
        ways = np.bincount(self.tail[used], minlength=self.nodes)
        passing, load = entering.copy(), np.zeros(len(self.tail))
        levels = hops[(entering > 0) & np.isfinite(hops)]
        for level in range(int(levels.max(initial=0)), 0, -1):
            here = np.flatnonzero(used & (hops[self.tail] == level))
            load[here] = passing[self.tail[here]] / ways[self.tail[here]]
            np.add.at(passing, self.head[here], load[here])
        return load


def check_loads(
    check: Checks,
    proof: LoadCertificate,
    flow: FlowProblem,
    rule: PathRule,
    paths: PathSet | None,
    available: BoolArray,
) -> None:
    """Check the shares of planes and the loads of links.

    Args:
        check: where to note it.
        proof: what is claimed.
        flow: links and demands.
        rule: the routing.
        paths: the path that ``ecmp`` draws for each demand; None for other routings.
        available: bool ``[P, J]``, whether the routing can use each plane for each demand.
    """
    access = flow.attach.shape
    shapes = {
        "load": flow.capacity.shape,
        "share": (flow.plane_count, flow.demand_count),
        "length": flow.capacity.shape,
        "up_length": access,
        "down_length": access,
    }
    check_arrays(check, proof, shapes)
    if paths is not None:
        share = np.zeros(proof.share.shape)
        share[paths.plane, paths.pair_of_path] = 1.0
        arc = paths.path_arc + np.repeat(flow.arc_ptr[:-1][paths.plane], paths.hops)
        amount = np.repeat(flow.demand[paths.pair_of_path], paths.hops)
        load = totals(arc, amount, len(flow.capacity))
    else:
        hops = [_Hops(flow, p) for p in range(flow.plane_count)]
        share = _shares(check, proof.share, flow, rule, hops, available)
        spread = _spread if rule.kind == "vlb" else _shortest
        load = np.concatenate([spread(flow, p, hops[p], share[p] * flow.demand) for p in range(len(hops))])
    for key, claimed, computed in (("share", proof.share, share), ("load", proof.load, load)):
        check.require(
            np.allclose(claimed, computed, rtol=SAME, atol=SAME * float(computed.max(initial=0.0))),
            f"{key} is what the routing gives",
            f"certificate.{key} is not what the routing gives",
        )


def _shares(
    check: Checks,
    claimed: FloatArray,
    flow: FlowProblem,
    rule: PathRule,
    planes: list[_Hops],
    connects: BoolArray,
) -> FloatArray:
    """Return the part of each demand that each plane gets by the policy."""
    source, target = flow.attach[:, flow.src], flow.attach[:, flow.dst]
    distance = np.full(source.shape, np.inf)
    for p, hops in enumerate(planes):
        there = np.flatnonzero(connects[p])
        distance[p, there] = hops.to[target[p, there], source[p, there]]
    if rule.policy == "single":
        one = claimed == 1
        check.require(
            np.all(one.sum(axis=0) == 1) and np.all(connects[one]) and np.all(one | (claimed == 0)),
            "each demand is in one plane that connects it",
            "certificate.share is not one plane for each demand",
        )
        return claimed
    nearest = connects & (distance == distance.min(axis=0))
    if rule.kind == "vlb" or rule.policy == "round-robin":
        parts = (nearest if rule.policy == "shortest" else connects).astype(np.float64)
    else:
        parts = np.where(nearest, 1.0, 0.0)
        for p, hops in enumerate(planes):
            for t in np.unique(target[p][nearest[p]]):
                ways = np.bincount(hops.tail[hops.next_hops(int(t))], minlength=hops.nodes)
                here = np.flatnonzero(nearest[p] & (target[p] == t) & (source[p] != t))
                parts[p, here] = ways[source[p, here]]
    return np.asarray(parts / parts.sum(axis=0))


def _shortest(flow: FlowProblem, plane: int, hops: _Hops, amount: FloatArray) -> FloatArray:
    """Return the loads when ``amount`` ``[J]`` splits equally at every switch."""
    source, target = flow.attach[plane, flow.src], flow.attach[plane, flow.dst]
    load = np.zeros(len(hops.tail))
    for t in np.unique(target[amount > 0]):
        here = (target == t) & (amount > 0)
        load += hops.push(int(t), totals(source[here], amount[here], hops.nodes))
    return load


def _spread(flow: FlowProblem, plane: int, hops: _Hops, amount: FloatArray) -> FloatArray:
    """Return the loads when ``amount`` ``[J]`` goes by way of every switch in equal parts."""
    source, target = flow.attach[plane, flow.src], flow.attach[plane, flow.dst]
    moving = np.flatnonzero((amount > 0) & (source != target))
    legs = np.zeros((hops.nodes, hops.nodes))  # [to, from]
    for j in moving:
        s, t = source[j], target[j]
        ends = (s, t)
        via = np.logical_and.reduce([np.isfinite(hops.to[e]) & np.isfinite(hops.to[:, e]) for e in ends])
        part = amount[j] / np.count_nonzero(via)
        legs[via, s] += part
        legs[t, via] += part
    np.fill_diagonal(legs, 0.0)
    load = np.zeros(len(hops.tail))
    for t in np.flatnonzero(legs.any(axis=1)):
        load += hops.push(int(t), legs[t])
    return load


def load_bound(proof: LoadCertificate, flow: FlowProblem) -> float:
    """Return the largest K at which K times the loads fit."""
    amount = proof.share * flow.demand
    ratios = [ratio_of(flow.capacity, proof.load)]
    for end, speed in ((flow.src, flow.access_up), (flow.dst, flow.access_down)):
        load = np.stack([totals(end, row, speed.shape[1]) for row in amount])
        ratios.append(ratio_of(speed, load))
    return min(ratios)
