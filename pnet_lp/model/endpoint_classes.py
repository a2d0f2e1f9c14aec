"""Classes of equivalent hosts: the exact aggregation of a host-level problem.

Two hosts are equivalent if they attach to the same switch with the same speed in every plane and send to, and receive
from, every class the same amount.  The coarsest such partition is found by colour refinement.  Averaging a flow over
each class keeps it feasible, and lengths that are equal within a class lose nothing in the dual, so the problem on
classes has the same optimum as the one on hosts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pnet_lp.model.arrays import FloatArray, IntArray, equal_columns, floats, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.demands import Demands
from pnet_lp.model.traffic import TrafficMatrix


@brief()
@dataclass(frozen=True, repr=False)
class Classes:
    """The aggregated endpoints and demands; fields as in :class:`~pnet_lp.model.flow.FlowProblem`."""

    attach: IntArray
    access_up: FloatArray
    access_down: FloatArray
    demands: Demands
    endpoint_class: IntArray


def endpoint_classes(
    attach: IntArray, access_up: FloatArray, access_down: FloatArray, traffic: TrafficMatrix, *, merge: bool = True
) -> Classes:
    """Return the coarsest exact aggregation of the endpoints that have a demand.

    Args:
        attach: int32 ``[planes, endpoints]``, the switch of each endpoint, -1 for none.
        access_up: float64 ``[planes, endpoints]``, Gb/s, ``inf`` where access does not limit.
        access_down: the same for the other direction.
        traffic: the demands.
        merge: whether to search for equivalent endpoints at all; otherwise each is a class of its own.
    """
    rule = traffic.demands
    used = np.flatnonzero(rule.named(traffic.endpoints))
    rows = np.vstack([attach[:, used], access_up[:, used], access_down[:, used]])
    group = rule.refined(equal_columns(rows), used) if merge else np.arange(len(used))
    count = int(group.max(initial=-1)) + 1

    # Number classes by their first member, so that problems without equivalent hosts keep the network's order.
    first = np.full(count, len(used), dtype=np.int64)
    np.minimum.at(first, group, np.arange(len(used)))
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(count)
    group, first = rank[group], np.sort(first)

    size = np.bincount(group, minlength=count)
    member = used[first]
    endpoint_class = np.full(traffic.endpoints, -1)
    endpoint_class[used] = group
    return Classes(
        attach=ints(attach[:, member]),
        access_up=floats(access_up[:, member] * size),
        access_down=floats(access_down[:, member] * size),
        demands=rule.merged(endpoint_class, size, member),
        endpoint_class=ints(endpoint_class),
    )
