"""Published values, from the words one would type."""

from __future__ import annotations

import numpy as np
import pytest

from pnet_lp.model.network import Variant
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload


@pytest.mark.parametrize(("size", "milliseconds", "tolerance"), [("1MB", 4.8, 0.2), ("10MB", 18.9, 0.15)])
def test_pairs_in_a_fat_tree_take_as_long_as_in_other_simulators(
    size: str, milliseconds: float, tolerance: float
) -> None:
    network = build_network("fat-tree:k=8", link_gbps=10)
    traffic = build_traffic("permutation:kind=pairs", network, seed=2)
    result = simulate(network, f"each:sizes={size}", traffic=traffic, preset="pnet", seed=2)
    assert result.completed == 128
    assert result.completion_ps.mean() / 1e9 == pytest.approx(milliseconds, rel=tolerance)


@pytest.fixture(scope="module")
def calls() -> dict[tuple[int, Variant | None], tuple[float, float]]:
    """Median and mean time of a call, in microseconds, on serial and parallel Jellyfish of 686 hosts."""
    found: dict[tuple[int, Variant | None], tuple[float, float]] = {}
    variants: list[tuple[int, Variant | None]] = [
        (1, None), (4, "homogeneous"), (4, "heterogeneous"), (4, "serial-high"),
    ]  # fmt: skip
    for planes, variant in variants:
        network = build_network("jellyfish:k=14", planes=planes, variant=variant, seed=1)
        workload = build_workload("rpc:rounds=8,connects=message", network, seed=1)
        times = simulate(network, workload, preset="pnet", seed=1).task_ps / 1e6
        assert len(times) == 8 * 686
        found[planes, variant] = float(np.median(times)), float(times.mean())
    return found


@pytest.mark.parametrize(
    ("variant", "median", "mean"),
    [("homogeneous", 100, 99.2), ("heterogeneous", 80.1, 86.6), ("serial-high", 98.1, 97.9)],
)
def test_calls_over_planes(
    calls: dict[tuple[int, Variant | None], tuple[float, float]], variant: Variant, median: float, mean: float
) -> None:
    """P-Net, table 2: per cent of the time on a serial network."""
    base, found = calls[1, None], calls[4, variant]
    assert 100 * found[0] / base[0] == pytest.approx(median, abs=1)
    assert 100 * found[1] / base[1] == pytest.approx(mean, abs=1.5)
