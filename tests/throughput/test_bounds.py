"""Bounds hold, are what their definitions say, and are witnessed."""

import itertools
import math
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pnet_lp.errors import PnetError, SpecError, TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.demands.pairs import BYTES_PER_PAIR
from pnet_lp.model.distances import find_sites, site_hops
from pnet_lp.throughput import FlowProblem, solve
from pnet_lp.throughput.bounds import AccessLinks, Bound, Bounds, Cut, EqualLengths, Matching, compute_bounds
from pnet_lp.throughput.bounds import bisection as bisection_module
from pnet_lp.throughput.bounds.tub import EXACT_SITES
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.verification.distances import demand_distances, reachable

from .conftest import INSTANCES, Instance, all_to_all, fat_tree, one_switch, plane, random_hosts, random_network

ROUNDING = 1 + 1e-9


def both_levels(seed: int) -> tuple[Network, TrafficMatrix]:
    return random_network(seed) if seed % 2 else random_hosts(seed)


def of_graph(graph: nx.Graph, *names: str) -> Bounds:
    network = Network.from_planes([plane(graph)])
    return compute_bounds(network, all_to_all(network), names)


def by_lengths(problem: FlowProblem, lengths: EqualLengths) -> float:
    distance = np.full(problem.demand_count, np.inf)
    usable = reachable(problem)
    for p in range(problem.plane_count):
        arcs = int(problem.arc_ptr[p + 1] - problem.arc_ptr[p])
        through = demand_distances(problem, p, np.full(arcs, lengths.core)) + 2 * lengths.access
        distance = np.where(usable[p], np.minimum(distance, through), distance)
    volume = lengths.core * problem.capacity.sum()
    if lengths.access:
        volume += lengths.access * (problem.access_up.sum() + problem.access_down.sum())
    return float(volume / (problem.demand @ distance))


def recomputed(bounds: Bounds, bound: Bound) -> float:
    """Return a bound's value from its witness, in loops that share nothing with what found it."""
    network, traffic = bounds.instance.network, bounds.instance.traffic
    hosts = traffic.level == "host"
    demands = list(zip(traffic.src, traffic.dst, traffic.demand, strict=True))
    witness = bound.witness
    if isinstance(witness, AccessLinks):
        speeds = [p.access_up_gbps if witness.direction == "up" else p.access_down_gbps for p in network.planes]
        mine = 0 if witness.direction == "up" else 1
        sent = sum(demand[2] for demand in demands if demand[mine] == witness.endpoint)
        return sum(speed[witness.endpoint] for speed in speeds) / sent
    if isinstance(witness, EqualLengths):
        return by_lengths(bounds.instance.problem, witness)
    assert isinstance(witness, Cut)
    capacity = 0.0
    for p, side in zip(network.planes, witness.switches, strict=True):
        for u, v, forth, back in zip(p.cable_u, p.cable_v, p.capacity_uv_gbps, p.capacity_vu_gbps, strict=True):
            capacity += forth * (side[u] and not side[v]) + back * (side[v] and not side[u])
        for i, switch in enumerate(p.host_switch if hosts else p.rack_switch):
            if switch < 0 or not witness.counted[i]:
                continue
            if hosts:
                capacity += p.access_up_gbps[i] * (witness.endpoints[i] and not side[switch])
                capacity += p.access_down_gbps[i] * (side[switch] and not witness.endpoints[i])
            else:
                assert side[switch] == witness.endpoints[i]
    assert capacity == pytest.approx(witness.capacity_gbps)
    across = sum(d for s, t, d in demands if witness.endpoints[s] and not witness.endpoints[t])
    assert across == pytest.approx(witness.demand)
    return capacity / across


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_bounds_hold_on_random_networks(seed: int) -> None:
    network, traffic = both_levels(seed)
    bounds = compute_bounds(network, traffic)
    k = solve(network, traffic, solver="structured", tolerance=1e-6).interval.lower
    for name, bound in bounds.found.items():
        if bound.of == "matrix":
            assert bound.value_gbps * ROUNDING >= k, name
            if bound.witness is not None and name != "moore" and math.isfinite(bound.value_gbps):
                assert recomputed(bounds, bound) == pytest.approx(bound.value_gbps), name
        else:
            assert isinstance(bound.witness, Matching)
            worst = TrafficMatrix.from_entries(
                traffic.level, traffic.endpoints, bound.witness.src, bound.witness.dst, bound.witness.demand
            )
            assert bound.value_gbps * ROUNDING >= solve(network, worst, tolerance=1e-6).interval.lower


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_bounds_are_ordered(seed: int) -> None:
    network, traffic = both_levels(seed)
    found = compute_bounds(network, traffic, ["mean-path", "moore", "tub"]).found
    assert found["mean-path"].value_gbps <= found["moore"].value_gbps * ROUNDING
    if "tub" in found and isinstance(lengths := found["mean-path"].witness, EqualLengths) and lengths.access == 0:
        assert found["tub"].value_gbps <= found["mean-path"].value_gbps * ROUNDING


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_tub_keeps_the_totals(seed: int) -> None:
    network, traffic = both_levels(seed)
    found = compute_bounds(network, traffic, ["tub"]).found
    if "tub" not in found:
        return
    witness = found["tub"].witness
    assert isinstance(witness, Matching)
    site = find_sites(network, traffic.level).of
    for mine, theirs in ((witness.src, traffic.src), (witness.dst, traffic.dst)):
        most = np.bincount(site[theirs], weights=traffic.demand, minlength=site.max() + 1)
        planned = np.bincount(site[mine], weights=witness.demand, minlength=site.max() + 1)
        assert np.all(planned <= most * ROUNDING)


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_bounds_hold_on_known_optima(instance: Instance) -> None:
    bounds = compute_bounds(instance.network, instance.traffic)
    own = {name: bound.value_gbps for name, bound in bounds.found.items() if bound.of == "matrix"}
    assert min(own.values()) >= instance.optimum / ROUNDING
    assert bounds.tightest is not None
    assert own[bounds.tightest] == min(own.values())


