"""Switches that share a buffer and pause what feeds them, in whole runs."""

from __future__ import annotations

import numpy as np
import pytest

from pnet_lp.errors import PnetError, SpecError
from pnet_lp.model import Network
from pnet_lp.sim import simulate
from pnet_lp.sim.ports import FROM_HOST
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload

from .conftest import check_conserved, flows

INCAST = "incast:senders=12,sizes=500kB,to=0"
DEAF = "roce:dcqcn=false,rto=1s"


@pytest.mark.parametrize(
    ("queue", "says"),
    [
        ("shared:pfc=false,headroom=9kB", "changes nothing with pfc=false"),
        ("shared:buffer=1kB", "a packet has 1500 bytes and never fits"),
        ("shared:headroom=1kB", "a packet has 1500 bytes and never fits"),
        ("shared:chance=0.5", "chance needs always"),
        ("shared:threshold=10,always=5", "always=5 is below threshold=10"),
        ("shared:alpha=0", "alpha"),
        ("shared:buffer=8kB", "bytes, and the headroom of its links"),
        ("trim:always=5", "always needs threshold"),
    ],
)
def test_parameters_are_refused(tree: Network, queue: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        simulate(tree, flows(tree, (0, 5, 1000, 0)), transport="swift", queue=queue)


def test_hosts_have_to_be_pausable(tree: Network) -> None:
    with pytest.raises(SpecError, match="switches pause hosts, and it cannot be paused"):
        simulate(tree, flows(tree, (0, 5, 1000, 0)), transport="roce", queue="shared", host_queue="pfabric")


@pytest.mark.parametrize("host_queue", ["unbounded", "same"])
@pytest.mark.parametrize("transport", [DEAF, "roce", "swift", "tcp:rto_min=1s", "nscc"])
def test_nothing_is_lost(tree: Network, transport: str, host_queue: str) -> None:
    """Whoever sends, and however fast: with the headroom of the link there is room for all that comes."""
    result = simulate(
        tree,
        build_workload(INCAST, tree),
        transport=transport,
        queue="shared:buffer=60kB,alpha=0.5",
        host_queue=host_queue,
        seed=1,
    )
    check_conserved(result)
    assert (result.completed, result.flow["packets_dropped"].sum(), result.flow["resent"].sum()) == (12, 0, 0)
    assert result.port["pauses"].sum() > 0
    assert not result.port["deadlocked"].any()


def test_too_little_headroom_loses_and_says_nothing_else(tree: Network) -> None:
    workload = build_workload(INCAST, tree)
    result = simulate(tree, workload, transport=DEAF, queue="shared:buffer=60kB,headroom=1500", seed=1)
    check_conserved(result)
    assert result.completed == 12
    assert result.flow["packets_dropped"].sum() > 0


def test_without_pauses_a_queue_has_a_part_of_what_is_free(tree: Network) -> None:
    """Twelve to one lose much where a queue may hold little, and nothing is paused."""
    workload = build_workload(INCAST, tree)
    lost, longest = [], []
    for alpha in (0.125, 1, 8):
        queue = f"shared:buffer=60kB,alpha={alpha},pfc=false"
        result = simulate(tree, workload, transport="tcp:rto_min=1ms,rto_initial=1ms", queue=queue, seed=1)
        assert result.completed == 12
        assert "pauses" not in result.port
        lost.append(int(result.flow["packets_dropped"].sum()))
        longest.append(int(result.port["longest_bytes"][result.places.kind != FROM_HOST].max()))
    assert lost[0] > lost[2]
    # 4 ports of 60 kB: alpha / (1 + alpha) of them where one queue is long, and the packet being sent.
    for bytes_, alpha in zip(longest, (0.125, 1, 8), strict=True):
        most = 240_000 * alpha / (1 + alpha)
        assert most - 2 * 1500 <= bytes_ <= most + 2 * 1500 + 40 * 200


def test_a_storm_is_told_of(tree: Network) -> None:
    result = simulate(tree, build_workload(INCAST, tree), transport=DEAF, queue="shared:buffer=60kB", seed=1)
    (storm,) = [warning for warning in result.warnings if "storm" in warning]
    paused = result.port["paused_ps"] / result.time_ps
    count = int((paused > 0.5).sum())
    assert storm.startswith(f"pause storm: {count} of 96 ports were paused for more than 50 % of the run, ")
    # A single flow pauses nobody.
    calm = simulate(tree, flows(tree, (0, 5, 100_000, 0)), transport=DEAF, queue="shared:buffer=60kB")
    assert not calm.port["paused_ps"].any()
    assert not calm.warnings


def test_a_deadlock_ends_the_run() -> None:
    ring = build_network("ring:n=5", link_gbps=10, hosts_per_switch=1)
    hosts = np.arange(5)
    workload = flows(ring, *((int(host), int((host + 2) % 5), 100_000_000, 0) for host in hosts))
    result = simulate(ring, workload, transport=DEAF, queue="shared:buffer=30kB,alpha=0.5")
    assert (result.end, result.completed) == ("deadlock", 0)
    check_conserved(result)
    assert result.port["deadlocked"].sum() >= 5
    assert any(warning.startswith("deadlock: ") for warning in result.warnings)
    # A rate that DCQCN lowers in time, or losses in place of pauses, end otherwise.
    result = simulate(ring, workload, transport="swift:rto=10ms", queue="shared:buffer=30kB,alpha=0.5,pfc=false")
    assert result.end == "complete"


def test_recycled_paths_need_answers_that_tell_of_them(tree: Network) -> None:
    with pytest.raises(PnetError, match="it goes by answers to every packet, which the transport does not give"):
        simulate(tree, flows(tree, (0, 5, 1000, 0)), transport="tcp", forwarding="reps")


@pytest.mark.parametrize("forwarding", ["sopa", "reps"])
def test_nscc_fills_planes(forwarding: str) -> None:
    """A permutation of long flows over eight planes, each flow alone in its hosts: 95 % of what they send."""
    network = build_network("leaf-spine:leaves=4,spines=4,hosts_per_leaf=4", link_gbps=100, planes=8)
    src = np.arange(network.host_count)
    dst = np.roll(src, 5)
    workload = flows(network, *((int(s), int(d), 20_000_000, 0) for s, d in zip(src, dst, strict=True)))
    result = simulate(
        network,
        workload,
        transport="nscc:target=0.75",
        queue="trim:packets=128,threshold=26,always=102,headers=100kB,header=64",
        forwarding=forwarding,
        plane_policy="round-robin",
        packet="4160",
        header="64",
        ack="64",
        link_delay="500ns",
        seed=1,
    )
    assert result.completed == len(src)
    assert result.slowdown.min() >= 1
    assert result.slowdown.max() < 1 / 0.95
    assert result.plane_bytes.min() > 0.95 * result.plane_bytes.max()
