"""Steady state skipped: how much it saves, how far it is off, where it stops, and where it is refused."""

from __future__ import annotations

from typing import Any

import pytest

import pnet_lp as pn
from pnet_lp.errors import SpecError
from pnet_lp.failures import FailureModel, Failures
from pnet_lp.model import Network
from pnet_lp.sim import Outage, SimulationResult, simulate
from pnet_lp.topology import build_network

from .conftest import flows

US = 10**6
WORDS: dict[str, Any] = {"preset": "uec"}


@pytest.fixture(scope="module")
def switch() -> Network:
    """Four hosts at 100 Gb/s below a switch."""
    return build_network("single-switch:hosts=4", link_gbps=100)


def both(network: Network, *rows: tuple[int, int, int, int], **words: Any) -> tuple[SimulationResult, SimulationResult]:
    """Return the run of some flows, and that which skips."""
    given = {**WORDS, **words}
    workload = flows(network, *rows)
    return simulate(network, workload, **given), simulate(network, workload, fast_forward=True, **given)


def took(result: SimulationResult) -> Any:
    return result.flow["end_ps"] - result.flow["start_ps"]


@pytest.mark.parametrize("transport", ["roce", "roce:dcqcn=false"])
def test_over_switches_that_pause_a_packet_leaves_once(transport: str) -> None:
    """Looked for is a steady state also at the moment at which a port is free and packets wait for it."""
    network = build_network("fat-tree:k=4", link_gbps=25)
    rows = [(i, (i + 5) % 16, 2_000_000, 0) for i in range(16)]
    full, fast = both(network, *rows, preset="roce-2026", transport=transport)
    assert (full.end, fast.end) == ("complete", "complete")
    assert took(fast).mean() == pytest.approx(took(full).mean(), rel=0.01)
    assert fast.flow["received_bytes"].tolist() == [2_000_000] * 16


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"preset": "mrc"},
        {"preset": "ndp"},
        {"preset": None, "transport": "swift"},
        {"preset": None, "transport": "tcp:receive_window=64"},
    ],
)
def test_a_flow_alone_takes_as_long(switch: Network, words: dict[str, Any]) -> None:
    full, fast = both(switch, (0, 1, 20_000_001, 3 * US), **words)
    assert (full.end, fast.end) == ("complete", "complete")
    assert fast.events < full.events / 3
    assert took(fast) == pytest.approx(took(full), rel=0.01)
    assert fast.flow["bytes"] == fast.flow["received_bytes"] == 20_000_001
    # Counters as in the full run, and no packet is missing.
    for name in ("packets_sent", "data_packets", "data_bytes"):
        assert fast.flow[name] == pytest.approx(full.flow[name], rel=0.01)
    sent = fast.flow["packets_delivered"] + fast.flow["packets_dropped"]
    assert fast.flow["packets_sent"] == sent
    assert fast.port["bytes"].sum() == pytest.approx(full.port["bytes"].sum(), rel=0.01)
    assert fast.time_ps == pytest.approx(full.time_ps, rel=0.01)
    assert fast.plane_bytes.sum() == fast.subflow_bytes.sum() == fast.flow["data_bytes"].sum()


def test_flows_that_share_a_link_and_one_that_comes_later(switch: Network) -> None:
    rows = ((0, 3, 20_000_000, 0), (1, 3, 40_000_000, 0), (2, 3, 10_000_000, 2000 * US))
    full, fast = both(switch, *rows)
    assert fast.events < 0.9 * full.events
    assert took(fast).mean() == pytest.approx(took(full).mean(), rel=0.01)
    # A start is not passed.
    assert fast.flow["start_ps"].tolist() == [0, 0, 2000 * US]


def test_flows_wait_for_what_has_been_skipped() -> None:
    words = {"link_gbps": 100, "workload": "all-reduce:size=80MB", **WORDS}
    full, fast = (pn.simulate("single-switch:hosts=4", fast_forward=on, **words).to_json() for on in (False, True))
    assert fast["flows"] == full["flows"]
    assert (full.get("fast_forward"), fast["fast_forward"]) == (None, True)
    assert fast["events"] < full["events"] / 3
    assert fast["simulated_s"] == pytest.approx(full["simulated_s"], rel=0.01)


@pytest.mark.parametrize("reroute_ps", [None, 100 * US])
def test_no_failure_is_passed(reroute_ps: int | None) -> None:
    network = build_network("single-switch:hosts=2", planes=4, link_gbps=100)
    mask = FailureModel(network, Failures(planes=(1,))).draw()
    outage = Outage(mask, from_ps=1000 * US, until_ps=1500 * US, reroute_ps=reroute_ps)
    full, fast = both(network, (0, 1, 100_000_000, 0), preset="mrc", outage=outage)
    assert fast.events < 0.7 * full.events
    assert took(fast) == pytest.approx(took(full), rel=0.01)
    assert fast.flow["packets_dropped"] == pytest.approx(full.flow["packets_dropped"], abs=200)
    assert fast.flow["packets_dropped"] > 0


def test_nothing_is_skipped_where_rates_are_not_constant(switch: Network) -> None:
    full, fast = both(switch, *((i, 3, 100_000, 20 * US * i) for i in range(3)))
    assert fast.flows.equals(full.flows)
    assert fast.ports.equals(full.ports)


def test_a_run_is_the_same_again(switch: Network) -> None:
    _, fast = both(switch, (0, 3, 20_000_000, 0), (1, 3, 20_000_000, 0))
    _, again = both(switch, (0, 3, 20_000_000, 0), (1, 3, 20_000_000, 0))
    assert fast.flows.equals(again.flows)
    assert fast.ports.equals(again.ports)


def test_a_time_limit_is_not_passed(switch: Network) -> None:
    full, fast = both(switch, (0, 3, 100_000_000, 0), time_limit="2ms")
    assert (fast.end, fast.time_ps) == (full.end, full.time_ps) == ("time limit", 2000 * US)
    assert fast.flow["received_bytes"] == pytest.approx(full.flow["received_bytes"], rel=0.005)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"transport": "cbr:rate=1Gbps"}, "fast_forward: flows of this transport cannot be shortened"),
        ({"trace": "flow:0"}, "fast_forward: what is skipped cannot be traced"),
        ({"preset": "pfabric"}, "fast_forward: not with the preset pfabric: flows are served by what they have left"),
        ({"model": "fluid"}, "fast_forward: .*fluid"),
    ],
)
def test_where_it_is_refused(words: dict[str, Any], says: str) -> None:
    common = {"link_gbps": 10, "traffic": "permutation", "flow_size": "10kB"}
    with pytest.raises(SpecError, match=says):
        pn.simulate("single-switch:hosts=4", fast_forward=True, **common, **words)
