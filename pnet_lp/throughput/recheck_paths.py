"""The arithmetic of a certificate over given paths a second time, for :mod:`pnet_lp.throughput.verify`.

Which paths a routing allows is taken from the enumeration; that they are paths, that they join the right switches, and
what they carry is not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pnet_lp.model import PathCertificate
from pnet_lp.model.arrays import BoolArray, FloatArray
from pnet_lp.model.paths import PathSet
from pnet_lp.routing import PathRule
from pnet_lp.throughput.path_problem import PathProblem
from pnet_lp.throughput.problem import FlowProblem
from pnet_lp.throughput.recheck import (
    SAME,
    Checks,
    check_arrays,
    demand_distances,
    plane_arcs,
    ratio_of,
    totals,
)

_Index = npt.NDArray[np.int64]


def check_paths(
    check: Checks, flow: FlowProblem, paths: PathSet, rule: PathRule, available: BoolArray
) -> None:
    """Check that each path leads from its demand's source to its destination, once, and is no longer than allowed.

    Args:
        check: where to note it.
        flow: links and demands.
        paths: the paths of each demand.
        rule: how they were chosen.
        available: bool ``[P, J]``, whether each plane has a path for each demand.
    """
    pair, plane, hops = paths.pair_of_path, paths.plane.astype(np.int64), paths.hops
    check.require(
        paths.pair_count == flow.demand_count and np.all((plane >= 0) & (plane < flow.plane_count)),
        f"{paths.path_count} paths are in the planes",
        "the paths are not those of the demands",
    )
    arc = paths.path_arc + np.repeat(flow.arc_ptr[:-1][plane], hops)
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
    visits = np.unique(np.stack([owner, tail]), axis=1).shape[1]
    back = head == np.repeat(source, hops)
    check.require(
        visits == len(arc) and not np.any(back), "no path visits a switch twice", "a path has a loop"
    )
    check.require(
        np.all(paths.paths_per_pair <= rule.count),
        "no demand has more paths than the routing allows",
        f"a demand has more than {rule.count} paths",
    )
    count = np.bincount(pair, minlength=paths.pair_count)
    usable = available.any(axis=0)
    check.require(
        np.array_equal(count > 0, usable),
        "every demand that a plane can carry has a path",
        "a demand has no path, although a plane has one",
    )
    if rule.equal_cost:
        _check_shortest(check, flow, paths, rule)


def _check_shortest(check: Checks, flow: FlowProblem, paths: PathSet, rule: PathRule) -> None:
    ones = [np.ones(plane_arcs(flow, p).stop - plane_arcs(flow, p).start) for p in range(flow.plane_count)]
    distance = np.stack([demand_distances(flow, p, ones[p]) for p in range(flow.plane_count)])
    if rule.policy in ("any", "shortest"):
        distance = np.broadcast_to(distance.min(axis=0), distance.shape)
    check.require(
        np.array_equal(paths.hops, distance[paths.plane, paths.pair_of_path]),
        "every path is as short as the shortest",
        "a path is longer than the shortest",
    )


def check_weights(check: Checks, proof: PathCertificate, problem: PathProblem) -> None:
    """Check shapes and signs, and that the weights of a demand sum to 1."""
    access = problem.flow.attach.shape
    shapes = {
        "length": problem.flow.capacity.shape,
        "up_length": access,
        "down_length": access,
        "weight": (problem.flow_variables,),
    }
    check_arrays(check, proof, shapes)
    total = np.bincount(problem.paths.pair_of_path, weights=proof.weight, minlength=problem.demand_count)
    check.require(
        np.all(np.abs(total - 1) <= SAME),
        "the weights of each demand sum to 1",
        "the weights of a demand do not sum to 1",
    )


def path_bounds(check: Checks, proof: PathCertificate, problem: PathProblem) -> tuple[float, float]:
    """Return the lower and the upper bound on K: of the split, and of the lengths by duality over the given paths."""
    flow, paths = problem.flow, problem.paths
    pair, plane = paths.pair_of_path, paths.plane
    amount = proof.weight * flow.demand[pair]
    arc = paths.path_arc + np.repeat(flow.arc_ptr[:-1][plane], paths.hops)
    ends = plane.astype(np.int64) * flow.attach.shape[1]
    ratios, volume = [], 0.0
    cost = _sum_by_path(paths, proof.length[arc])
    for key, capacity, length, link, flows in (
        ("length", flow.capacity, proof.length, arc, np.repeat(amount, paths.hops)),
        ("up_length", flow.access_up.ravel(), proof.up_length.ravel(), ends + flow.src[pair], amount),
        ("down_length", flow.access_down.ravel(), proof.down_length.ravel(), ends + flow.dst[pair], amount),
    ):
        load = totals(link, flows, len(capacity))
        long = length > 0
        ratios.append(ratio_of(capacity, load))
        check.require(
            np.all(np.isfinite(capacity[long])),
            f"{key} is on links that limit something",
            f"certificate.{key} has a length on a link without a limit",
        )
        volume += float(capacity[long] @ length[long])
        if key != "length":
            cost = cost + length[link]
    shortest = np.full(problem.demand_count, np.inf)
    np.minimum.at(shortest, pair, cost)
    carried = float(flow.demand @ shortest)
    check.require(
        carried > 0, "the lengths separate a demand", "the lengths are zero along a path of every demand"
    )
    return min(ratios), volume / carried


def _sum_by_path(paths: PathSet, values: FloatArray) -> FloatArray:
    owner = np.repeat(np.arange(paths.path_count), paths.hops)
    return totals(owner, values, paths.path_count)
