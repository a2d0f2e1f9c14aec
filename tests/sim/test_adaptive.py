"""Paths chosen by queues: what that does to whole runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.failures import Failures, fail
from pnet_lp.model import Network, Plane
from pnet_lp.sim import simulate

from .conftest import check_conserved, flows

ANY_ORDER: dict[str, Any] = {
    "transport": "roce:recovery=selective,duplicate_threshold=10000,dcqcn=false",
    "queue": "shared",
}


def two_spines(*gbps: float) -> Network:
    """A host of 40 Gb/s at each of two leaves, which spines of these speeds join."""
    spines = np.arange(len(gbps)) + 2
    u, v = np.concatenate([np.zeros_like(spines), np.ones_like(spines)]), np.concatenate([spines, spines])
    plane = Plane.from_cables(2 + len(gbps), u, v, np.tile(gbps, 2), host_switch=[0, 1], access_gbps=40.0, racks=[0, 1])
    return Network.from_planes([plane])


@pytest.mark.parametrize(("forwarding", "gbps"), [("rps", 20), ("adaptive", 40), ("adaptive:drawn=3", 40)])
def test_slow_paths_get_less(forwarding: str, gbps: float) -> None:
    """Evenly spread, 10 and 30 Gb/s carry twice the slower one."""
    network = two_spines(10, 30)
    found = simulate(network, flows(network, (0, 1, 4_000_000, 0)), forwarding=forwarding, **ANY_ORDER)
    check_conserved(found)
    assert found.completed == 1
    assert 4_000_000 * 8 / found.completion_ps[0] * 1000 == pytest.approx(gbps, rel=0.1)


def test_hosts_choose_planes_by_their_queues() -> None:
    """Planes of 10 and 30 Gb/s, of one switch each."""
    planes = [
        Plane.from_cables(1, [], [], racks=[0], host_switch=[0, 0], access_gbps=gbps, access_down_gbps=gbps)
        for gbps in (10.0, 30.0)
    ]
    network = Network.from_planes(planes)
    keys = {"plane_policy": "round-robin", **ANY_ORDER}
    work = flows(network, (0, 1, 4_000_000, 0))
    even, adaptive = (simulate(network, work, forwarding=name, **keys) for name in ("rps", "adaptive"))
    rate = [4_000_000 * 8000 / found.completion_ps[0] for found in (even, adaptive)]
    assert rate[0] == pytest.approx(20, rel=0.1)
    assert rate[1] == pytest.approx(40, rel=0.1)


def test_equal_seeds_give_equal_bytes_and_lost_links_are_avoided(tree: Network) -> None:
    work = flows(tree, *((i, (i + 5) % 16, 200_000, 0) for i in range(16)))
    keys = {"forwarding": "adaptive", "seed": 3, **ANY_ORDER}
    one, other = (simulate(fail(tree, Failures(links=0.1), seed=1), work, **keys) for _ in range(2))
    check_conserved(one)
    assert one.completed == 16
    np.testing.assert_array_equal(one.completion_ps, other.completion_ps)


def test_one_draw_is_no_choice_and_a_fluid_has_no_queues(tree: Network) -> None:
    work = flows(tree, (0, 5, 1000, 0))
    with pytest.raises(SpecError, match="drawn: input should be greater than or equal to 2"):
        simulate(tree, work, forwarding="adaptive:drawn=1")
    with pytest.raises(SpecError, match="a fluid has no queues of single packets to choose by"):
        simulate(tree, work, forwarding="adaptive", model="fluid")
