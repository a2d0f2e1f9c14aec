"""How ``ecmp-split`` and ``vlb`` split demands, by their definitions and in rational numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import networkx as nx
import numpy as np

from pnet_lp.model import Network, TrafficMatrix

from .throughput.reference import Link, ends, mixed


def split_parts(
    network: Network, traffic: TrafficMatrix, routing: str, policy: str, seed: int
) -> dict[int, dict[Link, tuple[float, Fraction]]]:
    """Return for each demand that has a path the speed of each link, and the part that the link gets."""
    return _Splits(network, traffic, routing, policy, seed).parts()


@dataclass(frozen=True)
class _Splits:
    network: Network
    traffic: TrafficMatrix
    routing: str
    policy: str
    seed: int

    def parts(self) -> dict[int, dict[Link, tuple[float, Fraction]]]:
        near: dict[int, dict[int, tuple[int, int, list[tuple[Link, float]]]]] = {}
        for j, p, here, there, access in ends(self.network, self.traffic):
            graph = self._graphs[p]
            usable = all(speed > 0 for speed in self._both_directions(j, p)) and nx.has_path(graph, here, there)
            if usable and (self.routing == "ecmp-split" or nx.has_path(graph, there, here)):
                near.setdefault(j, {})[p] = here, there, access
        found: dict[int, dict[Link, tuple[float, Fraction]]] = {}
        for j, planes in near.items():
            used = found.setdefault(j, {})
            for p, share in self._shares(j, {p: where[:2] for p, where in planes.items()}).items():
                here, there, access = planes[p]
                split = _split if self.routing == "ecmp-split" else _twice
                for a, part in split(self._graphs[p], here, there).items():
                    used["arc", p, a] = float(self.network.planes[p].arcs[2][a]), share * part
                for link, speed in access:
                    used[link] = speed, share
        return found

    @cached_property
    def _graphs(self) -> list[nx.MultiDiGraph]:
        found = []
        for plane in self.network.planes:
            graph = nx.MultiDiGraph()
            graph.add_nodes_from(range(len(plane.switch_names)))
            length = np.ones((plane.cable_count, 2)) if plane.metric is None else plane.metric
            arcs = (*plane.arcs, length.ravel())
            for a, (u, v, speed, far) in enumerate(zip(*(each.tolist() for each in arcs), strict=True)):
                if speed > 0:
                    graph.add_edge(u, v, key=a, far=far)
            found.append(graph)
        return found

    def _both_directions(self, j: int, p: int) -> list[float]:
        if self.traffic.level == "rack":
            return []
        plane, pair = self.network.planes[p], (self.traffic.src[j], self.traffic.dst[j])
        return [float(speed[host]) for speed in (plane.access_up_gbps, plane.access_down_gbps) for host in pair]

    def _shares(self, j: int, planes: dict[int, tuple[int, int]]) -> dict[int, Fraction]:
        graphs = self._graphs
        hops = {p: nx.shortest_path_length(graphs[p], *where, weight="far") for p, where in planes.items()}
        if self.policy == "single":
            pair = int(self.traffic.src[j]), int(self.traffic.dst[j])
            return {sorted(planes)[mixed(self.seed, *pair) * len(planes) >> 64]: Fraction(1)}
        nearest = [p for p in planes if hops[p] == min(hops.values())]
        if self.policy == "round-robin" or (self.routing == "vlb" and self.policy == "any"):
            return dict.fromkeys(planes, Fraction(1, len(planes)))
        if self.routing == "vlb":
            return dict.fromkeys(nearest, Fraction(1, len(nearest)))
        branches = {p: max(1, len(_next_hops(graphs[p], *planes[p]))) for p in nearest}
        return {p: Fraction(count, sum(branches.values())) for p, count in branches.items()}


def _next_hops(graph: nx.MultiDiGraph, here: int, there: int) -> list[tuple[int, int]]:
    """Return the arcs out of a switch that are on a shortest path, and where they lead."""
    left = nx.single_source_dijkstra_path_length(graph.reverse(copy=False), there, weight="far")
    near = graph.out_edges(here, keys=True, data="far")
    return [(a, v) for _, v, a, far in near if left.get(v, math.inf) + far == left[here]]


def _split(graph: nx.MultiDiGraph, here: int, there: int) -> dict[int, Fraction]:
    """Return the part of each arc where every switch hands on equal parts over its next hops."""
    found: dict[int, Fraction] = {}
    passing = {here: Fraction(1)}
    while passing.keys() - {there}:
        after: dict[int, Fraction] = {}
        for u, amount in passing.items():
            hops = _next_hops(graph, u, there)
            for a, v in hops:
                found[a] = found.get(a, Fraction(0)) + amount / len(hops)
                after[v] = after.get(v, Fraction(0)) + amount / len(hops)
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
            for a, part in _split(graph, *leg).items():
                found[a] = found.get(a, Fraction(0)) + part / len(via)
    return found
