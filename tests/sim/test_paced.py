"""Transports of network cards: what their parameters do to whole runs, and which of them are refused."""

from __future__ import annotations

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.model import Network
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload

from .conftest import check_conserved, flows

INCAST = "incast:senders=8,sizes=300kB,to=0"
RED = "ecn:packets=10000,threshold=3,always=133,chance=0.01"


@pytest.mark.parametrize(
    ("transport", "says"),
    [
        ("swift:flow_min=100", "flow_min=100 is not below flow_max=100"),
        ("swift:min_window=2,max_window=1", "min_window=2 is not below max_window=1"),
        ("swift:max_decrease=1", "max_decrease"),
        ("rccc:outstanding=0.5", "initial=1 is above outstanding=0.5"),
        ("rccc:rate=1.1", "rate"),
        ("rccc:initial=0", "initial"),
        ("roce:duplicate_threshold=2", "changes nothing with recovery=go-back-n"),
        ("roce:dcqcn=false,g=0.5", "changes nothing with dcqcn=false"),
        ("roce:byte_counter=0", "byte_counter"),
        ("roce:recovery=none", "recovery"),
        ("hpcc:eta=1.1", "eta"),
        ("hpcc:base_rtt=0s", "base_rtt"),
    ],
)
def test_parameters_are_refused(tree: Network, transport: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        simulate(tree, flows(tree, (0, 5, 1000, 0)), transport=transport)


@pytest.mark.parametrize("transport", ["roce", "swift"])
def test_a_small_queue_of_hosts_is_the_cards_own(tree: Network, transport: str) -> None:
    with pytest.raises(SpecError, match=f"changes nothing with transport {transport}"):
        simulate(tree, flows(tree, (0, 5, 1000, 0)), transport=transport, host_queue="unbounded:small_queue=4000")


def test_go_back_n_cannot_use_headers(tree: Network) -> None:
    workload = build_workload(INCAST, tree)
    with pytest.raises(SpecError, match="the transport makes nothing of the rest"):
        simulate(tree, workload, transport="roce", queue="trim")
    result = simulate(tree, workload, transport="roce:recovery=selective", queue="trim", header=40)
    assert result.completed == 8
    assert result.flow["trimmed"].sum() > 0


def test_selective_repeat_sends_less_again(tree: Network) -> None:
    """Both lose the same first packets of an incast at full rate."""
    workload = build_workload(INCAST, tree)
    back, selective = (
        simulate(tree, workload, transport=f"roce:rto=1ms,recovery={recovery}", queue="drop-tail:packets=50", seed=1)
        for recovery in ("go-back-n", "selective")
    )
    for result in (back, selective):
        check_conserved(result)
        assert result.completed == 8
        assert result.flow["packets_dropped"].sum() > 0
    assert selective.flow["resent"].sum() < back.flow["resent"].sum()


def test_marks_lower_the_rate(tree: Network) -> None:
    """Cards that do not react fill the queue with all that they have."""
    workload = build_workload("incast:senders=8,sizes=3MB,to=0", tree)
    deaf, reacting = (
        simulate(tree, workload, transport=f"roce:rto=1s{more}", queue=RED, seed=1) for more in (",dcqcn=false", "")
    )
    longest = [int(result.port["longest_packets"].max()) for result in (deaf, reacting)]
    assert longest[1] < longest[0] / 2
    assert deaf.flow["marked"].sum() > 0
    # Who does not react is no slower: the last link is never idle.
    assert deaf.flow["end_ps"].max() <= reacting.flow["end_ps"].max()


def test_hpcc_leaves_links_a_part_of_their_rate(tree: Network) -> None:
    """Two flows into one host: first windows leave a queue, and what follows takes 1 / eta of its time."""
    workload = flows(tree, (2, 1, 10_000_000, 0), (3, 1, 10_000_000, 0))
    line_ps = 20_000_000 * 1500 / 1460 * 800
    for eta in (0.5, 0.95):
        result = simulate(tree, workload, transport=f"hpcc:eta={eta}", queue="drop-tail:packets=20", seed=1)
        check_conserved(result)
        assert result.completed == 2
        assert result.flow["packets_dropped"].sum() == 0
        assert 0.97 / eta < result.flow["end_ps"].max() / line_ps < 1.02 / eta
        assert result.port["longest_packets"].max() < 15


def test_hpcc_measures_one_path(tree: Network) -> None:
    workload = flows(tree, (0, 5, 1_000_000, 0))
    with pytest.raises(SpecError, match="the transport measures the links of one"):
        simulate(tree, workload, transport="hpcc", forwarding="reps")
    # An answer by other ports than the one before changes nothing: the window is the first, and the link is full.
    sprayed, single = (simulate(tree, workload, transport="hpcc", forwarding=word).flow for word in ("sopa", "ecmp"))
    assert sprayed["end_ps"] < 1.01 * sprayed["ideal_ps"]
    assert single["end_ps"] > 1.04 * single["ideal_ps"]


def test_swift_holds_its_target() -> None:
    """Two long flows into one host: the queue fills what the target leaves above the idle round trip."""
    network = build_network("fat-tree:k=4", link_gbps=10)
    workload = flows(network, (2, 1, 30_000_000, 0), (3, 1, 30_000_000, 0))
    means = []
    for target in ("30us", "60us"):
        result = simulate(network, workload, transport=f"swift:target={target},per_hop=0s,flow_range=0s", seed=1)
        assert result.completed == 2
        assert result.flow["packets_dropped"].sum() == 0
        assert result.flow["end_ps"].max() < 1.05 * 60e6 * 8 / 1e10 * 1e12 * 1500 / 1460
        means.append(float(np.max(result.port["longest_packets"])))
    assert means[1] > means[0]


def test_credits_share_the_link_of_a_receiver_evenly() -> None:
    words = {"topology": "fat-tree:k=4", "link_gbps": 100, "preset": "uec", "seed": 1}
    workload = "incast:senders=8,sizes=1MB,to=0"
    (even,), (uneven,) = (pn.simulate(**words, workload=workload, transport=name).results for name in ("rccc", "nscc"))
    took = even.flow["end_ps"]
    assert took.max() < 1.1 * took.min()
    assert uneven.flow["end_ps"].max() > 1.2 * uneven.flow["end_ps"].min()
    # 8 MB and headers at 97 % of 100 Gb/s, and a round trip or two.
    assert took.max() < 8e6 * 8 / 100e9 * 1e12 * 4150 / 4086 / 0.97 + 30e6


@pytest.mark.parametrize("planes", [1, 4])
def test_credits_come_by_all_planes(planes: int) -> None:
    words = {"topology": "leaf-spine:leaves=4,spines=4,hosts_per_leaf=4", "planes": planes, "link_gbps": 100}
    (result,) = pn.simulate(
        **words, preset="uec", transport="rccc", traffic="permutation", flow_size=f"{4 * planes}MB"
    ).results
    rate = result.flow["bytes"] * 8 / (result.flow["end_ps"] - result.flow["start_ps"]) * 1e3
    assert rate.min() > 0.9 * 100 * planes
    assert result.flow["timeouts"].sum() == 0
    check_conserved(result)


@pytest.mark.parametrize(
    "transport", ["nscc", "rccc", "roce:recovery=selective,duplicate_threshold=1000", "swift:target=60us"]
)
def test_a_plane_dies_in_mid_run(transport: str) -> None:
    """What is under way there is missed a timeout later, all at once; the rest goes over the planes that are left."""
    words = {
        "topology": "leaf-spine:leaves=4,spines=4,hosts_per_leaf=4",
        "planes": 4,
        "link_gbps": 100,
        "traffic": "permutation",
        "flow_size": "10MB",
        "transport": transport,
        "queue": "trim:packets=64,threshold=13,always=51",
        "forwarding": "reps",
        "plane_policy": "round-robin",
        "seed": 1,
    }
    (whole,) = pn.simulate(**words).results
    (cut,) = pn.simulate(**words, fail_planes=(1,), fail_at="50us", reroute_after="20us").results
    check_conserved(cut)
    assert cut.completed == 16
    assert cut.port["lost"].sum() > 0
    assert whole.port["lost"].sum() == 0
    # Three planes in place of four, and a timeout of 1 ms or twice that, for windows that have all to resend, too.
    rto = 4e9 if transport.startswith("roce") else 1e9
    assert cut.flow["end_ps"].max() < 1.6 * whole.flow["end_ps"].max() + 4 * rto


def test_mrc_leaves_a_plane_that_dies_and_comes_back_to_it() -> None:
    """Nobody tells: three of four planes carry three quarters within 50 us, and all of them again 100 us after repair.

    A probe is sent every 100 us, so a plane that comes back at 400 us is in use by 520 us.
    """
    (result,) = pn.simulate(
        topology="leaf-spine:leaves=4,spines=4,hosts_per_leaf=4",
        planes=4,
        link_gbps=100,
        traffic="permutation",
        flow_size="25MB",
        preset="mrc",
        seed=1,
        trace=("flow:0",),
        fail_planes=(1,),
        fail_at="200us",
        fail_until="400us",
    ).results
    check_conserved(result)
    assert result.completed == 16
    assert result.flow["timeouts"].sum() == 0
    arrived_us = result.traces["arrivals"]["time_ps"] / 1e6
    whole, dead, back = (int(((arrived_us >= start) & (arrived_us < start + 50)).sum()) for start in (100, 260, 520))
    assert dead == pytest.approx(0.75 * whole, rel=0.05)
    assert back == pytest.approx(whole, rel=0.02)


def test_entropies_need_answers(tree: Network) -> None:
    with pytest.raises(PnetError, match="it goes by answers to every packet"):
        simulate(tree, flows(tree, (0, 5, 1000, 0)), transport="tcp", forwarding="entropies")
    # Fewer than planes or paths are allowed, and so is one plane.
    result = simulate(tree, flows(tree, (0, 5, 100_000, 0)), transport="mrc", forwarding="entropies:count=1")
    assert result.completed == 1
    used = result.port["bytes"] > 0
    assert used.sum() == 12
