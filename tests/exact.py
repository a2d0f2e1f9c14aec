"""What fits on a small network, in rational numbers: every double is one, and so is every optimum here.

Links, paths and splits are stated from the definitions of the routings; only the lists of paths are the package's own,
which ``tests/throughput/test_path_lists.py`` holds against brute force.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import networkx as nx

from pnet_lp.model import Network, TrafficMatrix
from pnet_lp.routing import parse_routing

from .throughput.reference import Link, ends, mixed

Vector: TypeAlias = Mapping[int, Fraction]
"""What is not 0, by place."""

_ZERO, _ONE = Fraction(0), Fraction(1)

_STALLED = 20
"""Steps in a row that gain nothing, after which the first candidate is taken, so that no basis comes again (Bland)."""


def maximise(
    columns: Sequence[Vector], limits: Sequence[Fraction], gains: Sequence[Sequence[Fraction]]
) -> list[Fraction]:
    """Return the largest ``gains[0] . x``, among the x that have it the largest ``gains[1] . x``, and so on.

    Over all ``x >= 0`` with ``sum_n columns[n] x_n <= limits``, where ``limits >= 0``: the simplex method on a table of
    rationals, from ``x = 0``.

    Raises:
        ArithmeticError: a gain has no bound.
    """
    width, rows = len(columns), len(limits)
    assert all(limit >= 0 for limit in limits)
    table: list[dict[int, Fraction]] = [{width + i: _ONE} for i in range(rows)]
    for n, column in enumerate(columns):
        for i, part in column.items():
            table[i][n] = part
    value, basis = list(limits), list(range(width, width + rows))
    gain = [{n: Fraction(each) for n, each in enumerate(given) if each} for given in gains]
    found, stalled = [_ZERO] * len(gains), 0
    while True:
        entering = _entering(gain, first=stalled >= _STALLED)
        if entering is None:
            return found
        at = [i for i in range(rows) if table[i].get(entering, _ZERO) > 0]
        if not at:
            raise ArithmeticError("the program has no bound")
        leaving = min(at, key=lambda i: (value[i] / table[i][entering], basis[i]))
        stalled = stalled + 1 if value[leaving] == 0 else 0
        pivot = table[leaving][entering]
        row = {n: each / pivot for n, each in table[leaving].items()}
        table[leaving], value[leaving], basis[leaving] = row, value[leaving] / pivot, entering
        for i in range(rows):
            if i != leaving and (times := table[i].get(entering)):
                _subtract(table[i], row, times)
                value[i] -= times * value[leaving]
        for k, given in enumerate(gain):
            if times := given.get(entering):
                _subtract(given, row, times)
                found[k] += times * value[leaving]


def _entering(gain: Sequence[Vector], *, first: bool) -> int | None:
    """Return the variable that gains most, or the first that gains; later gains count where earlier ones tie."""
    used = set().union(*gain)
    each = {n: tuple(given.get(n, _ZERO) for given in gain) for n in used}
    nothing = (_ZERO,) * len(gain)
    better = [n for n in used if each[n] > nothing]
    if not better:
        return None
    return min(better) if first else max(better, key=lambda n: (each[n], -n))


def _subtract(row: dict[int, Fraction], other: Vector, times: Fraction) -> None:
    for n, each in other.items():
        left = row.get(n, _ZERO) - times * each
        if left:
            row[n] = left
        else:
            row.pop(n, None)


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
        return self._solved({}, [self._rate()], self.demand)[0]

    def fits(self, rate: Sequence[Fraction]) -> bool:
        """Whether demands can get these rates together."""
        if any(rate[j] > 0 for j in set(range(len(rate))) - set(self.connected)):
            return False
        return not any(rate) or self.with_demand(rate).concurrent() >= 1

    def total(self) -> Fraction:
        """Return the largest sum of rates, none above its demand."""
        every = dict.fromkeys(range(len(self.columns)), _ONE)
        caps = {j: self.demand[j] for j in self.connected}
        return self._solved(caps, [every], [_ZERO] * len(self.demand))[0]

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
        """Return the largest ``gain`` of columns while demands get at least ``least``."""
        whole, found = self._solved({}, [self._rate(), gain], least, most=_ONE)
        return found if whole == 1 or not any(least) else None

    def _rate(self) -> Vector:
        return {len(self.columns): _ONE}

    def _solved(
        self, caps: Vector, gains: Sequence[Vector], least: Sequence[Fraction], most: Fraction | None = None
    ) -> list[Fraction]:
        """Return the largest gains where demands get at least K times ``least``, at most their caps; K is a column."""
        row: dict[object, int] = {}
        limits: list[Fraction] = []

        def at(key: object, limit: Fraction) -> int:
            if key not in row:
                row[key] = len(limits)
                limits.append(limit)
            return row[key]

        columns: list[dict[int, Fraction]] = []
        for column in self.columns:
            j = column.demand
            used = {at(link, self.capacity[link]): part for link, part in column.part.items()}
            if least[j]:
                used[at(("least", j), _ZERO)] = -_ONE
            if j in caps:
                used[at(("cap", j), caps[j])] = _ONE
            columns.append(used)
        rate = {at(("least", j), _ZERO): each for j, each in enumerate(least) if each}
        if most is not None:
            rate[at("rate", most)] = _ONE
        columns.append(rate if rate else {at("rate", _ZERO): _ONE})
        dense = [[each.get(n, _ZERO) for n in range(len(columns))] for each in gains]
        return maximise(columns, limits, dense)


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
            found, capacity = _splits(network, traffic, given, routing, **rule)
        case _:
            found, capacity = _listed(network, traffic, given, routing, **rule)
    columns = []
    for j, p, part, share in found:
        _, _, access = given[j, p]
        capacity |= access
        columns.append((j, {**part, **dict.fromkeys(access, share)}))
    if routing in ("ecmp-split", "vlb"):  # parts of one column each
        whole: dict[int, dict[Link, Fraction]] = {}
        for j, part in columns:
            whole.setdefault(j, {}).update(part)
        columns = list(whole.items())
    return ExactProgram(
        tuple(map(Fraction, traffic.demand.tolist())),
        tuple(Column(j, part, sum((x for link, x in part.items() if link[0] == "arc"), _ZERO)) for j, part in columns),
        capacity,
    )


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


def _splits(
    network: Network, traffic: TrafficMatrix, given: _Ends, routing: str, policy: str = "any", seed: int = 0
) -> _Found:
    """Equal parts over next hops on shortest paths, or that twice, by way of every switch."""
    capacity: dict[Link, Fraction] = {}
    graphs = []
    for p, plane in enumerate(network.planes):
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(len(plane.switch_names)))
        for a, (u, v, speed) in enumerate(zip(*(each.tolist() for each in plane.arcs), strict=True)):
            if speed > 0:
                graph.add_edge(u, v, key=a)
                capacity["arc", p, a] = Fraction(speed)
        graphs.append(graph)
    found = []
    for j in range(traffic.demand_count):
        usable = {}
        for p, graph in enumerate(graphs):
            if (j, p) not in given:
                continue
            here, there, _ = given[j, p]
            one_way = routing == "vlb" and not nx.has_path(graph, there, here)
            if _attached(network, traffic, j, p) and nx.has_path(graph, here, there) and not one_way:
                usable[p] = here, there
        for p, share in _shares(traffic, j, usable, graphs, routing, policy, seed):
            split = _twice if routing == "vlb" else _once
            parts = split(graphs[p], *usable[p])
            found.append((j, p, {("arc", p, a): share * part for a, part in parts.items()}, share))
    return found, capacity


def _attached(network: Network, traffic: TrafficMatrix, j: int, p: int) -> bool:
    """Whether both hosts of a pair have access links that carry something in both directions."""
    if traffic.level == "rack":
        return True
    plane, pair = network.planes[p], (traffic.src[j], traffic.dst[j])
    return all(speed[host] > 0 for speed in (plane.access_up_gbps, plane.access_down_gbps) for host in pair)


def _shares(
    traffic: TrafficMatrix,
    j: int,
    usable: Mapping[int, tuple[int, int]],
    graphs: Sequence[nx.MultiDiGraph],
    routing: str,
    policy: str,
    seed: int,
) -> Iterator[tuple[int, Fraction]]:
    """Yield the planes that a demand is sent into, and its part there."""
    if not usable:
        return
    hops = {p: nx.shortest_path_length(graphs[p], *pair) for p, pair in usable.items()}
    if policy == "single":
        drawn = mixed(seed, int(traffic.src[j]), int(traffic.dst[j])) * len(usable) >> 64
        weight = {sorted(usable)[drawn]: 1}
    elif policy == "round-robin" or (routing == "vlb" and policy == "any"):
        weight = dict.fromkeys(usable, 1)
    else:
        nearest = [p for p in usable if hops[p] == min(hops.values())]
        weight = {p: 1 if routing == "vlb" else max(1, len(_next_hops(graphs[p], *usable[p]))) for p in nearest}
    for p, each in weight.items():
        yield p, Fraction(each, sum(weight.values()))


def _next_hops(graph: nx.MultiDiGraph, here: int, there: int) -> list[tuple[int, int]]:
    """Return the links out of a switch that are on a shortest path, and where they lead."""
    left = dict(nx.single_target_shortest_path_length(graph, there))
    return [(a, v) for _, v, a in graph.out_edges(here, keys=True) if left.get(v, len(graph)) + 1 == left[here]]


def _once(graph: nx.MultiDiGraph, here: int, there: int) -> dict[int, Fraction]:
    """Return the part of each link where every switch hands on equal parts over its next hops."""
    found: dict[int, Fraction] = {}
    passing = {here: _ONE}
    while passing.keys() - {there}:
        after: dict[int, Fraction] = {}
        for u, amount in passing.items():
            hops = _next_hops(graph, u, there)
            for a, v in hops:
                found[a] = found.get(a, _ZERO) + amount / len(hops)
                after[v] = after.get(v, _ZERO) + amount / len(hops)
        passing = after
    return found


def _twice(graph: nx.MultiDiGraph, here: int, there: int) -> dict[int, Fraction]:
    """Return the same by way of every switch that both ends can exchange traffic with, in equal parts."""
    if here == there:
        return {}
    via = [w for w in graph if all(nx.has_path(graph, a, b) for a, b in ((here, w), (w, here), (there, w), (w, there)))]
    found: dict[int, Fraction] = {}
    for w in via:
        for leg in ((here, w), (w, there)):
            for a, part in _once(graph, *leg).items():
                found[a] = found.get(a, _ZERO) + part / len(via)
    return found
