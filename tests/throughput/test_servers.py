"""Throughput of networks with servers: closed forms, an independent program, orders of relays, proofs and forgeries."""

from __future__ import annotations

import itertools
import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import coo_array

import pnet_lp as pn
from pnet_lp.errors import CertificateError, PnetError, RoutingError, SpecError, TopologyError, WorkloadError
from pnet_lp.failures import Failures, fail
from pnet_lp.model import Network, Plane, QuotientCertificate, ThroughputResult, TrafficMatrix, Workload
from pnet_lp.model.demands import Demands, Grouped, Product
from pnet_lp.model.servers import RELAYS, Relay, Servers
from pnet_lp.routing import parse_routing
from pnet_lp.sim import simulate
from pnet_lp.throughput import solve
from pnet_lp.throughput.bounds import compute_bounds
from pnet_lp.throughput.problems import state_problem
from pnet_lp.throughput.problems.quotient import MOST_CLASSES, MOST_CLASSES_OF_SERVERS, QuotientProblem, symmetry_of
from pnet_lp.throughput.proofs.document import StoredArray
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.solvers import choose_solver, turns
from pnet_lp.throughput.verify import verify_file
from pnet_lp.traffic import build_traffic

FORWARDING = RELAYS[1:]

SIZES = [(2, 2, 10.0, 50.0), (4, 3, 100.0, 50.0), (4, 3, 20.0, 50.0), (8, 2, 450.0, 50.0), (3, 5, 33.0, 25.0)]
"""Accelerators of a server, servers, speed of the scale-up network and of a port of a NIC."""


def behind_switches(g: int, n: int, s: float, b: float, *, rails: int, relay: str, **keys: Any) -> ThroughputResult:
    """Return all-to-all over n servers of g accelerators behind one switch each, with g planes of one switch."""
    keys = {"traffic": "all-to-all", "server": f"single-switch:hosts={g}", **keys}
    found = pn.throughput(
        f"single-switch:hosts={g * n}", planes=g, link_gbps=b, server_gbps=s, rails=rails, relay=relay, **keys
    )
    return found.result  # type: ignore[no-any-return]


@pytest.mark.parametrize("relay", FORWARDING)
@pytest.mark.parametrize(("g", "n", "s", "b"), SIZES)
def test_rail_only_has_its_closed_form(g: int, n: int, s: float, b: float, relay: str) -> None:
    """A NIC sends g (n - 1) shares; what is for another index crosses the server's switch at one end.

    Rail-only (Wang et al. 2023, arXiv 2307.12169): with a third server as relay there is no more to gain, either.
    """
    found = behind_switches(g, n, s, b, rails=g, relay=relay)
    assert found.throughput_gbps == pytest.approx(min(b / (g * (n - 1)), s / ((g - 1) * n)), rel=1e-4)
    assert found.status == "certified"


@pytest.mark.parametrize(("g", "n", "s", "b"), SIZES[:3])
def test_rail_only_without_forwarding_carries_nothing(g: int, n: int, s: float, b: float) -> None:
    assert behind_switches(g, n, s, b, rails=g, relay="none").throughput_gbps == 0


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize(("g", "n", "s", "b"), SIZES)
def test_with_every_nic_in_every_plane_servers_add_to_nics(g: int, n: int, s: float, b: float, relay: str) -> None:
    """What leaves the server passes g ports of b, and what stays there these and the switch."""
    found = behind_switches(g, n, s, b, rails=1, relay=relay)
    assert found.throughput_gbps == pytest.approx(min(b / (n - 1), (g * b + s) / (g * n - 1)), rel=1e-4)


@pytest.mark.parametrize("relay", FORWARDING)
def test_links_between_accelerators_forward_as_a_switch_does_not(relay: str) -> None:
    """In a ring of four, half of the traffic to the opposite accelerator passes each of two others.

    Rail-only over n servers: an accelerator exchanges n shares with each of three others, of 1, 1 and 2 hops: 4 n hops
    over two links of s.
    """
    n, s = 3, 10.0
    found = behind_switches(4, n, s, 1000.0, rails=4, relay=relay, server="ring:n=4")
    assert found.throughput_gbps == pytest.approx(2 * s / (4 * n), rel=1e-4)


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize("rails", [1, 2])
def test_scale_up_links_without_a_speed_are_none(relay: str, rails: int) -> None:
    keys = {"rails": rails, "traffic": "groups:size=4,stride=2,of=all-to-all" if rails > 1 else "all-to-all"}
    assert behind_switches(2, 4, 0.0, 40.0, relay=relay, **keys).throughput_gbps == pytest.approx(
        behind_switches(2, 4, 90.0, 40.0, **(keys | {"relay": "none", "rails": rails, "server": "path:n=2"}))
        .throughput_gbps if rails > 1 else 80.0 / 7,
        rel=1e-4,
    )  # fmt: skip


