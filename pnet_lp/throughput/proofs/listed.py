"""Whether the bottlenecks that a result lists are those of its lengths."""

from __future__ import annotations

import math

import numpy as np

from pnet_lp.model import Bottleneck
from pnet_lp.model.arrays import FloatArray
from pnet_lp.throughput.problems.flow import FlowProblem
from pnet_lp.throughput.proofs.checks import SAME, Checks
from pnet_lp.throughput.proofs.second import plane_arcs
from pnet_lp.throughput.proofs.store import StoredResult


def check_bottlenecks(check: Checks, stored: StoredResult, problem: FlowProblem) -> None:
    """Check that the links listed as bottlenecks have the capacities and the parts of sum c l that they are said to."""
    listed, proof = stored.bottlenecks, stored.certificate
    assert proof is not None
    parts = {
        "core": problem.capacity * proof.length,
        "access-up": np.where(proof.up_length > 0, problem.access_up, 0.0) * proof.up_length,
        "access-down": np.where(proof.down_length > 0, problem.access_down, 0.0) * proof.down_length,
    }
    total = sum(float(part.sum()) for part in parts.values())
    if total == 0:
        check.require(
            not listed, "no link limits the value", "bottlenecks are listed, and no link has a length"
        )
        return
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
