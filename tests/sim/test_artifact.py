"""The preset ``pnet`` as the program published with the paper, and the same parameters elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Plane
from pnet_lp.sim import PRESETS, SimulationResult, SimulationSettings, simulate
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload

from .conftest import check_conserved, flows

US = 10**6
PACKET, ACK, SYN = 1500 * 800, 40 * 800, 800
"""Time on a link of 10 Gb/s."""

HANDSHAKE = 4 * US + 2 * (SYN + ACK)
ROUND = 4 * US + 2 * (PACKET + ACK)


def switches(*gbps: int) -> Network:
    """Return two hosts at one switch in planes of these rates."""
    return Network.from_planes(
        [Plane.from_cables(1, [], [], 10, host_switch=[0, 0], access_gbps=rate) for rate in gbps]
    )


@pytest.mark.parametrize(("packets", "rounds", "late"), [(11, 1, 10), (12, 2, 0), (13, 2, 1)])
def test_a_flow_alone(packets: int, rounds: int, late: int) -> None:
    """The first window is 11; with each of its acknowledgements two more packets go."""
    network = switches(10)
    result = simulate(network, flows(network, (0, 1, 1500 * packets, 0)), preset="pnet", link_delay="10us")
    longer = 4 * 9 * US
    assert result.completion_ps.tolist() == [HANDSHAKE + longer + rounds * (ROUND + longer) + late * PACKET]
    check_conserved(result)


def test_subflows_have_a_share_and_may_send_all() -> None:
    """Of 8 packets each of two subflows delivers four; on the plane of 5 Gb/s a packet takes twice as long."""
    network = switches(10, 5)
    words: dict[str, Any] = {"preset": "pnet", "routing": "ksp:2"}
    shares, pool = (
        simulate(network, flows(network, (0, 1, 12_000, 0)), transport=f"mptcp:subflows=2,split={split}", **words)
        for split in ("shares", "pool")
    )
    slow = 2 * HANDSHAKE - 4 * US + 2 * ROUND - 4 * US + 3 * 2 * PACKET
    assert shares.completion_ps.tolist() == [slow]
    assert shares.flow["data_packets"].tolist() == [16]
    # The handshake is over first on the faster plane, whose window takes all.
    assert pool.completion_ps.tolist() == [HANDSHAKE + ROUND + 7 * PACKET]
    assert pool.flow["data_packets"].tolist() == [8]
    for result in (shares, pool):
        check_conserved(result)


def test_one_path_has_one_subflow() -> None:
    network = build_network("jellyfish:k=6", planes=2, variant="heterogeneous", link_gbps=10, seed=1)
    hosts = np.arange(network.host_count)
    rack = network.planes[0].host_switch
    src, dst = next((i, j) for i in hosts for j in hosts if i != j and rack[i] == rack[j])
    result = simulate(
        network, flows(network, (int(src), int(dst), 10**6, 0)), preset="pnet", transport="mptcp", routing="ksp:8"
    )
    # Eight subflows, and in each plane one path between hosts of a rack.
    assert (result.subflow_bytes > 0).sum() == (result.plane_bytes > 0).sum() == 2
    check_conserved(result)


def bulk(network: Network, **words: Any) -> SimulationResult:
    """Return two flows of 2 MB to one host."""
    return simulate(network, flows(network, (0, 2, 2 * 10**6, 0), (1, 2, 2 * 10**6, 0)), preset="pnet", seed=1, **words)


@pytest.fixture(scope="module")
def three() -> Network:
    """Three hosts at one switch, 10 Gb/s."""
    return Network.from_planes([Plane.from_cables(1, [], [], 10, host_switch=[0] * 3, access_gbps=10)])


def test_queues_hold_bytes(three: Network) -> None:
    """Acknowledgements take hardly any of 150,000 bytes, but their part of 100 packets."""
    longest = bulk(three).port["longest_bytes"].max()
    assert 150_000 - 1500 < longest <= 150_000
    packets = bulk(three, queue="ecn:packets=100").port
    assert packets["longest_packets"].max() == 100


def test_subflows_leave_slow_start_at_the_first_mark(three: Network) -> None:
    """Plain TCP does not see it, and loses what its window overruns."""
    tcp, dctcp = bulk(three), bulk(three, transport="dctcp")
    mptcp = bulk(three, transport="mptcp:subflows=1")
    assert tcp.flow["marked"].sum() > 0
    assert dctcp.flow["packets_dropped"].sum() < tcp.flow["packets_dropped"].sum() / 2
    # One subflow alone is a DCTCP.
    assert mptcp.completion_ps.tolist() == dctcp.completion_ps.tolist()
    assert bulk(three, transport="mptcp:subflows=1,inner=tcp,coupling=uncoupled").completion_ps.tolist() == (
        tcp.completion_ps.tolist()
    )


def test_marks_of_what_leaves_come_sooner(three: Network) -> None:
    """A mark on what leaves has not waited in the queue."""
    leaving, arriving = (
        bulk(three, transport="dctcp", queue=f"ecn:marks={marks}") for marks in ("leaving", "arriving")
    )
    assert leaving.flow["marked"].sum() > 0
    assert leaving.flow["packets_dropped"].sum() < arriving.flow["packets_dropped"].sum()


def test_a_path_is_drawn_for_each_flow() -> None:
    """Between two pods of a fat tree four paths; 64 flows of one pair take all of them, of one routing ``ecmp`` one."""
    network = build_network("fat-tree:k=4", link_gbps=10)
    workload = flows(network, *((0, 15, 1500, i * 100 * US) for i in range(64)))
    used = [
        int((simulate(network, workload, preset="pnet", **words).port["packets"] > 0).sum())
        for words in ({}, {"routing": "ecmp"})
    ]
    # Links to the core there and back: 2 + 2 * (2 + 4 + 4 + 2) in all, and of one path 2 * 6.
    assert used == [4 + 2 * (2 + 4 + 4 + 2), 2 * 6]


def test_what_each_parameter_leaves_alone() -> None:
    """Papers' other presets, and the defaults, stay as RFCs have them."""
    for name in ["modern", "pfabric", "sopa", "ndp", "hedera-mininet"]:
        assert PRESETS.get(name)
        chosen = SimulationSettings(preset=name, transport="mptcp", queue="ecn").chosen_transport.params
        assert (chosen.inner, chosen.split, chosen.rtt_unit) == ("tcp", "pool", 0)  # type: ignore[attr-defined]
    dctcp = SimulationSettings(transport="dctcp").chosen_transport.params
    assert (dctcp.alpha, dctcp.shrinks, dctcp.initial_window) == (1, "marked", 10)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"transport": "mptcp:shrinks=always"}, "mptcp: shrinks: changes nothing without inner=dctcp, found 'always'"),
        ({"transport": "mptcp:g=0.5"}, "mptcp: g: changes nothing without inner=dctcp, found '0.5'"),
        (
            {"transport": "mptcp:coupling=uncoupled,rtt_unit=1ms"},
            "mptcp: rtt_unit: changes nothing with coupling=uncoupled, found '1ms'",
        ),
        ({"transport": "dctcp:split=shares"}, "dctcp: unknown parameter"),
        ({"queue": "ecn:always=80,marks=leaving"}, "always marks what comes to a queue, not with marks=leaving"),
        ({"queue": "ecn:always=80,threshold_bytes=9000"}, "always counts packets, and threshold_bytes bytes"),
        ({"queue": "ecn:threshold=3,threshold_bytes=9000"}, "ecn: threshold: changes nothing beside threshold_bytes"),
    ],
)
def test_what_is_refused(words: dict[str, str], message: str) -> None:
    with pytest.raises(SpecError) as error:
        SimulationSettings(**words).chosen_queue  # type: ignore[arg-type]  # noqa: B018
    assert message in str(error.value)