@pytest.mark.parametrize("relay", RELAYS)
def test_servers_of_one_accelerator_are_none(relay: str) -> None:
    keys: dict[str, Any] = {"planes": 2, "traffic": "permutation", "seed": 3}
    plain = pn.throughput("jellyfish:k=4", **keys)
    alone = pn.throughput("jellyfish:k=4", server="single-switch:hosts=1", relay=relay, **keys)
    assert alone.result.throughput_gbps == pytest.approx(plain.result.throughput_gbps, rel=2e-4)


def reference(network: Network, traffic: TrafficMatrix) -> float:
    """Return K by a linear program with a variable for each demand, link and part of its path, for tiny networks."""
    servers = network.servers
    assert servers is not None
    size, plane = servers.size, servers.scale_up
    arcs: list[tuple[Hashable, Hashable, Hashable, float]] = []  # tail, head, link, Gb/s

    def inside(layer: str) -> None:
        for k in range(network.host_count // size):
            rack = {int(u): i for i, u in enumerate(plane.rack_switch)} if not plane.host_count else {}

            def node(u: int, k: int = k, rack: dict[int, int] = rack) -> Hashable:
                return (layer, k * size + rack[u]) if u in rack else (layer, "switch", k, u)

            for a, (u, v, c) in enumerate(zip(*(ends.tolist() for ends in plane.arcs), strict=True)):
                arcs.append((node(u), node(v), ("inside", k, a), c))
            for i, u in enumerate(plane.host_switch.tolist()):
                host = (layer, k * size + i)
                arcs.append((host, node(u), ("up", k, i), float(plane.access_up_gbps[i])))
                arcs.append((node(u), host, ("down", k, i), float(plane.access_down_gbps[i])))

    def fabric(sends: str, receives: str) -> None:
        for p, one in enumerate(network.planes):
            for a, (u, v, c) in enumerate(zip(*(ends.tolist() for ends in one.arcs), strict=True)):
                arcs.append((("plane", p, u), ("plane", p, v), ("plane", p, a), c))
            for h in np.flatnonzero(one.host_switch >= 0).tolist():
                switch = ("plane", p, int(one.host_switch[h]))
                arcs.append(((sends, h), switch, ("nic up", p, h), float(one.access_up_gbps[h])))
                arcs.append((switch, (receives, h), ("nic down", p, h), float(one.access_down_gbps[h])))

    layers = {
        "none": ("inside", "send", "receive"),
        "any": ("send", "send", "send"),
        "source": ("send", "send", "receive"),
        "ends": ("send", "send", "receive"),
    }[servers.relay]
    inside(layers[0])
    fabric(*layers[1:])
    if servers.relay == "ends":
        inside("receive")
    for h in range(network.host_count):
        for layer in dict.fromkeys(layers):
            if layer != "receive":
                arcs.append((("start", h), (layer, h), None, np.inf))
            if layer == "inside" or layer != "send" or servers.relay != "none":
                arcs.append(((layer, h), ("end", h), None, np.inf))
    nodes = {node: i for i, node in enumerate(dict.fromkeys(end for arc in arcs for end in arc[:2]))}
    links = {link: i for i, link in enumerate(dict.fromkeys(arc[2] for arc in arcs if arc[2] is not None))}
    speed = {arc[2]: arc[3] for arc in arcs}
    count, demands = len(arcs), traffic.demand_count
    rows, columns, values = [], [], []
    for j in range(demands):
        for a, (tail, head, _, _) in enumerate(arcs):
            for node, sign in ((tail, 1.0), (head, -1.0)):
                rows.append(j * len(nodes) + nodes[node])
                columns.append(j * count + a)
                values.append(sign)
        for end, sign in ((("start", int(traffic.src[j])), -1.0), (("end", int(traffic.dst[j])), 1.0)):
            rows.append(j * len(nodes) + nodes[end])
            columns.append(demands * count)
            values.append(sign * float(traffic.demand[j]))
    balance = coo_array((values, (rows, columns)), (demands * len(nodes), demands * count + 1)).tocsr()
    over = [(links[arc[2]], j * count + a) for j in range(demands) for a, arc in enumerate(arcs) if arc[2] is not None]
    capacity = coo_array((np.ones(len(over)), tuple(zip(*over, strict=True))), (len(links), demands * count + 1))
    cost = np.zeros(demands * count + 1)
    cost[-1] = -1.0
    found = linprog(cost, capacity.tocsr(), [speed[link] for link in links], balance, np.zeros(balance.shape[0]))
    assert found.status == 0, found.message
    return float(found.x[-1])


@st.composite
def small(draw: st.DrawFn) -> tuple[Network, TrafficMatrix]:
    """Two or three servers of two or three accelerators, with links of different speeds, and up to six demands."""
    size, count = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    hosts = size * count
    speed = st.sampled_from([0.0, 3.0, 10.0, 40.0])
    speeds = lambda n: draw(st.lists(speed, min_size=n, max_size=n))  # noqa: E731 - short
    if draw(st.booleans()):
        up, down = speeds(size), speeds(size)
        scale_up = Plane.from_cables(1, [], [], host_switch=[0] * size, access_gbps=up, access_down_gbps=down)
    else:
        ring = np.arange(size)
        u, v = (ring, (ring + 1) % size) if size > 2 else (ring[:1], ring[1:])
        scale_up = Plane.from_cables(size, u, v, speeds(len(u)), capacity_back_gbps=speeds(len(u)), racks=range(size))
    rails = draw(st.sampled_from([1, size]))
    planes = [
        Plane.from_cables(
            2,
            [0],
            [1],
            draw(speed),
            capacity_back_gbps=draw(speed),
            host_switch=draw(st.lists(st.integers(0, 1), min_size=hosts, max_size=hosts)),
            access_gbps=speeds(hosts),
            access_down_gbps=speeds(hosts),
        )
        for _ in range(rails)
    ]
    relay: Relay = draw(st.sampled_from(RELAYS))  # type: ignore[arg-type]
    network = Network.from_planes(planes, servers=Servers(scale_up, relay, rails))
    host = st.integers(0, hosts - 1)
    pairs = draw(st.lists(st.tuples(host, host).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=6))
    src, dst = np.array(pairs).T
    demand = draw(st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=len(pairs), max_size=len(pairs)))
    return network, TrafficMatrix.from_entries("host", hosts, src, dst, demand)


