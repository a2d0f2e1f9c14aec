"""Lists of paths against brute force and flows of networkx: right ones pass, and any other is refused."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pnet_lp.errors import CertificateError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.paths import PathSet
from pnet_lp.routing import PathRule, enumerate_paths, parse_rule
from pnet_lp.throughput.path_lists import Completeness, check_complete
from pnet_lp.throughput.problem import FlowProblem, build_problem
from pnet_lp.throughput.recheck import routable
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

KINDS: Any = {
    "ecmp": "equal-cost",
    "ecmp-lp": "equal-cost",
    "ksp": "shortest",
    "edge-disjoint": "edge-disjoint",
}
POLICIES = ["any", "round-robin", "shortest", "single"]

Path = tuple[int, tuple[int, ...]]
"""Plane and links."""


@dataclass(frozen=True)
class Case:
    """Demands and what the core lists for them."""

    flow: FlowProblem
    rule: PathRule
    paths: PathSet

    def check(self, paths: PathSet | None = None, **budget: int) -> Completeness:
        rule = self.rule
        return check_complete(
            self.flow,
            self.paths if paths is None else paths,
            routable(self.flow, rule),
            kind=KINDS[rule.kind],
            count=rule.count,
            policy=rule.policy,
            **budget,
        )

    def listed(self, j: int) -> list[Path]:
        paths = self.paths
        return [
            (int(paths.plane[i]), tuple(paths.path_arc[paths.path_ptr[i] : paths.path_ptr[i + 1]].tolist()))
            for i in range(paths.pair_ptr[j], paths.pair_ptr[j + 1])
        ]

    def with_list(self, j: int, listed: Iterable[Path]) -> PathSet:
        """The paths with another list for one demand, shortest first as any list."""
        lists = [self.listed(i) for i in range(self.paths.pair_count)]
        lists[j] = sorted(listed, key=lambda path: (len(path[1]), path))
        every = [path for part in lists for path in part]
        return PathSet(
            self.paths.arcs,
            np.cumsum([0, *map(len, lists)]),
            np.array([plane for plane, _ in every], dtype=np.int32),
            np.cumsum([0, *(len(links) for _, links in every)]),
            np.array([link for _, links in every for link in links], dtype=np.int32),
        )


def case(network: Network, traffic: TrafficMatrix, routing: str, **rule: Any) -> Case:
    chosen = parse_rule(routing, **rule)
    flow = build_problem(network, traffic, aggregate=not chosen.per_flow)
    src, dst = flow.member[flow.src], flow.member[flow.dst]
    return Case(flow, chosen, enumerate_paths(network, traffic.level, src, dst, chosen))


@st.composite
def networks(draw: st.DrawFn, switches: int = 5, planes: int = 3) -> Network:
    """Planes with parallel and one-way cables over one host per switch, or all on fewer switches."""
    cable = st.tuples(st.integers(0, switches - 1), st.integers(1, switches - 1), st.integers(0, 3))
    built = []
    for _ in range(draw(st.integers(1, planes))):
        drawn = draw(st.lists(cable, max_size=2 * switches))
        built.append(
            Plane.from_cables(
                switches,
                [u for u, _, _ in drawn],
                [(u + d) % switches for u, d, _ in drawn],
                capacity_back_gbps=[100.0 * (back > 0) for _, _, back in drawn],
                host_switch=draw(st.sampled_from([[0, 1, 2, 3, 4], [0, 0, 1, 1, 2], [4, 3, 3, -1, 0]])),
            )
        )
    return Network.from_planes(built)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    network = draw(networks())
    pair = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda ends: ends[0] != ends[1])
    src, dst = zip(*draw(st.lists(pair, min_size=1, max_size=6, unique=True)), strict=True)
    kind = draw(st.sampled_from(["ecmp", "ecmp-lp", "ksp", "edge-disjoint"]))
    routing = kind if kind.startswith("ecmp") else f"{kind}:{draw(st.integers(1, 9))}"
    rule = {"policy": draw(st.sampled_from(POLICIES)), "seed": draw(st.integers(0, 99))}
    return case(network, TrafficMatrix.from_entries("host", 5, list(src), list(dst)), routing, **rule)


def simple_paths(flow: FlowProblem, j: int) -> list[Path]:
    """Every simple path of a demand, by networkx."""
    found: list[Path] = []
    for p, here, there in ends(flow, j):
        graph = nx.MultiDiGraph()
        graph.add_nodes_from([here, there])
        arcs = slice(flow.arc_ptr[p], flow.arc_ptr[p + 1])
        for a, (u, v) in enumerate(zip(flow.tail[arcs].tolist(), flow.head[arcs].tolist(), strict=True)):
            graph.add_edge(u, v, key=a)
        if here == there:
            found.append((p, ()))
        else:
            walks = nx.all_simple_edge_paths(graph, here, there)
            found += [(p, tuple(key for _, _, key in walk)) for walk in walks]
    return sorted(found, key=lambda path: len(path[1]))


def ends(flow: FlowProblem, j: int) -> list[tuple[int, int, int]]:
    """Planes that both ends of a demand attach to, with the switches."""
    here, there = flow.attach[:, flow.src[j]].tolist(), flow.attach[:, flow.dst[j]].tolist()
    return [(p, s, t) for p, (s, t) in enumerate(zip(here, there, strict=True)) if s >= 0 and t >= 0]


def flow_graph(flow: FlowProblem, j: int, planes: list[int]) -> nx.DiGraph:
    """The planes side by side between ``"s"`` and ``"t"``; every link is a node that one unit passes."""
    graph = nx.DiGraph()
    graph.add_nodes_from(["s", "t"])
    for p, here, there in ends(flow, j):
        if p not in planes:
            continue
        for a in range(flow.arc_ptr[p], flow.arc_ptr[p + 1]):
            graph.add_edge((p, int(flow.tail[a])), ("in", a), capacity=1, weight=1)
            graph.add_edge(("in", a), (p, int(flow.head[a])), capacity=1, weight=0)
        both = 1 if here == there else 99
        graph.add_edge("s", (p, here), capacity=both, weight=0)
        graph.add_edge((p, there), "t", capacity=both, weight=0)
    return graph


def right_of(flow: FlowProblem, j: int, kind: str, listed: list[Path], pool: list[Path], quota: int) -> bool:
    """Whether a list is one that could have been drawn from the paths of some planes."""
    lengths = [len(links) for _, links in pool]
    if kind == "equal-cost":
        quota = min(quota, lengths.count(min(lengths, default=0)))
    if kind != "edge-disjoint":
        return sorted(len(links) for _, links in listed) == lengths[:quota]
    links = Counter((p, link) for p, links in listed for link in links)
    graph = flow_graph(flow, j, sorted({p for p, _ in pool}))
    quota = min(quota, nx.maximum_flow_value(graph, "s", "t"))
    graph.nodes["s"]["demand"], graph.nodes["t"]["demand"] = -quota, quota
    return (
        max(links.values(), default=1) == 1
        and len(listed) == quota
        and links.total() == nx.min_cost_flow_cost(graph)
    )


def right(at: Case, j: int, listed: list[Path]) -> bool:
    """The definition: some draw of the seed gives this list."""
    pool, rule = simple_paths(at.flow, j), at.rule
    near = sorted({p for p, _ in pool})

    def fits(planes: list[int], quota: int) -> bool:
        part = [path for path in listed if path[0] in planes]
        return right_of(
            at.flow, j, KINDS[rule.kind], part, [path for path in pool if path[0] in planes], quota
        )

    if len(set(listed)) < len(listed):
        return False
    if not near:
        return not listed
    if rule.policy == "single":
        return any({q for q, _ in listed} <= {p} and fits([p], rule.count) for p in near)
    if rule.policy == "round-robin":
        n = len(near)
        shares = [
            [rule.count // n + ((i - first) % n < rule.count % n) for i in range(n)] for first in range(n)
        ]
        return any(all(fits([p], k) for p, k in zip(near, share, strict=True)) for share in shares)
    if rule.policy == "shortest":
        near = [p for p in near if any(q == p and len(links) == len(pool[0][1]) for q, links in pool)]
    return {p for p, _ in listed} <= set(near) and fits(near, rule.count)


@given(cases())
def test_what_the_core_lists_is_right(at: Case) -> None:
    assert at.check() == Completeness(at.flow.demand_count, 0)


@given(cases(), st.data())
def test_a_list_passes_if_and_only_if_it_is_right(at: Case, data: st.DataObject) -> None:
    j = data.draw(st.integers(0, at.flow.demand_count - 1), "demand")
    pool = simple_paths(at.flow, j)
    assume(pool)
    listed = at.listed(j)
    for _ in range(data.draw(st.integers(1, 3), "changes")):
        how = data.draw(st.sampled_from(["drop", "exchange", "repeat", "add"]), "change")
        if listed and how != "add":
            gone = listed.pop(data.draw(st.integers(0, len(listed) - 1)))
            listed += {"drop": [], "repeat": listed[:1] or [gone]}.get(how, [])
        if how in ("exchange", "add") and len(listed) < at.rule.count:
            listed.append(data.draw(st.sampled_from(pool)))
    changed = at.with_list(j, listed)
    if right(at, j, listed):
        assert at.check(changed) == Completeness(at.flow.demand_count, 0)
    else:
        with pytest.raises(
            CertificateError, match=rf"^demand {j} \(from \d to \d\) (lists|leaves|does not list) "
        ):
            at.check(changed)
    # What the searches leave open is never refused, and what they need not look at still is.
    try:
        found = at.check(changed, budget=0)
    except CertificateError:
        assert not right(at, j, listed)
    else:
        assert found.trusted + right(at, j, listed) > 0
