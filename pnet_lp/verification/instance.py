"""Whether the arrays of a problem are those of its network and its matrix, a second time."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, floats
from pnet_lp.model.demands import Demands, Pairs
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.rounded import add_up, div_up, mul_down, mul_up, sub_up, sum_up, totals_down, totals_up
from pnet_lp.verification.checks import SAME, Checks, one_to_one
from pnet_lp.verification.distances import plane_arcs

Index: TypeAlias = npt.NDArray[np.int64]

AnyIndex: TypeAlias = npt.NDArray[np.integer]

Groups: TypeAlias = tuple[FloatArray, FloatArray, IntArray, IntArray, float]
"""Weights of sources and destinations, group and owner of each endpoint, and the part that is sent to other groups."""

Weights: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Of sources and of destinations, and demands of endpoints to themselves."""

_LAST_BIT = 2.0**-52
_MANY = 1 << 22


def check_arcs(check: Checks, network: Network, problem: FlowProblem) -> None:
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
        once = np.zeros(2 * plane.cable_count, dtype=bool)
        once[ids] = True
        check.require(
            same and np.count_nonzero(once) == len(ids) == used and problem.node_count[p] == plane.switch_count,
            f"plane {p} has {used} directed links",
            f"the flow problem's links are not those of plane {p}",
        )


def check_magnitudes(check: Checks, problem: FlowProblem) -> None:
    """Check that capacities and demands neither overflow nor vanish in sums and products."""
    check.magnitudes("the capacity of a link", problem.capacity)
    check.magnitudes("the speed of access links", np.stack([problem.access_up, problem.access_down]))
    check.magnitudes("a demand", floats(problem.demands.range))


def check_classes(check: Checks, network: Network, traffic: TrafficMatrix, problem: FlowProblem) -> float:
    """Check that merging endpoints is exact, and return by what part rounding has changed sums over classes at most.

    It is exact if the members of a class attach to the same switches and each sends to, and receives from, every class
    the same amount: the shares of a class are then feasible for each member, and so are its lengths.
    """
    classes = problem.endpoint_class
    used = np.flatnonzero(classes >= 0)
    of = classes[used].astype(np.int64)
    count = problem.attach.shape[1]
    rule = traffic.demands
    check.require(
        np.array_equal(used, np.flatnonzero(rule.named(traffic.endpoints)))
        and np.array_equal(np.unique(of), np.arange(count)),
        f"{count} classes hold the {len(used)} {traffic.level}s with a demand",
        "the classes of endpoints leave out a demand",
    )
    size = np.bincount(of, minlength=count)
    changed = 0.0
    for p, plane in enumerate(network.planes):
        if traffic.level == "host":
            switch, up, down = plane.host_switch, plane.access_up_gbps, plane.access_down_gbps
        else:
            switch = plane.rack_switch
            up = down = np.full(len(switch), np.inf)
        same = np.array_equal(switch[used], problem.attach[p, of])
        for speed, total in ((up[used], problem.access_up[p, of]), (down[used], problem.access_down[p, of])):
            limited = np.isfinite(speed)
            same = same and np.array_equal(limited, np.isfinite(total))
            if same:
                each = size[of][limited].astype(np.float64)
                changed = max(changed, _apart(speed[limited], each, total[limited]))
        check.require(
            same and changed <= SAME,
            f"members of a class attach equally in plane {p}",
            f"members of a class attach differently in plane {p}",
        )
    merged = problem.demands
    if rule.groups is not None and merged.groups is not None:
        same = _same_groups(rule.groups, merged.groups, used, of) and _same_lists(rule, merged, classes, classes)
        apart = 0.0 if same else np.inf
    elif rule.factors is None or merged.factors is None:
        apart = _pairs_apart(rule.listed("the matrix"), problem, size)
    else:
        apart = _weights_apart(rule.factors, merged.factors, used, of, size)
    check.require(
        apart <= SAME,
        "members of a class have equal demands",
        "members of a class have different demands, or a class's demand is not theirs together",
    )
    # Twice: what is changed by a part in one factor and by a part in another is changed by a bit more than the sum.
    return 2 * float(add_up(changed, apart))


def _same_groups(rule: Groups, merged: Groups, used: Index, of: Index) -> bool:
    """Whether demands inside groups are those between classes of one endpoint each."""
    return (
        len(np.unique(of)) == len(of)
        and rule[4] == merged[4]
        and all(np.array_equal(given[used], found[of]) for given, found in zip(rule[:2], merged[:2], strict=True))
        and all(one_to_one(given[used], found[of]) for given, found in zip(rule[2:4], merged[2:4], strict=True))
    )


def _same_lists(rule: Demands, merged: Demands, source: AnyIndex, target: AnyIndex) -> bool:
    """Whether what is listed beside two rules is the same, where endpoints of the first have other numbers."""
    if len(rule.parts) != len(merged.parts):
        return False
    lists = [[part.listed("the matrix") for part in demands.parts[1:]] for demands in (rule, merged)]
    return all(
        np.array_equal(source[given.src], found.src)
        and np.array_equal(target[given.dst], found.dst)
        and np.array_equal(given.demand, found.demand)
        for given, found in zip(*lists, strict=True)
    )


