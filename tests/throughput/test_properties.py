"""What must hold for the throughput of any network."""

import numpy as np
import pytest

from pnet_lp.model import Network, Plane, TrafficMatrix
from pnet_lp.throughput import solve

from .conftest import random_network

SEEDS = range(12)
TOLERANCE = 1e-6


class Certified:
    """Solves by one solver and insists on the proof."""

    def __init__(self, solver: str) -> None:
        self.solver = solver

    def __call__(self, network: Network, traffic: TrafficMatrix) -> float:
        result = solve(network, traffic, solver=self.solver, tolerance=TOLERANCE)
        assert result.status == "certified"
        assert result.interval.upper >= result.interval.lower
        return result.throughput_gbps


@pytest.fixture(params=["structured", "highs-ipx"])
def certified(request: pytest.FixtureRequest) -> Certified:
    return Certified(request.param)


@pytest.mark.parametrize("seed", SEEDS)
def test_scaling_capacities_scales_throughput(seed: int, certified: Certified) -> None:
    network, traffic = random_network(seed)
    scaled = Network.from_planes([plane.scaled(7.5) for plane in network.planes])
    assert certified(scaled, traffic) == pytest.approx(7.5 * certified(network, traffic), rel=2 * TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_scaling_demands_scales_throughput(seed: int, certified: Certified) -> None:
    network, traffic = random_network(seed)
    more = TrafficMatrix.from_entries("rack", traffic.endpoints, traffic.src, traffic.dst, 400.0 * traffic.demand)
    assert 400.0 * certified(network, more) == pytest.approx(certified(network, traffic), rel=2 * TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_another_link_never_lowers_throughput(seed: int, certified: Certified) -> None:
    network, traffic = random_network(seed)
    first = network.planes[0]
    grown = Plane.from_cables(
        first.switch_names,
        [*first.cable_u, 0],
        [*first.cable_v, 2],
        [*first.capacity_uv_gbps, 5.0],
        capacity_back_gbps=[*first.capacity_vu_gbps, 5.0],
        racks=first.rack_switch,
    )
    more = Network.from_planes([grown, *network.planes[1:]])
    assert certified(more, traffic) >= certified(network, traffic) * (1 - TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_relabelling_changes_nothing(seed: int, certified: Certified) -> None:
    network, traffic = random_network(seed)
    order = np.random.default_rng(seed).permutation(traffic.endpoints)
    planes = [
        Plane.from_cables(
            plane.switch_count,
            order[plane.cable_u],
            order[plane.cable_v],
            plane.capacity_uv_gbps,
            capacity_back_gbps=plane.capacity_vu_gbps,
            racks=range(plane.switch_count),
        )
        for plane in network.planes
    ]
    moved = TrafficMatrix.from_entries(
        "rack", traffic.endpoints, order[traffic.src], order[traffic.dst], traffic.demand
    )
    assert certified(Network.from_planes(planes), moved) == pytest.approx(
        certified(network, traffic), rel=2 * TOLERANCE
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_planes_add_up(seed: int, certified: Certified) -> None:
    network, traffic = random_network(seed)
    one = Network.from_planes(network.planes[:1])
    three = Network.from_planes(network.planes[:1] * 3)
    assert certified(three, traffic) == pytest.approx(3 * certified(one, traffic), rel=2 * TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_planes_together_carry_at_least_the_sum(seed: int, certified: Certified) -> None:
    network, traffic = random_network(seed)
    alone = sum(certified(Network.from_planes([plane]), traffic) for plane in network.planes)
    assert certified(network, traffic) >= alone * (1 - TOLERANCE)