@given(instance=small(), solver=st.sampled_from(["highs-ipx", "structured", "columns"]))
@settings(deadline=None, max_examples=60)
def test_an_independent_program_has_the_same_optimum(instance: tuple[Network, TrafficMatrix], solver: str) -> None:
    network, traffic = instance
    expected = reference(network, traffic)
    try:
        found = solve(network, traffic, solver=solver, tolerance=1e-3, max_iterations=20_000)
    except PnetError as error:  # a first-order method that does not take what an interior point does
        pytest.skip(str(error))
    assert found.interval.lower <= expected * (1 + 1e-6) + 1e-9
    assert found.interval.upper >= expected * (1 - 1e-6) - 1e-9
    if found.status == "certified":
        assert found.throughput_gbps == pytest.approx(expected, rel=2e-3, abs=1e-9)


@given(instance=small())
@settings(deadline=None, max_examples=20)
def test_more_accelerators_that_forward_never_carry_less(instance: tuple[Network, TrafficMatrix]) -> None:
    network, traffic = instance
    assert network.servers is not None
    one = network.servers
    networks = [network.with_servers(Servers(one.scale_up, relay, one.rails)) for relay in RELAYS]  # type: ignore[arg-type]
    found = [solve(each, traffic, solver="highs-simplex") for each in networks]
    for less, more in itertools.pairwise(found):
        assert less.interval.lower <= more.interval.upper * (1 + 1e-9)
    for each, solved in zip(networks, found, strict=True):
        bounds = compute_bounds(each, traffic, ["nic", "mean-path", "moore", "sparsest-cut"]).found
        own = {name: bound.value_gbps for name, bound in bounds.items()}
        assert min(own.values()) >= solved.interval.lower * (1 - 1e-9), own


@given(instance=small())
@settings(deadline=None, max_examples=40)
def test_flows_on_single_paths_are_no_faster_than_the_optimum(instance: tuple[Network, TrafficMatrix]) -> None:
    """Whatever is down or slower one way, and however accelerators forward; links carry what flows send."""
    network, traffic = instance
    size = (traffic.demand * 20 * 1460).astype(np.int64)
    workload = Workload.from_flows(network.host_count, traffic.src, traffic.dst, size)
    try:
        found = simulate(network, workload, model="fluid", correction="none")
    except (RoutingError, WorkloadError):  # no path, or a link of it has no reverse for answers
        return
    wire = size / 1460 * 1500
    gbit = TrafficMatrix.from_entries("host", network.host_count, traffic.src, traffic.dst, wire * 8e-9)
    least = solve(network, gbit)
    assert found.makespan_ps / 1e12 >= (1 - 1e-6) / least.interval.upper
    assert (found.port["bytes"] * 8e12 / found.places.rate <= found.makespan_ps * (1 + 1e-6) + 1e6).all()
    assert np.allclose(found.plane_bytes.sum(axis=1), wire, rtol=1e-3)


