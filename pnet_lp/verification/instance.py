"""Whether the arrays of a problem are those of its network and its matrix, a second time."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import floats
from pnet_lp.model.flow import FlowProblem
from pnet_lp.verification.checks import SAME, Checks, near
from pnet_lp.verification.second import plane_arcs


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
        check.require(
            same and len(np.unique(ids)) == len(ids) == used and problem.node_count[p] == plane.switch_count,
            f"plane {p} has {used} directed links",
            f"the flow problem's links are not those of plane {p}",
        )


def check_magnitudes(check: Checks, problem: FlowProblem) -> None:
    """Check that capacities and demands neither overflow nor vanish in sums and products."""
    check.magnitudes("the capacity of a link", problem.capacity)
    check.magnitudes("the speed of access links", np.stack([problem.access_up, problem.access_down]))
    check.magnitudes("a demand", floats(problem.demands.range))


def check_classes(check: Checks, network: Network, traffic: TrafficMatrix, problem: FlowProblem) -> None:
    """Check that merging endpoints is exact.

    It is if the members of a class attach to the same switches and each sends to, and receives from, every class the
    same amount: the shares of a class are then feasible for each member, and so are its lengths.
    """
    classes = problem.endpoint_class
    used = np.flatnonzero(classes >= 0)
    of = classes[used]
    count = problem.attach.shape[1]
    rule, whole = traffic.demands, problem.demands
    check.require(
        np.array_equal(used, np.flatnonzero(rule.named(traffic.endpoints)))
        and np.array_equal(np.unique(of), np.arange(count)),
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
        same = np.array_equal(switch[used], problem.attach[p, of])
        for speed, total in ((up, problem.access_up[p]), (down, problem.access_down[p])):
            same = same and bool(np.allclose(speed[used] * size[of], total[of], rtol=SAME, atol=0.0))
        check.require(
            same,
            f"members of a class attach equally in plane {p}",
            f"members of a class attach differently in plane {p}",
        )
    if rule.factors is not None and whole.factors is not None:
        size = np.bincount(of, minlength=count)
        first = used[np.unique(of, return_index=True)[1]]
        (sends, receives, _), (all_send, all_receive, own) = rule.factors, whole.factors
        check.require(
            np.array_equal(sends[used], sends[first][of])
            and np.array_equal(receives[used], receives[first][of])
            and near(all_send, floats(size * sends[first]))
            and near(all_receive, floats(size * receives[first]))
            and near(own, floats(size * (size - 1) * sends[first] * receives[first])),
            "members of a class have equal demands",
            "members of a class have different demands, or a class's demand is not theirs together",
        )
        return
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
