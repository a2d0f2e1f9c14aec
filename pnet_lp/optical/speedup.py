"""How much earlier a workload's communication ends on circuits set for it than on a fat tree of the same price."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pnet_lp.errors import SpecError, TrafficError
from pnet_lp.model import Interval, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import IntArray, ints
from pnet_lp.model.brief import brief
from pnet_lp.optical.circuits import Circuits
from pnet_lp.optical.cluster import cluster
from pnet_lp.optical.improve import improve
from pnet_lp.optical.limits import CircuitLimits, circuit_limits, gap
from pnet_lp.optical.matching import match_circuits
from pnet_lp.optical.scenario import HybridScenario
from pnet_lp.seeds import generator
from pnet_lp.throughput import Progress, solve
from pnet_lp.throughput.solve import DEFAULT_TOLERANCE
from pnet_lp.topology.random_graph import random_graph
from pnet_lp.traffic import build_traffic

RECONFIGURATION_S = 2.0
"""Seconds in which the paper's controller sets all circuits and switches (section 4.1: less than 2)."""

DEFAULT_SOLVES = 24
"""Throughputs solved while looking for circuits."""

_GBIT = 8e-9
"""Gigabits in a byte."""


@brief()
@dataclass(frozen=True, eq=False, repr=False)
class Speedup:
    """A workload on both networks of a scenario.

    K is Gb/s per unit demand.  It is computed between racks; servers have one link each, whose load the routing does
    not change, so K between servers is that between racks or what the busiest server's link allows, whichever is less.

    Attributes:
        scenario: the two networks.
        traffic: the workload between processes, process i being server i of a list without racks; or between racks.
        rack: int32 ``[processes]``, where the controller puts each; None for a workload between racks.
        between: the demands between racks.
        access_gbps: K that the servers' links allow, ``inf`` for a workload between racks.
        tree: throughput between racks on the fat tree.
        hybrid: the same on the circuits.
        circuits: those chosen.
        solves: throughputs solved in the search.
        limits: on K over all circuits.
        delay_s: seconds that setting the circuits takes.
    """

    scenario: HybridScenario
    traffic: TrafficMatrix
    rack: IntArray | None
    between: TrafficMatrix
    access_gbps: float
    tree: ThroughputResult
    hybrid: ThroughputResult
    circuits: Circuits
    solves: int
    limits: CircuitLimits
    delay_s: float

    @property
    def tree_gbps(self) -> Interval:
        """K on the fat tree, servers' links included."""
        return self._with_access(self.tree)

    @property
    def hybrid_gbps(self) -> Interval:
        """K on the circuits, servers' links included."""
        return self._with_access(self.hybrid)

    @property
    def limit_gbps(self) -> float:
        """No circuits carry more, servers' links included."""
        return min(self.access_gbps, self.limits.tightest_gbps)

    @property
    def ratio(self) -> float:
        """Time on the tree over time on the circuits, without the delay: that of the throughputs attained."""
        return self.hybrid_gbps.lower / self.tree_gbps.lower

    @property
    def proved_ratio(self) -> Interval:
        """Bounds on the true ratio for these circuits."""
        tree, hybrid = self.tree_gbps, self.hybrid_gbps
        return Interval(hybrid.lower / tree.upper, hybrid.upper / tree.lower)

    @property
    def break_even_bytes(self) -> float:
        """Bytes of the whole workload above which the circuits save time, the delay included; ``inf`` for never."""
        saved = 1 / self.tree_gbps.lower - 1 / self.hybrid_gbps.lower
        return self.delay_s * self.traffic.total / (_GBIT * saved) if saved > 0 else math.inf

    def ratio_at(self, volume_bytes: float) -> float:
        """Return the time on the tree over that on the circuits, the delay included, for a given total of bytes.

        A time is the delay plus the bytes over K times the sum of demands.
        """
        if not (math.isfinite(volume_bytes) and volume_bytes > 0):
            raise SpecError("a volume is out of range", found=volume_bytes, allowed="bytes > 0")
        gbit = _GBIT * volume_bytes / self.traffic.total
        return (gbit / self.tree_gbps.lower) / (self.delay_s + gbit / self.hybrid_gbps.lower)

    def to_json(self, volume_bytes: float | None = None) -> dict[str, Any]:
        """Return it as a JSON object: K in Gb/s per unit demand, and None for what is infinite.

        Args:
            volume_bytes: bytes of a whole workload for which to say the speed-up with the delay.
        """
        tree, hybrid, proved = self.tree_gbps, self.hybrid_gbps, self.proved_ratio
        return {
            "traffic": self.traffic.label,
            "level": self.traffic.level,
            "total": self.traffic.total,
            "between_racks": self.between.total,
            "tree_gbps": tree.lower,
            "tree_upper_gbps": tree.upper,
            "circuits_gbps": hybrid.lower,
            "circuits_upper_gbps": hybrid.upper,
            "limit_gbps": self.limit_gbps,
            "gap_to_limit": gap(hybrid.lower, self.limit_gbps),
            "access_gbps": _finite(self.access_gbps),
            "mean_hops": self.circuits.mean_hops(self.between),
            "solves": self.solves,
            "speedup": self.ratio,
            "speedup_lower": proved.lower,
            "speedup_upper": proved.upper,
            "break_even_bytes": _finite(self.break_even_bytes),
            "speedup_at_volume": None if volume_bytes is None else self.ratio_at(volume_bytes),
            "status": "bounds" if "bounds" in (self.tree.status, self.hybrid.status) else "certified",
        }

    def _with_access(self, result: ThroughputResult) -> Interval:
        return Interval(*(min(self.access_gbps, k) for k in (result.interval.lower, result.interval.upper)))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def speedup(
    scenario: HybridScenario,
    traffic: str | TrafficMatrix,
    *,
    level: str | None = None,
    seed: int = 0,
    scattered: bool = False,
    delay_s: float = RECONFIGURATION_S,
    solves: int = DEFAULT_SOLVES,
    tolerance: float = DEFAULT_TOLERANCE,
    threads: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Speedup:
    """Return how much earlier ``traffic`` ends on circuits than on the fat tree of a scenario.

    The control loop of the paper's figure 3: processes are clustered into racks, demands added up between racks,
    circuits chosen for them.  The circuits begin as the better ones of repeated matchings and a random graph, which is
    hard to beat for uniform demands (Singla, Godfrey, Kolla, NSDI 2014).  The low-rate network is left out; it is for
    transfers too short to wait for circuits.

    Args:
        scenario: the two networks.
        traffic: as of :func:`~pnet_lp.traffic.build_traffic`, or a matrix.
        level: ``host`` (default) for demands between processes, one for each server; ``rack`` for demands between
            racks, which are not clustered and know no servers' links.
        seed: of traffic, ties and placement.
        scattered: whether the racks are dealt over the tree at random; else neighbours in the clustering are
            neighbours in the tree, which is to its advantage.
        delay_s: seconds that setting the circuits takes.
        solves: most throughputs to solve in the search for circuits.
        tolerance: as of :func:`~pnet_lp.throughput.solve`.
        threads: as of :func:`~pnet_lp.throughput.solve`.
        on_progress: as of :func:`~pnet_lp.throughput.solve`.

    Raises:
        SpecError: sizes that do not fit, a delay out of range.
        TrafficError: nothing to send between racks, or as :func:`~pnet_lp.traffic.build_traffic`.
        SolverError: as :func:`~pnet_lp.throughput.solve`.
    """
    if not (math.isfinite(delay_s) and delay_s >= 0):
        raise SpecError("a delay is out of range", found=delay_s, allowed="seconds >= 0")
    network = scenario.tree()
    if isinstance(traffic, str):
        traffic = build_traffic(traffic, network, "rack" if level == "rack" else "host", seed=seed)
    matrix = traffic
    rack, between, access = _by_rack(matrix, scenario)
    if between.demand_count == 0:
        raise TrafficError("nothing is sent between racks", where=matrix.label)

    found = improve(
        _starts(between, scenario, seed),
        between,
        solves=solves,
        enough_gbps=access,
        tolerance=tolerance,
        threads=threads,
        on_progress=on_progress,
    )
    placed = _scattered(between, seed) if scattered else between
    tree = solve(network, placed, tolerance=tolerance, threads=threads, on_progress=on_progress)
    return Speedup(
        scenario,
        matrix,
        rack,
        between,
        access,
        tree,
        found.result,
        found.circuits,
        found.solves,
        circuit_limits(between, scenario.links, scenario.link_gbps),
        delay_s,
    )


def _by_rack(matrix: TrafficMatrix, scenario: HybridScenario) -> tuple[IntArray | None, TrafficMatrix, float]:
    """Return the rack of each process, the demands between racks, and K that the servers' links allow."""
    if matrix.level == "rack":
        return None, matrix, math.inf
    rack = cluster(matrix, scenario.racks)
    src, dst = rack[matrix.src], rack[matrix.dst]
    away = src != dst
    between = TrafficMatrix.from_entries(
        "rack", scenario.racks, src[away], dst[away], matrix.demand[away], label=matrix.label
    )
    busiest = max(np.bincount(ends, weights=matrix.demand).max() for ends in (matrix.src, matrix.dst))
    return rack, between, scenario.link_gbps / float(busiest)


def _starts(between: TrafficMatrix, scenario: HybridScenario, seed: int) -> list[Circuits]:
    """Return circuits to begin with; random ones where there are enough racks for a graph without parallel ones."""
    racks, links, gbps = between.endpoints, scenario.links, scenario.link_gbps
    starts = [match_circuits(between, links, gbps, seed=seed)]
    if 2 < links < racks:
        degrees = [links] * racks
        degrees[-1] -= racks * links % 2
        starts.append(Circuits.from_ends(racks, links, random_graph(degrees, generator(seed, "optical/random")), gbps))
    return starts


def _scattered(between: TrafficMatrix, seed: int) -> TrafficMatrix:
    place = ints(generator(seed, "optical/placement").permutation(between.endpoints))
    return TrafficMatrix.from_entries(
        "rack", between.endpoints, place[between.src], place[between.dst], between.demand, label=between.label
    )
