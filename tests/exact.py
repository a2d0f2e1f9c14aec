"""What fits on a small network, in rational numbers: every double is one, and so is every optimum here.

Links, paths and splits are stated from the definitions of the routings; only the lists of paths are the package's own,
which ``tests/throughput/test_path_lists.py`` holds against brute force.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import networkx as nx

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.routing import parse_routing

from .simplex import maximum
from .splits import split_parts
from .throughput.reference import Link, ends

Vector: TypeAlias = Mapping[int, Fraction]
"""What is not 0, by place."""

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Column:
    """A path or a fixed split of a demand.

    Attributes:
        demand: its index.
        part: how much of a unit each link carries.
        cost: how many links between switches a unit crosses.
    """

    demand: int
    part: Mapping[Link, Fraction]
    cost: Fraction


@dataclass(frozen=True)
class ExactProgram:
    """What demands may use; those without a column have no path.

    Attributes:
        demand: of each, as in the matrix.
        columns: in any order.
        capacity: of each link that a column uses, Gb/s.
    """

    demand: tuple[Fraction, ...]
    columns: tuple[Column, ...]
    capacity: Mapping[Link, Fraction]

    @property
    def connected(self) -> list[int]:
        """The demands that have a path."""
        return sorted({column.demand for column in self.columns})

    def with_demand(self, demand: Sequence[Fraction]) -> ExactProgram:
        """Return the program of other demands, those of 0 left out."""
        kept = tuple(column for column in self.columns if demand[column.demand] > 0)
        return replace(self, demand=tuple(demand), columns=kept)

    def concurrent(self) -> Fraction:
        """Return the largest K such that every demand that has a path gets K times what it requests."""
        rows = self._by_demand(-1)
        for j in self.connected:
            rows[j][len(self.columns)] = self.demand[j]
        return self._most({len(self.columns): _ONE}, rows, [_ZERO] * len(rows))

    def fits(self, rate: Sequence[Fraction]) -> bool:
        """Whether demands can get these rates together."""
        if any(rate[j] > 0 for j in set(range(len(rate))) - set(self.connected)):
            return False
        return not any(rate) or self.with_demand(rate).concurrent() >= 1

    def total(self) -> Fraction:
        """Return the largest sum of rates, none above its demand."""
        every = dict.fromkeys(range(len(self.columns)), _ONE)
        return self._most(every, self._by_demand(1), self.demand)

    def most(self, some: Collection[int], least: Sequence[Fraction]) -> Fraction | None:
        """Return what some demands get at most together while others get at least ``least``; None if they cannot."""
        others = [_ZERO if j in some else each for j, each in enumerate(least)]
        own = {n: _ONE for n, column in enumerate(self.columns) if column.demand in some}
        return self._beside(others, own)

    def cost(self, rate: Fraction) -> Fraction | None:
        """Return the least cost of ``rate`` times all demands; None where that does not fit."""
        price = {n: -column.cost for n, column in enumerate(self.columns)}
        found = self._beside([rate * each for each in self.demand], price)
        return None if found is None else -found

    def _beside(self, least: Sequence[Fraction], gain: Vector) -> Fraction | None:
        """Return the largest ``gain`` of columns while demands get at least ``least``; None if they cannot."""
        served = self._by_demand(-1)
        if any(each > 0 and not row for each, row in zip(least, served, strict=True)):
            return None
        try:
            return self._most(gain, served, [-each for each in least])
        except ValueError:
            return None

    def _by_demand(self, sign: int) -> list[dict[int, Fraction]]:
        rows: list[dict[int, Fraction]] = [{} for _ in self.demand]
        for n, column in enumerate(self.columns):
            rows[column.demand][n] = Fraction(sign)
        return rows

    def _most(self, gain: Vector, rows: Sequence[Vector], limits: Sequence[Fraction]) -> Fraction:
        """Return the largest gain of columns, and of K, which is one, that links can carry within these limits, too."""
        links: dict[Link, dict[int, Fraction]] = {link: {} for link in self.capacity}
        for n, column in enumerate(self.columns):
            for link, part in column.part.items():
                links[link][n] = part
        dense = [gain.get(n, _ZERO) for n in range(len(self.columns) + 1)]
        found = maximum(dense, [*rows, *links.values()], [*limits, *self.capacity.values()])
        if found is None:
            raise ArithmeticError("the program has no bound")
        return found.value


def program(network: Network, traffic: TrafficMatrix, routing: str, **rule: Any) -> ExactProgram:
    """Return what a routing allows, with the rule by which it chooses planes and draws."""
    given = {
        (j, p): (here, there, {link: Fraction(speed) for link, speed in access})
        for j, p, here, there, access in ends(network, traffic)
    }
    match routing:
        case "ideal":
            found, capacity = _any_path(network, given)
        case "ecmp-split" | "vlb":
            return _split(network, traffic, routing, **rule)
        case _:
            found, capacity = _listed(network, traffic, given, routing, **rule)
    columns = []
    for j, p, part, share in found:
        _, _, access = given[j, p]
        capacity |= access
        columns.append((j, {**part, **dict.fromkeys(access, share)}))
    return _program(traffic, columns, capacity)


def _program(
    traffic: TrafficMatrix, columns: Iterable[tuple[int, Mapping[Link, Fraction]]], capacity: Mapping[Link, Fraction]
) -> ExactProgram:
    return ExactProgram(
        tuple(map(Fraction, traffic.demand.tolist())),
        tuple(Column(j, part, sum((x for link, x in part.items() if link[0] == "arc"), _ZERO)) for j, part in columns),
        capacity,
    )


def _split(network: Network, traffic: TrafficMatrix, routing: str, policy: str = "any", seed: int = 0) -> ExactProgram:
    """One column for each demand."""
    parts = split_parts(network, traffic, routing, policy, seed)
    capacity = {link: Fraction(speed) for used in parts.values() for link, (speed, _) in used.items()}
    columns = [(j, {link: part for link, (_, part) in used.items()}) for j, used in parts.items()]
    return _program(traffic, columns, capacity)


_Ends: TypeAlias = Mapping[tuple[int, int], tuple[int, int, dict[Link, Fraction]]]
_Found: TypeAlias = tuple[list[tuple[int, int, dict[Link, Fraction], Fraction]], dict[Link, Fraction]]
"""Demand, plane, parts of links between switches, share of the plane; and capacities."""


def _any_path(network: Network, given: _Ends) -> _Found:
    """Every path without a loop, links in parallel being one."""
    capacity: dict[Link, Fraction] = {}
    graphs = []
    for p, plane in enumerate(network.planes):
        graph = nx.DiGraph()
        for u, v, speed in zip(*(each.tolist() for each in plane.arcs), strict=True):
            if speed > 0:
                graph.add_edge(u, v)
                capacity["arc", p, u, v] = capacity.get(("arc", p, u, v), _ZERO) + Fraction(speed)
        graphs.append(graph)
    found = []
    for (j, p), (here, there, access) in given.items():
        if not all(access.values()):
            continue
        if here == there:
            found.append((j, p, dict[Link, Fraction](), _ONE))
        elif here in graphs[p] and there in graphs[p]:
            for path in nx.all_simple_paths(graphs[p], here, there):
                links: list[Link] = [("arc", p, u, v) for u, v in pairwise(path)]
                found.append((j, p, dict.fromkeys(links, _ONE), _ONE))
    return found, capacity


def _listed(network: Network, traffic: TrafficMatrix, given: _Ends, routing: str, **rule: Any) -> _Found:
    """The paths of the routing."""
    del given
    paths = parse_routing(routing, **rule).paths(network, traffic.level, traffic.src, traffic.dst)
    capacity: dict[Link, Fraction] = {}
    found = []
    for n, j in enumerate(paths.pair_of_path.tolist()):
        p = int(paths.plane[n])
        arcs = paths.arcs.ptr[p] + paths.path_arc[paths.path_ptr[n] : paths.path_ptr[n + 1]]
        links: list[Link] = [("arc", p, int(a)) for a in arcs]
        capacity |= {link: Fraction(float(paths.arcs.capacity[a])) for link, a in zip(links, arcs, strict=True)}
        found.append((j, p, dict.fromkeys(links, _ONE), _ONE))
    return found, capacity