@pytest.mark.parametrize(
    ("graph", "optimum", "mean_path"),
    [
        (nx.grid_graph([4, 8], periodic=True), 1 / 32, 1 / 24),
        (nx.path_graph(6), 1 / 9, 1 / 7),
        (nx.grid_graph([4, 4]), 1 / 16, 0.075),
        (nx.hypercube_graph(4), 1 / 8, 1 / 8),
        (nx.complete_graph(8), 1.0, 1.0),
    ],
)
def test_path_lengths_against_the_optimum(graph: nx.Graph, optimum: float, mean_path: float) -> None:
    found = of_graph(graph).found
    assert found["mean-path"].value_gbps == pytest.approx(mean_path)
    # In all of these the halves are what limits.
    assert found["bisection"].value_gbps == pytest.approx(optimum)
    assert found["sparsest-cut"].value_gbps == pytest.approx(optimum)


@pytest.mark.parametrize(
    ("graph", "cables"),
    [
        *[(nx.hypercube_graph(d), 2 ** (d - 1)) for d in range(1, 6)],
        *[(nx.complete_graph(n), n * n // 4) for n in range(2, 10)],
        (nx.grid_graph([4, 8], periodic=True), 8),
        (nx.grid_graph([4, 4], periodic=True), 8),
        (nx.grid_graph([5, 5]), 6),
        (nx.cycle_graph(9), 2),
        (nx.path_graph(7), 1),
        (nx.petersen_graph(), 5),
        (nx.complete_bipartite_graph(4, 4), 8),
    ],
)
def test_known_bisections(graph: nx.Graph, cables: int) -> None:
    found = of_graph(graph, "bisection").found["bisection"]
    assert found.exact
    assert found.facts == {"bisection_gbps": pytest.approx(cables), "at_least_gbps": pytest.approx(cables)}


@pytest.mark.parametrize("level", ["rack", "host"])
def test_fat_tree_has_full_bisection(level: str) -> None:
    network = Network.from_planes([fat_tree(4)])
    found = compute_bounds(network, all_to_all(network, level)).found["bisection"]
    assert found.exact
    assert found.facts["bisection_gbps"] == pytest.approx(8)


def least_halves(network: Network, level: str) -> float:
    """Return the bisection by trying all splits, with a minimum cut in each plane for each."""
    n = len(network.endpoint_names(level))
    least = math.inf
    for side in itertools.chain(*(itertools.combinations(range(n), half) for half in {n // 2, n - n // 2})):
        total = 0.0
        for p in network.planes:
            graph = nx.DiGraph()
            graph.add_nodes_from(["S", "T"])
            tail, head, capacity = p.arcs
            for u, v, c in zip(tail.tolist(), head.tolist(), capacity.tolist(), strict=True):
                before = graph.get_edge_data(u, v, {"capacity": 0.0})["capacity"]
                graph.add_edge(u, v, capacity=before + c)
            for i, switch in enumerate((p.host_switch if level == "host" else p.rack_switch).tolist()):
                if switch < 0:
                    continue
                if level == "rack":
                    graph.add_edge("S" if i in side else switch, switch if i in side else "T")
                elif i in side:
                    graph.add_edge("S", f"h{i}")
                    graph.add_edge(f"h{i}", switch, capacity=float(p.access_up_gbps[i]))
                else:
                    graph.add_edge(f"h{i}", "T")
                    graph.add_edge(switch, f"h{i}", capacity=float(p.access_down_gbps[i]))
            total += nx.minimum_cut_value(graph, "S", "T")
        least = min(least, total)
    return least


def transit_network(seed: int) -> Network:
    """1 to 3 planes, some identical, over 4 or 5 racks with one or two hosts each, and switches without any."""
    random = np.random.default_rng(seed)
    racks = int(random.integers(4, 6))
    planes = []
    for _ in range(random.integers(1, 3)):
        n = racks + int(random.integers(0, 4))
        graph = nx.gnm_random_graph(n, 2 * n, seed=int(random.integers(1 << 30)))
        u, v = np.array(graph.edges()).T
        speed, back = random.choice([1.0, 2.5, 10.0], (2, len(u)))
        access = random.choice([1.0, 10.0])
        switch = np.concatenate([np.arange(racks), [0, 1]])
        planes.append(
            Plane.from_cables(n, u, v, speed, capacity_back_gbps=back, host_switch=switch, access_gbps=access)
        )
    return Network.from_planes([*planes, planes[0]] if seed % 3 == 0 else planes)


@pytest.mark.parametrize("level", ["rack", "host"])
@pytest.mark.parametrize("seed", range(15))
def test_bisection_is_the_least_of_all_splits(seed: int, level: str) -> None:
    network = transit_network(seed)
    found = compute_bounds(network, all_to_all(network, level), ["bisection"]).found["bisection"]
    assert found.exact
    assert found.facts["bisection_gbps"] == pytest.approx(least_halves(network, level))


def test_transit_switches_choose_their_side_in_each_plane() -> None:
    # Racks 0 to 3 joined by one transit switch, number 4, in each plane.
    star = Plane.from_cables(5, [0, 1, 2, 3], [4] * 4, [1, 1, 9, 9], racks=range(4))
    mirrored = Plane.from_cables(5, [0, 1, 2, 3], [4] * 4, [9, 9, 1, 1], racks=range(4))
    network = Network.from_planes([star, mirrored])
    found = compute_bounds(network, all_to_all(network), ["bisection"]).found["bisection"]
    # {0, 1} against {2, 3}: 2 in each plane; the transit switch is with the fast cables.
    assert found.facts["bisection_gbps"] == pytest.approx(4)
    assert isinstance(found.witness, Cut)
    assert found.witness.switches[0][4] != found.witness.switches[1][4]


def test_heuristic_finds_most_bisections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bisection_module, "is_small", lambda _: False)
    for graph, cables in [
        (nx.hypercube_graph(8), 128),
        (nx.grid_graph([8, 16], periodic=True), 16),
        (nx.cycle_graph(200), 2),
        (nx.barbell_graph(30, 0), 1),
    ]:
        found = of_graph(graph, "bisection").found["bisection"]
        assert not found.exact
        assert found.facts == {"bisection_gbps": pytest.approx(cables), "at_least_gbps": 0.0}


@pytest.mark.parametrize(("n", "d"), [(10, 3), (20, 4), (33, 8), (64, 5)])
def test_moore_is_the_bound_of_the_paper(n: int, d: int) -> None:
    # Mean path length at least (sum of j d (d-1)^(j-1), the rest one hop further) / (n - 1).
    left, hops, total = n - 1, 0, 0
    while left > 0:
        hops += 1
        here = min(left, d * (d - 1) ** (hops - 1))
        total += hops * here
        left -= here
    found = of_graph(nx.random_regular_graph(d, n, seed=n), "moore").found["moore"]
    assert found.value_gbps == pytest.approx(n * d / (n * total))


def test_moore_graphs_attain_the_degree_bound() -> None:
    found = of_graph(nx.petersen_graph(), "moore", "mean-path").found
    assert found["moore"].value_gbps == found["mean-path"].value_gbps == pytest.approx(1 / 5)


def test_degree_bound_counts_planes_and_one_way_cables() -> None:
    ring = plane(nx.cycle_graph(9))
    network = Network.from_planes([ring, ring])
    # 4 racks within one hop over both planes, and 4 within two.
    found = compute_bounds(network, all_to_all(network), ["moore"]).found["moore"]
    assert found.value_gbps == pytest.approx(36 / (9 * (4 * 1 + 4 * 2)))
    one_way = Plane.from_cables(4, range(4), [1, 2, 3, 0], 1.0, capacity_back_gbps=0.0)
    directed = Network.from_planes([one_way])
    found = compute_bounds(directed, all_to_all(directed), ["moore"]).found["moore"]
    assert found.value_gbps == pytest.approx(4 / (4 * (1 + 2 + 3)))


def test_tub_is_the_longest_permutation() -> None:
    for graph, weight in [(nx.cycle_graph(8), 8 * 4), (nx.hypercube_graph(4), 16 * 4), (nx.path_graph(6), 18)]:
        network = Network.from_planes([plane(graph)])
        n = network.rack_count
        traffic = TrafficMatrix.from_entries("rack", n, range(n), np.roll(np.arange(n), 1))
        found = compute_bounds(network, traffic, ["tub"]).found["tub"]
        assert (found.exact, found.of) == (True, "worst-case")
        assert found.value_gbps == pytest.approx(2 * graph.number_of_edges() / weight)


def test_tub_of_unequal_totals() -> None:
    # 0 sends 3 and 1 sends 1; 2 and 3 receive 2 each, and nobody else anything.
    network = Network.from_planes([plane(nx.path_graph(4))])
    traffic = TrafficMatrix.from_entries("rack", 4, [0, 0, 1], [2, 3, 3], [2.0, 1.0, 1.0])
    found = compute_bounds(network, traffic, ["tub"]).found["tub"]
    assert found.exact
    assert found.value_gbps == pytest.approx(6 / (2 * 3 + 1 * 2 + 1 * 1))


def test_tub_of_many_unequal_totals_is_one_assignment() -> None:
    n = EXACT_SITES + 10
    network = Network.from_planes([plane(nx.cycle_graph(n))])
    random = np.random.default_rng(0)
    demand = random.random((n, n)) * (1 - np.eye(n))
    found = compute_bounds(network, TrafficMatrix.from_dense("rack", demand), ["tub", "mean-path"]).found["tub"]
    assert not found.exact
    assert isinstance(found.witness, Matching)
    hops = site_hops(network, find_sites(network, "rack"))
    weight = float(found.witness.demand @ hops[found.witness.src, found.witness.dst])
    assert found.value_gbps == pytest.approx(2 * n / weight)


def test_nic_names_the_host() -> None:
    network = Network.from_planes([one_switch(3, [4.0, 9.0, 9.0], [9.0, 9.0, 2.0])])
    traffic = TrafficMatrix.from_entries("host", 3, [0, 1], [2, 2])
    bounds = compute_bounds(network, traffic)
    nic = bounds.found["nic"]
    assert nic.value_gbps == 1.0
    assert nic.witness == AccessLinks(2, 1, "down", 2.0, 2.0)
    assert bounds.silent["tub"].why == "all endpoints are on one switch"


def test_disconnected_pair() -> None:
    network = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3], 1.0)])
    bounds = compute_bounds(network, all_to_all(network))
    values = {name: bound.value_gbps for name, bound in bounds.found.items()}
    assert values.pop("moore") == 0.0  # one cable each: nobody has more than one neighbour
    assert values == {"mean-path": 0.0, "tub": 0.0, "bisection": 0.0, "sparsest-cut": 0.0}


