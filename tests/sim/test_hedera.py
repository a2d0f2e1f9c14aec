"""Hedera: what a controller makes of collisions."""

from __future__ import annotations

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network
from pnet_lp.sim import SimulationResult, simulate
from pnet_lp.topology import build_network

from .conftest import check_conserved, flows


@pytest.fixture(scope="module")
def slow() -> Network:
    return build_network("fat-tree:k=4", link_gbps=1)


def run(network: Network, forwarding: str, seed: int) -> SimulationResult:
    """Return two transfers of 12.5 MB between pods, by hosts 0 and 2, which are on different switches of pod 0."""
    workload = flows(network, (0, 4, 12_500_000, 0), (2, 6, 12_500_000, 0))
    result = simulate(network, workload, transport="tcp:rto_min=1ms", forwarding=forwarding, seed=seed)
    assert result.completed == 2
    check_conserved(result)
    return result


def test_a_collision_lasts_until_the_first_poll(slow: Network) -> None:
    """12.5 MB take 0.1 s at 1 Gb/s, and twice that where both are hashed onto one link."""
    collisions = [seed for seed in range(12) if run(slow, "ecmp", seed).completion_ps.max() > 0.18e12]
    assert collisions
    for seed in collisions[:2]:
        never = run(slow, "hedera:interval=1s", seed)
        assert np.array_equal(never.completion_ps, run(slow, "ecmp", seed).completion_ps)
        for placement in ("gff", "annealing"):
            # Half of the rate for 20 ms, the whole from then on, and a loss or two.
            soon = run(slow, f"hedera:interval=20ms,placement={placement}", seed)
            assert 0.105e12 < soon.completion_ps.max() < 0.135e12
            again = run(slow, f"hedera:interval=20ms,placement={placement}", seed)
            assert np.array_equal(again.completion_ps, soon.completion_ps)


def test_steps_belong_to_annealing(slow: Network) -> None:
    with pytest.raises(SpecError, match=r"steps are those of placement=annealing"):
        run(slow, "hedera:steps=10", 0)
