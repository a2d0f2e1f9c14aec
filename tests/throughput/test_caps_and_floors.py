"""``max-min:cap=demand`` and ``total:floor=F``: closed forms, independent computations, checks of saved results."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import CertificateError, RoutingError, SpecError
from pnet_lp.failures import Failures
from pnet_lp.model import Network, Plane, ThroughputResult, TrafficMatrix
from pnet_lp.model.arrays import floats
from pnet_lp.questions.failures.answer import FailuresAnswer
from pnet_lp.questions.failures.words import report
from pnet_lp.questions.throughput.links import link_table
from pnet_lp.throughput import solve
from pnet_lp.throughput.objectives import parse_objective
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.trials import failure_trials
from pnet_lp.throughput.verify import verify_file
from pnet_lp.traffic import build_traffic

from ..tampering.adversary import refitted
from .conftest import random_hosts, random_network
from .test_objectives import parking_lot

FAIR = "max-min:cap=demand"
ROUTINGS = ["ideal", "ksp:2", "ecmp", "ecmp-split"]


def checked(network: Network, traffic: TrafficMatrix, path: Path, **options: Any) -> ThroughputResult:
    result = solve(network, traffic, **options)
    save_result(path / "a.json", network, traffic, result)
    found = verify_file(path / "a.json")
    assert found.figures.keys() == result.figures.keys()
    assert max(link_table(network, traffic, result)["utilisation"]) <= 1 + 1e-9
    return result


def one_link(demands: list[float]) -> tuple[Network, TrafficMatrix]:
    """As many hosts on each side of a link of 10 as there are demands."""
    n = len(demands)
    plane = Plane.from_cables(2, [0], [1], 10.0, host_switch=[0] * n + [1] * n, access_gbps=100.0)
    return Network.from_planes([plane]), TrafficMatrix.from_entries("host", 2 * n, range(n), range(n, 2 * n), demands)


@pytest.mark.parametrize("objective", [FAIR, "max-min-fill:cap=demand"])
@pytest.mark.parametrize("seed", range(12))
def test_caps_that_fill_a_link_but_for_rounding(objective: str, seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 9))
    ends = [(int(random.integers(v)), v) for v in range(1, n)]
    plane = Plane.from_cables(n, [u for u, _ in ends], [v for _, v in ends], list(10.0 ** random.integers(0, 3, n - 1)))
    network = Network.from_planes([plane])
    traffic = build_traffic("gravity", network, "rack", seed=seed)
    found = checked(network, traffic, tmp_path, objective=objective, routing="ksp:1")
    assert found.status == "certified"
    assert found.solver == "closed-form"


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize(
    ("demands", "rates", "satisfied"),
    [
        ([2.0, 8.0, 10.0], [2, 4, 4], 1),
        ([4.0, 4.0, 4.0], [10 / 3] * 3, 0),
        ([1.0, 2.0, 3.0], [1, 2, 3], 3),
        ([1.0, 3.0, 100.0], [1, 3, 6], 2),
    ],
)
def test_water_filling(demands: list[float], rates: list[float], satisfied: int, routing: str, tmp_path: Path) -> None:
    network, traffic = one_link(demands)
    result = checked(network, traffic, tmp_path, objective=FAIR, routing=routing, tolerance=1e-6)
    assert result.status == "certified"
    assert result.rates_gbps == pytest.approx(rates, rel=1e-6)
    assert np.all(result.rates_gbps <= traffic.demand)
    assert result.figures["satisfied"] == satisfied
    assert sum(level["demands"] for level in result.figures["levels"]) == len(demands) - satisfied
    if satisfied == len(demands):
        assert (result.binding, result.bottlenecks) == ("demand", ())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("routing", ["ideal", "ksp:3", "ecmp-split"])
def test_caps_are_access_links_of_one_demand_each(seed: int, routing: str, tmp_path: Path) -> None:
    """Hosts that send to one other host each: to have a narrow access link, and to request no more, is the same."""
    random = np.random.default_rng(seed)
    n, hosts = 6, 12
    u = np.r_[np.arange(n), random.integers(0, n, 4)]
    v = np.r_[np.roll(np.arange(n), -1), random.integers(0, n, 4)]
    u, v = u[u != v], v[u != v]
    at, to = random.integers(0, n, hosts), np.roll(np.arange(hosts), 1)
    speed, demand = random.choice([1.0, 2.0, 5.0], len(u)), random.exponential(1.0, hosts) + 0.1

    def fair(up: Any, sizes: Any, objective: str) -> Any:
        plane = Plane.from_cables(n, u, v, speed, host_switch=at, access_gbps=up, access_down_gbps=1e6)
        network = Network.from_planes([plane])
        traffic = TrafficMatrix.from_entries("host", hosts, np.arange(hosts), to, sizes)
        options = {"objective": objective, "routing": routing, "tolerance": 1e-5}
        return checked(network, traffic, tmp_path, **options).rates_gbps

    assert fair(1e6, demand, FAIR) == pytest.approx(fair(demand, 1.0, "max-min"), rel=1e-4)


def test_equivalent_hosts_have_caps_of_their_own(tmp_path: Path) -> None:
    """Two hosts that nothing tells apart request 1 and 5 of each other's neighbours, crosswise."""
    plane = Plane.from_cables(2, [0], [1], 8.0, host_switch=[0, 0, 1, 1], access_gbps=100.0)
    traffic = TrafficMatrix.from_entries("host", 4, [0, 0, 1, 1], [2, 3, 2, 3], [1.0, 5.0, 5.0, 1.0])
    result = checked(Network.from_planes([plane]), traffic, tmp_path, objective=FAIR, tolerance=1e-6)
    assert result.rates_gbps == pytest.approx([1, 3, 3, 1], rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_flows_without_detours_and_rates_below_the_demand(seed: int, tmp_path: Path) -> None:
    network, traffic = random_network(seed) if seed % 2 else random_hosts(seed)
    plain = checked(network, traffic, tmp_path, objective=FAIR)
    least = checked(network, traffic, tmp_path, objective=FAIR, least_load=True)
    assert least.rates_gbps == pytest.approx(plain.rates_gbps, rel=1e-3)
    # Up to what all can get together, everybody gets what they ask.
    most = solve(network, traffic).throughput_gbps
    few = traffic.scaled(0.5 * min(most, 1.0))
    assert solve(network, few, objective=FAIR).rates_gbps == pytest.approx(few.demand, rel=1e-4)


@pytest.mark.parametrize("routing", ROUTINGS)
def test_floors(routing: str, tmp_path: Path) -> None:
    """The long demand of a parking lot gets its floor, and takes as much from each of the others."""
    network, traffic = parking_lot(4)
    for floor in (0.1, 0.5):
        objective = f"total:floor={floor}"
        result = checked(network, traffic, tmp_path, objective=objective, routing=routing, tolerance=1e-6)
        assert result.status == "certified"
        assert result.rates_gbps == pytest.approx([1 - floor, floor, 1 - floor, 1 - floor], rel=1e-5)
        assert result.figures["floor"] == pytest.approx(floor, rel=1e-6)
    with pytest.raises(SpecError) as caught:
        solve(network, traffic, objective="total:floor=0.6", routing=routing)
    assert str(caught.value).startswith("total: floor: the floors do not fit together, found 0.6; allowed: at most 0.")
    assert str(caught.value).endswith(", which is the largest part that all demands can get")


@pytest.mark.parametrize("seed", range(6))
def test_a_floor_costs_and_no_floor_costs_nothing(seed: int, tmp_path: Path) -> None:
    network, traffic = random_network(seed) if seed % 2 else random_hosts(seed)
    most = min(solve(network, traffic).throughput_gbps, 1.0)
    options: dict[str, Any] = {"tolerance": 1e-6}
    plain = solve(network, traffic, objective="total", **options)
    values = [plain.value]
    for part in (0.0, 0.5, 0.99):
        objective = f"total:floor={most * part:.6f}"
        result = checked(network, traffic, tmp_path, objective=objective, **options)
        assert result.status == "certified"
        assert np.all(result.rates_gbps >= (most * part * (1 - 1e-5) - 1e-6) * traffic.demand)
        values.append(result.value)
    assert values[1] == pytest.approx(values[0], rel=1e-5)
    assert all(b <= a * (1 + 1e-5) for a, b in itertools.pairwise(values))


def test_a_floor_that_may_fit_is_answered_for_what_is_known_to(tmp_path: Path) -> None:
    network, traffic = random_network(1)
    traffic = traffic.scaled(2 * solve(network, traffic).throughput_gbps)
    objective = "total:floor=0.49"
    result = checked(network, traffic, tmp_path, objective=objective, max_iterations=1)
    assert result.status == "bounds"
    floor = result.figures["floor"]
    assert 0 < floor < 0.48
    assert result.warnings[0].startswith(
        "whether a floor of 0.49 fits is not known: the largest that does is at least "
    )
    assert result.rates_gbps is not None
    assert np.all(result.rates_gbps >= floor * traffic.demand * (1 - 1e-12))
    for part in (floor, 0.49):
        most = solve(network, traffic, objective=f"total:floor={part!r}", tolerance=1e-6).value
        assert most is not None
        assert result.interval.upper >= most * (1 - 1e-6)
    assert solve(network, traffic, objective=f"total:floor={floor!r}").interval.upper >= result.interval.lower
    # As a draw of failures, it says at most how much there is, and the draws continue.
    drawn = failure_trials(network, traffic, Failures(links=0.01), trials=2, objective=objective, max_iterations=1)
    assert [trial.status for trial in drawn] == ["bounds", "bounds"]
    answer = FailuresAnswer(network, traffic, tuple(drawn), objective=parse_objective(objective))
    document = answer.to_json()
    rows = document["trials"]
    assert [row["total_gbps"] for row in rows] == [document["total_gbps"]] * 2 == [None, None]
    assert rows[0]["upper_bound_gbps"] == drawn[0].bounds(answer.objective).upper < np.inf
    assert (document["lower_bound_gbps"], document["infeasible"], document["status"]) == (None, 0, "bounds")
    said = "\n".join(" ".join(str(cell) for cell in column.cells) for column in report(document)[0].columns)
    assert "tolerance; with 2 of them it is not known whether total:floor=0.49 fits" in said


def test_bounds_are_for_the_floor_that_is_met(tmp_path: Path) -> None:
    """Whoever gives demands half of their floor proves no bound on what could be carried then."""
    network, traffic = parking_lot(3)
    checked(network, traffic, tmp_path, objective="total:floor=0.25")
    stored = load_result(tmp_path / "a.json")
    assert stored.rates_gbps is not None
    found = refitted(replace(stored, rates_gbps=floats(stored.rates_gbps / 2)))
    assert found is not None
    figures = found[1].figures
    assert figures["floor"] == pytest.approx(0.125)
    most = solve(network, traffic, objective=f"total:floor={figures['floor']!r}").value
    assert most is not None
    assert figures["upper_bound_gbps"] >= most * (1 - 1e-9)
    assert most > solve(network, traffic, objective="total:floor=0.25").value * (1 + 1e-3)


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ("max-min:cap=links", "max-min: cap: input should be 'demand', found 'links'"),
        ("total:floor=1.5", "total: floor: input should be less than or equal to 1"),
        ("total:floor=-1", "total: floor: input should be greater than or equal to 0"),
    ],
)
def test_bad_parameters(objective: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        solve(*parking_lot(3), objective=objective)
    assert str(caught.value).startswith(message)


def test_a_floor_without_a_path() -> None:
    network = Network.from_planes([Plane.from_cables(3, [0], [1], 1.0)])
    with pytest.raises(RoutingError, match="no floor above 0 can be met"):
        solve(network, TrafficMatrix.from_entries("rack", 3, [0], [2]), objective="total:floor=0.5")


@pytest.mark.parametrize(
    ("objective", "find", "put", "message"),
    [
        ("total:floor=0.25", '"floor": ', '"floor": 0.9, "was": ', "was is not a key"),
        ("total:floor=0.25", "total:floor=0.25", "total:floor=0.5", "floor is claimed to be|gap"),
        (FAIR, '"satisfied": 1', '"satisfied": 2', "satisfied is claimed to be 2"),
        (FAIR, FAIR, "max-min", "the levels do not hold each demand once|not a key of a result"),
    ],
)
def test_false_claims(objective: str, find: str, put: str, message: str, tmp_path: Path) -> None:
    network, traffic = one_link([2.0, 8.0, 10.0])
    checked(network, traffic, tmp_path, objective=objective)
    text = (tmp_path / "a.json").read_text()
    assert find in text
    (tmp_path / "b.json").write_text(text.replace(find, put))
    with pytest.raises(CertificateError, match=message):
        verify_file(tmp_path / "b.json")