@pytest.mark.parametrize(
    ("relay", "sends", "kind"), [("none", 400.0, "s0a0"), ("source", 400.0, "s0a0"), ("ends", 1600.0, "s0")]
)
def test_network_cards_bound_what_leaves_servers(relay: str, sends: float, kind: str) -> None:
    """Of one accelerator where none forwards at that end, else of the server; what stays inside is not counted."""
    network = pn.build_network(
        "single-switch:hosts=12", planes=4, link_gbps=100, server="single-switch:hosts=4", relay=relay
    )
    fan_in = TrafficMatrix.from_entries("host", 12, [4, 8, 1, 5], [0, 0, 0, 2], [2.0, 2.0, 9.0, 1.0])
    bound = compute_bounds(network, fan_in, ["nic"]).found["nic"].to_json("nic", network, "host")
    assert (bound["witness"]["endpoint"], bound["witness"]["capacity_gbps"]) == (kind, sends)
    assert bound["value_gbps"] == pytest.approx(sends / (5.0 if relay == "ends" else 4.0))


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize("objective", ["total", "max-min"])
def test_solvers_agree_on_other_objectives(relay: str, objective: str) -> None:
    keys: dict[str, Any] = {"planes": 2, "server": "single-switch:hosts=4", "server_gbps": 70, "relay": relay}
    found = [
        pn.throughput(FABRIC, traffic="2*permutation:seed=2", seed=1, objective=objective, solver=solver, **keys).result
        for solver in (("highs-ipx", "columns") if objective == "total" else ("highs-ipx", "highs-simplex"))
    ]
    assert all(one.status == "certified" for one in found)
    (one, _), (other, _) = ((each.rates_gbps, each) for each in found)
    assert one is not None
    assert other is not None
    assert one.sum() == pytest.approx(other.sum(), rel=3e-4)


@pytest.mark.parametrize("relay", ["ends", "source"])
@pytest.mark.parametrize(
    ("routing", "solver"),
    [
        ("ideal", "auto"),
        ("ksp:4", "auto"),
        ("ksp:4", "columns"),
        ("ksp:4", "highs-simplex"),
        ("ecmp-lp", "highs-simplex"),
    ],
)
def test_levels_of_max_min_price_a_link_in_two_layers_once(
    relay: Relay, routing: str, solver: str, tmp_path: Path
) -> None:
    """A link inside a server is two arcs of one length, of which a program may price one and a cut be the other."""
    network = pn.build_network(FABRIC, planes=2, rails=2, server="complete:n=4", server_gbps=90, relay=relay)
    traffic = build_traffic("permutation", network)
    found = pn.throughput(network, traffic=traffic, objective="max-min", routing=routing, solver=solver).result
    assert found.status == "certified"
    save_result(tmp_path / "r.json", network, traffic, found)
    assert verify_file(tmp_path / "r.json").status == "certified"


def test_rings_along_rails_under_large_leaves_are_solved_on_classes() -> None:
    """32 orbits of destinations make more variables than programs without servers may have."""
    network = pn.build_network("leaf-spine:leaves=2,spines=1,hosts_per_leaf=256", server="single-switch:hosts=8")
    traffic = build_traffic("groups:size=64,stride=8,of=ring", network)
    problem = QuotientProblem.of(state_problem(network, traffic, parse_routing("ideal")).flow)
    assert problem is not None
    assert MOST_CLASSES < problem.flow_variables <= MOST_CLASSES_OF_SERVERS


