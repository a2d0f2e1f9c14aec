"""The cross-check: closed forms of all models side by side, and that no cause is named that the figures do not show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.crosscheck import compare, crosscheck
from pnet_lp.errors import SpecError
from pnet_lp.model import Network, Workload
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic

FULL, WIRE, GBPS = 1460, 1500, 10
"""Payload of a full packet, its bytes on the wire, and the speed of all links."""


@pytest.fixture(scope="module")
def spine() -> Network:
    """Two leaves of four hosts under four spines, at 10 Gb/s: nothing blocks but by hashes."""
    return build_network("leaf-spine:leaves=2,spines=4,hosts_per_leaf=4", link_gbps=GBPS)


def us(packets: float) -> float:
    """Return how long a link takes for so many full packets."""
    return packets * WIRE * 8e-3 / GBPS


def across(packets: int) -> Workload:
    """Every host of the first leaf sends to its opposite of the second."""
    return Workload.from_flows(8, [0, 1, 2, 3], [4, 5, 6, 7], packets * FULL)


def named(document: dict[str, Any]) -> dict[str, float]:
    return {gap["cause"]: gap["factor"] for gap in document["gaps"]}


def test_hash_collisions_are_told_by_the_busiest_path(spine: Network) -> None:
    """Split over the spines every flow has its full rate; hashed, those on one spine share it."""
    seen = set()
    for seed in range(6):
        found = crosscheck(spine, across(1000), seed=seed, queue="drop-tail:packets=3000")
        document = compare(found)
        assert document["all_us"]["lp_ideal"] == pytest.approx(us(1000), rel=1e-4)
        assert document["all_us"]["lp_paths"] == pytest.approx(us(1000), rel=1e-4)
        assert document["all_us"]["split"] == pytest.approx(us(1000), rel=1e-6)
        places = found.packets.places
        up = (places.kind == 0) & (places.named["u"] == "leaf0")
        load = found.fluids["bare"].port["bytes"][up] / (1000 * WIRE)
        worst = round(load.max())
        assert document["all_us"]["bare"] == pytest.approx(us(1000) * worst, rel=1e-6)
        slowdown = float(np.mean(found.fluids["bare"].slowdown))
        causes = named(document)
        assert ("hash collisions" in causes) == (worst > 1)
        assert causes.get("hash collisions", 1.0) == pytest.approx(slowdown)
        # Nothing is lost in queues that hold everything, and flows so long take no note of a round trip.
        assert not {"loss and retransmission", "choice of paths", "path length", "one path"} & set(named(document))
        seen.add(worst > 1)
    assert seen == {False, True}


def test_incast_is_the_same_in_all_models(spine: Network) -> None:
    """Four to one: 4 S / rate, whatever the path, which costs links and a handshake, told apart."""
    workload = Workload.from_flows(8, [0, 1, 2, 3], [7] * 4, 20 * FULL)
    document = compare(crosscheck(spine, workload, queue="drop-tail:packets=3000"))
    for model in ("lp_ideal", "lp_paths", "split", "bare"):
        assert document["all_us"][model] == pytest.approx(us(80), rel=1e-4)
    assert document["goodput_gbps"]["bare"] == pytest.approx(GBPS * FULL / WIRE, rel=1e-4)
    found = named(document)
    # Four links of a microsecond each way, and a packet in three switches, and the acknowledgement's.
    distance = 8 + 3 * us(1) + 4 * us(40 / WIRE)
    assert found["propagation and store and forward"] == pytest.approx(1 + distance / us(80), rel=1e-2)
    assert "hash collisions" not in found
    assert "hash collisions" in document["small"]


def test_what_explains_nothing_is_not_named(spine: Network) -> None:
    """One long flow in an empty network: every model says the same."""
    document = compare(
        crosscheck(spine, Workload.from_flows(8, [0], [1], 20_000 * FULL), queue="drop-tail:packets=99999")
    )
    assert document["gaps"] == []
    assert document["ratios"]["mean_fct"] == pytest.approx(1, abs=0.01)
    assert {"choice of paths", "hash collisions", "handshake and slow start", "queues and windows"} < set(
        document["small"]
    )


def test_terms_are_told_apart(spine: Network) -> None:
    """Each step of the correction names the terms that it adds, and no other."""
    workload = Workload.from_flows(8, [0, 1, 2, 3], [7] * 4, 20 * FULL)
    terms = "short-flows,queueing,convergence"
    document = compare(crosscheck(spine, workload, correction=terms, queue="drop-tail:packets=3000"))
    causes = {*named(document), *document["small"]}
    assert {"propagation and store and forward", "handshake and slow start", "queueing and convergence"} < causes
    one = compare(crosscheck(spine, workload, correction="propagation", queue="drop-tail:packets=3000"))
    assert {"distant", "short"}.isdisjoint(one["all_us"])
    assert "propagation" in {*named(one), *one["small"]}


@pytest.mark.parametrize("unfinished", [False, True])
def test_losses_are_those_of_flows_that_sent_again(spine: Network, unfinished: bool) -> None:
    """As far as they are complete in all models: what others lost is in none of the times."""
    size = np.full(5, 200 * FULL)
    size[3] *= 1 + 99 * unfinished
    workload = Workload.from_flows(8, [0, 1, 2, 3, 5], [7, 7, 7, 7, 6], size)
    limit = {"time_limit": "20ms"} if unfinished else {}
    found = crosscheck(spine, workload, queue="drop-tail:packets=20", transport="tcp:rto_min=1ms", **limit)
    document = compare(found)
    done = found.packets.done
    assert done.tolist() == [True, True, True, not unfinished, True]
    packets, fluid = (result.completion_ps[done] for result in (found.packets, found.fluid))
    flow = {key: column[done] for key, column in found.packets.flow.items()}
    again = (flow["resent"] > 0) | (flow["timeouts"] > 0)
    assert again.any()
    excess = (packets - fluid)[again].sum() / fluid.sum()
    gap = next(gap for gap in document["gaps"] if gap["cause"] == "loss and retransmission")
    assert gap["factor"] == pytest.approx(1 + excess)
    dropped, resent = (int(flow[key].sum()) for key in ("packets_dropped", "resent"))
    assert gap["sentence"].startswith(f"{dropped:,} packets were dropped and {resent:,} retransmitted; ")
    assert f"{100 * excess:+,.1f} % in the mean of all flows" in gap["sentence"]


def test_paths_that_are_longer_or_too_few() -> None:
    """A cycle of four with two flows between neighbours: of two paths, one is three links long."""
    ring = build_network("ring:n=4", hosts_per_switch=2, link_gbps=GBPS)
    workload = Workload.from_flows(8, [0, 1], [2, 3], 1000 * FULL)
    document = compare(crosscheck(ring, workload, routing="ksp:1", queue="drop-tail:packets=3000"))
    # Over both ways 2 S / 2; over the near one alone 2 S.
    assert named(document)["choice of paths"] == pytest.approx(2, rel=1e-3)
    assert document["all_us"]["split"] == pytest.approx(us(2000), rel=1e-6)
    both = compare(
        crosscheck(
            ring, workload, routing="ksp:2", sharing="subflows", subflows=2, seed=1, queue="drop-tail:packets=3000"
        )
    )
    assert "choice of paths" not in named(both)
    # Half the bytes over one link and half over three, or more as both flows share both ways.
    assert named(both)["path length"] == pytest.approx(2, rel=0.01)


def test_the_fluid_is_that_of_the_transport(spine: Network) -> None:
    long = across(100)
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {"sharing": "single", "correction": "short-flows", "initial_window": 10}),
        (
            {"transport": "mptcp:subflows=4,initial_window=2"},
            {"sharing": "subflows", "subflows": 4, "initial_window": 8},
        ),
        ({"transport": "tcp:handshake=false"}, {"correction": "propagation,store-and-forward,slow-start"}),
        ({"transport": "line-rate"}, {"correction": "propagation,store-and-forward"}),
        ({"transport": "line-rate", "forwarding": "rps"}, {"sharing": "even"}),
        (
            {"transport": "mptcp", "sharing": "single", "correction": "slow-start", "initial_window": 3},
            {"sharing": "single", "correction": "slow-start", "initial_window": 3},
        ),
        ({"correction": "none"}, {"correction": "none"}),
        ({"correction": "short-flows,queueing"}, {"correction": "short-flows,queueing"}),
    ]
    for requested, expected in cases:
        settings = crosscheck(spine, long, event_limit=1, **requested).fluid.settings
        assert expected.items() <= settings.items(), requested


@pytest.mark.parametrize(
    "words",
    [
        {"transport": "dctcp", "queue": "ecn:packets=1000"},
        {"transport": "mptcp:subflows=8,coupling=uncoupled,sack=true,rto_min=1ms"},
    ],
)
def test_long_flows_come_near_fair_rates(words: dict[str, Any]) -> None:
    """In the mean of all flows, slow start included; experiments/packets-long-flows is larger."""
    network = build_network("fat-tree:k=4", link_gbps=GBPS)
    found = crosscheck(
        network,
        "each:sizes=40MB",
        traffic=build_traffic("permutation", network, "host", seed=2),
        seed=2,
        time_limit="30ms",
        **words,
    )
    fluid, packets = (
        float(result.flow["received_bytes"].sum()) / len(result.flow["flow"]) for result in (found.fluid, found.packets)
    )
    assert packets == pytest.approx(fluid, rel=0.1)


def test_a_job_waits_and_has_stages() -> None:
    network = build_network("leaf-spine:leaves=4,spines=4,hosts_per_leaf=4", link_gbps=GBPS)
    ring = compare(crosscheck(network, f"all-reduce:size={16 * 100 * FULL}", transport="line-rate"))
    assert ring["is_job"]
    # All bytes at once and step by step take the same where no link is idle meanwhile.
    assert ring["all_us"]["lp_ideal"] == pytest.approx(us(30 * 100), rel=1e-4)
    assert "waits for other flows" not in named(ring)
    text = "hadoop:data=40MB,mappers=4,reducers=4,block=2MB"
    hadoop = compare(crosscheck(network, text, transport="dctcp", queue="ecn:packets=1000"))
    assert [row["stage"] for row in hadoop["stages"]] == ["read", "shuffle", "write"]
    assert set(hadoop["stages"][0]["tasks_us"]) == {"split", "bare", "distant", "fluid", "packets"}
    # A stage at a time, most hosts are idle.
    assert named(hadoop)["waits for other flows"] > 1.5


def test_a_trace_in_all_models(tmp_path: Path) -> None:
    """A rank computes for 50 us, sends 1 MB, and gets half of it back; the least time is that of the 1 MB alone."""
    path = tmp_path / "a.goal"
    path.write_text(
        "num_ranks 2\nrank 0 {\nwork: calc 50000\ngive: send 1000000b to 1 tag 7\ngive requires work\n"
        "recv 500000b from 1 tag 8\n}\nrank 1 {\ngot: recv 1000000b from 0 tag 7\nback: send 500000b to 0 tag 8\n"
        "back requires got\n}\n"
    )
    document = compare(crosscheck(build_network("single-switch:hosts=2", link_gbps=10), str(path)))
    times = document["all_us"]
    assert document["lp_left_out"] is None
    # 685 packets of 1,460 bytes at most, with 40 of headers each.
    assert times["lp_ideal"] == pytest.approx((1_000_000 + 685 * 40) * 8 / 1e4, rel=1e-4)
    assert times["lp_ideal"] <= times["lp_paths"] * (1 + 1e-4)
    assert times["bare"] == pytest.approx(1.5 * times["lp_ideal"], rel=1e-3)
    assert times["bare"] <= times["packets"] < 1.1 * times["bare"]
    assert named(document)["waits for other flows and computation"] == pytest.approx(1.5, rel=1e-3)


@pytest.mark.parametrize(
    ("workload", "why"),
    [
        ("poisson:sizes=10kB,load=0.2,flows=20", "flows start at different times, and a linear program knows no time"),
        ("incast:senders=3,sizes=10kB,rounds=2", None),
    ],
)
def test_where_a_linear_program_says_nothing(spine: Network, workload: str, why: str | None) -> None:
    document = compare(crosscheck(spine, workload))
    assert document["lp_left_out"] == why
    assert (set(document["lp"]) == {"ideal", "paths"}) == (why is None)


def test_a_best_split_that_takes_too_long_is_left_out(spine: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["pnet_lp.crosscheck.run"], "_PATIENCE_S", 0.0)
    document = compare(crosscheck(spine, across(10)))
    assert document["split_left_out"].startswith("sharing: the best split of some 4 flows at once over up to ")
    assert "split" not in document["all_us"]
    assert not {"hash collisions", "fair shares", "few paths"} & {*named(document), *document["small"]}
    monkeypatch.undo()
    document = compare(crosscheck(spine, across(10), sharing="best", forwarding="sopa"))
    assert document["split_left_out"] == "flows are split at best anyway"


def test_unfinished_flows_are_not_compared(spine: Network) -> None:
    workload = Workload.from_flows(8, [0, 1], [4, 5], [FULL, 10**7])
    document = compare(crosscheck(spine, workload, time_limit="1ms"))
    assert document["flows"] == {
        "flows": 2,
        "compared": 1,
        "unfinished": dict.fromkeys(("split", "bare", "distant", "fluid", "packets"), 1),
    }
    assert "packets" not in document["all_us"]
    nothing = compare(crosscheck(spine, workload, time_limit="1ns"))
    assert nothing["flows"]["compared"] == 0
    assert (nothing["gaps"], nothing["small"], nothing["ratios"]["mean_fct"]) == ([], [], None)


def test_no_best_split_over_more_paths_than_are_listed() -> None:
    """Across a cube of seven dimensions there are 5,040 shortest paths; flows take one of them."""
    network = build_network("hypercube:d=7", hosts_per_switch=1, link_gbps=GBPS)
    found = crosscheck(network, Workload.from_flows(128, [0], [127], 10 * FULL))
    assert "split" not in found.fluids
    assert found.no_split == "more than 4,096 shortest paths lead from '0.h0' to '127.h0'"
    assert not found.is_partial


def test_a_seed_repeats_itself(spine: Network) -> None:
    one, other = (compare(crosscheck(spine, "poisson:sizes=10kB,load=0.2,flows=20", seed=3)) for _ in range(2))
    assert {**one, "seconds": None} == {**other, "seconds": None}


@pytest.mark.parametrize("packets", [10, 100])
def test_what_packets_attain_of_the_optimum(spine: Network, packets: int) -> None:
    """Four senders into one link: what it sends, then the round trip of the last packet, alone."""
    incast = Workload.from_flows(8, [1, 2, 3, 4], [0, 0, 0, 0], packets * FULL)
    options = {"transport": "line-rate", "queue": "unbounded", "link_delay": "0s"}
    document = compare(crosscheck(spine, incast, against="optimum", **options))
    assert set(document["all_us"]) == {"lp_ideal", "packets"}
    assert document["all_us"]["lp_ideal"] == pytest.approx(us(4 * packets), rel=1e-4)
    # The first packet crosses a switch before it waits for the link that all share.
    assert document["optimum"]["percent"] == pytest.approx(100 * 4 * packets / (4 * packets + 1), rel=1e-4)
    assert document["optimum"]["mean_percent"] >= document["optimum"]["percent"]
    assert (document["gaps"], document["ratios"]["mean_fct"]) == ([], None)
    ring = compare(crosscheck(spine, "all-reduce:size=800kB", against="optimum"))
    assert 0 < ring["optimum"]["percent"] <= 100
    assert ring["optimum"]["mean_percent"] is None, "a message is a part of what takes that time"
    unfinished = compare(crosscheck(spine, incast, against="optimum", time_limit="2us", **options))
    assert unfinished["optimum"] == {"percent": None, "mean_percent": None}


def test_what_is_refused(spine: Network) -> None:
    with pytest.raises(SpecError, match=r"^subflows: changes nothing without sharing=subflows, found '2'$"):
        crosscheck(spine, across(1), subflows=2)
    with pytest.raises(SpecError, match=r"^sharing: changes nothing with against=optimum, which has no fluid"):
        crosscheck(spine, across(1), against="optimum", sharing="even")
    with pytest.raises(SpecError, match=r"^unknown parameter 'model'; allowed: preset, transport, "):
        crosscheck(spine, across(1), model="fluid")
    with pytest.raises(SpecError, match=r"^forwarding: a fluid has no controller that places flows"):
        crosscheck(spine, across(1), forwarding="hedera")
    traffic = build_traffic("stride:s=1", spine, "host")
    with pytest.raises(SpecError, match=r"^traffic: the workload has its pairs already"):
        crosscheck(spine, across(1), traffic=traffic)


@pytest.mark.parametrize(
    ("policy", "inside", "shortest_us"),
    [("any", 1, us(3000)), ("any", 4, us(3000) / 2), ("round-robin", 1, us(3000)), ("single", 1, us(3000) / 3)],
)
def test_where_nothing_forwards_flows_inside_a_server_stay_there(policy: str, inside: int, shortest_us: float) -> None:
    """The scale-up network is as near as the planes; over four accelerators in a row the planes are nearer for some."""
    server = "complete:n=4" if inside == 1 else "path:n=4"
    network = pn.build_network(
        "single-switch:hosts=8", planes=2, link_gbps=GBPS, server=server, server_gbps=GBPS, relay="none"
    )
    flows = Workload.from_flows(8, [0], [inside if inside < 4 else 3], 3000 * FULL)
    found = compare(crosscheck(network, flows, plane_policy=policy))
    assert found["all_us"]["lp_paths"] == pytest.approx(shortest_us, rel=1e-4)
