"""Lists of paths against brute force and flows of networkx: right ones pass, and any other is refused."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pnet_lp.errors import CertificateError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.paths import PathSet
from pnet_lp.routing import PathRule, parse_routing
from pnet_lp.routing.rule import PathKind
from pnet_lp.throughput.problems import FlowProblem, build_problem
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.verification.distances import reachable_by_paths
from pnet_lp.verification.path_lists import Completeness, check_complete

from .reference import mixed

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
        listed = self.paths if paths is None else paths
        return check_complete(self.flow, listed, reachable_by_paths(self.flow), self.rule, **budget)

    def listed(self, j: int) -> list[Path]:
        paths = self.paths
        return [
            (int(paths.plane[i]), tuple(paths.path_arc[paths.path_ptr[i] : paths.path_ptr[i + 1]].tolist()))
            for i in range(paths.pair_ptr[j], paths.pair_ptr[j + 1])
        ]

    def with_list(self, j: int, listed: Iterable[Path]) -> PathSet:
        """The paths with another list for one demand, shortest first as any list."""
        lists = [self.listed(i) for i in range(self.paths.pair_count)]
        lists[j] = sorted(listed, key=lambda path: (length(self.flow, path), path))
        every = [path for part in lists for path in part]
        return PathSet(
            self.paths.arcs,
            np.cumsum([0, *map(len, lists)]),
            np.array([plane for plane, _ in every], dtype=np.int32),
            np.cumsum([0, *(len(links) for _, links in every)]),
            np.array([link for _, links in every for link in links], dtype=np.int32),
        )


def case(network: Network, traffic: TrafficMatrix, routing: str, **rule: Any) -> Case:
    chosen = parse_routing(routing, **rule)
    flow = build_problem(network, traffic, aggregate=not chosen.per_flow)
    src, dst = flow.member[flow.src], flow.member[flow.dst]
    assert chosen.rule is not None
    return Case(flow, chosen.rule, chosen.paths(network, traffic.level, src, dst))


@st.composite
def networks(draw: st.DrawFn, switches: int = 5, planes: int = 3) -> Network:
    """Five hosts, some on one switch or cut off, on planes with parallel and one-way cables, some with metrics."""
    cable = st.tuples(st.integers(0, switches - 1), st.integers(1, switches - 1), st.integers(0, 3))
    metric = st.tuples(st.integers(1, 4), st.integers(1, 4))
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
                metric=[draw(metric) for _ in drawn] if drawn and draw(st.booleans()) else None,
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


def length(flow: FlowProblem, path: Path) -> int:
    """The length of a path by metric."""
    plane, links = path
    return len(links) if flow.metric is None else sum(int(flow.metric[flow.arc_ptr[plane] + link]) for link in links)


def simple_paths(flow: FlowProblem, j: int) -> list[Path]:
    """Every simple path of a demand, by networkx, shortest first."""
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
    return sorted(found, key=lambda path: length(flow, path))


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
            metric = 1 if flow.metric is None else int(flow.metric[a])
            graph.add_edge((p, int(flow.tail[a])), ("in", a), capacity=1, weight=metric)
            graph.add_edge(("in", a), (p, int(flow.head[a])), capacity=1, weight=0)
        both = 1 if here == there else 99
        graph.add_edge("s", (p, here), capacity=both, weight=0)
        graph.add_edge((p, there), "t", capacity=both, weight=0)
    return graph


def right_of(flow: FlowProblem, j: int, kind: str, listed: list[Path], pool: list[Path], quota: int) -> bool:
    """Whether a list is one that could have been drawn from the paths of some planes."""
    lengths = [length(flow, path) for path in pool]
    if kind == PathKind.EqualCost:
        quota = min(quota, lengths.count(min(lengths, default=0)))
    if kind != PathKind.EdgeDisjoint:
        return sorted(length(flow, path) for path in listed) == lengths[:quota]
    links = Counter((p, link) for p, links in listed for link in links)
    graph = flow_graph(flow, j, sorted({p for p, _ in pool}))
    quota = min(quota, nx.maximum_flow_value(graph, "s", "t"))
    graph.nodes["s"]["demand"], graph.nodes["t"]["demand"] = -quota, quota
    return (
        max(links.values(), default=1) == 1
        and len(listed) == quota
        and sum(length(flow, path) for path in listed) == nx.min_cost_flow_cost(graph)
    )


def drawn(at: Case, j: int, planes: int) -> int:
    """Which of the planes of a demand its seed draws: by its ends, or by the switches that these attach to."""
    ends = at.flow.src[j], at.flow.dst[j]
    keys = [int(at.flow.member[end]) for end in ends]
    if not at.rule.per_flow:
        keys = [mixed(*(int(switch) + 1 for switch in at.flow.attach[:, end])) for end in ends]
    return mixed(at.rule.seed, *keys) * planes >> 64


def right(at: Case, j: int, listed: list[Path]) -> bool:
    """The definition: some choice among equally good paths gives this list."""
    pool, rule = simple_paths(at.flow, j), at.rule
    near = sorted({p for p, _ in pool})

    def fits(planes: list[int], quota: int) -> bool:
        part = [path for path in listed if path[0] in planes]
        return right_of(at.flow, j, rule.kind, part, [path for path in pool if path[0] in planes], quota)

    if len(set(listed)) < len(listed):
        return False
    if not near:
        return not listed
    if rule.policy == "single":
        near = [near[drawn(at, j, len(near))]]
    if rule.policy == "round-robin":
        n, first = len(near), drawn(at, j, len(near))
        share = [rule.count // n + ((i - first) % n < rule.count % n) for i in range(n)]
        return all(fits([p], k) for p, k in zip(near, share, strict=True))
    if rule.policy == "shortest":
        least = length(at.flow, pool[0])
        near = [p for p in near if any(path[0] == p and length(at.flow, path) == least for path in pool)]
    return {p for p, _ in listed} <= set(near) and fits(near, rule.count)


@given(cases())
def test_what_the_core_lists_is_right(at: Case) -> None:
    assert at.check() == Completeness(at.flow.demand_count, 0)


@given(cases(), st.data())
def test_a_list_passes_if_and_only_if_it_is_right(at: Case, data: st.DataObject) -> None:
    j = data.draw(st.integers(0, at.flow.demand_count - 1), "demand")
    pool = simple_paths(at.flow, j)
    assume(pool)  # else there is nothing to list
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
        with pytest.raises(CertificateError, match=rf"^demand {j} \(from \d to \d\) (lists|leaves|does not list) "):
            at.check(changed)
    # Without a search a wrong list may be taken on trust, but counts as such; a right one is never refused.
    try:
        found = at.check(changed, budget=0)
    except CertificateError:
        assert not right(at, j, listed)
    else:
        assert right(at, j, listed) or found.trusted > 0


def links(at: Case, plane: int, *switches: int) -> Path:
    """The path over these switches."""
    arcs = slice(at.flow.arc_ptr[plane], at.flow.arc_ptr[plane + 1])
    number = dict(zip(zip(at.flow.tail[arcs], at.flow.head[arcs], strict=True), range(99), strict=False))
    return plane, tuple(number[hop] for hop in pairwise(switches))


DIRECT, UPPER, LOWER = (0, 0, 3), (0, 0, 1, 3), (0, 0, 2, 3)
DOWN, UP = (0, 0, 1, 2, 3), (0, 0, 2, 1, 3)
OTHER = (1, 0, 1, 2, 3)

MORE = ", although it has more than those listed"
DIVIDED = " divided over the planes that connect it"
SHORTER = "leaves out a path shorter than one that it lists"
LONGER = "lists paths without a common link that are longer in total than as many others"
FOREIGN = "lists a path in a plane that the policy {!r} does not give it"


@pytest.mark.parametrize(
    ("routing", "policy", "listed", "message"),
    [
        ("ecmp", "any", [UPPER], "lists a path longer than its shortest"),
        ("ecmp", "single", [], "does not list 1 of the shortest paths" + MORE),
        ("ecmp-lp", "round-robin", [DIRECT], "does not list all of the shortest paths" + DIVIDED),
        ("ksp:3", "any", [DIRECT, UPPER, UPPER], "lists a path twice"),
        ("ksp:3", "any", [UPPER, LOWER, DOWN], SHORTER),
        ("ksp:3", "any", [DIRECT, UPPER, DOWN], SHORTER),
        ("ksp:3", "any", [DIRECT, UPPER], "does not list 3 paths" + MORE),
        ("ksp:9", "any", [DIRECT, UPPER, LOWER, UP, DOWN], "does not list 9 paths" + MORE),
        ("ksp:4", "shortest", [DIRECT, UPPER, LOWER, OTHER], FOREIGN.format("shortest")),
        ("ksp:4", "single", [DIRECT, UPPER, LOWER, OTHER], FOREIGN.format("single")),
        ("ksp:4", "single", [], "does not list 4 paths" + MORE),
        ("ksp:4", "round-robin", [DIRECT, UPPER, LOWER, OTHER], "does not list 4 paths" + DIVIDED),
        ("ksp:3", "round-robin", [DIRECT, OTHER], "does not list 3 paths" + DIVIDED),
        ("ksp:4", "round-robin", [DIRECT, OTHER], "does not list 4 paths" + DIVIDED),
        ("edge-disjoint:3", "any", [DIRECT, UPPER, DOWN], "lists two paths with a common link"),
        ("edge-disjoint:3", "any", [DIRECT, UPPER, OTHER], LONGER),
        ("edge-disjoint:2", "any", [UPPER, LOWER], LONGER),
        ("edge-disjoint:9", "any", [DIRECT, UPPER, LOWER], "does not list 9 paths" + MORE),
        ("edge-disjoint:2", "round-robin", [DIRECT], "does not list 2 paths" + DIVIDED),
    ],
)  # fmt: skip
def test_what_is_refused(routing: str, policy: str, listed: list[tuple[int, ...]], message: str) -> None:
    one = Plane.from_cables(4, [0, 0, 0, 1, 2, 1], [3, 1, 2, 3, 3, 2])
    two = Plane.from_cables(4, [0, 0, 1, 2], [1, 1, 2, 3])
    traffic = TrafficMatrix.from_entries("rack", 4, [1, 0], [2, 3])
    at = case(Network.from_planes([one, two]), traffic, routing, policy=policy)
    assert at.check() == Completeness(2, 0)
    j = int(np.flatnonzero(at.flow.src == at.flow.src.min())[0])
    with pytest.raises(CertificateError) as found:
        at.check(at.with_list(j, [links(at, *path) for path in listed]))
    assert str(found.value) == f"demand {j} (from 0 to 3) {message}"


@pytest.mark.parametrize(
    ("routing", "policy", "message"),
    [
        ("ecmp-lp", "any", "lists a path longer than its shortest"),
        ("ecmp-lp", "round-robin", "does not list all of the shortest paths" + DIVIDED),
        ("ksp:2", "any", SHORTER),
        ("ksp:4", "round-robin", "does not list 4 paths" + DIVIDED),
        ("edge-disjoint:2", "any", LONGER),
        ("edge-disjoint:4", "round-robin", "does not list 4 paths" + DIVIDED),
    ],
)
def test_the_path_between_two_hosts_on_one_switch_is_missed(routing: str, policy: str, message: str) -> None:
    one = Plane.from_cables(2, [0], [1], host_switch=[0, 0])
    two = Plane.from_cables(2, [0, 0], [1, 1], host_switch=[0, 1])
    traffic = TrafficMatrix.from_entries("host", 2, [0], [1])
    at = case(Network.from_planes([one, two]), traffic, routing, policy=policy)
    assert at.check() == Completeness(1, 0)
    with pytest.raises(CertificateError, match=message):
        at.check(at.with_list(0, [(1, (0,)), (1, (1,))]))


@pytest.mark.parametrize("routing", ["ksp:8", "edge-disjoint:8", "ecmp-lp", "ecmp"])
@pytest.mark.parametrize("policy", POLICIES)
def test_planes_of_eighty_switches_are_checked_in_full(routing: str, policy: str) -> None:
    network = build_network(["jellyfish:k=8"], planes=2, variant="heterogeneous")
    traffic = build_traffic("permutation", network, "host", seed=1)
    at = case(network, traffic, routing, policy=policy)
    assert at.check() == Completeness(at.flow.demand_count, 0)


def test_more_paths_than_a_float_counts() -> None:
    network = build_network(["mesh:dims=32x32"])
    at = case(network, TrafficMatrix.from_entries("rack", 1024, [0], [1023]), "ksp:4")
    assert at.check() == Completeness(1, 0)
    with pytest.raises(CertificateError, match="does not list 4 paths"):
        at.check(at.with_list(0, at.listed(0)[:3]))


@pytest.mark.parametrize("routing", ["ksp:3", "edge-disjoint:2"])
def test_what_the_budget_leaves_open_is_taken_on_trust(routing: str) -> None:
    # Whether a ring has no third path takes a search; the two paths around share no link.
    network = build_network(["ring:n=9"])
    at = case(network, build_traffic("all-to-all", network, "rack"), routing)
    demands = at.flow.demand_count
    found = [at.check(budget=steps) for steps in range(0, 200_000, 5_000)]
    assert found == [at.check(budget=steps) for steps in range(0, 200_000, 5_000)]
    assert all(part.checked + part.trusted == demands for part in found)
    assert found[0] == Completeness(0, demands)
    assert found[-1] == Completeness(demands, 0)
    # A wrong list is refused where the search gets to it.
    wrong = at.with_list(0, at.listed(0)[:1])
    assert at.check(wrong, budget=0).trusted == demands
    with pytest.raises(CertificateError, match=r"demand 0 .* does not list"):
        at.check(wrong)


def test_shortest_paths_take_no_search() -> None:
    network = build_network(["torus:dims=5x5"])
    at = case(network, build_traffic("all-to-all", network, "rack"), "ecmp-lp")
    assert at.check(budget=0) == Completeness(at.flow.demand_count, 0)
