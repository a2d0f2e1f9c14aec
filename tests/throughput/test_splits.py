"""Shares of paths, for every routing that has some, and what rounded ones carry."""

import itertools
from collections import defaultdict
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.questions.throughput.links import link_table, rate_table
from pnet_lp.questions.throughput.splits import Splits, splits, splits_document, splits_table
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import plane, random_hosts, random_network

ROUTINGS = ["ideal", "ecmp-split", "ecmp-lp", "ksp:3", "edge-disjoint:2", "ecmp", "hedera"]


def written(
    network: Network, traffic: TrafficMatrix, result: ThroughputResult, **rounded: Any
) -> tuple[Splits, list[dict[str, Any]]]:
    found = splits(network, traffic, result, **rounded)
    table = splits_table(network, traffic, result, found)
    return found, [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def loads_of(rows: list[dict[str, Any]]) -> dict[tuple[int, str, str], float]:
    """What the rows put on the links between two switches, parallel ones added up."""
    found: dict[tuple[int, str, str], float] = defaultdict(float)
    for row in rows:
        # Names without blanks.
        passed = row["path"].split()
        for u, v in itertools.pairwise(passed):
            found[row["plane"], u, v] += row["rate_gbps"]
    return found


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("seed", range(4))
def test_the_paths_are_the_flow(routing: str, seed: int) -> None:
    """Shares of a demand add up to 1, rates to its rate, and what paths put on links is what links carry."""
    network, traffic = random_network(seed) if seed % 2 else random_hosts(seed)
    options: dict[str, Any] = {"solver": "structured"} if routing == "ideal" else {}
    result = solve(network, traffic, routing=routing, **options)
    found, rows = written(network, traffic, result)
    assert found.scale == pytest.approx(1.0, rel=1e-6) or found.scale > 1
    share: dict[tuple[str, str], float] = defaultdict(float)
    rate: dict[tuple[str, str], float] = defaultdict(float)
    for row in rows:
        share[row["src"], row["dst"]] += row["share"]
        rate[row["src"], row["dst"]] += row["rate_gbps"]
    rates = rate_table(network, traffic, result)
    assert share == pytest.approx(dict.fromkeys(zip(rates["src"], rates["dst"], strict=True), 1.0))
    for src, dst, gbps in zip(rates["src"], rates["dst"], rates["rate_gbps"], strict=True):
        assert rate[src, dst] == pytest.approx(gbps, rel=1e-6)
    links = link_table(network, traffic, result)
    carried: dict[tuple[int, str, str], float] = defaultdict(float)
    for p, u, v, kind, load in zip(*(links[key] for key in ("plane", "u", "v", "kind", "load_gbps")), strict=True):
        if kind == "core":
            carried[p, u, v] += load
    for place, load in loads_of(rows).items():
        assert load == pytest.approx(carried[place], rel=1e-5, abs=1e-6 * max(carried.values()))


def test_equal_parts_at_every_switch() -> None:
    """Two of three next hops of a are over b, one of two cables goes to c: a quarter, a quarter and a half."""
    names = ["a", "b", "c", "d"]
    network = Network.from_planes([Plane.from_cables(names, [0, 0, 1, 1, 2], [1, 2, 3, 3, 3], 1.0)])
    traffic = TrafficMatrix.from_entries("rack", 4, [0], [3], 1.0)
    result = solve(network, traffic, routing="ecmp-split")
    _, rows = written(network, traffic, result)
    assert sorted((row["path"], row["share"]) for row in rows) == [("a b d", 0.25), ("a b d", 0.25), ("a c d", 0.5)]
    tree = build_network("fat-tree:k=4", planes=2)
    crossing = build_traffic("stride:s=8", tree, "host")
    _, rows = written(tree, crossing, solve(tree, crossing, routing="ecmp-split"))
    assert len(rows) == 16 * 4 * 2
    assert {row["share"] for row in rows} == {0.125}


@cache
def solved_over_two_planes(objective: str, routing: str) -> tuple[Network, TrafficMatrix, ThroughputResult]:
    network = build_network(["jellyfish:switches=10,ports=4"], planes=2, variant="heterogeneous", seed=2)
    traffic = build_traffic("gravity", network, "rack", seed=1)
    solver = "structured" if (routing, objective) == ("ideal", "concurrent") else "auto"
    return network, traffic, solve(network, traffic, routing=routing, objective=objective, solver=solver)


@pytest.mark.parametrize("rounded", [{"max_paths": 2}, {"min_share": 0.3}])
@pytest.mark.parametrize("objective", ["concurrent", "min-max-utilisation", "total", "max-min"])
@pytest.mark.parametrize("routing", ["ideal", "ksp:4", "ecmp-split"])
def test_rounded_shares_carry_what_is_said(rounded: dict[str, Any], objective: str, routing: str) -> None:
    network, traffic, result = solved_over_two_planes(objective, routing)
    found, rows = written(network, traffic, result, **rounded)
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        shares[row["src"], row["dst"]].append(row["share"])
    assert len(shares) == traffic.demand_count
    for each in shares.values():
        assert sum(each) == pytest.approx(1.0)
        assert len(each) <= rounded.get("max_paths", len(each))
        assert len(each) == 1 or min(each) >= rounded.get("min_share", 0.0)
    capacity: dict[tuple[int, str, str], float] = defaultdict(float)
    for p, one in enumerate(network.planes):
        for u, v, speed in zip(*one.arcs, strict=True):
            capacity[p, one.switch_names[u], one.switch_names[v]] += speed
    fullest = max(load / capacity[place] for place, load in loads_of(rows).items())
    document = splits_document(result, found)
    assert document["paths"] == found.paths_kept
    if objective == "min-max-utilisation":
        # The rates are those of the matrix itself.
        assert fullest == pytest.approx(1 / found.scale, rel=1e-9)
    elif found.scale < 1:
        assert fullest == pytest.approx(1.0, rel=1e-9)
        assert fullest <= 1 + 1e-12
    assert 0 <= document["lost_share"] < 1
    if objective in {"concurrent", "min-max-utilisation"}:
        least = result.throughput_gbps * (1 - document["lost_share"])
        if routing == "ecmp-split":
            # Fewer paths may be better than equal parts.
            assert document["throughput_gbps"] >= least * (1 - 1e-9)
        else:
            assert document["throughput_gbps"] == pytest.approx(least, rel=1e-6)


def test_fewer_paths_lose_more() -> None:
    network = build_network(["jellyfish:k=4"])
    traffic = build_traffic("all-to-all", network, "rack")
    result = solve(network, traffic, routing="ksp:8")
    lost = [splits_document(result, splits(network, traffic, result, max_paths=n))["lost_share"] for n in (1, 4, 8)]
    assert lost[0] > lost[1] > lost[2] - 1e-12
    assert lost[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("objective", ["max-min", "total"])
@pytest.mark.parametrize("routing", ["ideal", "ksp:2"])
def test_pairs_without_a_path_are_left_out(objective: str, routing: str) -> None:
    network = Network.from_planes([plane(nx.Graph([(0, 1), (2, 3)]))])
    traffic = TrafficMatrix.from_dense("rack", 2 * (np.ones((4, 4)) - np.eye(4)))
    result = solve(network, traffic, objective=objective, routing=routing)
    table = splits_table(network, traffic, result, splits(network, traffic, result))
    assert list(table["path"]) == ["0 1", "1 0", "2 3", "3 2"]
    assert list(table["src"]) == ["0", "1", "2", "3"]
    assert np.allclose(np.asarray(table["rate_gbps"], dtype=float), np.asarray(table["rate_gbps"], dtype=float)[0])
    assert min(table["rate_gbps"]) > 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"routing": "vlb"}, "paths: routing vlb splits demands at every switch, and has no list of paths"),
        ({"solver": "symmetric"}, "paths: the result says what equivalence classes of links carry, not which paths"),
    ],
)
def test_where_there_are_no_paths(options: dict[str, str], message: str) -> None:
    network = Network.from_planes([plane(nx.cycle_graph(6))])
    traffic = TrafficMatrix.from_dense("rack", np.ones((6, 6)) - np.eye(6))
    with pytest.raises(SpecError) as caught:
        splits(network, traffic, solve(network, traffic, **options))  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