def test_nothing_crosses_the_halves() -> None:
    # The narrowest halves of a path of 4 are its ends, and the demand stays in one of them.
    network = Network.from_planes([plane(nx.path_graph(4), 1.0)])
    traffic = TrafficMatrix.from_entries("rack", 4, [0], [1])
    bounds = compute_bounds(network, traffic)
    assert bounds.found["bisection"].value_gbps == math.inf
    assert bounds.found["sparsest-cut"].value_gbps == 1.0
    assert bounds.tightest == "sparsest-cut"


def test_demands_inside_one_switch() -> None:
    network = Network.from_planes([one_switch(4, 10.0)])
    bounds = compute_bounds(network, all_to_all(network, "host"))
    values = {name: bound.value_gbps for name, bound in bounds.found.items()}
    # No hop between switches: two access links for each demand, and 2 hosts' 20 Gb/s for 4 demands.
    assert values == {
        "nic": pytest.approx(10 / 3),
        "mean-path": pytest.approx(80 / 24),
        "moore": pytest.approx(80 / 24),
        "bisection": pytest.approx(20 / 4),
        "sparsest-cut": math.inf,
    }


def test_one_rack_has_no_halves() -> None:
    network = Network.from_planes([one_switch(2, 1.0)])
    empty = TrafficMatrix.from_entries("rack", 1, [], [])
    with pytest.raises(TrafficError, match=r"^traffic: there is no demand; allowed: at least one demand > 0$"):
        compute_bounds(network, empty)


