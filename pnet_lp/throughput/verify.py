"""Checks a stored result without any solver, and without the code that computed it.

Reachability, distances, propagation and the classes of alike hosts are computed a second time, here and in
``pnet_lp.throughput.recheck*``, and what the solve claimed is compared.  A file proves its claim about the network
and the traffic inside it; whoever needs to know that they are the ones meant compares the fingerprints.  Statements
about the run (solver, iterations, seconds, warnings, whether it was interrupted) are not claims about the network and
cannot be checked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from pnet_lp.errors import CertificateError, PnetError
from pnet_lp.model import (
    AnyCertificate,
    Bottleneck,
    Certificate,
    Interval,
    LoadCertificate,
    Network,
    PathCertificate,
    TrafficMatrix,
)
from pnet_lp.model.arrays import BoolArray, FloatArray
from pnet_lp.routing import PathRule, enumerate_paths
from pnet_lp.throughput.fixed_split import KINDS as FIXED_SPLITS
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.recheck import (
    SAME,
    Checks,
    check_shapes,
    lower_bound,
    plane_arcs,
    reachable,
    routable,
    upper_bound,
)
from pnet_lp.throughput.recheck_loads import check_loads, load_bound
from pnet_lp.throughput.recheck_paths import check_paths, check_weights, path_bounds
from pnet_lp.throughput.solve import routing_rule, summarise_network, summarise_traffic
from pnet_lp.throughput.store import StoredResult, load_result


@dataclass(frozen=True)
class Verification:
    """What held, and the interval that the proof gives.

    Attributes:
        path: the file.
        interval: the recomputed bounds on K.
        status: the status the file claims, which follows.
        checks: one clause per check that held, in order.
    """

    path: str
    interval: Interval
    status: str
    checks: tuple[str, ...]


def verify_file(path: str | Path) -> Verification:
    """Check everything a result file claims.

    Raises:
        SpecError: the file is not a result; the message names the key.
        CertificateError: something does not hold; the message names it.
    """
    return verify(load_result(path), str(path))


def verify(stored: StoredResult, path: str = "result") -> Verification:
    """Check a loaded result; ``path`` is for messages."""
    check = Checks(path)
    result, network, traffic = stored.result, stored.network, stored.traffic
    rule = _check_summaries(check, stored)
    problem = build_problem(network, traffic, aggregate=rule is None or not rule.per_flow)
    _check_arcs(check, network, problem)
    _check_classes(check, network, traffic, problem)
    available = reachable(problem) if rule is None else routable(problem, rule)
    cut_off = np.flatnonzero(~available.any(axis=0)).tolist()
    if result.certificate is None:
        check.require(
            bool(cut_off),
            "a demand has no path, so K = 0",
            "there is no certificate, which is right only where a demand has no path, but every demand has one",
        )
        interval = Interval(0.0, 0.0)
    else:
        check.require(
            not cut_off,
            "every demand has a path",
            f"demand {cut_off[:1]} has no path, so K = 0 needs no certificate",
        )
        interval = _recompute(check, stored, problem, rule, available)
        check.require(
            interval.lower <= interval.upper * (1 + SAME), "the bounds are in order", "the bounds cross"
        )
        _check_bottlenecks(check, stored, result.certificate, problem)
    check.require(
        (result.binding == "disconnected") == bool(cut_off),
        f"the binding kind is {result.binding!r}",
        f"the binding kind is claimed to be {result.binding!r}, which contradicts the proof",
    )
    check.same("lower_bound_gbps", result.interval.lower, interval.lower)
    check.same("upper_bound_gbps", result.interval.upper, interval.upper)
    gap, tolerance = result.interval.gap, result.tolerance
    check.require(
        (result.status == "certified") == (gap <= tolerance),
        f"the status is {result.status!r}: gap {gap:.3g}, tolerance {tolerance:.3g}",
        f"the status is claimed to be {result.status!r}, but the gap is {gap:.3g} and the tolerance {tolerance:.3g}",
    )
    return Verification(path, interval, result.status, tuple(check.held))


def _recompute(
    check: Checks, stored: StoredResult, problem: FlowProblem, rule: PathRule | None, available: BoolArray
) -> Interval:
    """Return the bounds that the certificate gives, which must be of the kind that the routing needs."""
    proof = stored.result.certificate
    kind = Certificate if rule is None else LoadCertificate if rule.kind in FIXED_SPLITS else PathCertificate
    check.require(
        isinstance(proof, kind),
        f"the proof is a {kind.__name__}",
        f"the certificate is a {type(proof).__name__}, but routing {stored.result.routing} needs a {kind.__name__}",
    )
    if isinstance(proof, Certificate):
        check_shapes(check, proof, problem)
        upper = upper_bound(check, proof, problem, available)
        return Interval(lower_bound(check, proof, problem, available), upper)
    assert rule is not None
    paths = None
    if rule.kind not in ("ecmp-split", "vlb"):
        src, dst = problem.member[problem.src], problem.member[problem.dst]
        paths = enumerate_paths(stored.network, stored.traffic.level, src, dst, rule)
        check_paths(check, problem, paths, rule, available)
    if isinstance(proof, LoadCertificate):
        check_loads(check, proof, problem, rule, paths, available)
        rate = load_bound(proof, problem)
        return Interval(rate, rate)
    assert paths is not None
    assert isinstance(proof, PathCertificate)
    over = PathProblem(problem, rule, paths)
    check_weights(check, proof, over)
    return Interval(*path_bounds(check, proof, over))


def _check_summaries(check: Checks, stored: StoredResult) -> PathRule | None:
    """Compare what the claim says it is about with what the file holds; return the rule of its routing."""
    result = stored.result
    try:
        rule = routing_rule(result.routing, result.plane_policy, result.routing_seed)
    except PnetError as error:
        raise CertificateError(f"the routing is none: {error}", where=check.path) from None
    for key, claimed, proved in (
        ("objective", result.objective, "concurrent"),
        ("level", result.level, stored.traffic.level),
    ):
        check.require(
            claimed == proved, f"{key} {claimed}", f"{key} {claimed!r} is claimed, {proved!r} proved"
        )
    for key, claims, facts in (
        ("network", result.network, summarise_network(stored.network)),
        ("traffic", result.traffic, summarise_traffic(stored.traffic)),
    ):
        for name in sorted(facts.keys() | claims.keys()):
            claim, fact = claims.get(name), facts.get(name)
            alike = (
                math.isclose(claim, fact)
                if isinstance(claim, float) and isinstance(fact, float)
                else claim == fact
            )
            check.require(
                alike,
                f"{key}.{name} is {fact!r}",
                f"{key}.{name} is claimed to be {claim!r}, but the {key} in the file has {fact!r}",
            )

    return rule


def _check_arcs(check: Checks, network: Network, problem: FlowProblem) -> None:
    """Compare the problem's arcs with the planes' cables: each direction that carries anything, once."""
    for p, plane in enumerate(network.planes):
        arcs = plane_arcs(problem, p)
        ids = problem.arc_id[arcs]
        cable, backwards = ids // 2, ids % 2 == 1
        tail = np.where(backwards, plane.cable_v[cable], plane.cable_u[cable])
        head = np.where(backwards, plane.cable_u[cable], plane.cable_v[cable])
        capacity = np.where(backwards, plane.capacity_vu_gbps[cable], plane.capacity_uv_gbps[cable])
        used = np.count_nonzero(plane.capacity_uv_gbps) + np.count_nonzero(plane.capacity_vu_gbps)
        same = (
            np.array_equal(problem.tail[arcs], tail)
            and np.array_equal(problem.head[arcs], head)
            and np.array_equal(problem.capacity[arcs], capacity)
        )
        check.require(
            same and len(np.unique(ids)) == len(ids) == used and problem.node_count[p] == plane.switch_count,
            f"plane {p} has {used} directed links",
            f"the flow problem's links are not those of plane {p}",
        )


def _check_classes(check: Checks, network: Network, traffic: TrafficMatrix, problem: FlowProblem) -> None:
    """Check that merging endpoints is exact.

    It is if the members of a class attach alike and each sends to, and receives from, every class the same amount: the
    shares of a class are then feasible for each member, and lengths of a class are lengths for each member.
    """
    classes = problem.endpoint_class
    used = np.flatnonzero(classes >= 0)
    of = classes[used]
    count = problem.attach.shape[1]
    named = np.union1d(traffic.src, traffic.dst)
    check.require(
        np.array_equal(used, named) and np.array_equal(np.unique(of), np.arange(count)),
        f"{count} classes hold the {len(used)} {traffic.level}s with a demand",
        "the classes of endpoints leave out a demand",
    )
    for p, plane in enumerate(network.planes):
        if traffic.level == "host":
            switch, up, down = plane.host_switch, plane.access_up_gbps, plane.access_down_gbps
        else:
            switch = plane.rack_switch
            up = down = np.full(len(switch), np.inf)
        size = np.bincount(of, minlength=count)
        alike = np.array_equal(switch[used], problem.attach[p, of])
        for speed, total in ((up, problem.access_up[p]), (down, problem.access_down[p])):
            alike = alike and bool(np.allclose(speed[used] * size[of], total[of], rtol=SAME, atol=0.0))
        check.require(
            alike, f"classes attach alike in plane {p}", f"members of a class attach differently in plane {p}"
        )
    member = sp.csr_array((np.ones(len(used)), (used, of)), shape=(len(classes), count))
    demand = traffic.to_csr()
    between = sp.csr_array((problem.demand, (problem.src, problem.dst)), shape=(count, count))
    for sums, total in ((demand @ member, between), (demand.T @ member, between.T)):
        # Each member's part of its class is the class's total over its size.
        mean = member @ sp.diags_array(1.0 / np.bincount(of, minlength=count)) @ total
        error = abs(sp.csr_array(sums) - sp.csr_array(mean))
        check.require(
            (error - SAME * mean).max() <= 0,
            "members of a class have equal demands",
            "members of a class have different demands, or a class's demand is not theirs together",
        )


def _check_bottlenecks(
    check: Checks, stored: StoredResult, proof: AnyCertificate, problem: FlowProblem
) -> None:
    """Check that the links listed as bottlenecks have the capacities and the parts of sum c l that they are said to."""
    listed = stored.result.bottlenecks
    parts = {
        "core": problem.capacity * proof.length,
        "access-up": np.where(proof.up_length > 0, problem.access_up, 0.0) * proof.up_length,
        "access-down": np.where(proof.down_length > 0, problem.access_down, 0.0) * proof.down_length,
    }
    total = sum(float(part.sum()) for part in parts.values())
    largest = max(float(part.max(initial=0.0)) for part in parts.values()) / total
    shares = [item.share for item in listed]
    check.require(
        bool(shares)
        and shares == sorted(shares, reverse=True)
        and math.isclose(shares[0], largest, rel_tol=SAME),
        "the largest bottleneck is listed first",
        f"the bottlenecks are not listed from the largest down, which has the share {largest!r}",
    )
    for i, item in enumerate(listed):
        capacity, part = _links(stored, problem, item, parts[item.kind])
        same = np.isclose(part / total, item.share, rtol=SAME, atol=0.0)
        check.require(
            np.any(same & np.isclose(capacity, item.capacity_gbps, rtol=SAME, atol=0.0)),
            f"bottleneck {item.link[0]} -> {item.link[1]} has the share {item.share:.3g}",
            f"bottlenecks.{i} ({item.kind} link {item.link[0]!r} -> {item.link[1]!r} of plane {item.plane}) does not "
            f"have the capacity {item.capacity_gbps!r} and the share {item.share!r}",
        )


def _links(
    stored: StoredResult, problem: FlowProblem, item: Bottleneck, parts: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the capacities and the parts of sum c l of the links that a bottleneck can mean.

    Parallel links have one name, so there may be several.
    """
    p = item.plane
    if p >= problem.plane_count:
        return np.empty(0), np.empty(0)
    switches = np.array(stored.network.planes[p].switch_names, dtype=object)
    if item.kind == "core":
        arcs = plane_arcs(problem, p)
        tail, head = switches[problem.tail[arcs]], switches[problem.head[arcs]]
        meant = (tail == item.link[0]) & (head == item.link[1])
        return problem.capacity[arcs][meant], parts[arcs][meant]
    up = item.kind == "access-up"
    switch, host = (item.link[1], item.link[0]) if up else item.link
    names = stored.network.endpoint_names(stored.traffic.level)
    first = [names[np.flatnonzero(problem.endpoint_class == e)[0]] for e in range(problem.attach.shape[1])]
    # A class of several hosts goes by the name of its first.
    named = np.array([host == name or host.startswith(f"{name} and ") for name in first])
    meant = named & (problem.attach[p] >= 0) & (switches[problem.attach[p]] == switch)
    speeds = problem.access_up if up else problem.access_down
    return speeds[p][meant], parts[p][meant]