def check_groups(check: Checks, traffic: TrafficMatrix, graph: TrafficMatrix) -> None:
    """Check that a rule for the demands of a network with servers, where there is one, has those of the matrix."""
    rule, given = graph.demands.groups, traffic.demands.parts[0]
    if rule is None or traffic.demands is graph.demands:
        return
    sends, receives, group, owner, outside = rule
    hosts = traffic.endpoints
    to = graph.endpoints - hosts
    if given.factors is not None:
        weights = given.factors
        same = (
            np.array_equal(sends[:hosts], weights[0])
            and np.array_equal(receives[to:], weights[1])
            and not weights[2].any()
            and not group.any()
        )
    elif given.groups is not None:
        given_sends, given_receives, given_group, given_owner, given_outside = given.groups
        same = (
            np.array_equal(sends[:hosts], given_sends)
            and np.array_equal(receives[to:], given_receives)
            and one_to_one(group, np.tile(given_group, graph.endpoints // hosts))
            and one_to_one(given_owner, np.arange(hosts))
            and outside == given_outside
        )
    else:
        src, dst = traffic.src, traffic.dst + to
        same = (
            np.array_equal(group[src], group[dst])
            and outside == 0
            and np.array_equal(sends[src] * receives[dst], traffic.demand)
            and graph.demand_count == traffic.demand_count
        )
    # Then nothing but the other pairs of a group is left.
    layers = np.tile(np.arange(hosts), graph.endpoints // hosts)
    apart = not to or not (sends[hosts:].any() or receives[:hosts].any())
    apart &= _same_lists(traffic.demands, graph.demands, np.arange(hosts), to + np.arange(hosts))
    check.require(
        same and apart and one_to_one(owner, layers),
        f"the {graph.demand_count} demands are between accelerators",
        "the demands of the graph are not those of the matrix",
    )


def _apart(member: FloatArray, size: FloatArray, total: FloatArray) -> float:
    """Return the largest part, rounded up, by which a ``total`` may differ from ``size`` times its ``member``."""
    if all(np.all(each == each[:1]) for each in (member, size, total)):
        # Mostly all hosts are equal, and one of them says it for all.
        member, size, total = member[:1], size[:1], total[:1]
    some = member > 0
    if not np.array_equal(some, total > 0):
        return np.inf
    least, most = mul_down(member[some], size[some]), mul_up(member[some], size[some])
    return _between(least, most, total[some])


def _between(least: FloatArray, most: FloatArray, total: FloatArray) -> float:
    """Return the largest part, rounded up, by which a ``total`` may differ from numbers from ``least`` to ``most``."""
    further = np.maximum(sub_up(most, total), sub_up(total, least))
    return float(div_up(further, np.minimum(least, total)).max(initial=0.0))


def _pairs_apart(pairs: Pairs, problem: FlowProblem, size: Index) -> float:
    """Return the largest part by which a class's demand may differ from ``size`` times that of a member, listed."""
    count, classes = len(size), problem.endpoint_class.astype(np.int64)
    src, dst = classes[pairs.src], classes[pairs.dst]
    key = problem.src.astype(np.int64) * count + problem.dst
    if np.all(size == 1):
        same = np.array_equal(src * count + dst, key) and np.array_equal(pairs.demand, problem.demand)
        return 0.0 if same else np.inf
    worst = 0.0
    for member, own, other in ((pairs.src, src, dst), (pairs.dst, dst, src)):
        # What one endpoint exchanges with all of a class.
        ends, at = np.unique(member.astype(np.int64) * count + other, return_inverse=True)
        sums = [totals(at.ravel(), pairs.demand, len(ends)) for totals in (totals_down, totals_up)]
        first = classes[ends // count]
        place = first * count + ends % count if own is src else ends % count * count + first
        where = np.minimum(np.searchsorted(key, place), len(key) - 1)
        members = np.bincount(where, minlength=len(key))
        if not (
            np.array_equal(key[where], place)
            and np.array_equal(members, size[key // count if own is src else key % count])
        ):
            return np.inf
        many = size[first].astype(np.float64)
        worst = max(worst, _between(mul_down(many, sums[0]), mul_up(many, sums[1]), problem.demand[where]))
    return worst


def _weights_apart(rule: Weights, merged: Weights, used: Index, of: Index, size: Index) -> float:
    """Return the same where demands are products of weights."""
    (sends, receives, _), (all_send, all_receive, own) = rule, merged
    first = used[np.unique(of, return_index=True)[1]]
    if not (np.array_equal(sends[used], sends[first][of]) and np.array_equal(receives[used], receives[first][of])):
        return np.inf
    many = size.astype(np.float64)
    inside = mul_down(many, many - 1)
    some = own > 0
    if not np.array_equal(some, (inside > 0) & (sends[first] > 0) & (receives[first] > 0)):
        return np.inf
    parts = [inside[some], sends[first][some], receives[first][some]]
    found = [
        _apart(sends[first], many, all_send),
        _apart(receives[first], many, all_receive),
        _between(
            mul_down(mul_down(parts[0], parts[1]), parts[2]), mul_up(mul_up(parts[0], parts[1]), parts[2]), own[some]
        ),
        # A demand is the product of two weights as a double.
        *(0.0 if _exact(*weights[:2]) else _LAST_BIT for weights in (rule, merged)),
    ]
    return sum_up(found)


def _exact(sends: FloatArray, receives: FloatArray) -> bool:
    """Whether no product of weights is rounded."""
    sends, receives = np.unique(sends), np.unique(receives)
    if len(sends) * len(receives) > _MANY:
        return False
    return bool(np.array_equal(mul_up(sends[:, None], receives), mul_down(sends[:, None], receives)))