def test_unknown_bound() -> None:
    network = Network.from_planes([plane(nx.path_graph(3))])
    with pytest.raises(SpecError, match=r"^unknown bound 'bisect' \(did you mean 'bisection'\?\); allowed: "):
        compute_bounds(network, all_to_all(network), ["bisect"])


def test_same_answer_every_time() -> None:
    network, traffic = random_network(3)
    first, second = (
        [bound.to_json(name, network, "rack") for name, bound in compute_bounds(network, traffic).found.items()]
        for _ in range(2)
    )
    assert first == second


def test_traffic_that_is_a_rule_is_bounded_without_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """128 hosts of a fat tree, with room for the pairs of their 32 classes, and not for their own."""
    network = build_network("fat-tree:k=8")
    rule = build_traffic("all-to-all", network, "host")
    listed = compute_bounds(network, TrafficMatrix.from_entries("host", 128, rule.src, rule.dst, rule.demand))
    fresh = build_traffic("all-to-all", network, "host")
    monkeypatch.setattr("pnet_lp.model.demands.pairs.check_fits", fits_pairs(32**2))
    found = compute_bounds(network, fresh)
    assert found.silent == {}
    assert {name: bound.value_gbps for name, bound in found.found.items()} == pytest.approx(
        {name: bound.value_gbps for name, bound in listed.found.items()}
    )


