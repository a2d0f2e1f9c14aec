"""Saved results of every objective under every routing hold, and what was tampered with is caught."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import PnetError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.routing import ROUTINGS
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.document import StoredArray
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import verify_file

from .conftest import random_hosts, random_network
from .test_objectives import few_demands

Document = dict[str, Any]

OBJECTIVES = [
    "concurrent",
    "min-max-utilisation",
    "total",
    "max-min",
    "min-cost",
    "min-cost:fraction=0.9",
    "min-cost:at=0.01",
]
MIN_COST = "min-cost:at=1e-5"
OPEN = [entry.expression for entry in ROUTINGS if entry.build.form != "split"]
FIXED = [entry.expression for entry in ROUTINGS if entry.build.form == "split"]


def saved(path: Path, network: Network, traffic: TrafficMatrix, objective: str, **options: Any) -> Document:
    result = solve(network, traffic, objective=objective, tolerance=1e-6, **options)
    save_result(path, network, traffic, result)
    document: Document = json.loads(path.read_text())
    return document


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("routing", [*OPEN, *FIXED])
@pytest.mark.parametrize("seed", range(2))
def test_honest_results_hold(seed: int, routing: str, objective: str, tmp_path: Path) -> None:
    for draw in (random_network, random_hosts):
        network, traffic = few_demands(seed, draw)
        document = saved(tmp_path / "r.json", network, traffic, objective, routing=routing, seed=seed)
        found = verify_file(tmp_path / "r.json")
        assert found.status == document["status"] == "certified"
        for key, value in found.figures.items():
            if isinstance(value, float) and key != "relative_gap":
                assert document[key] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("routing", ["ksp:1", *FIXED])
@pytest.mark.parametrize("policy", ["any", "round-robin", "shortest", "single"])
def test_filled_rates_hold(policy: Any, routing: str, tmp_path: Path) -> None:
    network, traffic = few_demands(3, random_network)
    saved(tmp_path / "r.json", network, traffic, "max-min-fill", routing=routing, plane_policy=policy, seed=2)
    assert verify_file(tmp_path / "r.json").status == "certified"


@pytest.mark.parametrize("objective", ["total", "max-min"])
def test_what_has_no_path_gets_nothing(objective: str, tmp_path: Path) -> None:
    network = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3], 5.0)])
    traffic = TrafficMatrix.from_entries("rack", 4, [0, 0], [1, 3], 2.0)
    document = saved(tmp_path / "r.json", network, traffic, objective)
    assert verify_file(tmp_path / "r.json").status == "certified"
    rates = decoded(document["answer"]["rates_gbps"])
    assert rates[1] == 0
    rates[1] = 1e-3
    document["answer"]["rates_gbps"] = StoredArray.of(rates).model_dump()
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(PnetError, match="a demand without a path is claimed to get something"):
        verify_file(tmp_path / "r.json")


def decoded(stored: Document) -> np.ndarray:
    return StoredArray.model_validate(stored).decode().copy()


def change(*keys: str | int, to: Callable[[np.ndarray], np.ndarray]) -> Callable[[Document], None]:
    def apply(document: Document) -> None:
        parent: Any = document
        for key in keys[:-1]:
            parent = parent[key]
        parent[keys[-1]] = StoredArray.of(to(decoded(parent[keys[-1]]))).model_dump()

    return apply


def put(*keys: str | int, to: Callable[[Any], Any]) -> Callable[[Document], None]:
    def apply(document: Document) -> None:
        parent: Any = document
        for key in keys[:-1]:
            parent = parent[key]
        parent[keys[-1]] = to(parent[keys[-1]])

    return apply


def one_more(values: np.ndarray) -> np.ndarray:
    values[0] *= 1 + 1e-6
    return values


RATES = ("answer", "rates_gbps")
NO_RATES = "answer.rates_gbps is not a rate >= 0 for each demand"
OVERLOAD = "a link carries more than it can"
LOADS = "certificate.load is not what the routing gives"
NO_LEVELS = "the levels do not hold each demand once"

LEVEL = {"rate": 1.0, "upper": None, "demands": StoredArray.of(np.arange(1, dtype=np.int32)).model_dump()} | {
    key: StoredArray.of(np.zeros(0)).model_dump() for key in ("length", "up_length", "down_length")
}

TAMPERINGS: list[tuple[str, Callable[[Document], None], str | tuple[str, str]]] = [
    # Where the routing fixes the split, the loads are a part of the proof: the second sentence of two.
    ("total", change(*RATES, to=lambda r: r * (1 + 1e-6)), (OVERLOAD, LOADS)),
    ("total", change(*RATES, to=lambda r: r * 0.9), ("total_gbps is claimed to be", LOADS)),
    ("total", change(*RATES, to=lambda r: r[1:]), NO_RATES),
    ("total", change(*RATES, to=lambda r: r * np.nan), NO_RATES),
    ("total", put("total_gbps", to=lambda v: v * 1.01), "total_gbps is claimed to be"),
    ("total", put("upper_bound_gbps", to=lambda v: v * 0.99), "upper_bound_gbps is claimed to be"),
    ("total", put("rates_gbps", "max", to=lambda v: v * 2), "rates_gbps is claimed to be"),
    ("total", put("answer", to=lambda _: {}), "answer.rates_gbps: field required"),
    ("total", lambda document: document["answer"].pop("levels"), "answer.levels: field required"),
    ("total", lambda document: document.pop("answer"), NO_RATES),
    ("total", put("answer", "levels", to=lambda _: [LEVEL]), "answer.levels is not what the objective 'total' has"),
    ("concurrent", lambda document: document.update(answer={}), "answer.rates_gbps: field required"),
    ("total", change("certificate", "length", to=lambda v: v * 0), "upper_bound_gbps is claimed to be"),
    ("max-min", change(*RATES, to=one_more), (OVERLOAD, LOADS)),
    ("max-min", change(*RATES, to=lambda r: r * (1 - 1e-6)), ("the rate of level 0 is claimed to be", LOADS)),
    ("max-min", put("answer", "levels", to=lambda levels: levels[1:]), NO_LEVELS),
    ("max-min", put("answer", "levels", 0, "rate", to=lambda v: v * 1.01), "the rate of level 0 is claimed to be"),
    ("max-min", put("answer", "levels", 0, "upper", to=lambda v: v * 0.9), "answer.levels.0 has an upper bound below"),
    ("max-min", put("answer", "levels", to=lambda _: []), NO_LEVELS),
    ("max-min", change("answer", "levels", 0, "demands", to=lambda v: v.astype(float)), "demands is of type <f8"),
    ("max-min", put("levels", 0, "demands", to=lambda n: n + 1), "levels is claimed to be"),
    ("max-min", put("total_gbps", to=lambda v: v * 1.01), "total_gbps is claimed to be"),
    (MIN_COST, put("cost_gbps_links", to=lambda v: v * 0.99), "cost_gbps_links is claimed to be"),
    (MIN_COST, put("lower_bound_gbps_links", to=lambda v: v * 2), "lower_bound_gbps_links is claimed"),
    (MIN_COST, put("carried_gbps", to=lambda v: v * 2), "carried_gbps is claimed"),
    (MIN_COST, put("asked_gbps", to=lambda v: v / 2), "asked_gbps is claimed"),
    (MIN_COST, change(*RATES, to=one_more), "demands get nothing, or different parts of what they ask"),
    (MIN_COST, change(*RATES, to=lambda r: r * 0), "demands get nothing, or different parts of what they ask"),
    (
        MIN_COST,
        put("answer", "inputs", to=lambda _: {"link_cost": StoredArray.of(np.zeros(3)).model_dump()}),
        f"answer.inputs is not what the objective '{MIN_COST}' has",
    ),
    (
        MIN_COST,
        put("objective", to=lambda _: "min-cost:costs=c.csv"),
        "answer.inputs is not what the objective 'min-cost:costs=c.csv' has",
    ),
    ("total", put("instance", "traffic", "endpoints", to=lambda _: 10**30), "instance.traffic: python int too large"),
    ("min-max-utilisation", put("max_utilisation", to=lambda v: v * 0.9), "max_utilisation is claimed"),
]


@pytest.mark.parametrize(("objective", "tamper", "sentence"), TAMPERINGS)
@pytest.mark.parametrize("routing", ["ideal", "ksp:3", "ecmp-split"])
def test_tampering_is_caught(
    routing: str, objective: str, tamper: Callable[[Document], None], sentence: str | tuple[str, str], tmp_path: Path
) -> None:
    network, traffic = few_demands(2, random_network)
    document = saved(tmp_path / "r.json", network, traffic.scaled(1000.0), objective, routing=routing)
    tamper(document)
    (tmp_path / "r.json").write_text(json.dumps(document))
    said = sentence if isinstance(sentence, str) else sentence[routing in FIXED]
    with pytest.raises(PnetError, match=said):
        verify_file(tmp_path / "r.json")


@pytest.mark.parametrize("key", ["length", "up_length", "down_length"])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (1, 1), (1,)])
def test_levels_that_full_links_prove_have_no_lengths(key: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    network, traffic = few_demands(2, random_network)
    document = saved(tmp_path / "r.json", network, traffic, "max-min-fill", routing="ecmp-split")
    change("levels", 0, key, to=lambda _: np.zeros(shape))(document["answer"])
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(PnetError, match=f"{key} is of type <f8|answer.levels has lengths"):
        verify_file(tmp_path / "r.json")


@pytest.mark.parametrize("objective", ["max-min", "max-min-fill"])
@pytest.mark.parametrize("routing", ["ideal", "ksp:2"])
def test_a_full_link_on_one_of_two_paths_proves_nothing(routing: str, objective: str, tmp_path: Path) -> None:
    """All over the first of two planes, whose link is full, as if there were no second one."""
    plane = Plane.from_cables(2, [0], [1], 10.0)
    traffic = TrafficMatrix.from_entries("rack", 2, [0], [1], 1.0)
    document = saved(tmp_path / "r.json", Network.from_planes([plane, plane]), traffic, "max-min", routing=routing)
    assert document["total_gbps"] == pytest.approx(20.0)
    proof, answer = document["certificate"], document["answer"]
    change("rates_gbps", to=lambda rates: 0 * rates + 10.0)(answer)
    change("share" if routing == "ideal" else "weight", to=lambda split: np.array([1.0, 0.0]).reshape(split.shape))(
        proof
    )
    for key in ("length", "up_length", "down_length"):
        change("levels", 0, key, to=lambda _: np.zeros(0))(answer)
    answer["levels"][0] |= {"rate": 10.0, "upper": 10.0}
    document |= {
        "objective": objective,
        "total_gbps": 10.0,
        "relative_gap": 0.0,
        "rates_gbps": {"min": 10.0, "mean": 10.0, "max": 10.0},
        "levels": [{"rate_gbps": 10.0, "upper_bound_gbps": 10.0, "demands": 1}],
    }
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(PnetError, match="the levels have no lengths, and a demand that has several paths"):
        verify_file(tmp_path / "r.json")


@pytest.mark.parametrize("routing", ["ideal", "ksp:2"])
def test_unfair_rates_are_caught(routing: str, tmp_path: Path) -> None:
    """Two demands share a link of 10 Gb/s; one gets nearly all, as if it had come first."""
    network = Network.from_planes([Plane.from_cables(3, [0, 1], [1, 2], 10.0)])
    traffic = TrafficMatrix.from_entries("rack", 3, [0, 0], [1, 2], 1.0)
    document = saved(tmp_path / "r.json", network, traffic, "max-min", routing=routing, solver="highs-simplex")
    (honest,) = document["answer"]["levels"]
    rates = np.array([0.25, 9.75])
    document["answer"] |= {
        "rates_gbps": StoredArray.of(rates).model_dump(),
        "levels": [
            honest
            | {
                "rate": rate,
                "upper": rate * (1 + 1e-6),
                "demands": StoredArray.of(np.array([j], dtype=np.int32)).model_dump(),
            }
            for j, rate in enumerate(rates.tolist())
        ],
    }
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(PnetError, match="a demand of level 0 could get more than is claimed"):
        verify_file(tmp_path / "r.json")


@pytest.mark.parametrize("routing", ["ideal", "ksp:2"])
@pytest.mark.parametrize("seed", range(4))
def test_fair_rates_that_were_stopped_early_hold(seed: int, routing: str, tmp_path: Path) -> None:
    """Where no level has a bound, its lengths may be zero."""
    network, traffic = few_demands(seed, random_network)
    result = solve(network, traffic, objective="max-min", routing=routing, solver="highs-simplex", max_iterations=3)
    save_result(tmp_path / "r.json", network, traffic, result)
    assert verify_file(tmp_path / "r.json").status == result.status


def test_what_a_part_of_the_largest_rate_is_stays_on_trust(tmp_path: Path) -> None:
    network, traffic = few_demands(2, random_network)
    for objective, trusted in (("min-cost:fraction=0.5", 1), ("min-cost:at=1e-5", 0)):
        saved(tmp_path / "r.json", network, traffic, objective)
        assert sum("the largest K" in what for what in verify_file(tmp_path / "r.json").trusted) == trusted


def test_bottlenecks_where_nothing_is_carried_are_caught(tmp_path: Path) -> None:
    network = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3], 5.0)])
    document = saved(tmp_path / "r.json", network, TrafficMatrix.from_entries("rack", 4, [0], [3], 2.0), "concurrent")
    verify_file(tmp_path / "r.json")
    document["bottlenecks"] = [{"plane": 0, "link": ["0", "1"], "kind": "core", "share": 1.0, "capacity_gbps": 5.0}]
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(PnetError, match="1 bottlenecks are listed, but the proof gives 0"):
        verify_file(tmp_path / "r.json")


@pytest.mark.parametrize("seed", [-1, 1 << 64])
@pytest.mark.parametrize("routing", ["ideal", "ecmp"])
def test_seeds_that_nothing_can_be_drawn_from_are_refused(routing: str, seed: int) -> None:
    network, traffic = few_demands(2, random_network)
    with pytest.raises(PnetError, match=f"seed: out of range, found {seed}; allowed: whole numbers, 0 to 2\\^64 - 1"):
        solve(network, traffic, routing=routing, seed=seed)


def test_arcs_that_are_no_indices_are_caught(tmp_path: Path) -> None:
    network, traffic = few_demands(2, random_network)
    document = saved(tmp_path / "r.json", network, traffic, "concurrent")
    change("certificate", "split_arc", to=lambda arcs: arcs + 10_000)(document)
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(PnetError, match=r"certificate.split_arc names an unknown arc"):
        verify_file(tmp_path / "r.json")
