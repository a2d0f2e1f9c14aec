"""The problem over all shortest paths where these are too many to be listed.

The arcs of shortest paths to a destination form no cycle (the shortest-path DAG), and every path along them is a
shortest one.  So flows are stated by destination, as over any path, with fewer arcs to each: how many paths that makes
does not matter.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from pnet_lp import _core
from pnet_lp.deadline import NEVER, Deadline
from pnet_lp.errors import SolverError, SpecError, TimeLimitError
from pnet_lp.memory import check_fits
from pnet_lp.model import Certificate, Network
from pnet_lp.model.arrays import FloatArray, IntArray
from pnet_lp.model.brief import brief
from pnet_lp.model.flow import FlowProblem
from pnet_lp.model.network import Level
from pnet_lp.routing import Routing
from pnet_lp.routing.count import count_prepared
from pnet_lp.routing.rule import ALL
from pnet_lp.routing.searches import prepare
from pnet_lp.throughput.problems.arcs import ArcProblem
from pnet_lp.throughput.problems.base import Problem

_LISTED = 1_000_000
"""Links of all paths up to which these are listed."""

_PER_ARC = 4.0
"""And up to so many for each arc that leads to a destination: a step looks at all of these, or of those."""

_BYTES_PER_DISTANCE = 16
"""From a switch to a destination, by links and by length, and its place in the order of these."""


@brief("demand_count", "flow_variables")
@dataclass(frozen=True, eq=False, repr=False)
class ShortestProblem(ArcProblem):
    """Maximum flow over shortest paths."""

    form = "shortest"

    @classmethod
    def where_many(
        cls, flow: FlowProblem, network: Network, level: Level, routing: Routing, threads: int = 0
    ) -> ShortestProblem | None:
        """Return the problem where ``routing`` allows all shortest paths, and lists of them are long; else None."""
        rule = routing.rule
        if rule is None or not rule.equal_cost or rule.count < ALL or rule.per_flow:
            return None
        found = cls(replace(flow, shortest=routing.policy))
        with suppress(TimeLimitError, SolverError):
            searches = prepare(network, level, flow.member[flow.src], flow.member[flow.dst])
            counted = count_prepared(searches, routing.policy, routing.seed, threads, routing.deadline)
            links = float((counted.count * np.maximum(counted.hops, 0)).sum())
            if links <= _LISTED:
                return None
            check_fits(found.distance_bytes, "distances to all destinations", SolverError, allowed="fewer planes")
            return found if links > _PER_ARC * found.flow.core.even_entries() else None
        return None

    @property
    def distance_bytes(self) -> int:
        """Size of the distances from all switches to all destinations."""
        flow = self.flow
        return int(_BYTES_PER_DISTANCE * (flow.node_count.astype(np.int64) * flow.node_count).sum())

    def in_outline(self) -> ArcProblem:
        """See :meth:`Problem.in_outline`: a tree need not be of shortest paths."""
        return self

    def quotient(self, deadline: Deadline = NEVER) -> None:
        """See :meth:`Problem.quotient`."""
        del deadline

    def keeping(self, kept: IntArray) -> ShortestProblem:
        """See :meth:`Problem.keeping`."""
        return ShortestProblem(self.flow.keeping(kept))

    def weighted(self, demand: FloatArray) -> ShortestProblem:
        """See :meth:`Problem.weighted`."""
        return ShortestProblem(self.flow.weighted(demand))

    def warm_start(self, certificate: Certificate, earlier: Problem) -> _core.Proof:
        """See :meth:`Problem.warm_start`.

        Raises:
            SpecError: always.
        """
        del certificate, earlier
        raise SpecError("no solver begins with an answer over shortest paths that are not listed")
