"""Objectives stated a second time, as textbook programs for SciPy: one flow per demand, no classes, no forms."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import linprog

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.routing import parse_routing

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

Link = tuple[object, ...]
"""``("arc", plane, arc of the plane)``, or ``("up", plane, host)`` or ``("down", plane, host)``."""


@dataclass(frozen=True)
class Reference:
    """Columns are ways to send; ``served @ x`` is what each demand gets, ``load @ x <= capacity``, ``keep @ x = 0``.

    ``cost`` counts the links between switches that a column uses; ``links`` names the rows of ``load``.
    """

    demand: npt.NDArray[np.float64]
    served: sp.csr_array
    load: sp.csr_array
    capacity: npt.NDArray[np.float64]
    keep: sp.csr_array
    cost: npt.NDArray[np.float64]
    links: tuple[Link, ...]

    def concurrent(self) -> float:
        return self.level(np.zeros(len(self.demand)), np.ones(len(self.demand), dtype=bool))

    def total(self) -> float:
        found = self._solve(
            -np.asarray(self.served.sum(axis=0)).ravel(), self.served, np.zeros_like(self.demand), self.demand
        )
        return -found

    def min_cost(self, rate: float) -> float:
        return self._solve(self.cost, self.served, rate * self.demand, rate * self.demand)

    def level(self, rate: npt.NDArray[np.float64], free: npt.NDArray[np.bool_]) -> float:
        """The largest t such that active demands get t times their demand, and the others at least their rate."""
        columns = self.cost.size
        rows = sp.hstack([self.served, sp.csr_array(np.where(free, -self.demand, 0.0)[:, None])]).tocsr()
        lower = np.where(free, 0.0, rate)
        upper = np.full(len(lower), np.inf)
        cost = np.zeros(columns + 1)
        cost[-1] = -1.0
        return -self._solve(cost, rows, lower, upper)

    def max_min(self) -> npt.NDArray[np.float64]:
        """Rates: a level for all, then for each demand what it alone could get beyond; those that can get no more stop.

        Levels are reduced by rounding, so that the next program has room.
        """
        free = np.ones(len(self.demand), dtype=bool)
        rate = np.zeros(len(self.demand))
        while free.any():
            level = self.level(rate, free) * (1 - 1e-7)
            least = np.where(free, level * self.demand, rate)
            saturated = []
            for j in np.flatnonzero(free):
                alone = np.zeros(len(free), dtype=bool)
                alone[j] = True
                if self.level(least, alone) <= level * (1 + 1e-4):
                    saturated.append(j)
            assert saturated
            rate[saturated] = level * self.demand[saturated]
            free[saturated] = False
        return rate

    def _solve(
        self,
        cost: npt.NDArray[np.float64],
        rows: sp.csr_array,
        lower: npt.NDArray[np.float64],
        upper: npt.NDArray[np.float64],
    ) -> float:
        extra = len(cost) - self.load.shape[1]

        def widened(matrix: sp.csr_array) -> sp.csr_array:
            return sp.hstack([matrix, sp.csr_array((matrix.shape[0], extra))]).tocsr() if extra else matrix

        capped = np.isfinite(upper)
        found = linprog(
            cost,
            A_ub=sp.vstack([widened(self.load), -rows, rows[np.flatnonzero(capped)]]),
            b_ub=np.concatenate([self.capacity, -lower, upper[capped]]),
            A_eq=widened(self.keep),
            b_eq=np.zeros(self.keep.shape[0]),
            method="highs",
            options=EXACT,
        )
        assert found.status == 0, found.message
        return float(found.fun)


class _Builder:
    def __init__(self) -> None:
        self.entries: dict[str, list[tuple[int, int, float]]] = {"served": [], "load": [], "keep": []}
        self.cost: list[float] = []
        self.links: dict[Link, tuple[int, float]] = {}
        self.kept: dict[tuple[int, int, int], int] = {}

    def column(self, cost: float) -> int:
        self.cost.append(cost)
        return len(self.cost) - 1

    def uses(self, link: Link, speed: float, column: int, part: float = 1.0) -> None:
        row, _ = self.links.setdefault(link, (len(self.links), speed))
        self.entries["load"].append((row, column, part))

    def passes(self, node: tuple[int, int, int], column: int, sign: float) -> None:
        row = self.kept.setdefault(node, len(self.kept))
        self.entries["keep"].append((row, column, sign))

    def done(self, demand: npt.NDArray[np.float64]) -> Reference:
        def matrix(key: str, rows: int) -> sp.csr_array:
            i, j, value = np.array(self.entries[key] or np.zeros((0, 3))).T
            return sp.csr_array(sp.coo_array((value, (i.astype(int), j.astype(int))), (rows, len(self.cost))))

        return Reference(
            demand,
            matrix("served", len(demand)),
            matrix("load", len(self.links)),
            np.array([speed for _, speed in self.links.values()]),
            matrix("keep", len(self.kept)),
            np.array(self.cost),
            tuple(self.links),
        )


def ends(network: Network, traffic: TrafficMatrix) -> Iterator[tuple[int, int, int, int, list[tuple[Link, float]]]]:
    """Demand, plane, switches of its ends there, and the access links on the way."""
    for j, (s, t) in enumerate(zip(traffic.src, traffic.dst, strict=True)):
        for p, plane in enumerate(network.planes):
            if traffic.level == "rack":
                yield j, p, int(plane.rack_switch[s]), int(plane.rack_switch[t]), []
            elif plane.host_switch[s] >= 0 and plane.host_switch[t] >= 0:
                access = [
                    (("up", p, s), float(plane.access_up_gbps[s])),
                    (("down", p, t), float(plane.access_down_gbps[t])),
                ]
                yield j, p, int(plane.host_switch[s]), int(plane.host_switch[t]), access


def over_any_path(network: Network, traffic: TrafficMatrix) -> Reference:
    """A flow on each arc of each plane for each demand."""
    builder = _Builder()
    for j, p, here, there, access in ends(network, traffic):
        sent = builder.column(0.0)
        builder.entries["served"].append((j, sent, 1.0))
        for link, speed in access:
            builder.uses(link, speed, sent)
        if here == there:
            continue
        builder.passes((j, p, here), sent, 1.0)
        builder.passes((j, p, there), sent, -1.0)
        for a, (u, v, speed) in enumerate(zip(*network.planes[p].arcs, strict=True)):
            if speed > 0:
                flow = builder.column(1.0)
                builder.uses(("arc", p, a), float(speed), flow)
                builder.passes((j, p, int(u)), flow, -1.0)
                builder.passes((j, p, int(v)), flow, 1.0)
    return builder.done(traffic.demand)


def over_paths(network: Network, traffic: TrafficMatrix, routing: str, **rule: Any) -> Reference:
    """A flow on each path of each demand."""
    builder = _Builder()
    paths = parse_routing(routing, **rule).paths(network, traffic.level, traffic.src, traffic.dst)
    access = {(j, p): links for j, p, _, _, links in ends(network, traffic)}
    for n, j in enumerate(paths.pair_of_path):
        p = int(paths.plane[n])
        arcs = paths.arcs.ptr[p] + paths.path_arc[paths.path_ptr[n] : paths.path_ptr[n + 1]]
        column = builder.column(float(len(arcs)))
        builder.entries["served"].append((int(j), column, 1.0))
        for a in arcs:
            builder.uses(("arc", p, int(paths.arcs.id[a])), float(paths.arcs.capacity[a]), column)
        for link, speed in access[int(j), p]:
            builder.uses(link, speed, column)
    return builder.done(traffic.demand)


def over_parts(traffic: TrafficMatrix, parts: Mapping[int, Mapping[Link, tuple[float, float]]]) -> Reference:
    """A flow for each demand, of which each link, with its speed, gets a part."""
    builder = _Builder()
    for j, used in parts.items():
        column = builder.column(sum(part for link, (_, part) in used.items() if link[0] == "arc"))
        builder.entries["served"].append((j, column, 1.0))
        for link, (speed, part) in used.items():
            builder.uses(link, speed, column, part)
    return builder.done(traffic.demand)


def mixed(*words: int) -> int:
    """The word that SplitMix64 gives after these."""
    state = 0
    for word in (*words, 0):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ state >> 27) * 0x94D049BB133111EB % 2**64
        state ^= state >> 31 ^ word
    return state
