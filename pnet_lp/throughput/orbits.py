"""Single failures that automorphisms of a network and its demands map onto each other: one of each orbit is solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pnet_lp.deadline import Deadline
from pnet_lp.errors import TimeLimitError
from pnet_lp.failures import Part, SingleFailure
from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.model.connected import follows_rule
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.servers import Inside, layers
from pnet_lp.throughput.problems import build_problem
from pnet_lp.throughput.problems.quotient import MOST_EXAMPLES, MOST_VISITS, most_classes, symmetry_of

_VISITS, _EXAMPLES = 50_000_000, 3_000_000
"""How far automorphisms are searched for: about a second.  Rules of many demands are solved by them, so further."""

_PARTS = 4
"""One of so many parts of the time, at most, goes into that."""

_Index: TypeAlias = npt.NDArray[np.int64]


def orbits(
    network: Network, traffic: TrafficMatrix, failures: Sequence[SingleFailure], deadline: Deadline
) -> list[IntArray]:
    """Return the failures in sets that automorphisms of network and demands map onto each other, as indices."""
    alone = [ints([i]) for i in range(len(failures))]
    one_way = any(np.any(plane.capacity_uv_gbps != plane.capacity_vu_gbps) for plane in network.planes)
    if one_way or not all(_is_known(failure.parts) for failure in failures):
        return alone
    flow = build_problem(network.graph, traffic.on_graph(network))
    if flow.metric is not None:
        return alone
    found = None
    looks, examples = (MOST_VISITS, MOST_EXAMPLES) if follows_rule(traffic) else (_VISITS, _EXAMPLES)
    most = most_classes(flow)
    with suppress(TimeLimitError), deadline.parts(_PARTS).doing("looking for symmetries", grace=False) as limit_s:
        found = symmetry_of(flow).reduce(classes=most, looks=looks, examples=examples, time_limit_s=limit_s)
    if found is None:
        return alone
    nodes = _Nodes.of(network, flow)
    if not all(nodes.keeps_layers(image) for image in found.generators.astype(np.int64)):
        return alone
    # Parallel cables of one speed, and ports of hosts that the problem merges, have one row together.
    known = [nodes.row(network, failure.parts) for failure in failures]
    width = max(len(ends) for ends, _ in known)
    ends = np.array([[*ends, *[-1] * (width - len(ends))] for ends, _ in known], dtype=np.int64)
    speeds = np.unique([speed for _, speed in known], return_inverse=True)[1].ravel()
    rows, label = np.unique(np.column_stack([np.sort(ends), speeds]), axis=0, return_inverse=True)
    onto = []
    for image in found.generators.astype(np.int64):
        # Ends of -1 stay where they are.
        moved = np.sort(np.append(image, -1)[rows[:, :-1]])
        both, where = np.unique(np.vstack([rows, np.column_stack([moved, rows[:, -1]])]), axis=0, return_inverse=True)
        if len(both) > len(rows):
            return alone
        onto.append(where.ravel()[len(rows) :])
    import scipy.sparse as sp  # noqa: PLC0415 - slow to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    steps = np.concatenate([np.column_stack([np.arange(len(rows)), each]) for each in onto] or [np.empty((0, 2), int)])
    graph = sp.coo_array((np.ones(len(steps)), (steps[:, 0], steps[:, 1])), shape=(len(rows), len(rows)))
    orbit = connected_components(graph, directed=False)[1][label.ravel()]
    order = np.argsort(orbit, kind="stable")
    sets = np.split(order, np.flatnonzero(np.diff(orbit[order])) + 1)
    return [ints(each) for each in sorted(sets, key=lambda each: int(each[0]))]


def _is_known(parts: Sequence[Part]) -> bool:
    """Whether parts are one, or all ports of a host or of the hosts of a server."""
    return len(parts) == 1 or (len(parts) > 1 and all(part.kind == "port" for part in parts))


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class _Nodes:
    """The nodes, counted as in :class:`~pnet_lp.throughput.problems.quotient.QuotientProblem`, that parts are.

    Attributes:
        switch: of each plane, where its switches begin.
        scale_up: where scale-up switches begin.
        host: of a host, -1 where nobody sends or receives there.
        copies: nodes that stand for accelerators and scale-up switches as they send, pass on and receive.
    """

    switch: _Index
    scale_up: int
    host: Callable[[int], int]
    copies: tuple[_Index, ...] = ()

    @classmethod
    def of(cls, network: Network, flow: FlowProblem) -> _Nodes:
        """Return those of the problem of a network."""
        first = np.concatenate([[0], np.cumsum([plane.switch_count for plane in network.planes])]).astype(np.int64)
        if network.servers is None:
            count = int(flow.node_count.sum())
            of_host = flow.endpoint_class if len(flow.endpoint_class) == network.host_count else ints([])

            def host(number: int) -> int:
                endpoint = int(of_host[number]) if len(of_host) else -1
                return endpoint if endpoint < 0 else count + endpoint

            return cls(first, 0, host)
        inside = Inside.of(network.servers, network.host_count)
        apart = network.servers.relay == "none"
        base = int(first[-1]) if apart else 0
        begin = first if apart else inside.nodes + first
        return cls(begin, base + inside.hosts, lambda number: base + number, layers(network.planes, network.servers))

    def keeps_layers(self, image: _Index) -> bool:
        """Whether a permutation maps all copies of a part onto those of one."""
        if not self.copies:
            return True
        sending = image[self.copies[0]]
        return bool((sending < len(sending)).all()) and all(
            np.array_equal(image[copy], copy[np.minimum(sending[: len(copy)], len(copy) - 1)])
            for copy in self.copies[1:]
        )

    def row(self, network: Network, parts: Sequence[Part]) -> tuple[list[int], float]:
        """Return the nodes that a failure is between, or that fail, and its speed."""
        part = parts[0]
        if part.kind == "scale-up":
            return [self.scale_up + part.index], 0.0
        plane, first = network.planes[part.plane], int(self.switch[part.plane])
        if part.kind == "switch":
            return [first + part.index], 0.0
        if part.kind == "link":
            u, v = int(plane.cable_u[part.index]), int(plane.cable_v[part.index])
            return [first + u, first + v], float(plane.capacity_uv_gbps[part.index])
        if len(parts) == 1:
            host = self.host(part.index)
            return ([-1] if host < 0 else [first + int(plane.host_switch[part.index]), host]), 0.0
        return sorted({self.host(port.index) for port in parts}), 0.0