def test_groups_in_a_graph_of_layers_are_solved_over_columns() -> None:
    """First-order steps over all of its links took more than ten times as long."""
    topology = "leaf-spine:leaves=16,spines=8,hosts_per_leaf=64"
    intact = pn.build_network(topology, planes=8, server="single-switch:hosts=8")
    broken = fail(intact, Failures(ports=0.02), seed=0)
    for pattern, solver in (("groups:size=64,of=all-to-all", "columns"), ("all-to-all", "structured")):
        for network, chosen in ((intact, "symmetric"), (broken, solver)):
            problem = state_problem(network, build_traffic(pattern, network), parse_routing("ideal"))
            assert choose_solver(problem, 1e-4) == chosen
            if chosen == "columns":
                # Where their prices cycle, steps over arcs take over.
                assert [name for name, _ in turns(chosen, problem, 1e-4)] == ["columns", "structured", "columns"]
    # Accelerators with a port each, as along rails, or with two.
    for planes, rails, chosen in ((4, 4, "columns"), (1, 1, "columns"), (2, 1, "structured")):
        keys: dict[str, Any] = {"planes": planes, "rails": rails, "server": "single-switch:hosts=4"}
        network = pn.build_network("leaf-spine:leaves=4,spines=4,hosts_per_leaf=16", fail_ports="5%", **keys)
        problem = state_problem(network, build_traffic("all-to-all", network), parse_routing("ideal"))
        assert choose_solver(problem, 1e-4) == chosen
    # Rails behind one switch each: fewer links for each demand.
    inside = {"planes": 8, "rails": 8, "server": "single-switch:hosts=8", "fail_ports": "2%"}
    for relay, tolerance in (("ends", 1e-3), ("any", 1e-2)):
        network = pn.build_network("single-switch:hosts=1024", relay=relay, **inside)
        problem = state_problem(network, build_traffic("groups:size=64,of=all-to-all", network), parse_routing("ideal"))
        assert choose_solver(problem, tolerance) == "columns"


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize(
    ("topology", "server", "rails", "pattern"),
    [
        ("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4", "single-switch:hosts=4", 1, "all-to-all"),
        ("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4", "ring:n=4", 2, "groups:size=2,stride=2,of=all-to-all"),
        ("fat-tree:k=4", "single-switch:hosts=2", 2, "groups:size=8,of=all-to-all"),
        ("single-switch:hosts=12", "path:n=3", 1, "gravity"),
        # An automorphism joins two orbits of destinations after each has its example.
        ("fat-tree:k=4", "single-switch:hosts=4", 1, "groups:size=8,of=ring"),
    ],
)
def test_classes_have_the_optimum_of_the_whole_program(
    topology: str, server: str, rails: int, pattern: str, relay: str, tmp_path: Path
) -> None:
    """Servers are equivalent by automorphisms that keep groups, and a link is one in both layers."""
    keys: dict[str, Any] = {"server": server, "server_gbps": 90, "rails": rails, "relay": relay}
    network = pn.build_network(topology, planes=2, link_gbps=40, **keys)
    traffic = build_traffic(pattern, network)
    found, whole = (solve(network, traffic, solver=solver) for solver in ("symmetric", "highs-simplex"))
    assert found.throughput_gbps == pytest.approx(whole.throughput_gbps, rel=1e-6)
    if found.certificate is not None:
        assert found.interval.gap < 1e-9
        save_result(tmp_path / "r.json", network, traffic, found)
        assert verify_file(tmp_path / "r.json").trusted == ()


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize(
    ("topology", "pattern"),
    [
        ("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4", "2*all-to-all+groups:size=8,of=all-to-all"),
        ("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4", "3*groups:size=2,stride=2,of=all-to-all+0.5*all-to-all"),
        ("fat-tree:k=4", "all-to-all+groups:size=4,of=all-to-all"),
        ("fat-tree:k=4", "all-to-all+groups:size=4,stride=4,of=all-to-all"),
    ],
)
def test_all_to_all_beside_groups_is_a_rule(
    monkeypatch: pytest.MonkeyPatch, topology: str, pattern: str, relay: str, tmp_path: Path
) -> None:
    keys: dict[str, Any] = {"server": "single-switch:hosts=4", "server_gbps": 90, "rails": 2, "relay": relay}
    network = pn.build_network(topology, planes=2, link_gbps=40, **keys)
    pairs = build_traffic(pattern, network)
    monkeypatch.setattr("pnet_lp.model.traffic.LISTED_PAIRS", 0)
    rule = build_traffic(pattern, network)
    assert isinstance(rule.demands, Grouped)
    for answer in ("src", "dst", "demand"):
        assert np.allclose(getattr(rule.pairs, answer), getattr(pairs.pairs, answer), rtol=1e-15)
    n, inside = rule.endpoints, np.arange(rule.endpoints) < 5
    assert rule.demands.totals(n) == pytest.approx(pairs.demands.totals(n))
    assert rule.demands.leaving(inside) == pytest.approx(pairs.demands.leaving(inside))
    assert (rule.demands.count, rule.total) == (pairs.demands.count, pytest.approx(pairs.total))
    assert rule.demands.range.tolist() == pytest.approx([pairs.demand.min(), pairs.demand.max()])
    assert rule.demands.sent_to(3, n) == pytest.approx(
        np.bincount(pairs.src[pairs.dst == 3], pairs.demand[pairs.dst == 3], n)
    )
    found, whole = solve(network, rule, solver="symmetric"), solve(network, pairs, solver="highs-simplex")
    assert found.throughput_gbps == pytest.approx(whole.throughput_gbps, rel=1e-6)
    if found.certificate is not None:
        save_result(tmp_path / "r.json", network, rule, found)
        assert verify_file(tmp_path / "r.json").trusted == ()


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize(
    ("pattern", "others"),
    [
        ("all-to-all", 2048 - 8),
        ("groups:size=64,of=all-to-all", 64 - 8),
        ("2*all-to-all+groups:size=64,of=all-to-all", 2 * (2048 - 8) + 64 - 8),
    ],
)
def test_accelerators_by_the_thousand_are_solved_by_classes(
    monkeypatch: pytest.MonkeyPatch, pattern: str, others: int, relay: str, tmp_path: Path
) -> None:
    """No pair is written out: every NIC sends to all that are in other servers, and these to it."""

    def listed(_: Demands, what: str) -> None:
        raise AssertionError(f"pairs are written out: {what}")

    topology, server = "leaf-spine:leaves=32,spines=64,hosts_per_leaf=64", "single-switch:hosts=8"
    network = pn.build_network(topology, planes=2, server=server, server_gbps=900, relay=relay)
    traffic = build_traffic(pattern, network)
    for rule in (Product, Grouped):
        monkeypatch.setattr(rule, "listed", listed)
    monkeypatch.setattr("pnet_lp.model.flow.LISTED_PAIRS", 0)
    found = solve(network, traffic)
    assert (found.solver, found.throughput_gbps) == ("symmetric", pytest.approx(200 / others, rel=1e-9))
    save_result(tmp_path / "r.json", network, traffic, found)
    assert verify_file(tmp_path / "r.json").status == "certified"


