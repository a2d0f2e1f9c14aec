"""Placement of flows: Hedera's own patterns, which it fills the tree with, and what happens without room."""

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.routing import parse_routing
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

from .conftest import walks

PLACEMENTS = ["hedera", "hedera:annealing"]


@pytest.mark.parametrize("routing", PLACEMENTS)
@pytest.mark.parametrize("stride", [1, 2, 4, 8])
def test_strides_meet_nowhere(routing: str, stride: int) -> None:
    network = build_network("fat-tree:k=4", link_gbps=1)
    traffic = build_traffic(f"stride:s={stride}", network)
    for seed in range(3):
        rule = parse_routing(routing, seed=seed)
        loads = rule.loads(network, "host", traffic.src, traffic.dst, traffic.demand)
        assert loads.arc_load.max() == pytest.approx(1.0)
        usage = rule.usage(network, "host", traffic.src, traffic.dst)
        assert (usage @ traffic.demand).tolist() == pytest.approx(loads.arc_load.tolist())


@pytest.mark.parametrize("routing", PLACEMENTS)
def test_paths_are_shortest_ones(routing: str) -> None:
    network = build_network("fat-tree:k=4", planes=2)
    traffic = build_traffic("random:flows=3,distinct=true", network, seed=3)
    pairs = network, "host", traffic.src, traffic.dst
    paths, best = parse_routing(routing).paths(*pairs), parse_routing("ecmp-lp").paths(*pairs)
    for j in range(traffic.demand_count):
        (path,) = walks(paths, j)
        assert path in walks(best, j)


def two_ways(racks: int) -> Network:
    """Racks to whose partners two middle switches lead; the last rack has no cable."""
    links = [(end, 2 * racks + middle) for end in range(2 * racks - 1) for middle in (0, 1)]
    u, v = zip(*links, strict=True)
    return Network.from_planes([Plane.from_cables(2 * racks + 2, u, v, capacity_gbps=1.0)])


def test_without_room_flows_go_as_ecmp_sends_them() -> None:
    # Three flows of 1 from one rack, which could send 2: two thirds each, so that each way has room for one of them.
    network = two_ways(3)
    src, dst = np.array([0, 0, 0, 0]), np.array([1, 2, 3, 5])
    placed, drawn = (parse_routing(name, seed=4).paths(network, "rack", src, dst) for name in ("hedera", "ecmp"))
    assert placed.paths_per_pair.tolist() == [1, 1, 1, 0]
    middles = [walks(placed, j)[0][1][1] for j in range(3)]
    assert middles[:2] == [6, 7]
    assert walks(placed, 2) == walks(drawn, 2)


def test_round_robin_places_in_the_plane_that_is_drawn() -> None:
    """As ``ecmp`` does, although both planes have room."""
    planes = [Plane.from_cables(3, *zip(*cables, strict=True), 1.0) for cables in ([(0, 1)], [(0, 2), (2, 1)])]
    where, drawn = (Network.from_planes(planes), "rack", [0], [1]), set()
    for seed in range(10):
        for name in PLACEMENTS:
            placed, ecmp = (parse_routing(x, policy="round-robin", seed=seed).paths(*where) for x in (name, "ecmp"))
            assert placed.plane.tolist() == ecmp.plane.tolist()
            drawn |= {*placed.plane.tolist()}
    assert drawn == {0, 1}


def test_parameters() -> None:
    with pytest.raises(SpecError, match="steps are those of placement=annealing"):
        parse_routing("hedera:steps=5")
    assert parse_routing("hedera:placement=annealing,steps=5").params.annealing == 5  # type: ignore[attr-defined]
