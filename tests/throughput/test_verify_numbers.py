"""Numbers of any size: what overflows, vanishes or is small beside another proves nothing, and honest results hold."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pnet_lp import _core
from pnet_lp.errors import CertificateError, SpecError
from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import save_result
from pnet_lp.throughput.verify import Verification, verify_file

from .conftest import random_hosts, random_network
from .test_objectives import few_demands
from .test_verify_objectives import Document, change, decoded, saved


def checked(document: Document, path: Path) -> Verification:
    path.write_text(json.dumps(document))
    return verify_file(path)


def refused(document: Document, path: Path, sentence: str) -> None:
    with pytest.raises(CertificateError, match=sentence):
        checked(document, path)


def complete(n: int = 5) -> tuple[Network, TrafficMatrix]:
    u, v = np.triu_indices(n, 1)
    network = Network.from_planes([Plane.from_cables(n, u, v, 10.0)])
    return network, TrafficMatrix.from_entries("rack", n, [0], [1])


def claim(document: Document, rate: float) -> None:
    """Put K and both bounds, and with them the gap, where a liar wants them."""
    for key in ("throughput_gbps", "lower_bound_gbps", "upper_bound_gbps"):
        document[key] = rate
    document["relative_gap"] = 0.0


@pytest.mark.parametrize("length", [1.5e307, 1.7e308])
def test_sums_of_lengths_that_overflow_prove_nothing(length: float, tmp_path: Path) -> None:
    """All that reaches the destination is 40; a share of 1/4 over the direct link alone carries 10."""
    document = saved(tmp_path / "r.json", *complete(), "concurrent")
    unused = decoded(document["certificate"]["length"]) == 0
    change("certificate", "length", to=lambda lengths: np.where(unused, length, lengths))(document)
    document["upper_bound_gbps"] = document["throughput_gbps"] / 4
    refused(document, tmp_path / "r.json", "what it claims cannot be computed: overflow")


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1e20, 1e300])
def test_the_scale_of_lengths_does_not_matter(scale: float, tmp_path: Path) -> None:
    document = saved(tmp_path / "r.json", *complete(), "concurrent")
    change("certificate", "length", to=lambda lengths: lengths / lengths.max() * scale)(document)
    found = checked(document, tmp_path / "r.json")
    assert found.interval.upper == pytest.approx(40.0, rel=1e-9)


def test_lengths_that_vanish_in_products_prove_nothing_false(tmp_path: Path) -> None:
    """1.4 times the smallest number is that number again."""
    network = Network.from_planes([Plane.from_cables(2, [0], [1], 1.4)])
    document = saved(tmp_path / "r.json", network, TrafficMatrix.from_entries("rack", 2, [0], [1]), "concurrent")
    change("certificate", "length", to=lambda lengths: np.where(lengths > 0, 5e-324, 0.0))(document)
    assert checked(document, tmp_path / "r.json").interval.upper == pytest.approx(1.4)
    document["upper_bound_gbps"] = 1.0
    refused(document, tmp_path / "r.json", "upper_bound_gbps is claimed to be 1.0, but the proof gives 1.4")


@pytest.mark.parametrize("speed", [1e-120, 1e150])
def test_capacities_that_cannot_be_computed_with_are_refused(speed: float, tmp_path: Path) -> None:
    network = Network.from_planes([Plane.from_cables(2, [0], [1], 1.0)])
    document = saved(tmp_path / "r.json", network, TrafficMatrix.from_entries("rack", 2, [0], [1]), "concurrent")
    change("instance", "network", "planes", 0, "capacity_uv_gbps", to=lambda _: np.array([speed]))(document)
    with pytest.raises(SpecError, match=r"invalid speed, found .*; allowed: 0, or 1e-15 to 1e"):
        checked(document, tmp_path / "r.json")


def unequal() -> tuple[Network, TrafficMatrix]:
    """Two links of 1e6 and 1e-6 Gb/s."""
    network = Network.from_planes([Plane.from_cables(4, [0, 2], [1, 3], [1e6, 1e-6])])
    return network, TrafficMatrix.from_entries("rack", 4, [0, 2], [1, 3], [1e6, 1e-4])


@pytest.mark.parametrize("routing", ["ecmp", "ecmp-split", "vlb"])
def test_the_load_of_a_slow_link_counts_beside_a_fast_one(routing: str, tmp_path: Path) -> None:
    document = saved(tmp_path / "r.json", *unequal(), "concurrent", routing=routing)
    assert document["throughput_gbps"] == pytest.approx(0.01)
    change("certificate", "load", to=lambda load: np.where(load < 1, load / 900, load))(document)
    refused(document, tmp_path / "r.json", "certificate.load is not what the routing gives")
    claim(document, 9.0)
    refused(document, tmp_path / "r.json", "certificate.load is not what the routing gives")


def test_what_a_fast_link_has_left_counts_for_a_slow_demand(tmp_path: Path) -> None:
    """A link of 1e6 that is full up to a part of 1e-10 has room for 100 times what the small demand gets."""
    network = Network.from_planes([Plane.from_cables(4, [0, 1, 3], [1, 2, 1], [1e6 * (1 - 1e-10), 1e6, 1e6])])
    traffic = TrafficMatrix.from_entries("rack", 4, [0, 3], [2, 2], [1e6, 1e-6])
    document = saved(tmp_path / "r.json", network, traffic, "max-min", routing="ecmp-split")
    levels = document["answer"]["levels"]
    assert [level["rate"] for level in levels] == pytest.approx([1.0, 100.0], rel=1e-3)
    checked(document, tmp_path / "r.json")

    # The same for 1 instead of 100.
    high = levels[1]
    rates = np.array([decoded(document["answer"]["rates_gbps"])[0], 1e-6])
    change("answer", "rates_gbps", to=lambda _: rates)(document)
    high["rate"] = high["upper"] = 1.0
    document["certificate"]["load"] = loads_of(document, rates)
    refused(document, tmp_path / "r.json", "demand 1 of level 1 could get more than is claimed, 1.0")


def loads_of(document: Document, rates: np.ndarray) -> Document:
    """The loads of demands that share the link out of switch 1, and have one more each."""
    load = decoded(document["certificate"]["load"])
    both, own = np.flatnonzero(load == load.max()), np.flatnonzero((load > 0) & (load < 1))
    load[both[-1]] = rates.sum()
    load[own] = rates[1]
    changed = {"load": document["certificate"]["load"]}
    change("load", to=lambda _: load)(changed)
    return changed["load"]


@pytest.mark.parametrize("routing", ["ideal", "ksp:3"])
def test_lengths_of_zero_bound_no_level(routing: str, tmp_path: Path) -> None:
    """Half of what is fair, with bounds that no length proves."""
    document = saved(tmp_path / "r.json", *few_demands(5, random_network), "max-min", routing=routing)
    for i in range(len(document["answer"]["levels"])):
        for key in ("length", "up_length", "down_length"):
            change("answer", "levels", i, key, to=lambda lengths: 0 * lengths)(document)
    refused(document, tmp_path / "r.json", "a demand of level 0 could get more than is claimed")


@pytest.mark.parametrize("scale", [1e12, 1e18, 1e25])
def test_lengths_far_above_costs_prove_what_rounding_leaves(scale: float, tmp_path: Path) -> None:
    """All is carried that can be: lengths of the bound on K, however large, prove nothing of the cost."""
    network, traffic = few_demands(5, random_network)
    save_result(tmp_path / "k.json", network, traffic, solve(network, traffic, tolerance=1e-9))
    rate = json.loads((tmp_path / "k.json").read_text())
    document = saved(tmp_path / "r.json", network, traffic, "min-cost")
    lengths = decoded(rate["certificate"]["length"]) * scale
    change("certificate", "length", to=lambda _: lengths)(document)
    for key in ("lower_bound_gbps_links", "upper_bound_gbps_links"):
        document[key] = document["cost_gbps_links"]
    refused(document, tmp_path / "r.json", "lower_bound_gbps_links is claimed to be|the bounds cross")


@pytest.mark.parametrize("draw", [random_network, random_hosts])
@pytest.mark.parametrize("routing", ["ecmp-split", "vlb", "ksp:2", "edge-disjoint:3"])
@pytest.mark.parametrize("policy", ["single", "round-robin"])
def test_drawn_planes_are_drawn_again(
    policy: Any,
    routing: str,
    draw: Callable[[int], tuple[Network, TrafficMatrix]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another seed draws other planes; where it does not, the proof holds for it as well."""
    network, traffic = few_demands(1, draw)
    found = [
        saved(tmp_path / "r.json", network, traffic, "concurrent", routing=routing, plane_policy=policy, seed=seed)
        for seed in range(4)
    ]
    if routing in ("ecmp-split", "vlb"):
        monkeypatch.setattr(_core, "split_loads", None)
    for seed, document in enumerate(found):
        assert checked(document, tmp_path / "r.json").status == "certified"
        share = document["certificate"].get("share")
        other = found[seed - 1]
        if share and share != other["certificate"]["share"]:
            moved = document | {"routing_seed": other["routing_seed"]}
            refused(moved, tmp_path / "r.json", "certificate.share is not what the routing gives")


