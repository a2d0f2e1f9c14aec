"""The terms of a fluid that a transport names: worked out by hand, and held against packets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pnet_lp.model import Workload
from pnet_lp.sim import SimulationSettings, simulate
from pnet_lp.sim.fluid import FluidScenario
from pnet_lp.topology import build_network

ONE = Workload.from_flows(8, [0], [1], [10**6])
SWITCH = build_network("single-switch:hosts=8", link_gbps=10)


def scenario(workload: Workload = ONE, **settings: Any) -> FluidScenario:
    found = SimulationSettings(model="fluid", **settings).scenario(SWITCH, workload)
    assert isinstance(found, FluidScenario)
    return found


def test_windows_without_bound_fill_round_trip_threshold_and_the_host() -> None:
    # Two links of 1 us and 1.2 us a packet, both ways: 5.33 packets.  The host takes 131,072 bytes, 87.38 packets.
    found = scenario(transport="dctcp", queue="ecn:threshold=65,packets=1000")
    assert found.terms == ("handshake", "propagation", "store-and-forward", "slow-start", "queueing")
    assert (found.window, found.threshold, found.hosts_hold) == (round(5.333 + 0.75 * 87.38), 65, True)
    same = scenario(transport="dctcp", queue="ecn:threshold=65,packets=1000", host_queue="same")
    assert (same.window, same.threshold, same.hosts_hold) == (round(5.333 + 65), 65, False)
    in_bytes = scenario(transport="dctcp", queue="ecn:threshold_bytes=30kB,packets=1000", host_queue="same")
    assert (in_bytes.window, in_bytes.threshold) == (round(5.333 + 20), 20)
    # Without marks half of the limit counts.
    lost = scenario(transport="tcp:handshake=false", queue="drop-tail:packets=100", host_queue="same")
    assert lost.terms == ("propagation", "store-and-forward", "slow-start", "queueing")
    assert (lost.window, lost.threshold) == (round(5.333 + 50), 50)


def test_a_handshake_waits_in_the_queues_that_its_data_finds() -> None:
    """A packet of a host that sends 10 MB waits behind these, with a handshake twice."""
    busy = Workload.from_flows(8, [0, 0], [1, 2], [10**7, 100], [0, 10**9])
    idle = Workload.from_flows(8, [0], [2], [100])
    waits = []
    for handshake in ("false", "true"):
        settings = {"transport": f"dctcp:handshake={handshake}", "queue": "ecn:threshold=65,packets=1000"}
        runs = [scenario(workload, **settings).run().completion_ps[-1] for workload in (busy, idle)]
        waits.append(runs[0] - runs[1])
    # What the window of 71 packets keeps before the host beyond the round trip is 66 packets, less while it grows.
    assert 0.95 * 66 * 1_200_000 < waits[0] < 66 * 1_200_000
    assert waits[1] == pytest.approx(2 * waits[0], rel=0.01)


def test_bounded_windows_keep_the_terms_made_for_them() -> None:
    found = scenario(transport="dctcp:receive_window=12", queue="ecn:threshold=30,packets=1000", host_queue="same")
    assert found.terms[-2:] == ("queueing", "convergence")
    assert (found.window, found.threshold) == (12, 30)


@pytest.mark.parametrize(
    ("transport", "queue", "terms"),
    [
        ("ndp", "trim", ("propagation", "store-and-forward")),
        ("mptcp", "drop-tail", ("handshake", "propagation", "store-and-forward", "slow-start")),
        ("min-tcp", "pfabric", ("propagation", "store-and-forward", "slow-start")),
    ],
)
def test_what_does_not_fill_first_come_first_served_queues_has_none(
    transport: str, queue: str, terms: tuple[str, ...]
) -> None:
    assert scenario(transport=transport, queue=queue, host_queue="same").terms == terms


def test_flows_with_weights_have_no_queues() -> None:
    weighted = Workload.from_flows(8, [0, 2], [1, 1], [10**6, 10**6], weight=[1, 2])
    assert "queueing" not in scenario(weighted, transport="tcp").run().settings["correction"]


def test_a_flow_alone_takes_as_long_as_its_packets() -> None:
    settings = {"transport": "dctcp", "queue": "ecn:threshold=65,packets=1000"}
    packets, fluid = (simulate(SWITCH, ONE, model=model, **settings) for model in ("packets", "fluid"))
    assert fluid.completion_ps[0] == pytest.approx(packets.completion_ps[0], rel=1e-6)


def test_queues_are_found_where_many_share_a_link() -> None:
    flows = Workload.from_flows(8, [1, 2, 3, 4], [0] * 4, [3 * 10**6] * 3 + [1460], [0, 0, 0, 10**9])
    settings = {"transport": "dctcp", "queue": "ecn:threshold=65,packets=1000"}
    packets, fluid = (simulate(SWITCH, flows, model=model, **settings) for model in ("packets", "fluid"))
    plain = simulate(SWITCH, flows, model="fluid")
    # The short one waits behind what marks leave of three windows.
    assert 0.4 < fluid.completion_ps[3] / packets.completion_ps[3] < 2.5
    assert plain.completion_ps[3] < 0.3 * packets.completion_ps[3]
    assert np.all(fluid.completion_ps >= plain.completion_ps)