def test_a_workload_of_calls_draws_a_path_for_every_message() -> None:
    """Where every message opens a connection, it has a path of its own."""
    network = build_network("jellyfish:k=4", planes=4, variant="homogeneous", link_gbps=10, seed=1)
    workload = build_workload("rpc:rounds=8,connects=message", network, seed=1)
    result = simulate(network, workload, preset="pnet", seed=1)
    planes = result.plane_bytes.argmax(axis=1)
    requests, responses = planes[0::2], planes[1::2]
    assert (requests == responses).mean() == pytest.approx(0.25, abs=0.12)


def test_what_was_the_preset_is_found_by_its_new_name() -> None:
    of_text = SimulationSettings(preset="pnet-tcp")
    assert (of_text.queue, of_text.transport) == ("drop-tail", "tcp")
    assert SimulationSettings(preset="pnet").queue == "ecn"
    assert SimulationSettings.formerly({"preset": "pnet"}) == {"preset": "pnet-tcp", "host_queue": "same"}
    assert SimulationSettings.formerly({"preset": "pnet", "model": "fluid"}) == {"preset": "pnet-tcp"}
    assert SimulationSettings.formerly({"preset": "sopa"}) == {"host_queue": "same"}
    assert SimulationSettings.formerly({"preset": "pnet", "host_queue": "same"}) == {}