def test_no_tolerance_makes_bounds_a_value(tmp_path: Path) -> None:
    network, traffic = random_network(5)
    path = tmp_path / "r.json"
    result = solve(network, traffic, solver="structured", tolerance=1e-9, max_iterations=60)
    save_result(path, network, traffic, result)
    document: Document = json.loads(path.read_text())
    assert document["status"] == "bounds"
    document |= {"tolerance": 0.99, "status": "certified"}
    found = checked(document, path)
    assert found.status == "bounds"
    assert found.gap == pytest.approx(document["relative_gap"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"throughput_gbps": ', '"throughput_gbps": 99.0, "throughput_gbps": '),
        ('"form": ', '"form": "path", "form": '),
        ('"data": ', '"data": "", "data": '),
    ],
)
def test_a_key_given_twice_is_refused(old: str, new: str, tmp_path: Path) -> None:
    document = saved(tmp_path / "r.json", *complete(), "concurrent")
    (tmp_path / "r.json").write_text(json.dumps(document).replace(old, new, 1))
    with pytest.raises(SpecError, match=rf"not JSON: key {old[:-2]} is given twice".replace('"', "'")):
        verify_file(tmp_path / "r.json")


def wide(seed: int) -> tuple[Network, TrafficMatrix]:
    """Capacities from 1e-6 to 1e6 and demands from 1e-3 to 1e3."""
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 8))
    planes = []
    for _ in range(random.integers(1, 3)):
        extra = random.integers(0, n, size=(int(random.integers(0, 2 * n)), 2))
        ring = np.column_stack([np.arange(n), np.roll(np.arange(n), -1)])
        u, v = np.vstack([ring, extra[extra[:, 0] != extra[:, 1]]]).T
        speed, back = 10.0 ** random.uniform(-6, 6, (2, len(u)))
        planes.append(Plane.from_cables(n, u, v, speed, capacity_back_gbps=back, racks=range(n)))
    demand = 10.0 ** random.uniform(-3, 3, (n, n)) * (random.random((n, n)) < random.choice([0.2, 0.5]))
    np.fill_diagonal(demand, 0)
    demand[0, 1] = 1.0
    return Network.from_planes(planes), TrafficMatrix.from_dense("rack", demand)


