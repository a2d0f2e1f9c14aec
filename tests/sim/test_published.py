"""Published values, from the words one would type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pnet_lp.model.network import Variant
from pnet_lp.sim import SimulationResult, simulate
from pnet_lp.throughput import solve
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
        # Two handshakes, as in the program whose figures these are.
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


@pytest.fixture(scope="module")
def permutation() -> dict[str, SimulationResult]:
    """SOPA's permutation on 16 hosts, by forwarding."""
    network = build_network("fat-tree:k=4", link_gbps=1)
    traffic = build_traffic("permutation", network, seed=2)
    words = {
        "sopa": {},
        **{
            name: {"forwarding": name, "transport": "tcp:duplicate_threshold=3"}
            for name in ("rps", "ecmp", "hedera:interval=5ms", "hedera:interval=5ms,placement=annealing")
        },
    }
    return {
        name: simulate(network, "each:sizes=5MB", traffic=traffic, preset="sopa", seed=2, **more)  # type: ignore[arg-type]
        for name, more in words.items()
    }


def test_spraying_in_turn_is_faster_than_at_random_and_placing_than_hashing(
    permutation: dict[str, SimulationResult],
) -> None:
    mean = {name: float(result.goodput_gbps.mean()) for name, result in permutation.items()}
    assert mean["sopa"] > 0.9
    assert mean["sopa"] > 1.2 * mean["rps"]
    assert min(mean["hedera:interval=5ms"], mean["hedera:interval=5ms,placement=annealing"]) > mean["ecmp"]
    sopa, rps = permutation["sopa"].flow, permutation["rps"].flow
    assert sopa["fast_retransmits"].sum() == 0 < rps["fast_retransmits"].sum()
    assert rps["packets_dropped"].sum() == 0


def test_four_flows_in_turn_keep_their_order_and_halve_their_links() -> None:
    """SOPA, figures 9 and 10: about 475 Mb/s each and 0.4 % out of order in turn, 378 and 15 % at random."""
    network = build_network("fat-tree:k=4", link_gbps=1)
    traffic = build_traffic("sopa-four-flows", network)
    random: dict[str, Any] = {"forwarding": "rps", "transport": "tcp:duplicate_threshold=3"}
    for delay in ("25ns", "19us"):
        in_turn, at_random = (
            simulate(
                network, "each:sizes=5MB", traffic=traffic, preset="sopa", header=0, link_delay=delay, seed=3, **words
            )
            for words in (dict[str, Any](), random)
        )
        assert in_turn.goodput_gbps == pytest.approx(np.full(4, 0.475), rel=0.06)
        assert (in_turn.flow["out_of_order"] < 0.004 * in_turn.flow["data_packets"]).all()
        assert in_turn.flow["resent"].sum() == 0
        assert at_random.goodput_gbps.mean() < 0.95 * in_turn.goodput_gbps.mean()
        assert at_random.flow["out_of_order"].sum() > 0.1 * at_random.flow["data_packets"].sum()
        assert at_random.flow["fast_retransmits"].sum() > 30


@pytest.mark.parametrize(("delay", "slowest"), [("25ns", 0.48), ("19us", 0.32)])
def test_spraying_at_random_suffers_from_slow_links_to_the_core(delay: str, slowest: float) -> None:
    """SOPA, figure 3: 0.99, 0.97, 0.58 and 0.30 Gb/s; 0.30 over links as long as its packets' delays say."""
    rates = []
    for core_gbps in (1, 0.75, 0.5, 0.25):
        network = build_network(f"fat-tree:k=4,core_gbps={core_gbps}", link_gbps=1)
        traffic = build_traffic("sopa-one-flow", network)
        words: dict[str, Any] = {
            "forwarding": "rps", "transport": "tcp:duplicate_threshold=3", "link_delay": delay,
        }  # fmt: skip
        result = simulate(network, "each:sizes=20MB", traffic=traffic, preset="sopa", header=0, seed=1, **words)
        rates.append(float(result.goodput_gbps[0]))
    assert rates[0] == pytest.approx(0.986, rel=0.02)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(slowest, rel=0.1)