FABRIC = "leaf-spine:leaves=4,spines=2,hosts_per_leaf=4"


@pytest.mark.parametrize("relay", FORWARDING)
def test_routings_are_in_order(relay: str) -> None:
    keys: dict[str, Any] = {"planes": 2, "rails": 2, "server": "single-switch:hosts=4", "relay": relay}

    def k(routing: str) -> float:
        return float(pn.throughput(FABRIC, routing=routing, traffic="all-to-all", **keys).result.interval.upper)

    ideal = k("ideal")
    assert k("ecmp") <= k("ecmp-lp") * (1 + 1e-9)
    assert k("ecmp-split") <= k("ecmp-lp") * (1 + 1e-4)
    assert k("ecmp-lp") <= ideal * (1 + 1e-4)
    assert k("ksp:2") <= k("ksp:16") * (1 + 1e-4)
    assert k("ksp:16") <= ideal * (1 + 1e-4)


def test_shortest_paths_count_links_the_same_inside_servers_and_out() -> None:
    """Over the server's switch it is two links, and over the leaf two; over another accelerator's port four."""
    network = pn.build_network(FABRIC, server="single-switch:hosts=4")
    found = pn.paths(network, routing="ksp:8", pair=("s0a0", "s0a1")).document["paths"]
    assert [row["hops"] for row in found][:4] == [2, 2, 4, 4]
    assert {" ".join(row["switches"]) for row in found[:2]} == {"s0a0 s0.0 s0a1", "s0a0 0:leaf0 s0a1"}
    assert pn.hops(network).document["max"] == 4  # up to the leaf, to a spine, to another leaf, down


@pytest.mark.parametrize("relay", RELAYS)
def test_links_have_one_load_whatever_their_layers(relay: str) -> None:
    """Rows name each directed link once; what accelerators send into links leaves them, and no link is overfull."""
    keys: dict[str, Any] = {"planes": 2, "server": "single-switch:hosts=4", "server_gbps": 300, "relay": relay}
    answer = pn.throughput(FABRIC, traffic="all-to-all", **keys)
    table = answer.links
    assert not table.duplicated(["plane", "u", "v"]).any()
    assert len(table) == 2 * (2 * 4 * 2 + 2 * 16) + 2 * 16
    assert table["utilisation"].max() == pytest.approx(1, rel=1e-3)
    sent = table[table["u"] == "s1a2"]["load_gbps"].sum()
    assert sent >= 15 * answer.result.throughput_gbps * (1 - 1e-9)
    assert table[table["plane"] == "server"]["capacity_gbps"].unique().tolist() == [300.0]


