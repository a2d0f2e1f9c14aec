"""What fails for a time: paths around it, flows that wait for it, and what is said of both."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import pnet_lp as pn
from pnet_lp.errors import SpecError
from pnet_lp.failures import FailureModel, Failures, Mask, apply_mask
from pnet_lp.model import Network, Workload
from pnet_lp.questions.simulate.answer import SimulateAnswer
from pnet_lp.questions.simulate.case import SimulateCase
from pnet_lp.questions.simulate.words import report
from pnet_lp.sim import Outage, figures, simulate
from pnet_lp.sim.base import TRANSPORTS
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload

from .conftest import check_conserved, flows

MS = 10**9
BARE: dict[str, Any] = {"model": "fluid", "correction": "none", "header": 0}


def built(folder: Path, *lines: str) -> Network:
    """Return the network of an edge file, whose switches are s0, s1, ... and whose hosts are at s0 and s1."""
    path = folder / "network.edges"
    switches = sorted({name for line in lines for name in line.split()[:2]})
    hosts = [f"#: host h{i} s{i} 10" for i in range(2)]
    path.write_text("\n".join([*(f"#: switch {name}" for name in switches), *lines, *hosts]) + "\n")
    return build_network(str(path))


def direct(network: Network, **times: int | None) -> Outage:
    """The cable from s0 to s1 is down."""
    plane = network.planes[0]
    tail, head, _ = plane.arcs
    down = np.isin(tail, [0, 1]) & np.isin(head, [0, 1])
    return Outage(Mask.of(network, [down], [np.zeros(plane.switch_count, dtype=bool)]), **times)  # type: ignore[arg-type]


@pytest.fixture
def detour(tmp_path: Path) -> Network:
    """Two hosts with 4 Gb/s directly between them, and 10 Gb/s over a third switch."""
    return built(tmp_path, "s0 s1 4", "s0 s2 10", "s2 s1 10")


@pytest.fixture
def cable(tmp_path: Path) -> Network:
    """Two hosts at the ends of a cable of 10 Gb/s."""
    return built(tmp_path, "s0 s1 10")


@pytest.mark.parametrize("routing", ["ecmp", "ecmp-lp", "ksp:3", "edge-disjoint:2"])
@pytest.mark.parametrize("failures", [Failures(links=0.15), Failures(switches=0.2)])
def test_a_routing_lists_its_paths_on_what_is_left(routing: str, failures: Failures) -> None:
    network = build_network("fat-tree:k=4", planes=2, link_gbps=10)
    for seed in range(3):
        drawn = FailureModel(network, failures).draw(seed)
        # The other plane is whole, so that nobody is cut off.
        planes = ((of[0], np.zeros_like(of[1])) for of in (drawn.arcs, drawn.switches, drawn.hosts))
        mask = Mask(*planes, drawn.inside)
        workload = build_workload("each:sizes=100kB", network, build_traffic("permutation", network, seed=seed))
        words = {**BARE, "routing": routing, "sharing": "subflows", "subflows": 3, "seed": seed}
        left = simulate(apply_mask(network, mask), workload, **words)
        found = simulate(network, workload, outage=Outage(mask, until_ps=1000 * MS), **words)
        # A fluid depends on its paths alone, and they are the same.
        for name in ("end_ps", "links"):
            assert found.flow[name].tolist() == left.flow[name].tolist()
        packets = simulate(network, workload, outage=Outage(mask, until_ps=1000 * MS), routing=routing)
        check_conserved(packets)
        assert (packets.completed, packets.port["lost"].sum()) == (workload.flow_count, 0)


@pytest.mark.parametrize("words", [{"forwarding": "ecmp"}, {"routing": "ecmp"}, {"routing": "ksp:1"}])
def test_a_flow_takes_a_detour_and_returns(detour: Network, words: dict[str, str]) -> None:
    workload = flows(detour, (0, 1, 20_000_000, 0))
    outage = direct(detour, from_ps=MS, until_ps=3 * MS, reroute_ps=MS // 4)
    # 160 Mb: 4 in the first millisecond, none until 1.25 ms, 20 until 3.25 ms, and 136 at 4 Gb/s.
    assert simulate(detour, workload, outage=outage, **words, **BARE).flow["end_ps"] == 37.25 * MS
    # 4 in the first millisecond, none until 3 ms, and 156 at 4 Gb/s.
    kept = direct(detour, from_ps=MS, until_ps=3 * MS)
    assert simulate(detour, workload, outage=kept, **words, **BARE).flow["end_ps"] == 42 * MS
    # Down from the start: 30 until 3 ms, or, where the flow stays on the detour, all of them at 10 Gb/s.
    first = direct(detour, until_ps=3 * MS, reroute_ps=0)
    assert simulate(detour, workload, outage=first, **words, **BARE).flow["end_ps"] == 3 * MS + 32.5 * MS
    stays = direct(detour, until_ps=3 * MS)
    assert simulate(detour, workload, outage=stays, **words, **BARE).flow["end_ps"] == 16 * MS
    # A flow that starts after the repair takes the link that is back: 4 Mb at 4 Gb/s.
    later = flows(detour, (0, 1, 500_000, 5 * MS))
    assert simulate(detour, later, outage=stays, **words, **BARE).flow["end_ps"] == 6 * MS


def bypass(network: Network, **times: int | None) -> Outage:
    """The switch s2 is down."""
    return Outage(FailureModel(network, Failures(names=("s2",))).draw(), **times)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [{"forwarding": "ecmp"}, {"routing": "ecmp"}, {"routing": "ksp:1"}])
def test_several_outages(detour: Network, words: dict[str, str]) -> None:
    workload = flows(detour, (0, 1, 20_000_000, 0))

    def ends_ms(*outages: Outage, start: int = 0) -> float:
        begun = flows(detour, (0, 1, 500_000, start)) if start else workload
        return float(simulate(detour, begun, outage=outages, **words, **BARE).flow["end_ps"][0] / MS)

    # Of 160 Mb, 4 in the first millisecond, 10 in the next on the detour, 8 until 4 ms, 20 until 6 ms, 118 at 4 Gb/s.
    often = [direct(detour, from_ps=since * MS, until_ps=until * MS, reroute_ps=0) for since, until in ((1, 2), (4, 6))]
    assert ends_ms(*often) == ends_ms(*reversed(often)) == 35.5
    # 4, then 10 on the detour; from 2 ms on both are down, from 3 ms on 146 at 4 Gb/s.
    both = (
        direct(detour, from_ps=MS, until_ps=3 * MS, reroute_ps=0),
        bypass(detour, from_ps=2 * MS, until_ps=4 * MS, reroute_ps=0),
    )
    assert ends_ms(*both) == 39.5
    # Outages that overlap are one: a flow that starts in the second avoids the link as it would in the first.
    overlap = (direct(detour, until_ps=2 * MS), direct(detour, from_ps=MS, until_ps=6 * MS))
    assert ends_ms(*overlap, start=5 * MS // 2) == 2.5 + 0.4
    # One that only touches nothing known is not noticed: nothing moves until it is over, then 4 Mb at 4 Gb/s.
    apart = (direct(detour, until_ps=MS), direct(detour, from_ps=2 * MS, until_ps=6 * MS))
    assert ends_ms(*apart, start=5 * MS // 2) == 6 + 1


@pytest.mark.parametrize("reroute_ps", [None, 0, MS // 4])
@pytest.mark.parametrize("words", [{"forwarding": "ecmp"}, {"routing": "ksp:1"}])
def test_what_flaps_is_as_many_outages(detour: Network, words: dict[str, str], reroute_ps: int | None) -> None:
    workload = flows(detour, (0, 1, 5_000_000, 0), (1, 0, 500_000, 5 * MS))
    times = {"reroute_ps": reroute_ps}
    flaps = direct(detour, from_ps=MS, until_ps=2 * MS, every_ps=3 * MS, times=3, **times)
    each = tuple(direct(detour, from_ps=MS * since, until_ps=MS * (since + 1), **times) for since in (1, 4, 7))
    assert flaps.windows == [(outage.from_ps, outage.until_ps) for outage in each]
    for moment in range(0, 12 * MS, MS // 2):
        assert flaps.lasts(moment) == any(outage.lasts(moment) for outage in each)
    for model in ({"model": "packets", "transport": "tcp:rto_min=1ms,rto_initial=1ms"}, BARE):
        found, expected = (simulate(detour, workload, outage=outage, **words, **model) for outage in (flaps, each))
        assert found.flows.equals(expected.flows)
        assert found.ports.equals(expected.ports)


def test_outages_that_do_not_agree_are_refused(detour: Network) -> None:
    pair = (direct(detour, reroute_ps=0), direct(detour, from_ps=MS))
    with pytest.raises(SpecError, match="paths take note of all failures of a run after one delay"):
        simulate(detour, flows(detour, (0, 1, 1000, 0)), outage=pair)


def test_outages_as_options() -> None:
    words: dict[str, Any] = {"link_gbps": 10, "traffic": "permutation", "flow_size": "100kB", "model": "fluid"}
    own = ("fail=edge0,fail_at=1us,fail_until=3us", "fail_links=1 link,fail_at=2us", "fail_links=1 link,fail_at=2us")
    answer = pn.simulate("fat-tree:k=4", **words, outage=own, fail_links="2 links", reroute_after="0s")
    first, *links = answer.to_json()["outage"]
    assert first == {
        "link_directions": 4,
        "switches": 1,
        "access_links": 0,
        "from": "1us",
        "until": "3us",
        "reroute_after": "0s",
    }
    # Each is drawn by itself: two of a link fail two.
    assert [link["link_directions"] for link in links] == [2, 2]
    scenario = SimulateCase(topology=("fat-tree:k=4",), outage=own, traffic="permutation", flow_size="1kB")
    _, _, (_, one, other) = scenario.drawn(1)
    assert (one.mask | other.mask).arc_count == 4
    flaps = "fail_ports=1 port,fail_at=1us,fail_until=3us,fail_every=5us,fail_times=9"
    assert pn.simulate("fat-tree:k=4", **words, outage=flaps).to_json()["outage"] == {
        "link_directions": 0,
        "switches": 0,
        "access_links": 1,
        "from": "1us",
        "until": "3us",
        "every": "5us",
        "times": 9,
        "reroute_after": None,
    }
    for text, says in (
        ("fail_at=1us", "outage: nothing fails; allowed: one of fail_links, "),
        ("fail=edge0,fail_at=2us,fail_until=1us", "what fails would be back before"),
        ("fail=edge0,fail_at=1us,fail_until=2us,fail_every=3us", "outage: .*2 or more"),
        ("fail=edge0,fail_at=1us,fail_until=2us,fail_times=3", "outage: .*fail_every and fail_times"),
        ("fail=edge0,fail_at=1us,fail_every=3us,fail_times=3", "what fails again comes back before"),
        ("fail=edge0,fail_at=1us,fail_until=4us,fail_every=3us,fail_times=3", "would not be back.*more than 3us"),
        ("fail=edge0,fail_until=4us,fail_every=5us,fail_times=1001", "fail_times"),
        ("fail=edge0,fail_until=4us,fail_every=1e6s,fail_times=30", "too late the last time, found '29000000"),
        ("fail=edge9", "outage: "),
        ("fail", "outage: not a key=value parameter"),
        ("link=1", "outage: unknown parameter 'link'"),
    ):
        with pytest.raises(SpecError, match=says):
            pn.simulate("fat-tree:k=4", **words, outage=text)


@pytest.mark.parametrize("words", [{"forwarding": "ecmp"}, {"routing": "ecmp"}, {"forwarding": "hedera"}])
def test_packets_take_a_detour_and_return(detour: Network, words: dict[str, str]) -> None:
    workload = flows(detour, (0, 1, 5_000_000, 0))
    words = {"transport": "tcp:rto_min=1ms,rto_initial=1ms,receive_window=40", **words}
    for until_ps in (None, 3 * MS):
        outage = direct(detour, from_ps=MS, until_ps=until_ps, reroute_ps=MS // 4)
        result = simulate(detour, workload, outage=outage, **words)
        # Not what check_conserved asks for: the detour is faster than the path that the ideal time is of.
        assert result.flow["packets_dropped"].sum() == result.port["dropped"].sum() + result.port["lost"].sum()
        assert (result.completed, result.end) == (1, "complete")
        # 0.5 MB at 4 Gb/s; the rest at 10 Gb/s, or at 4 Gb/s from 3.25 ms on.
        late = result.flow["end_ps"] > 8 * MS
        assert bool(late[0]) == (until_ps is not None)


@pytest.mark.parametrize("model", ["packets", "fluid"])
@pytest.mark.parametrize(
    "words", [{"routing": "ecmp"}, {"forwarding": "ecmp"}, {"forwarding": "sopa"}, {"forwarding": "rps"}]
)
def test_flows_without_a_path_wait_for_one(cable: Network, model: str, words: dict[str, str]) -> None:
    alone = simulate(cable, flows(cable, (0, 1, 100_000, 0)), model=model, **words).flow["end_ps"][0]
    # Start, outage, what paths need, and when the flow begins.
    for start, since, until, reroute, begins in (
        (0, 0, 3, 0, 3),
        (1, 0, 3, 2, 5),
        (8, 6, 9, 1, 10),
        (10, 0, 3, None, 10),
        (1, 0, 3, None, 3),
    ):
        after = None if reroute is None else reroute * MS
        outage = direct(cable, from_ps=since * MS, until_ps=until * MS, reroute_ps=after)
        workload = flows(cable, (0, 1, 100_000, start * MS))
        result = simulate(cable, workload, outage=outage, model=model, **words)
        assert (result.end, result.flow["start_ps"][0]) == ("complete", start * MS)
        assert result.flow["end_ps"][0] == begins * MS + alone


@pytest.mark.parametrize("model", ["packets", "fluid"])
def test_flows_that_can_never_be_complete_are_named(cable: Network, model: str) -> None:
    workload = Workload.from_flows(2, [0] * 7 + [1], [1] * 7 + [0], [1000] * 8, after=([7], [0]))
    result = simulate(cable, workload, outage=direct(cable), model=model)
    assert (result.end, result.completed) == ("no events left", 0)
    found = figures([result, result])
    assert found["stuck"] == [
        {
            "cause": "never started, without a usable path",
            "flows": 14,
            "first": [{"seed": 0, "flow": i} for i in range(5)],
        },
        {
            "cause": "never started, after flows that are not complete",
            "flows": 2,
            "first": [{"seed": 0, "flow": 7}] * 2,
        },
    ]
    console = Console(width=200, file=io.StringIO())
    console.print(*report(SimulateAnswer((result,)).to_json()))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "0 of 8 complete; ended at 0 us of simulated time: no events left" in text
    assert "7 never started, without a usable path: flows 0, 1, 2, 3, 4, ..." in text
    assert "1 never started, after flows that are not complete: flow 7" in text


def test_flows_that_lost_something_for_good_are_named(cable: Network) -> None:
    workload = flows(cable, (0, 1, 1_000_000, 0), (0, 1, 1000, 5 * MS))
    outage = direct(cable, from_ps=MS // 2)
    sent = simulate(cable, workload, outage=outage, transport="line-rate", queue="drop-tail:packets=1000")
    assert [(row["cause"], row["flows"]) for row in figures([sent])["stuck"]] == [
        ("lost packets that nobody sends again", 2)
    ]
    fluid = simulate(cable, workload, outage=outage, model="fluid")
    assert [row["cause"] for row in figures([fluid])["stuck"]] == ["stopped at a link that is down"]
    # A transport that goes on trying is stopped where nothing can come of it, and before that by a limit.
    tried = simulate(cable, workload, outage=outage)
    assert (tried.end, tried.completed) == ("cut off", 0)
    assert [(row["cause"], row["flows"]) for row in figures([tried])["stuck"]] == [
        ("cut off, as all their paths stay down", 2)
    ]
    early = simulate(cable, workload, outage=outage, time_limit="4ms")
    assert (early.end, figures([early])["stuck"]) == ("time limit", [])


@pytest.mark.parametrize("name", TRANSPORTS.names())
@pytest.mark.parametrize("forwarding", ["ecmp", "rps", "hedera"])
def test_a_run_ends_where_all_that_is_left_is_cut_off(tree: Network, name: str, forwarding: str) -> None:
    """Host 0 loses its link for good while it sends and receives; others, one of which starts later, are complete."""
    workload = flows(tree, (0, 15, 20_000_000, 0), (5, 0, 20_000_000, 0), (4, 11, 300_000, 0), (8, 1, 300_000, 3 * MS))
    mask = FailureModel(tree, Failures(names=("h0",))).draw()
    words = {"transport": TRANSPORTS.get(name).expression, "forwarding": forwarding, "seed": 1}
    result = simulate(tree, workload, outage=Outage(mask, MS // 5), **words)
    check_conserved(result)
    assert (result.end, result.done.tolist()) == ("cut off", [False, False, True, True])
    assert result.flow["end_ps"].max() < result.time_ps < 10 * MS
    assert [row["flows"] for row in figures([result])["stuck"]] == [2]
    # As where the link comes back after that, up to then.
    limit = {"time_limit": f"{result.time_ps // 1000}ns"}
    back = simulate(tree, workload, outage=Outage(mask, MS // 5, 1000 * MS), **words, **limit)
    assert back.end == "time limit"
    assert back.flow["end_ps"].tolist() == result.flow["end_ps"].tolist()


def test_what_comes_back_or_is_avoided_is_not_cut_off(tree: Network, detour: Network) -> None:
    mask = FailureModel(tree, Failures(names=("h0",))).draw()
    workload = flows(tree, (0, 15, 1_000_000, 0))
    for outages in (Outage(mask, MS // 5, 2000 * MS), (Outage(mask, MS // 5, MS), Outage(mask, 2 * MS, 3000 * MS))):
        assert simulate(tree, workload, outage=outages).end == "complete"
    outage = direct(detour, from_ps=MS // 5, reroute_ps=100 * MS)
    assert simulate(detour, flows(detour, (0, 1, 1_000_000, 0)), outage=outage, transport="hpcc").end == "complete"
    # One of two paths is left, and is taken now and then.
    upward = Outage(FailureModel(tree, Failures(names=("edge0-agg0",))).draw(), from_ps=MS // 5)
    found = simulate(tree, workload, outage=upward, transport="swift", forwarding="rps")
    assert (found.end, found.port["lost"].sum() > 0) == ("complete", True)


def test_packets_lost_on_dead_links_are_told_from_drops(cable: Network) -> None:
    workload = flows(cable, (0, 1, 1_000_000, 0))
    words = {"transport": "tcp:rto_min=1ms,receive_window=40", "outage": direct(cable, from_ps=MS // 2, until_ps=MS)}
    found = figures([simulate(cable, workload, **words)])
    lost = found["packets"]["lost"]
    assert lost > 1
    assert found["packets"]["dropped"] == lost
    assert found["packets"]["sent"] == found["packets"]["delivered"] + lost
    assert f"{lost} packets lost on links that were down" in found["limited_by"]
    assert "dropped" not in found["limited_by"]
