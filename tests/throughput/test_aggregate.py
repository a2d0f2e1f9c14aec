"""Merging equivalent hosts changes no optimum."""

import numpy as np
import pytest

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.model.arrays import FloatArray, IntArray, ints
from pnet_lp.model.endpoint_classes import Classes
from pnet_lp.throughput import build_problem, solve

from .conftest import all_to_all, fat_tree, one_switch


def apart(attach: IntArray, up: FloatArray, down: FloatArray, traffic: TrafficMatrix, **_: bool) -> Classes:
    """Every host a class of its own."""
    own = ints(np.arange(traffic.endpoints))
    return Classes(attach, up, down, traffic.demands, own)


def drawn(seed: int) -> tuple[Network, TrafficMatrix]:
    """1 to 3 planes of 4 switches and 8 to 12 hosts of few kinds, with demands between kinds or between hosts."""
    random = np.random.default_rng(seed)
    hosts = int(random.integers(8, 13))
    place = np.sort(random.integers(0, 4, hosts))
    planes = []
    for _ in range(random.integers(1, 4)):
        # Hosts of a switch stay together, or not, in the other planes.
        order = place if random.random() < 0.7 else random.permutation(place)
        cables = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
        planes.append(
            Plane.from_cables(
                4,
                cables[:, 0],
                cables[:, 1],
                random.choice([1.0, 4.0, 10.0], 5),
                racks=range(4),
                host_switch=order,
                access_gbps=random.choice([2.0, 5.0], 4)[order],
                access_down_gbps=random.choice([2.0, 5.0], 4)[order],
            )
        )
    kind = random.integers(0, 3, hosts) if random.random() < 0.5 else place
    demand = random.choice([0.0, 1.0, 2.5], size=(4, 4))[np.ix_(kind, kind)]
    if random.random() < 0.3:
        demand[random.integers(hosts), random.integers(hosts)] += 1.0
    np.fill_diagonal(demand, 0.0)
    demand[0, -1] += 1.0
    return Network.from_planes(planes), TrafficMatrix.from_dense("host", demand)


@pytest.mark.parametrize("seed", range(40))
def test_same_optimum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network, traffic = drawn(seed)
    merged = solve(network, traffic, solver="highs-simplex", tolerance=1e-7)
    monkeypatch.setattr("pnet_lp.model.flow.endpoint_classes", apart)
    separate = solve(network, traffic, solver="highs-simplex", tolerance=1e-7)
    assert merged.status == separate.status == "certified"
    assert merged.throughput_gbps == pytest.approx(separate.throughput_gbps, rel=2e-7)


@pytest.mark.parametrize("seed", range(10))
def test_merging_can_be_turned_off(seed: int) -> None:
    network, traffic = drawn(seed)
    problem = build_problem(network, traffic, aggregate=False)
    assert problem.demand.tolist() == traffic.demand.tolist()
    assert problem.member[problem.src].tolist() == traffic.src.tolist()
    assert problem.member[problem.dst].tolist() == traffic.dst.tolist()


def test_some_of_these_merge() -> None:
    found = [build_problem(*drawn(seed)).attach.shape[1] / drawn(seed)[0].host_count for seed in range(40)]
    assert min(found) < 0.6
    assert max(found) == 1.0


def test_all_to_all_merges_each_edge_switch() -> None:
    network = Network.from_planes([fat_tree(4)])
    problem = build_problem(network, all_to_all(network, "host"))
    assert problem.attach.shape == (1, 8)
    assert problem.access_up.tolist() == [[2.0] * 8]
    # Within a class of two hosts each sends to the other; between classes two send to two.
    assert problem.demand[problem.src == problem.dst].tolist() == [2.0] * 8
    assert problem.demand[problem.src != problem.dst].tolist() == [4.0] * 56


def test_unequal_speeds_stay_apart() -> None:
    network = Network.from_planes([one_switch(4, [1.0, 1.0, 2.0, 2.0])])
    problem = build_problem(network, all_to_all(network, "host"))
    assert problem.endpoint_class.tolist() == [0, 0, 1, 1]


def test_unequal_demands_stay_apart() -> None:
    network = Network.from_planes([one_switch(4, 1.0)])
    chain = TrafficMatrix.from_entries("host", 4, [0, 1, 2], [1, 2, 3])
    assert build_problem(network, chain).endpoint_class.tolist() == [0, 1, 2, 3]


def test_hosts_without_demand_are_left_out() -> None:
    network = Network.from_planes([one_switch(4, 1.0)])
    problem = build_problem(network, TrafficMatrix.from_entries("host", 4, [1], [3]))
    assert problem.endpoint_class.tolist() == [-1, 0, -1, 1]


def test_racks_stay_as_they_are() -> None:
    network = Network.from_planes([Plane.from_cables(3, [0, 1], [1, 2], 1.0)])
    problem = build_problem(network, all_to_all(network))
    assert problem.endpoint_class.tolist() == [0, 1, 2]
    assert np.all(np.isinf(problem.access_up))