@pytest.mark.parametrize("relay", FORWARDING)
def test_a_nic_that_is_down_leaves_its_accelerator_to_the_others(relay: str) -> None:
    """Of ports that fail graphs number the links that are left as before: a warm start begins from the right ones."""
    network = pn.build_network(
        "single-switch:hosts=8", planes=2, link_gbps=50, server="single-switch:hosts=4", server_gbps=400, relay=relay
    )
    traffic = build_traffic("groups:size=2,stride=4,of=all-to-all", network)
    broken = fail(network, Failures(names=("s0a0",)), seed=0)
    # The seven NICs left carry all, and those of the first server are three; the source has no other way in.
    whole, found = solve(network, traffic), solve(broken, traffic)
    assert whole.throughput_gbps == pytest.approx(100, rel=1e-4)
    assert found.throughput_gbps == pytest.approx(0 if relay == "source" else 75, rel=1e-4)
    draws = pn.failures(network, traffic="all-to-all", fail_ports="1 port", trials=3)
    assert draws.document["throughput_gbps"] > 0


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("servers") / "r.json"
    network = pn.build_network(
        "single-switch:hosts=8", planes=2, link_gbps=50, server="single-switch:hosts=4", rails=2, server_gbps=70
    )
    traffic = build_traffic("all-to-all", network)
    save_result(path, network, traffic, solve(network, traffic))
    document: dict[str, Any] = json.loads(path.read_text())
    return document


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize("routing", ["ideal", "ksp:4", "ecmp", "ecmp-split"])
def test_a_saved_result_is_read_back_and_verified(relay: Relay, routing: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    network = pn.build_network(FABRIC, planes=2, server="torus:dims=2x2", server_gbps=70, relay=relay)
    traffic = build_traffic("groups:size=8,of=all-to-all", network)
    save_result(path, network, traffic, solve(network, traffic, routing=routing))
    again = load_result(path).network
    assert again.fingerprint == network.fingerprint
    assert again.servers is not None
    assert (again.servers.relay, again.servers.size) == (relay, 4)
    assert verify_file(path).status == "certified"


def forged(document: dict[str, Any], path: Path, **inside: Any) -> None:
    servers = {**document["instance"]["network"]["servers"], **inside}
    network = {**document["instance"]["network"], "servers": servers}
    path.write_text(json.dumps({**document, "instance": {**document["instance"], "network": network}}))


@pytest.mark.parametrize("inside", [{"relay": "any"}, {"relay": "none"}, {"rails": 1}, {"rails": 2}])
def test_another_inside_is_another_network(saved: dict[str, Any], inside: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    forged(saved, path, **inside)
    if inside == {"rails": 2}:
        assert verify_file(path).status == "certified"
        return
    with pytest.raises(CertificateError):
        verify_file(path)


def test_a_link_has_one_price_in_both_layers(saved: dict[str, Any], tmp_path: Path) -> None:
    """A length in one layer alone would charge half of a link's capacity for all of its load."""
    network = load_result(_written(saved, tmp_path)).network
    arcs = network.graph.planes[0].arcs[2]
    length = StoredArray.model_validate(saved["certificate"]["length"]).decode().copy()
    assert len(length) < len(arcs)
    place = int(np.flatnonzero(length > 0)[0])
    length[place] *= 2
    path = _written(
        {**saved, "certificate": {**saved["certificate"], "length": StoredArray.of(length).model_dump()}}, tmp_path
    )
    with pytest.raises(CertificateError, match=r"arcs that are one link|limit|claimed|proof gives"):
        verify_file(path)


def _written(document: dict[str, Any], folder: Path) -> Path:
    path = folder / "w.json"
    path.write_text(json.dumps(document))
    return path


def test_links_inside_servers_that_do_not_count_leave_paths_on_rails(tmp_path: Path) -> None:
    """Rails of four leaves: a switch of another rail is two links inside a server away, or two links over a spine."""
    keys: dict[str, Any] = {"server": "single-switch:hosts=4", "server_gbps": 400, "link_gbps": 100}
    network = pn.build_network("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4,rails=4", **keys)
    traffic = build_traffic("groups:size=16,of=all-to-all", network)
    near = network.with_server_hops(0)
    assert network.fingerprint != near.fingerprint
    used = solve(near, traffic, routing="ecmp-lp")
    # Twelve accelerators of other servers, nine on other rails.
    assert used.throughput_gbps == pytest.approx(100 / 12, rel=1e-4)
    paths = pn.paths(near, routing="ecmp-lp", pair=("s0a0", "s1a1")).to_json()["paths"]
    assert [path["switches"] for path in paths] == [
        ["s0a0", "s0.0", "s0a1", "0:leaf1", "s1a1"],
        ["s0a0", "0:leaf0", "s1a0", "s1.0", "s1a1"],
    ]
    save_result(tmp_path / "near.json", near, traffic, used)
    verify_file(tmp_path / "near.json")
    document = json.loads((tmp_path / "near.json").read_text())
    del document["instance"]["network"]["servers"]["hops"]
    (tmp_path / "near.json").write_text(json.dumps(document))
    with pytest.raises(CertificateError):
        verify_file(tmp_path / "near.json")


def test_servers_of_fewer_hosts_leave_ports_empty() -> None:
    keys: dict[str, Any] = {"server": "single-switch:hosts=3", "server_gbps": 900, "link_gbps": 100}
    with pytest.raises(TopologyError, match=r"8 hosts do not fill servers of 3.* or server_count=2, which"):
        pn.build_network("leaf-spine:leaves=2,spines=2,hosts_per_leaf=4", **keys)
    network = pn.build_network("leaf-spine:leaves=2,spines=2,hosts_per_leaf=4", server_count=2, **keys)
    assert network.host_names == ("s0a0", "s0a1", "s0a2", "s1a0", "s1a1", "s1a2")
    assert network.planes[0].host_switch.tolist() == [0, 0, 0, 0, 1, 1]
    found = solve(network, build_traffic("all-to-all", network))
    assert found.throughput_gbps == pytest.approx(100 / 3, rel=1e-4)
    with pytest.raises(
        TopologyError, match="server_count: 8 hosts are less than those of 3 servers of 3, found 3; allowed: 1 to 2"
    ):
        pn.build_network("leaf-spine:leaves=2,spines=2,hosts_per_leaf=4", server_count=3, **keys)
    with pytest.raises(SpecError, match="server_count"):
        pn.build_network("ring:n=4", hosts_per_switch=1, server_count=2)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"server_hops": 2}, "server_hops: not a number of hops, found 2; allowed: 0 or 1"),
        ({"server_hops": 0, "relay": "none"}, "server_hops: no accelerator forwards, found 0"),
        ({"server_hops": 0, "server": None}, "server_hops: there are no servers, found 0"),
    ],
)
def test_hops_that_mean_nothing_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        pn.build_network("single-switch:hosts=4", **{"server": "complete:n=2", **keys})


