"""Loads of links: those of the reported throughput, on every link, for every routing and objective."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.drawing.loads import CableLoads, read_loads
from pnet_lp.errors import TrafficError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.questions.throughput.flow_paths import path_rates
from pnet_lp.questions.throughput.links import link_table, rate_table
from pnet_lp.routing import ROUTINGS
from pnet_lp.tables import write_table
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

OBJECTIVES = ["concurrent", "min-max-utilisation", "total", "max-min", "min-cost:fraction=1"]


def rows(network: Network, traffic: TrafficMatrix, **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    result = solve(network, traffic, tolerance=1e-7, **options)
    assert result.status == "certified"
    table = link_table(network, traffic, result)
    return result, [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


@pytest.mark.parametrize("routing", [entry.expression for entry in ROUTINGS])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("level", ["rack", "host"])
def test_loads_are_those_at_the_reported_throughput(level: Any, objective: str, routing: str) -> None:
    """Parallel cables, identical hosts, two unequal planes; what enters a switch and is not for it leaves it."""
    ring = ([0, 1, 2, 3, 3], [1, 2, 3, 0, 0])
    network = Network.from_planes(
        [
            Plane.from_cables(4, *ring, [4.0, 2, 3, 1, 1], host_switch=[0, 0, 1, 2, 3], access_gbps=3.0),
            Plane.from_cables(4, [0, 0, 0], [1, 2, 3], 2.0, host_switch=[0, 0, 1, 2, 3], access_gbps=1.0),
        ]
    )
    traffic = build_traffic("all-to-all", network, level).scaled(10.0)
    result, links = rows(network, traffic, objective=objective, routing=routing)
    fullest = max(row["utilisation"] for row in links)
    if objective == "min-max-utilisation":
        assert fullest == pytest.approx(result.value, rel=1e-9)
    else:
        assert fullest <= 1 + 1e-9
    if objective == "concurrent":
        assert fullest == pytest.approx(1, rel=1e-6)
    rates = np.array(rate_table(network, traffic, result)["rate_gbps"])
    if objective in {"concurrent", "min-max-utilisation"}:
        expected = {"concurrent": result.throughput_gbps, "min-max-utilisation": 1.0}[objective]
        assert rates == pytest.approx(traffic.demand * expected, rel=1e-12)
    assert {row["kind"] for row in links} == ({"core", "access"} if level == "host" else {"core"})
    assert len({(row["plane"], row["kind"], row["cable"], row["u"]) for row in links}) == len(links)
    names = network.endpoint_names(level)
    if level == "host":
        for ends, side in ((traffic.src, "u"), (traffic.dst, "v")):
            for host, name in enumerate(names):
                carried = sum(row["load_gbps"] for row in links if row["kind"] == "access" and row[side] == name)
                assert carried == pytest.approx(rates[ends == host].sum(), rel=1e-9)
        for plane in range(2):
            balance: dict[str, float] = defaultdict(float)
            for row in links:
                if row["plane"] == plane:
                    balance[row["u"]] -= row["load_gbps"]
                    balance[row["v"]] += row["load_gbps"]
            for switch in network.planes[plane].switch_names:
                assert balance[switch] == pytest.approx(0.0, abs=1e-9)


WANS = 12


def wan(seed: int) -> tuple[Network, TrafficMatrix]:
    """A sparse network in the plane, each site linked to near ones, and gravity traffic that may not fit."""
    random = np.random.default_rng(seed)
    n = int(random.integers(5, 40))
    spot = random.random((n, 2))
    far = np.linalg.norm(spot[:, None] - spot, axis=2)
    pairs = {(int(np.argmin(far[i, :i])), i) for i in range(1, n)}
    pairs |= {(min(i, int(j)), max(i, int(j))) for i in range(n) for j in np.argsort(far[i])[1:3]}
    u, v = np.array(sorted(pairs)).T
    plane = Plane.from_cables(n, u, v, random.choice([10.0, 40.0, 100.0], len(u)), racks=range(n))
    mass = random.exponential(size=n) + 0.01
    demand = np.outer(mass, mass)
    np.fill_diagonal(demand, 0)
    demand[random.random((n, n)) < random.choice([0.0, 0.7])] = 0
    demand[0, 1] = 1.0
    size = 10 ** random.uniform(-1, 2) * n / demand.sum()
    return Network.from_planes([plane]), TrafficMatrix.from_dense("rack", size * demand)


@pytest.mark.parametrize("seed", range(WANS))
def test_utilisation_is_that_of_the_matrix(seed: int, tmp_path: Path) -> None:
    """Headline, links, rates, paths, the saved file and the drawing say one thing, above 100 % too."""
    network, traffic = wan(seed)
    routing = ["ideal", "ecmp-split", "ksp:3"][seed % 3]
    result = solve(network, traffic, objective="min-max-utilisation", routing=routing)
    links = link_table(network, traffic, result)
    fullest = max(links["utilisation"])
    assert fullest == pytest.approx(result.value, rel=1e-9)
    assert rate_table(network, traffic, result)["rate_gbps"] == pytest.approx(traffic.demand)
    if routing != "ecmp-split":
        assert sum(path_rates(network, traffic, result)["rate_gbps"]) == pytest.approx(traffic.total)
    save_result(tmp_path / "a.json", network, traffic, result)
    write_table(links, tmp_path / "links.csv")
    for loads in (
        CableLoads.of(network, traffic, result),
        read_loads(tmp_path / "a.json", network),
        read_loads(tmp_path / "links.csv", network),
    ):
        assert loads.gbps[0] == pytest.approx(links["load_gbps"], rel=1e-9, abs=1e-12)
        # Its last colour is 100 %, or the fullest link where that is more.
        assert loads.most(network, lengths=False) == pytest.approx(max(1.0, fullest), rel=1e-9)


def test_a_fixed_split_is_not_shown_at_k_1() -> None:
    """On a ring of four, eight rack pairs are a link apart and four are two: two for each of eight links at K = 1."""
    network = build_network(["ring:n=4"], link_gbps=1)
    result, links = rows(network, build_traffic("all-to-all", network, "rack"), routing="ecmp-split")
    assert result.throughput_gbps == pytest.approx(0.5)
    assert [row["load_gbps"] for row in links] == pytest.approx([1.0] * 8)


def test_where_nothing_flows() -> None:
    network = Network.from_planes([Plane.from_cables(3, [0], [1], [5.0], capacity_back_gbps=[0.0])])
    _, links = rows(network, TrafficMatrix.from_entries("rack", 3, [0, 1], [1, 2]))
    assert [(row["u"], row["v"], row["load_gbps"], row["utilisation"]) for row in links] == [
        ("0", "1", 0.0, 0.0),
        ("1", "0", 0.0, 0.0),
    ]
    assert np.all([row["length"] == 0 for row in links])


def test_a_table_of_demands_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network("fat-tree:k=4")
    traffic = build_traffic("all-to-all", network, "host")
    result = solve(network, traffic)
    table = rate_table(network, traffic, result)
    assert [len(column) for column in table.values()] == [240] * 4
    assert table["rate_gbps"][0] == pytest.approx(result.throughput_gbps)
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 1000)
    with pytest.raises(TrafficError) as caught:
        rate_table(network, traffic, result)
    assert str(caught.value) == (
        "a table of 240 demands needs about 35.2 KiB, 1000 B are free; allowed: the answer without it, level=rack, "
        "sparser traffic, or a smaller network"
    )
