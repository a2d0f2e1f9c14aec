"""From a network, a matrix and a routing to the problem that they state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.flow import build_problem
from pnet_lp.routing import Form, Routing
from pnet_lp.throughput.problems.arcs import ArcProblem
from pnet_lp.throughput.problems.base import Problem
from pnet_lp.throughput.problems.paths import PathProblem
from pnet_lp.throughput.problems.shortest import ShortestProblem
from pnet_lp.throughput.problems.splits import SplitProblem

_BUILD: dict[Form, Callable[..., Problem]] = {
    "arc": lambda flow, *_: ArcProblem(flow),
    "path": PathProblem.in_time,
    "split": SplitProblem.of,
}


def state_problem(
    network: Network,
    traffic: TrafficMatrix,
    routing: Routing,
    *,
    apart: bool = False,
    listed: bool = True,
    threads: int = 0,
) -> Problem:
    """Return what there is to solve.

    Equivalent hosts are one endpoint, unless they are to be kept ``apart`` or the routing draws paths for each flow.
    Paths are ``listed``, or need not be where flows along all shortest paths are less to look at.

    Raises:
        TrafficError: the matrix is empty, or is for another number of endpoints.
        TopologyError: demands of the matrix's level mean nothing on the network.
        RoutingError: the paths do not fit into memory.
        TimeLimitError: the deadline of the routing was over before anything was known of its paths.
    """
    network, traffic = network.graph, traffic.on_graph(network)
    flow = build_problem(network, traffic, aggregate=not (apart or routing.per_flow))
    if len(flow.member) < np.count_nonzero(flow.endpoint_class >= 0):
        from pnet_lp.verification.checks import Checks  # noqa: PLC0415 - loads SciPy
        from pnet_lp.verification.instance import check_classes  # noqa: PLC0415

        flow = replace(flow, merged=check_classes(Checks("classes of hosts"), network, traffic, flow))
    if not listed and (many := ShortestProblem.where_many(flow, network, traffic.level, routing, threads)) is not None:
        return many
    return _BUILD[routing.form](flow, network, traffic.level, routing, threads)
