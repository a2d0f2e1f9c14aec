"""Idle networks, where the time of a flow is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pnet_lp.model import Network, Plane, Workload
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload

from .conftest import check_conserved, flows

US = 10**6


def chain(switches: int, hosts_gbps: float = 10, core_gbps: float = 10) -> Network:
    """Return a row of switches with a host at each end."""
    row = np.arange(switches - 1)
    plane = Plane.from_cables(switches, row, row + 1, core_gbps, host_switch=[0, switches - 1], access_gbps=hosts_gbps)
    return Network.from_planes([plane])


@pytest.mark.parametrize("switches", [1, 2, 5])
@pytest.mark.parametrize("handshake", [True, False])
def test_one_packet_takes_every_link_once_in_each_direction(switches: int, handshake: bool) -> None:
    network, links = chain(switches), switches + 1
    result = simulate(
        network, flows(network, (0, 1, 1000, 5 * US)), transport=f"tcp:handshake={handshake}", link_delay="3us"
    )
    # A byte takes 800 ps at 10 Gb/s; 40 bytes each of SYN, its answer, the header and the acknowledgement.
    sizes = (1040, 40, 40, 40) if handshake else (1040, 40)
    expected = links * sum(3 * US + 800 * size for size in sizes)
    assert result.completion_ps.tolist() == result.flow["ideal_ps"].tolist() == [expected]
    assert result.flow["end_ps"].tolist() == [5 * US + expected]
    assert result.flow["links"].tolist() == [links]
    assert result.packet_hops == links * len(sizes)
    check_conserved(result)


def test_slow_links_are_where_the_time_goes() -> None:
    network = chain(3, hosts_gbps=10, core_gbps=1)
    result = simulate(network, flows(network, (0, 1, 1460, 0)), transport="tcp:handshake=false")
    # Two links of each speed, both ways, 1 us each.
    assert result.completion_ps.tolist() == [8 * US + 2 * (800 + 8000) * (1500 + 40)]


def test_links_have_delays_of_their_own(tmp_path: Path) -> None:
    """100 m and 200 ns, and 1 us where nothing is said: on the link of h1."""
    file = tmp_path / "net.edges"
    file.write_text("a b 10 length=100\nb c 10 delay=200\n#: host h0 a 10 delay=300\n#: host h1 c 10\n")
    network = build_network(str(file))
    result = simulate(network, flows(network, (0, 1, 1000, 0)), transport="tcp:handshake=false")
    travel = 2 * (500_000 + 200_000 + 300_000 + US)
    assert result.completion_ps.tolist() == [travel + 4 * 800 * (1040 + 40)]
    assert result.ports.column("delay_ps").to_pylist() == [
        500_000, 500_000, 200_000, 200_000, 300_000, US, 300_000, US,
    ]  # fmt: skip


def test_slow_start_loses_a_window_and_sends_no_more_again() -> None:
    """Without a first threshold a window fills network and queue; in the next round trip each other packet is lost."""
    network, links = chain(5), 6
    result = simulate(network, flows(network, (0, 1, 10**7, 0)), preset="pnet", seed=1)
    check_conserved(result)
    packet = 1_200_000
    round_trip = 2 * links * US + links * (packet + 32_000)
    lost = 100 + round_trip // packet
    flow = result.flow
    assert flow["packets_dropped"][0] == flow["resent"][0] == lost
    assert (flow["fast_retransmits"][0], flow["timeouts"][0]) == (1, 0)


def test_a_long_flow_fills_its_link() -> None:
    network = chain(2)
    result = simulate(network, flows(network, (0, 1, 50_000_000, 0)), transport="tcp:receive_window=50")
    # 1,460 of 1,500 bytes are payload.
    assert result.goodput_gbps[0] == pytest.approx(10 * 1460 / 1500, rel=0.01)
    assert result.slowdown[0] == pytest.approx(1, abs=0.01)
    assert result.flow["packets_dropped"].sum() == 0
    busiest = max(result.ports.column("utilisation").to_pylist())
    assert 0.98 < busiest <= 1


@pytest.mark.parametrize("senders", [2, 8])
def test_incast_takes_the_receivers_link(tree: Network, senders: int) -> None:
    workload = build_workload(f"incast:senders={senders},sizes=2MB,to=0", tree, seed=3)
    result = simulate(tree, workload, transport="tcp:receive_window=10,rto_min=1ms", queue="drop-tail:packets=100")
    packets = senders * -(-2_000_000 // 1460)
    least = (senders * 2_000_000 + packets * 40) * 800
    assert result.flow["packets_dropped"].sum() == 0
    assert least <= result.completion_ps.max() <= 1.02 * least + 100 * US
    check_conserved(result)


def test_flows_share_a_link() -> None:
    plane = Plane.from_cables(2, [0], [1], 10, host_switch=[0, 0, 0, 1], access_gbps=[10, 10, 10, 40])
    network = Network.from_planes([plane])
    result = simulate(
        network,
        flows(network, *((host, 3, 20_000_000, 0) for host in range(3))),
        transport="tcp:receive_window=100",
        queue="drop-tail:packets=1000",
    )
    assert result.goodput_gbps == pytest.approx(np.full(3, 10 / 3 * 1460 / 1500), rel=0.03)


def test_planes_are_used_and_never_changed() -> None:
    network = build_network("fat-tree:k=4", link_gbps=10, planes=2)
    src = np.arange(16)
    workload = Workload.from_flows(16, src, (src + 5) % 16, 1_000_000)
    result = simulate(network, workload, preset="pnet", seed=2)
    used = result.plane_bytes > 0
    assert (used.sum(axis=1) == 1).all()
    assert used.any(axis=0).all()
    check_conserved(result)


@pytest.mark.parametrize("acknowledged", [False, True])
def test_flows_wait_for_others(acknowledged: bool) -> None:
    """A flow of three links of 1 us arrives as long before its source knows."""
    network = chain(2)
    workload = Workload.from_flows(
        2, [0, 1, 0], [1, 0, 1], 1000, [0, 7 * US, 0], after=([1, 2], [0, 1]), acknowledged=acknowledged, task=[0, 0, 1]
    )
    result = simulate(network, workload)
    arrived, end, start = (result.flow[f"{key}_ps"] for key in ("arrived", "end", "start"))
    assert (end - arrived).tolist() == [3 * (US + 800 * 40)] * 3
    done = end if acknowledged else arrived
    assert start.tolist() == [0, done[0] + 7 * US, done[1]]
    # What begins on arrival goes behind the acknowledgement of that.
    behind = 0 if acknowledged else 800 * 40
    assert (result.completion_ps - result.flow["ideal_ps"]).tolist() == [0, 0, behind]
    assert result.task_ps.tolist() == [end[1], end[2] - start[2]]
