"""The second stage: of all optimal flows, the one of least total load."""

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.questions.throughput.flow_paths import path_rates
from pnet_lp.questions.throughput.links import link_table
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file

from .conftest import plane, random_hosts, random_network

TOLERANCE = 1e-6
OBJECTIVES = ["concurrent", "min-max-utilisation", "total", "max-min"]


def detour() -> tuple[Network, TrafficMatrix]:
    """A demand of 1 from end to end of a ring of six, and one that fills the link beside it: either way is free to it.

    The first takes one link of ten, or five; K is 1 because of the second demand, over a link of 1.
    """
    u, v = [0, 1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, 0, 6]
    network = Network.from_planes([Plane.from_cables(7, u, v, [10.0] * 6 + [1.0])])
    return network, TrafficMatrix.from_entries("rack", 7, [0, 0], [5, 6], 1.0)


@pytest.mark.parametrize("objective", ["concurrent", "min-max-utilisation", "total"])
@pytest.mark.parametrize("routing", ["ideal", "ksp:4"])
def test_no_detours(objective: str, routing: str) -> None:
    network, traffic = detour()
    result = solve(network, traffic, objective=objective, routing=routing, tolerance=TOLERANCE, least_load=True)
    assert result.least_load is not None
    assert result.least_load.upper == pytest.approx(2.0, rel=1e-5)
    assert result.least_load.gap < 1e-5
    table = link_table(network, traffic, result)
    loads = {(u, v): load for u, v, load in zip(*(table[key] for key in ("u", "v", "load_gbps")), strict=True)}
    assert loads["0", "5"] == pytest.approx(1.0, rel=1e-5)
    assert loads["1", "2"] == pytest.approx(0.0, abs=1e-5)
    hops = {row: h for row, h, rate in _paths(network, traffic, result) if rate > 1e-4}
    assert hops == {("0", "5"): 1, ("0", "6"): 1}


def _paths(network: Network, traffic: TrafficMatrix, result: object) -> list[tuple[tuple[str, str], int, float]]:
    table = path_rates(network, traffic, result)  # type: ignore[arg-type]
    columns = zip(table["src"], table["dst"], table["hops"], table["rate_gbps"], strict=True)
    return [((src, dst), hops, rate) for src, dst, hops, rate in columns]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(4))
def test_the_value_stays_and_the_load_falls(objective: str, seed: int, tmp_path: Path) -> None:
    network, traffic = random_network(seed) if seed % 2 else random_hosts(seed)
    routing = "ideal" if seed % 4 < 2 else "ksp:3"
    # Of max-min a part of 1e-9 of all rates can be much of what proves a small one.
    tolerance = 1e-2 if objective == "max-min" else TOLERANCE
    options: dict[str, Any] = {"objective": objective, "routing": routing, "tolerance": tolerance}
    plain = solve(network, traffic, **options)
    least = solve(network, traffic, **options, least_load=True)
    assert least.status == plain.status == "certified"
    assert least.value == pytest.approx(plain.value, rel=2 * tolerance)
    assert least.link_load is not None
    assert plain.link_load is not None
    if least.least_load is None:
        assert objective == "max-min"
        assert "the loads are not the least ones: with them the rates are not certified" in least.warnings[-1]
        return
    assert least.link_load.sum() <= plain.link_load.sum() * (1 + tolerance) + 1e-9
    assert least.link_load.sum() == pytest.approx(least.least_load.upper, rel=1e-9)
    save_result(tmp_path / "a.json", network, traffic, least)
    found = verify_file(tmp_path / "a.json")
    assert found.gap <= tolerance
    assert any("no flow puts less load" in text for text in found.trusted)
    if objective == "concurrent":
        # The same program as that of min-cost at the largest K.
        cheapest = solve(network, traffic, objective="min-cost", routing=routing, tolerance=TOLERANCE)
        assert least.least_load.upper == pytest.approx(cheapest.value, rel=1e-4)


def test_a_claim_of_another_load_is_refused(tmp_path: Path) -> None:
    network, traffic = detour()
    result = solve(network, traffic, least_load=True)
    save_result(tmp_path / "a.json", network, traffic, result)
    text = (tmp_path / "a.json").read_text()
    assert result.least_load is not None
    (tmp_path / "b.json").write_text(text.replace('"total_gbps_links": ', '"total_gbps_links": 1'))
    with pytest.raises(Exception, match=r"least_load.total_gbps_links is claimed to be 1[12].*, which is not what"):
        verify_file(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"routing": "ecmp"},
            "least_load: the routing leaves no flow to choose, found 'ecmp'; allowed: ideal, ecmp-lp or ksp:8",
        ),
        ({"routing": "ecmp-split"}, "least_load: the routing leaves no flow to choose"),
        ({"objective": "min-cost"}, "least_load: the objective has chosen the flow, found 'min-cost'"),
    ],
)
def test_where_there_is_nothing_to_choose(options: dict[str, str], message: str) -> None:
    network = Network.from_planes([plane(nx.cycle_graph(4))])
    traffic = TrafficMatrix.from_entries("rack", 4, [0], [2], 1.0)
    with pytest.raises(SpecError) as caught:
        solve(network, traffic, **options, least_load=True)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