def test_only_bounds_that_look_at_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network("jellyfish:switches=20,ports=6,hosts=20")
    monkeypatch.setattr("pnet_lp.model.demands.pairs.check_fits", fits_pairs(0))
    traffic = build_traffic("all-to-all", network, "host")
    found = compute_bounds(network, traffic)
    assert set(found.found) == {"nic", "tub"}
    # A host has one link of 100 Gb/s and sends to 19.
    assert found.found["nic"].value_gbps == pytest.approx(100 / 19)
    assert {"mean-path", "moore", "bisection", "sparsest-cut"} == set(found.silent)
    assert found.silent["mean-path"].why.startswith("a problem with 380 demands between 20 places needs about")
    with pytest.raises(TrafficError, match=r"^moore: a problem with 380 demands between 20 places needs about"):
        compute_bounds(network, traffic, ["moore"])


def fits_pairs(most: int) -> Callable[..., None]:
    """A check of memory in which so many pairs fit."""

    def check(needed: int, what: str, error: type[PnetError], *, allowed: str) -> None:
        if needed > most * BYTES_PER_PAIR:
            raise error(f"{what} needs about {needed} B", allowed=allowed)

    return check


@pytest.mark.parametrize("weights", ["all-to-all", "gravity", "skewed"])
def test_a_rule_adds_up_like_its_pairs(weights: str) -> None:
    network = build_network("fat-tree:k=4")
    rule = build_traffic(weights, network, "host").demands
    pairs = rule.listed("a test")
    inside = np.arange(16) % 3 == 0
    assert rule.leaving(inside) == pytest.approx(pairs.leaving(inside))
    assert rule.totals(16) == pytest.approx(pairs.totals(16))
