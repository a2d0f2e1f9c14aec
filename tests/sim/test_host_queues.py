"""Queues of hosts' own ports, and transports that wait for room there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.sim import PRESETS, SimulationResult, SimulationSettings, simulate
from pnet_lp.sim.ports import FROM_HOST
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload

from .conftest import check_conserved, flows

US = 10**6
PACKET = 1500


@pytest.fixture(scope="module")
def switch() -> Network:
    """Four hosts at one switch, 10 Gb/s."""
    return Network.from_planes([Plane.from_cables(1, [], [], 10, host_switch=[0] * 4, access_gbps=10)])


def longest(result: SimulationResult) -> tuple[int, int]:
    """Bytes in the longest queue of a host and of a switch."""
    host = result.places.kind == FROM_HOST
    return int(result.port["longest_bytes"][host].max()), int(result.port["longest_bytes"][~host].max())


@pytest.mark.parametrize("transport", ["tcp", "tcp:sack=true", "dctcp", "mptcp:subflows=1", "min-tcp:rto=10ms"])
def test_a_flow_alone_loses_nothing_in_its_own_host(switch: Network, transport: str) -> None:
    """Beside the ideal time only the first rounds of slow start, which are shorter than a round trip."""
    result = simulate(switch, flows(switch, (0, 1, 10**6, 0)), transport=transport, host_queue="unbounded")
    expected = result.flow["ideal_ps"][0]
    assert expected <= result.completion_ps[0] <= 1.02 * expected
    assert result.flow["packets_dropped"][0] == result.flow["resent"][0] == 0
    check_conserved(result)


def test_a_megabyte_takes_its_closed_form(switch: Network) -> None:
    """By default 831.3 us, not 1,266: a handshake, the data, the last acknowledgement."""
    workload = flows(switch, (0, 1, 10**6, 0))
    result = simulate(switch, workload)
    # 685 packets of at most 1,460 bytes and 40 of header; two links of 1 us; 800 ps a byte.
    data = 800 * (10**6 + 685 * 40) + 800 * PACKET + 2 * US
    small = 2 * (800 * 40 + US)
    assert result.completion_ps[0] == pytest.approx(2 * small + data + small, rel=0.01)
    assert simulate(switch, workload, host_queue="same").completion_ps[0] > 1.5 * result.completion_ps[0]


@pytest.mark.parametrize("small_queue", [1, 20_000, 131_072])
@pytest.mark.parametrize("transport", ["tcp", "dctcp", "mptcp:subflows=3", "tcp:sack=true"])
def test_a_connection_waits_for_room(switch: Network, small_queue: int, transport: str) -> None:
    """A connection has no more than the limit and a packet in its host's port, which it keeps busy all the same."""
    workload = flows(switch, (0, 1, 3 * 10**6, 0), (0, 1, 3 * 10**6, 0))
    result = simulate(
        switch,
        workload,
        transport=transport,
        queue="ecn:packets=1000",
        host_queue=f"unbounded:small_queue={small_queue}",
    )
    connections = 2 * (3 if "mptcp" in transport else 1)
    host, _ = longest(result)
    limit = connections * (small_queue + PACKET)
    assert host <= limit
    assert host >= min(limit, 10 * PACKET) - PACKET
    assert int(result.flow["packets_dropped"].sum()) == 0
    sent = int(result.flow["data_bytes"].sum())
    # 800 ps a byte, and what passes before the first and after the last.
    assert result.time_ps <= 800 * sent + 100 * US


def test_without_waiting_the_whole_window_stands_in_the_port(switch: Network) -> None:
    workload = flows(switch, (0, 1, 10**7, 0))
    free = simulate(switch, workload, host_queue="unbounded:small_queue=1TB")
    waits = simulate(switch, workload, host_queue="unbounded")
    assert longest(waits)[0] <= 131_072 + PACKET < 10**6 < longest(free)[0]


def test_what_waits_leaves_by_several_planes(switch: Network) -> None:
    network = Network.from_planes(2 * switch.planes)
    words: dict[str, Any] = {"forwarding": "plane-spray", "transport": "tcp:duplicate_threshold=20"}
    result = simulate(network, flows(network, (0, 1, 10**7, 0)), host_queue="unbounded:small_queue=20kB", **words)
    host = result.port["longest_bytes"][result.places.kind == FROM_HOST]
    assert host.sum() <= 20_000 + 2 * PACKET
    assert result.completion_ps[0] <= 1.02 * result.flow["ideal_ps"][0]
    assert result.flow["packets_dropped"][0] == 0


def test_switches_keep_their_own_queue(switch: Network) -> None:
    workload = build_workload("incast:senders=3,sizes=600kB,to=0", switch, seed=1)
    result = simulate(
        switch, workload, queue="drop-tail:packets=50", host_queue="unbounded", transport="tcp:rto_min=1ms"
    )
    host = result.places.kind == FROM_HOST
    assert result.port["longest_packets"][~host].max() == 50
    assert result.port["dropped"][host].sum() == 0 < result.port["dropped"][~host].sum()


@pytest.mark.parametrize("name", PRESETS.names())
def test_hosts_of_a_preset_have_the_queue_of_its_switches(name: str, switch: Network) -> None:
    """As the papers and programs had, whichever of its queues is taken."""
    for words in ({}, {"queue": "drop-tail"}, {"queue": "drop-tail:packets=7"}):
        settings = SimulationSettings(preset=name, **words)
        assert settings.chosen_host_queue == settings.chosen_queue
    workload = build_workload("each:sizes=300kB", switch, build_traffic("permutation", switch, seed=1), seed=1)
    result = simulate(switch, workload, preset=name)
    assert result.settings["host_queue"] == result.settings["queue"]
    written = simulate(switch, workload, preset=name, host_queue=result.settings["queue"])
    assert all(np.array_equal(result.port[column], written.port[column]) for column in result.port)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"queue": "unbounded:small_queue=1kB"}, "queue: small_queue: changes nothing at switches, found 1000"),
        (
            {"transport": "line-rate", "host_queue": "unbounded:small_queue=1kB"},
            "host_queue: small_queue: changes nothing with transport line-rate, found 1000",
        ),
        ({"host_queue": "trim"}, "host_queue: the queue cuts payload off packets"),
        ({"host_queue": "unbound"}, "did you mean 'unbounded'?"),
        ({"host_queue": "drop-tail:bytes=1kB"}, "a packet has 1500 bytes and never fits"),
        ({"model": "fluid", "host_queue": "unbounded"}, "host_queue: changes nothing in a fluid without a transport"),
    ],
)
def test_what_is_refused(switch: Network, words: dict[str, Any], message: str) -> None:
    given = {"host_queue": "drop-tail", **words} if words.get("queue") else words
    with pytest.raises(SpecError) as error:
        simulate(switch, flows(switch, (0, 1, 1000, 0)), **given)
    assert message in str(error.value)
