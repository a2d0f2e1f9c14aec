"""A problem over given paths, and weights of paths, a second time."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from pnet_lp.errors import CertificateError
from pnet_lp.model import OnePathCertificate, PathCertificate
from pnet_lp.model.arrays import FloatArray, floats
from pnet_lp.model.flow import FlowProblem, Lengths
from pnet_lp.model.paths import PathSet
from pnet_lp.model.rounded import add_down, div_up, mul_up, totals_down, totals_up
from pnet_lp.routing import PathRule
from pnet_lp.routing.rule import ALL
from pnet_lp.verification.arcs import any_distances
from pnet_lp.verification.checks import SAME
from pnet_lp.verification.distances import path_arcs, reachable
from pnet_lp.verification.path_lists import STEPS, check_complete
from pnet_lp.verification.second import SecondProblem, Subject


class SecondPaths(SecondProblem):
    """Each demand on its paths, themselves checked, with the part that each path carries."""

    def __init__(self, subject: Subject, certificate: PathCertificate) -> None:
        self.paths = paths = subject.paths(len(certificate.weight))
        subject.check.arrays(certificate, {"weight": (paths.path_count,)})
        check_paths(subject, paths, subject.routing.rule)
        super().__init__(subject, certificate)
        check, flow = self.check, self.flow
        total = totals_down(paths.pair_of_path, certificate.weight, flow.demand_count)
        check.require(
            np.all(np.abs(total - 1) <= SAME),
            "the weights of each demand sum to 1",
            "the weights of a demand do not sum to 1",
        )
        self.weight = div_up(certificate.weight, total[paths.pair_of_path])

    @property
    def has_one_path(self) -> bool:
        """See :attr:`SecondProblem.has_one_path`."""
        return bool(np.all(self.paths.paths_per_pair == 1))

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`SecondProblem.distances`."""
        length, up, down = lengths
        paths, pair, plane = self.paths, self.paths.pair_of_path, self.paths.plane
        owner = np.repeat(np.arange(paths.path_count), paths.hops)
        cost = totals_down(owner, length[path_arcs(self.flow, paths)], paths.path_count)
        cost = add_down(add_down(cost, up[plane, self.flow.src[pair]]), down[plane, self.flow.dst[pair]])
        found = np.full(self.flow.demand_count, np.inf)
        np.minimum.at(found, pair, cost)
        return floats(found)

    def loads(self, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See :meth:`SecondProblem.loads`."""
        paths, shape = self.paths, (self.flow.plane_count, self.flow.demand_count)
        flows = mul_up(self.weight, rate[paths.pair_of_path])
        load = totals_up(path_arcs(self.flow, paths), np.repeat(flows, paths.hops), len(self.flow.capacity))
        place = paths.plane.astype(np.int64) * shape[1] + paths.pair_of_path
        return load, self._access(totals_up(place, flows, shape[0] * shape[1]).reshape(shape))

    def bundles(self) -> sp.csc_array:
        """See :meth:`SecondProblem.bundles`; each demand has one path."""
        return self._with_access(*on_one_path(self.flow, self.paths))


class SecondOnePath(SecondPaths):
    """Each demand whole on one path that its routing has, by lengths as near as over any path."""

    def __init__(self, subject: Subject, certificate: OnePathCertificate) -> None:
        narrowed = subject.routing.narrowed
        if narrowed is None:
            raise CertificateError(
                "certificate.form: the routing does not say which path that is",
                where=subject.check.path,
                found=subject.routing.expression,
                allowed="path",
            )
        weight = floats(np.ones(subject.flow.demand_count))
        super().__init__(replace(subject, routing=narrowed), PathCertificate(*certificate.lengths, weight))

    @property
    def has_one_path(self) -> bool:
        """See :attr:`SecondProblem.has_one_path`."""
        return False

    def distances(self, lengths: Lengths) -> FloatArray:
        """See :meth:`SecondProblem.distances`."""
        return any_distances(self.flow, reachable(self.flow), lengths)


def checked_paths(subject: Subject) -> PathSet:
    """Return the paths of the routing, checked as by :func:`check_paths`."""
    paths = subject.paths()
    check_paths(subject, paths, subject.routing.rule)
    return paths


def on_one_path(flow: FlowProblem, paths: PathSet) -> tuple[sp.csc_array, FloatArray]:
    """Return what a unit of each demand puts on arcs, ``[A, J]``, and into planes, ``[P, J]``, on its one path."""
    arcs = path_arcs(flow, paths)
    owner = np.repeat(paths.pair_of_path, paths.hops)
    share = np.zeros((flow.plane_count, flow.demand_count))
    share[paths.plane, paths.pair_of_path] = 1.0
    return sp.csc_array((np.ones(len(arcs)), (arcs, owner)), (len(flow.capacity), flow.demand_count)), share


def check_paths(subject: Subject, paths: PathSet, rule: PathRule | None) -> None:
    """Check that each path leads from its demand's source to its destination, once, and is no longer than allowed.

    Args:
        subject: what the paths are on.
        paths: those of each demand.
        rule: how they were chosen; None where the routing chooses in another way, which is trusted.
    """
    check, flow = subject.check, subject.flow
    pair, plane, hops = paths.pair_of_path, paths.plane.astype(np.int64), paths.hops
    check.require(
        paths.pair_count == flow.demand_count and np.all((plane >= 0) & (plane < flow.plane_count)),
        f"{paths.path_count} paths are in the planes",
        "the paths are not those of the demands",
    )
    arc = path_arcs(flow, paths)
    owner = np.repeat(np.arange(paths.path_count), hops)
    tail, head = flow.tail[arc], flow.head[arc]
    inner = owner[1:] == owner[:-1]
    check.require(
        np.all(head[:-1][inner] == tail[1:][inner]),
        "the links of each path follow each other",
        "a path jumps from one switch to another",
    )
    source, target = flow.attach[plane, flow.src[pair]], flow.attach[plane, flow.dst[pair]]
    long = np.flatnonzero(hops > 0)
    first, last = paths.path_ptr[long], paths.path_ptr[long + 1] - 1
    check.require(
        np.array_equal(tail[first], source[long])
        and np.array_equal(head[last], target[long])
        and np.array_equal(source[hops == 0], target[hops == 0]),
        "each path leads from its source to its destination",
        "a path does not join the switches of its demand",
    )
    visit = np.sort(owner.astype(np.int64) * int(flow.node_count.max()) + tail)
    back = head == np.repeat(source, hops)
    check.require(
        np.all(visit[1:] != visit[:-1]) and not np.any(back), "no path visits a switch twice", "a path has a loop"
    )
    if rule is None:
        check.trust("which paths there are is taken as the routing lists them")
        return
    try:
        budget = sys.maxsize if subject.full else STEPS
        found = check_complete(flow, paths, subject.available, rule, budget=budget)
    except CertificateError as error:
        raise CertificateError(str(error), where=check.path) from None
    check.passed.append(f"{found.checked} demands have the paths that the routing gives them")
    if found.trusted:
        check.trust(f"the paths of {found.trusted} demands, whose check takes too long, are taken as listed")
    if rule.count < ALL:
        check.trust("which of equally good paths is taken as the seed picks it")
