"""A problem in which the routing fixes the split, a second time.

Neither the core's searches nor its sums are used, except that the path that a routing draws for a flow is taken as it
is, once it is known to be allowed.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pnet_lp.errors import SpecError
from pnet_lp.memory import check_fits
from pnet_lp.model import LoadCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray, IntArray, floats, ints
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.rounded import (
    DOWN,
    UP,
    Rounding,
    add_down,
    add_up,
    div_down,
    mul_down,
    mul_up,
    sum_down,
    totals_down,
    totals_up,
)
from pnet_lp.routing import Routing
from pnet_lp.routing.loads import Split
from pnet_lp.verification.distances import distances_to, metrics, plane_arcs
from pnet_lp.verification.draws import drawn_planes
from pnet_lp.verification.paths import checked_paths, on_one_path
from pnet_lp.verification.second import SecondProblem, Subject


class SecondFixed(SecondProblem):
    """Each demand in parts that nothing can change.

    Args:
        subject, certificate: as of :class:`SecondConcurrent`.
        parts: float64 ``[P, J]``, in what proportion each demand is sent into planes.
    """

    fixed = True

    def __init__(self, subject: Subject, certificate: LoadCertificate, parts: FloatArray) -> None:
        super().__init__(subject, certificate)
        self.check.arrays(certificate, {"load": self.flow.capacity.shape, "share": parts.shape})
        total = np.zeros(parts.shape[1])
        for part in parts:
            total = add_up(total, part)
        self.check.equal("share", certificate.share, floats(parts / total))
        self.certificate, self.parts, self.total = certificate, parts, total

    def shares(self, rounding: Rounding) -> FloatArray:
        """Return float64 ``[P, J]``: the part of each demand that each plane gets."""
        return rounding.div(self.parts, self.total)

    def mean(self, values: FloatArray) -> FloatArray:
        """Return float64 ``[J]``: the mean of the ``values`` ``[P, J]`` of planes, rounded down."""
        found = np.zeros(values.shape[1])
        for share, value in zip(self.shares(DOWN), values, strict=True):
            found = add_down(found, mul_down(share, value))
        return found

    def check_load(self, rate: FloatArray | None) -> None:
        """See :meth:`SecondConcurrent.check_load`."""
        core, _ = self.loads(self.flow.demand if rate is None else rate)
        self.check.equal("load", self.certificate.load, self.shared(core))


class SecondSplits(SecondFixed):
    """Each demand split as the core splits it: over next hops, or that twice, via every switch."""

    def __init__(self, subject: Subject, certificate: LoadCertificate) -> None:
        flow, routing = subject.flow, subject.routing
        self.twice = routing.splitting == Split.Vlb
        self.planes = [_Hops(flow, p, every=self.twice) for p in range(flow.plane_count)]
        super().__init__(subject, certificate, self._shares(flow, routing, subject.available))

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`SecondProblem.distances`: the mean over the split."""
        length, up, down = lengths
        flow = self.flow
        whole = np.zeros(self.parts.shape)
        for p, hops in enumerate(self.planes):
            used = np.flatnonzero(self.parts[p] > 0)
            source, target = flow.attach[p, flow.src[used]], flow.attach[p, flow.dst[used]]
            mean = np.zeros(len(used))
            own = length[plane_arcs(flow, p)]
            between = np.flatnonzero(source != target)
            if self.twice:
                to = np.stack([hops.mean_length(t, own) for t in range(hops.nodes)])
                for j in between:
                    via = hops.between(source[j], target[j])
                    both = add_down(to[via, source[j]], to[target[j], via])
                    mean[j] = float(div_down(sum_down(both), np.count_nonzero(via)))
            else:
                for t in np.unique(target[between]):
                    here = between[target[between] == t]
                    mean[here] = hops.mean_length(int(t), own)[source[here]]
            whole[p, used] = add_down(add_down(up[p, flow.src[used]], mean), down[p, flow.dst[used]])
        return self.mean(whole)

    def loads(self, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondProblem.loads`."""
        spread = _spread if self.twice else _shortest
        amount = mul_up(self.shares(UP), rate)
        parts = [spread(self.flow, p, hops, amount[p], UP) for p, hops in enumerate(self.planes)]
        return np.concatenate(parts), self._access(amount)

    def bundles(self) -> sp.csc_array:
        """See :meth:`SecondProblem.bundles`."""
        flow, spread, shares = self.flow, _spread if self.twice else _shortest, self.shares(DOWN)
        amount, columns = np.zeros_like(shares), []
        for demand in range(flow.demand_count):
            amount[:, demand] = shares[:, demand]
            parts = [spread(flow, p, hops, amount[p], DOWN) for p, hops in enumerate(self.planes)]
            columns.append(sp.csc_array(np.concatenate(parts)[:, None]))
            amount[:, demand] = 0.0
        return self._with_access(sp.csc_array(sp.hstack(columns)), shares)

    def _shares(self, flow: FlowProblem, routing: Routing, available: BoolArray) -> FloatArray:
        """Return in what proportion the policy divides each demand over the planes."""
        source, target = flow.attach[:, flow.src], flow.attach[:, flow.dst]
        distance = np.full(source.shape, np.inf)
        for p, hops in enumerate(self.planes):
            there = np.flatnonzero(available[p])
            distance[p, there] = hops.to[hops.row[target[p, there]], source[p, there]]
        policy = routing.policy
        if policy == "single":
            drawn = drawn_planes(flow, available, seed=routing.seed, per_flow=True)
            return np.where(np.arange(flow.plane_count)[:, None] == drawn, 1.0, 0.0)
        nearest = available & (distance == distance.min(axis=0))
        if self.twice or policy == "round-robin":
            parts = (nearest if policy == "shortest" else available).astype(np.float64)
        else:
            parts = np.where(nearest, 1.0, 0.0)
            for p, hops in enumerate(self.planes):
                for t in np.unique(target[p][nearest[p]]):
                    branches = np.bincount(hops.tail[hops.next_hops(int(t))], minlength=hops.nodes)
                    here = np.flatnonzero(nearest[p] & (target[p] == t) & (source[p] != t))
                    parts[p, here] = branches[source[p, here]]
        return parts


class SecondGiven(SecondFixed):
    """Each demand on links in parts that are given: ``usage``, float64 ``[A, J]``, of each arc."""

    def __init__(self, subject: Subject, certificate: LoadCertificate, usage: sp.csc_array, parts: FloatArray) -> None:
        super().__init__(subject, certificate, parts)
        self.usage = usage
        self.demand = np.repeat(np.arange(usage.shape[1]), np.diff(usage.indptr))

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`SecondProblem.distances`."""
        length, up, down = lengths
        each = mul_down(self.usage.data, length[self.usage.indices])
        between = totals_down(self.demand, each, self.flow.demand_count)
        return add_down(between, self.mean(add_down(up[:, self.flow.src], down[:, self.flow.dst])))

    def loads(self, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondProblem.loads`."""
        each = mul_up(self.usage.data, rate[self.demand])
        return totals_up(self.usage.indices, each, self.usage.shape[0]), self._access(mul_up(self.shares(UP), rate))

    def bundles(self) -> sp.csc_array:
        """See :meth:`SecondProblem.bundles`."""
        return self._with_access(self.usage, self.shares(DOWN))


def over_splits(subject: Subject, certificate: LoadCertificate) -> SecondFixed:
    """Return ``subject`` with the split of its routing."""
    flow, routing = subject.flow, subject.routing
    if routing.splitting is not None:
        return SecondSplits(subject, certificate)
    if routing.draws:
        return SecondGiven(subject, certificate, *on_one_path(flow, checked_paths(subject)))
    subject.check.trust(f"what each demand puts on links is taken as routing {routing.expression} gives it")
    where = subject.network, subject.level, *subject.ends
    return SecondGiven(subject, certificate, routing.usage(*where), routing.loads(*where, flow.demand).share)


class _Hops:
    """One plane: distances to destinations, or to ``every`` switch, and the next hops of the fluid that splits equally.

    Attributes:
        row: int64 ``[nodes]``, where each destination is in ``to``.
        metric: float64, of each link.
        to: float64 ``[destinations, nodes]``, how far each is from each node by metric, ``inf`` where there is no path.
    """

    def __init__(self, flow: FlowProblem, plane: int, *, every: bool) -> None:
        arcs = plane_arcs(flow, plane)
        self.tail, self.head = flow.tail[arcs], flow.head[arcs]
        self.nodes = int(flow.node_count[plane])
        target = flow.attach[plane, flow.dst]
        ends = np.arange(self.nodes) if every else np.unique(target[target >= 0])
        check_fits(
            8 * self.nodes * len(ends),
            f"checking the hops from {self.nodes:,} switches to {len(ends):,}",
            SpecError,
            allowed="more memory",
        )
        self.row = np.full(self.nodes, -1)
        self.row[ends] = np.arange(len(ends))
        self.metric, self.to = metrics(flow, plane), distances_to(flow, plane, ints(ends))

    def next_hops(self, target: int) -> BoolArray:
        """Return which arcs are on a shortest path to ``target``."""
        hops = self.to[self.row[target]]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.isfinite(hops[self.tail]) & (hops[self.tail] == hops[self.head] + self.metric))

    def push(self, target: int, entering: FloatArray, rounding: Rounding) -> FloatArray:
        """Return the load of each arc when ``entering`` ``[nodes]`` is bound for ``target``."""
        hops, used = self.to[self.row[target]], self.next_hops(target)
        branches = np.bincount(self.tail[used], minlength=self.nodes)
        passing, load = entering.copy(), np.zeros(len(self.tail))
        levels = hops[(entering > 0) & np.isfinite(hops)]
        for here in reversed(self._levels(hops, used, levels.max(initial=0))):
            load[here] = rounding.div(passing[self.tail[here]], branches[self.tail[here]])
            heads, local = np.unique(self.head[here], return_inverse=True)
            passing[heads] = rounding.add(passing[heads], rounding.totals(local, load[here], len(heads)))
        return load

    def mean_length(self, target: int, length: FloatArray) -> FloatArray:
        """Return the mean length ``[nodes]`` of the path to ``target`` of what splits equally, ``inf`` without one."""
        hops, used = self.to[self.row[target]], self.next_hops(target)
        branches = np.bincount(self.tail[used], minlength=self.nodes)
        found = np.where(np.isfinite(hops), 0.0, np.inf)
        for here in self._levels(hops, used, hops[np.isfinite(hops)].max(initial=0)):
            through = div_down(add_down(length[here], found[self.head[here]]), branches[self.tail[here]])
            tails, local = np.unique(self.tail[here], return_inverse=True)
            found[tails] = add_down(found[tails], totals_down(local, through, len(tails)))
        return found

    def _levels(self, hops: FloatArray, used: BoolArray, most: float) -> list[IntArray]:
        """Return the arcs used by how far their tails are, nearest first, up to ``most``."""
        arcs = np.flatnonzero(used & (hops[self.tail] <= most))
        order = arcs[np.argsort(hops[self.tail[arcs]], kind="stable")]
        return np.split(order, np.flatnonzero(np.diff(hops[self.tail[order]])) + 1) if len(order) else []

    def between(self, source: int, target: int) -> BoolArray:
        """Return which switches both ends can exchange traffic with."""
        ends = (source, target)
        both = [np.isfinite(self.to[end]) & np.isfinite(self.to[:, end]) for end in ends]
        return np.asarray(both[0] & both[1])


def _shortest(flow: FlowProblem, plane: int, hops: _Hops, amount: FloatArray, rounding: Rounding) -> FloatArray:
    """Return the loads when ``amount`` ``[J]`` splits equally at every switch."""
    source, target = flow.attach[plane, flow.src], flow.attach[plane, flow.dst]
    load = np.zeros(len(hops.tail))
    for t in np.unique(target[amount > 0]):
        here = (target == t) & (amount > 0)
        entering = rounding.totals(source[here], amount[here], hops.nodes)
        load = rounding.add(load, hops.push(int(t), entering, rounding))
    return load


def _spread(flow: FlowProblem, plane: int, hops: _Hops, amount: FloatArray, rounding: Rounding) -> FloatArray:
    """Return the loads when ``amount`` ``[J]`` goes via every switch in equal parts."""
    source, target = flow.attach[plane, flow.src], flow.attach[plane, flow.dst]
    moving = np.flatnonzero((amount > 0) & (source != target))
    legs = np.zeros((hops.nodes, hops.nodes))  # [to, from]
    for j in moving:
        s, t = source[j], target[j]
        via = hops.between(s, t)
        part = rounding.div(amount[j], np.count_nonzero(via))
        legs[via, s] = rounding.add(legs[via, s], part)
        legs[t, via] = rounding.add(legs[t, via], part)
    np.fill_diagonal(legs, 0.0)
    load = np.zeros(len(hops.tail))
    for t in np.flatnonzero(legs.any(axis=1)):
        load = rounding.add(load, hops.push(int(t), legs[t], rounding))
    return load
