"""What is true of a small problem: linear programs over its paths, solved in rational numbers.

Every double is a rational number, so capacities and demands are taken as they are.  Nothing of the package computes a
figure; lists of paths of a routing are taken from it, and splits from the judge, which states them by definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.routing import parse_routing

from ..simplex import ZERO, Solved, maximum
from ..throughput.reference import Link, ends


@dataclass(frozen=True)
class Column:
    """One path or split of a demand: what a unit of it puts on links, and its links between switches in order."""

    demand: int
    load: Mapping[Link, Fraction]
    arcs: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Truth:
    """The columns of demands, and the capacities of links."""

    demand: tuple[Fraction, ...]
    columns: tuple[Column, ...]
    capacity: Mapping[Link, Fraction]

    @cached_property
    def links(self) -> list[Link]:
        """The links that columns use, in order."""
        return list(self.capacity)

    @cached_property
    def loads(self) -> list[dict[int, Fraction]]:
        """For each link what a unit of each column puts on it."""
        rows: dict[Link, dict[int, Fraction]] = {link: {} for link in self.links}
        for k, column in enumerate(self.columns):
            for link, part in column.load.items():
                rows[link][k] = part
        return list(rows.values())

    def served(self, sign: int) -> list[dict[int, Fraction]]:
        """Return for each demand the columns that serve it."""
        rows: list[dict[int, Fraction]] = [{} for _ in self.demand]
        for k, column in enumerate(self.columns):
            rows[column.demand][k] = Fraction(sign)
        return rows

    def together(self, classes: Sequence[int], size: int) -> Truth:
        """Return the same with demands added up by classes."""
        demand = [ZERO] * size
        for j, d in zip(classes, self.demand, strict=True):
            demand[j] += d
        columns = tuple(Column(classes[column.demand], column.load, column.arcs) for column in self.columns)
        return Truth(tuple(demand), columns, self.capacity)

    def concurrent(self, demand: Sequence[Fraction] | None = None) -> Solved | None:
        """The largest K such that K times every demand is carried; the last variable is K."""
        demand = self.demand if demand is None else demand
        count = len(self.columns)
        rows = self.served(-1)
        for row, d in zip(rows, demand, strict=True):
            row[count] = Fraction(d)
        most = [ZERO] * len(rows) + list(self.capacity.values())
        return maximum([ZERO] * count + [Fraction(1)], rows + self.loads, most)

    def fit(self, rates: Sequence[Fraction]) -> bool:
        """Whether these rates can be carried together."""
        found = self.concurrent(rates)
        return found is None or found.value >= 1

    def total(self, floor: Fraction = ZERO) -> Solved:
        """The largest sum of rates, none above its demand or below ``floor`` times that."""
        most = list(self.demand) + list(self.capacity.values())
        rows = self.served(1) + self.loads
        if floor:
            rows, most = rows + self.served(-1), most + [-floor * d for d in self.demand]
        found = maximum([Fraction(1)] * len(self.columns), rows, most)
        assert found is not None
        return found

    def least_cost(self, rate: Fraction, cost: Mapping[Link, Fraction]) -> Solved | None:
        """What carrying ``rate`` costs at least, by the dual: its variables are distances, then lengths; None if
        nothing carries as much."""
        demands = len(self.demand)
        rows, most = [], []
        for column in self.columns:
            row = {demands + self.links.index(link): -part for link, part in column.load.items()}
            rows.append(row | {column.demand: Fraction(1)})
            most.append(sum((part * cost.get(link, ZERO) for link, part in column.load.items()), ZERO))
        gain = [rate * d for d in self.demand] + [-c for c in self.capacity.values()]
        return maximum(gain, rows, most)

    def level(self, j: int, least: Sequence[Fraction]) -> Solved:
        """The most that demand ``j`` can get per unit while each other gets its ``least`` rate."""
        count = len(self.columns)
        rows = self.served(-1)
        rows[j][count] = self.demand[j]
        most = [ZERO if i == j else -rate for i, rate in enumerate(least)] + list(self.capacity.values())
        found = maximum([ZERO] * count + [Fraction(1)], rows + self.loads, most)
        assert found is not None
        return found


def over_any_path(network: Network, traffic: TrafficMatrix) -> Truth:
    """Every path without a loop in every plane."""
    columns: list[Column] = []
    capacity: dict[Link, Fraction] = {}
    outs = [_outs(network, p) for p in range(network.plane_count)]
    for j, p, here, there, access in ends(network, traffic):
        if any(speed == 0 for _, speed in access):
            continue
        capacity |= {link: Fraction(speed) for link, speed in access}
        for path in _simple(outs[p], here, there, (here,)):
            arcs = tuple(("arc", p, a) for a in path)
            capacity |= {("arc", p, a): Fraction(float(network.planes[p].arcs[2][a])) for a in path}
            columns.append(Column(j, dict.fromkeys([*arcs, *(link for link, _ in access)], Fraction(1)), arcs))
    return Truth(_exactly(traffic), tuple(columns), capacity)


def over_paths(network: Network, traffic: TrafficMatrix, routing: str, **rule: object) -> Truth:
    """The paths of a routing."""
    paths = parse_routing(routing, **rule).paths(network, traffic.level, traffic.src, traffic.dst)
    access = {(j, p): links for j, p, _, _, links in ends(network, traffic)}
    columns, capacity = [], {}
    for n, j in enumerate(paths.pair_of_path.tolist()):
        p = int(paths.plane[n])
        places = paths.link[paths.path_ptr[n] : paths.path_ptr[n + 1]]
        arcs = tuple(("arc", p, int(paths.arcs.id[a])) for a in places)
        capacity |= {link: Fraction(float(paths.arcs.capacity[a])) for link, a in zip(arcs, places, strict=True)}
        capacity |= {link: Fraction(speed) for link, speed in access[j, p]}
        columns.append(Column(j, dict.fromkeys([*arcs, *(link for link, _ in access[j, p])], Fraction(1)), arcs))
    return Truth(_exactly(traffic), tuple(columns), capacity)


def over_parts(traffic: TrafficMatrix, parts: Mapping[int, Mapping[Link, tuple[float, Fraction]]]) -> Truth:
    """A split for each demand: of each link its speed, and the part that it gets."""
    columns, capacity = [], {}
    for j, used in parts.items():
        load = {link: part for link, (_, part) in used.items()}
        capacity |= {link: Fraction(speed) for link, (speed, _) in used.items()}
        columns.append(Column(j, load))
    return Truth(_exactly(traffic), tuple(columns), capacity)


def _exactly(traffic: TrafficMatrix) -> tuple[Fraction, ...]:
    return tuple(Fraction(d) for d in traffic.demand.tolist())


def _outs(network: Network, p: int) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for a, (u, v, speed) in enumerate(
        zip(*(np.asarray(each).tolist() for each in network.planes[p].arcs), strict=True)
    ):
        if speed > 0:
            found.setdefault(u, []).append((a, v))
    return found


def _simple(
    outs: Mapping[int, Sequence[tuple[int, int]]], here: int, there: int, passed: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    if here == there:
        yield ()
        return
    for a, v in outs.get(here, ()):
        if v not in passed:
            for rest in _simple(outs, v, there, (*passed, v)):
                yield (a, *rest)