def test_the_order_of_forwardings_on_128_hosts() -> None:
    """SOPA, section 4.3.  Hedera looks every 5 s, as in its own paper; more often, it passes random spraying."""
    network = build_network("fat-tree:k=8", link_gbps=1)
    traffic = build_traffic("permutation", network, seed=1)
    found = []
    for name in ("sopa", "rps", "hedera:interval=5s", "ecmp"):
        words: dict[str, Any] = {} if name == "sopa" else {"forwarding": name, "transport": "tcp:duplicate_threshold=3"}
        result = simulate(network, "each:sizes=2MB", traffic=traffic, preset="sopa", header=0, seed=1, **words)
        found.append(float(result.goodput_gbps.mean()))
    sopa, rps, hedera, ecmp = found
    assert sopa > 1.2 * rps > 1.2 * 1.05 * hedera
    assert hedera >= ecmp


def test_mptcp_gets_most_of_what_its_paths_carry_and_never_more() -> None:
    """Eight subflows over the eight shortest paths, long flows, against what the linear program allows in all."""
    network = build_network("jellyfish:k=8", link_gbps=1, seed=3)
    traffic = build_traffic("permutation:kind=pairs", network, seed=3)
    best = solve(network, traffic, routing="ksp:8", objective="total", seed=3)
    assert best.value is not None
    most = best.value / traffic.demand_count

    def mean_gbps(transport: str) -> float:
        result = simulate(
            network,
            "each:sizes=1GB",
            traffic=traffic,
            preset="pnet",
            transport=transport,
            routing="ksp:8",
            time_limit="100ms",
            seed=3,
        )
        return float((result.flow["received_bytes"] * 8000 / result.time_ps).mean())

    # Slow start included; ten times the bits get 81 % with it and 87 % after it (experiments/packets-mptcp).
    usual = mean_gbps("mptcp:coupling=lia,shrinks=marked")
    assert 0.75 * most < usual <= most
    # Windows that shrink while losses are repaired, too, take longer to grow again after slow start.
    assert 0.7 * most < mean_gbps("mptcp:coupling=lia") < usual


@pytest.mark.parametrize("load", [0.1, 0.3, 0.5, 0.8])
def test_pfabric_is_near_the_ideal_and_tcp_many_times_that(load: float) -> None:
    network = build_network("fat-tree:k=4", link_gbps=1)
    workload = build_workload(f"poisson:sizes=pfabric-web-search,load={load},flows=60", network, seed=1)
    words: dict[str, Any] = {"transport": "tcp", "queue": "drop-tail", "forwarding": "ecmp"}
    pfabric = simulate(network, workload, preset="pfabric", seed=1)
    tcp = simulate(network, workload, preset="pfabric", seed=1, **words)
    assert 1 <= pfabric.slowdown.mean() < 1.5
    assert tcp.slowdown.mean() > 5 * pfabric.slowdown.mean()


def test_how_min_tcp_finds_losses_decides() -> None:
    network = build_network("fat-tree:k=4", link_gbps=1)
    workload = build_workload("poisson:sizes=pfabric-web-search,load=0.5,flows=60", network, seed=1)
    words = ("min-tcp", "min-tcp:duplicate_threshold=1000000", "min-tcp:rto=40us")
    pfabric, waiting, quick = (simulate(network, workload, preset="pfabric", transport=each, seed=1) for each in words)
    # Who finds losses by nothing but a timeout of 40 ms waits for it.
    assert pfabric.slowdown.mean() < waiting.slowdown.mean()
    # A timeout shorter than a round trip sends nearly everything again.
    assert quick.flow["resent"].sum() > 0.5 * quick.flow["data_packets"].sum()
    assert waiting.flow["resent"].sum() < 0.02 * waiting.flow["data_packets"].sum()