@pytest.mark.parametrize("objective", ["concurrent", "total", "max-min", "min-cost:fraction=0.9"])
@pytest.mark.parametrize("routing", ["ideal", "ksp:3", "ecmp-split", "vlb"])
@pytest.mark.parametrize(("seed", "tolerance"), [(2656, 3.6e-5), (1, 1e-1), (4, 1e-3)])
def test_honest_results_of_unequal_links_hold(
    seed: int, tolerance: float, routing: str, objective: str, tmp_path: Path
) -> None:
    """The first seed: what a later level rounded away of a rate stood in the bound of an earlier one."""
    network, traffic = wide(seed)
    result = solve(network, traffic, objective=objective, routing=routing, tolerance=tolerance, seed=seed)
    save_result(tmp_path / "r.json", network, traffic, result)
    assert verify_file(tmp_path / "r.json").gap <= 1


@pytest.mark.parametrize("seed", [20, 33])
def test_a_solver_that_fails_leaves_what_others_found(seed: int, tmp_path: Path) -> None:
    """HiGHS calls the program of a level infeasible, of which it has solved a looser one."""
    network, traffic = wide(seed)
    result = solve(network, traffic, objective="max-min")
    save_result(tmp_path / "r.json", network, traffic, result)
    verify_file(tmp_path / "r.json")
    # The lowest level is the K of all demands together.
    other = solve(network, traffic).interval
    assert result.interval.lower <= other.upper * (1 + 1e-9)
    assert other.lower <= result.interval.upper * (1 + 1e-9)