@pytest.mark.parametrize("relay", RELAYS)
def test_a_server_of_one_without_links_is_a_host(relay: str) -> None:
    network = pn.build_network("single-switch:hosts=4", server="single-switch:hosts=0", relay=relay)
    assert solve(network, build_traffic("all-to-all", network)).throughput_gbps == pytest.approx(100 / 3, rel=1e-4)


@pytest.mark.parametrize("relay", RELAYS)
def test_rings_over_servers_are_solved_by_equivalence_classes(relay: str, tmp_path: Path) -> None:
    """Rings of two servers under each of six leaves: all but one in four demands stay inside a server."""
    network = pn.build_network(
        "leaf-spine:leaves=6,spines=2,hosts_per_leaf=8", planes=2, server="complete:n=4", server_gbps=50, relay=relay
    )
    traffic = build_traffic("groups:size=8,of=ring", network)
    found = solve(network, traffic, solver="symmetric")
    assert found.status == "certified"
    assert isinstance(found.certificate, QuotientCertificate)
    assert len(found.certificate.target) == 4
    save_result(tmp_path / "rings.json", network, traffic, found)
    verify_file(tmp_path / "rings.json")
    assert found.throughput_gbps == pytest.approx(solve(network, traffic, solver="highs-ipx").throughput_gbps, rel=1e-4)


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize(
    ("hosts", "pattern"),
    [
        # Rings of two servers under a leaf, and of eight under two leaves: four places in a server, or under a leaf.
        (8, "groups:size=8,of=ring"),
        (16, "groups:size=8,stride=4,of=ring"),
    ],
)
def test_symmetries_are_found_whatever_servers_and_switches_are_called(hosts: int, pattern: str, relay: str) -> None:
    """Members of a ring show no difference by themselves; only what is a leaf further away tells them apart."""
    count = 12 * hosts
    plain = pn.build_network(f"leaf-spine:leaves=12,spines=2,hosts_per_leaf={hosts}").planes[0]
    given = build_traffic(pattern, Network.from_planes([plain]))
    classes = set()
    for seed in range(4):
        draw = np.random.default_rng(seed)
        switch, server = draw.permutation(plain.switch_count), draw.permutation(count // 4)
        host = (server[:, None] * 4 + np.arange(4)).ravel()
        attached = np.empty(count, dtype=np.int64)
        attached[host] = switch[plain.host_switch]
        ends = switch[plain.cable_u].tolist(), switch[plain.cable_v].tolist()
        plane = Plane.from_cables(plain.switch_count, *ends, host_switch=attached.tolist())
        network = pn.build_network([plane, plane], server="complete:n=4", server_gbps=50, relay=relay)
        traffic = TrafficMatrix.from_entries("host", count, host[given.src], host[given.dst], given.demand)
        core = symmetry_of(state_problem(network, traffic, parse_routing("ideal")).flow)
        found = core.reduce(classes=10_000, looks=10**8, examples=10**7, time_limit_s=60)
        assert found is not None
        assert len(found.targets) == 4
        classes.add(len(found.links))
    assert len(classes) == 1
