"""Connections that several flows use: one handshake, and a window that stays."""

from __future__ import annotations

import numpy as np
import pytest

from pnet_lp.model import Network, Workload
from pnet_lp.sim import SimulationResult, simulate
from pnet_lp.sim.base import TRANSPORTS
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload

from .conftest import check_conserved

US = 10**6


@pytest.mark.parametrize(("connects", "handshakes"), [("message", 2), ("call", 1), ("never", 0)])
def test_a_call_takes_its_handshakes_and_two_messages(tree: Network, connects: str, handshakes: int) -> None:
    """From a host to one behind the same switch: two links of 1 us, and a byte takes 800 ps on each."""
    workload = build_workload(f"rpc:rounds=1,request=1000,response=1000,connects={connects}", tree)
    near = Workload.from_flows(
        16,
        [0, 1],
        [1, 0],
        1000,
        after=([1], [0]),
        connection=workload.connection[:2],
        connects=workload.connects[:2],
        task=[0, 0],
    )
    result = simulate(tree, near)
    small, message = 2 * (US + 800 * 40), 2 * (US + 800 * 1040)
    # From the request's start to the response's acknowledgement; the response goes behind that of the request.
    assert result.task_ps.tolist() == [handshakes * 2 * small + 2 * message + small + 800 * 40]
    assert (result.completion_ps - result.flow["ideal_ps"]).tolist() == [0, 800 * 40]
    assert result.flow["packets_sent"].tolist() == [2 + 2 * int(opens) for opens in near.connects]


def two_transfers(pause_ps: int, transport: str, **more: int | list[int]) -> SimulationResult:
    """Return two transfers of 1,000 packets, one after the other, between hosts 32 us apart at 10 Gb/s."""
    network = build_network("star:n=2", link_gbps=10, hosts_per_switch=1)
    workload = Workload.from_flows(
        3, [1, 1], [2, 2], 1_460_000, [0, pause_ps], after=([1], [0]), acknowledged=True, **more
    )
    result = simulate(network, workload, transport=transport, link_delay="8us", seed=1)
    check_conserved(result)
    return result


# 58 packets are on their way where the links are full, and queues do not overflow at 80.
@pytest.mark.parametrize(
    "transport", ["tcp:receive_window=80", "dctcp:receive_window=80", "mptcp:subflows=2,receive_window=40"]
)
def test_a_window_stays_with_its_connection(transport: str) -> None:
    """The second transfer needs no slow start where it goes on, and the same time as the first where it does not."""
    apart, shared = (two_transfers(0, transport, **more) for more in ({}, {"connection": [5, 5], "connects": [1, 0]}))
    first, second = shared.completion_ps
    assert apart.completion_ps[0] == first
    assert apart.completion_ps[1] == pytest.approx(first, rel=0.02)
    # Without waiting for acknowledgements: 1,000 packets of 1,500 bytes, and a round trip.
    assert second == shared.flow["ideal_ps"][1]
    assert second < 0.95 * first


def test_a_window_is_forgotten_after_a_timeout_of_silence() -> None:
    words = "tcp:rto_min=1ms,receive_window=80"
    soon, late = (
        two_transfers(pause, words, connection=[0, 0], connects=[1, 0]).completion_ps for pause in (900 * US, 1100 * US)
    )
    assert soon[1] < 0.95 * soon[0]
    # Slow start again, but no handshake.
    assert 0.95 * late[0] < late[1] < late[0]


def test_a_connection_keeps_its_path(tree: Network) -> None:
    """Where paths are drawn by flow, eight transfers in a row take several; over one connection they take one."""
    src, dst = np.zeros(8, dtype=int), np.full(8, 15)
    after = (np.arange(1, 8), np.arange(7))

    def used(**more: list[int]) -> int:
        workload = Workload.from_flows(16, src, dst, 1000, after=after, acknowledged=True, **more)
        result = simulate(tree, workload, forwarding="ecmp", seed=1)
        assert result.completed == 8
        core = result.port["packets"][result.places.kind == 0]
        return int((core > 0).sum())

    # Four links between switches, there and back.
    assert used(connection=[0] * 8) == 8
    assert used() > 8


@pytest.mark.parametrize("name", TRANSPORTS.names())
def test_every_transport_carries_flows_that_wait(tree: Network, name: str) -> None:
    workload = build_workload("rpc:rounds=3,response=20kB,server=fixed,connects=once", tree, seed=1)
    result = simulate(tree, workload, transport=TRANSPORTS.get(name).expression, seed=1)
    assert result.completed == result.flow_count == 96
    assert (result.flow["start_ps"] <= result.flow["arrived_ps"]).all()
    assert (result.flow["arrived_ps"] <= result.flow["end_ps"]).all()
    waits = workload.after_ptr[:-1][np.diff(workload.after_ptr) == 1]
    later = np.flatnonzero(np.diff(workload.after_ptr) == 1)
    assert (result.flow["start_ps"][later] == result.flow["arrived_ps"][workload.after[waits]]).all()
    check_conserved(result)
