"""What a run promises: the same bytes for a seed, limits that lose nothing, records that fit together."""

from __future__ import annotations

import dataclasses
import io
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.errors import PnetError, RoutingError, SpecError, TopologyError, WorkloadError
from pnet_lp.failures import Failures, Mask, fail
from pnet_lp.model import Network, Plane, Workload
from pnet_lp.seeds import derive_seed
from pnet_lp.sim import (
    FORWARDINGS,
    PRESETS,
    QUEUES,
    TRANSPORTS,
    Outage,
    SimulationProgress,
    SimulationResult,
    SimulationSettings,
    figures,
    simulate,
)
from pnet_lp.sim.base import choose
from pnet_lp.sim.ports import KINDS
from pnet_lp.sim.preset import get_preset
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload

from .conftest import check_conserved, flows

BUSY = "poisson:sizes=dctcp-web-search,load=0.6,flows=60"


def parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


EVERY = [
    pytest.param({kind: entry.expression, **entry.beside}, id=f"{kind}-{entry.name}")
    for kind, registry in (
        ("transport", TRANSPORTS),
        ("queue", QUEUES),
        ("forwarding", FORWARDINGS),
        ("preset", PRESETS),
    )
    for entry in registry
]


@pytest.mark.parametrize("words", EVERY)
def test_every_entry_carries_all_flows_and_repeats_itself(tree: Network, words: dict[str, str]) -> None:
    workload = build_workload("poisson:sizes=dctcp-web-search,load=0.4,flows=30", tree, seed=1)
    result, again = (simulate(tree, workload, **words, seed=1) for _ in range(2))
    assert result.completed == result.flow_count == 30
    assert result.end == "complete"
    check_conserved(result)
    assert parquet(result.flows) == parquet(again.flows)
    assert parquet(result.ports) == parquet(again.ports)
    assert (result.events, result.time_ps) == (again.events, again.time_ps)


@pytest.mark.parametrize("words", EVERY)
def test_settings_in_full_need_no_preset(tree: Network, words: dict[str, str]) -> None:
    workload = flows(tree, (0, 5, 200_000, 0), (1, 5, 200_000, 0))
    result = simulate(tree, workload, **words)
    written = {
        name: value if value is None else str(value)
        for name, value in result.settings.items()
        if name not in {"preset", "seed", "event_limit"}
    }
    again = simulate(tree, workload, **written)  # type: ignore[arg-type]
    assert parquet(again.flows) == parquet(result.flows)
    assert {**again.settings, "preset": None} == {**result.settings, "preset": None}


@pytest.mark.parametrize("name", PRESETS.names())
def test_presets_name_what_there_is_and_where_it_is_from(name: str) -> None:
    preset = get_preset(name)
    for registry, values in (
        (TRANSPORTS, preset.transports),
        (QUEUES, preset.queues),
        (FORWARDINGS, preset.forwardings),
    ):
        for entry, parameters in values.items():
            registry.get(entry).validate({key: stated.value for key, stated in parameters.items()})
    assert all(source for _, _, source in preset.rows())
    assert set(preset.settings) <= set(SimulationSettings.model_fields)


def test_a_preset_is_overridden(tree: Network) -> None:
    workload = flows(tree, (0, 5, 1000, 0))
    result = simulate(tree, workload, preset="pnet", transport="tcp:rto_min=2ms", header="40", forwarding="ecmp")
    assert (
        result.settings["transport"]
        == "tcp:syn=1,initial_window=11,rto_initial=10ms,rto_min=2ms,timer_granularity=10ms"
    )
    assert (result.settings["header"], result.settings["forwarding"]) == (40, "ecmp")
    assert result.settings["preset"] == "pnet"


def test_an_idle_value_of_a_preset_is_no_error(tree: Network) -> None:
    """And what is said of the run leaves it out, so that the expression holds without the preset."""
    workload = flows(tree, (0, 5, 1000, 0))
    result = simulate(tree, workload, preset="sopa", transport="tcp:ack_every=1", queue="drop-tail:bytes=60000")
    transport = result.settings["transport"]
    assert "ack_delay" not in transport
    assert result.settings["queue"] == "drop-tail:bytes=60000"
    again = simulate(tree, workload, preset="sopa", transport=transport, queue="drop-tail:bytes=60000")
    assert parquet(again.flows) == parquet(result.flows)
    # Who states packets means them, whatever the preset counts.
    lab = {"drop-tail": {"bytes": "60000"}}
    assert choose(QUEUES, "drop-tail:packets=5", lab).expression == "drop-tail:packets=5"
    assert choose(QUEUES, "drop-tail", lab).expression == "drop-tail:bytes=60000"


@pytest.mark.parametrize(
    ("words", "marks"),
    [
        ({"transport": "dctcp"}, False),
        ({"transport": "dctcp", "queue": "ecn:packets=65"}, False),
        ({"transport": "dctcp", "queue": "ecn:packets=66"}, True),
        ({"transport": "dctcp", "queue": "ecn:packets=20,threshold=10,always=30"}, True),
        ({"transport": "dctcp", "queue": "ecn:packets=20,threshold=10,always=30,chance=0"}, False),
        ({"transport": "dctcp", "queue": "ecn:packets=20,threshold=19,always=30"}, False),
        ({"transport": "dctcp", "queue": "ecn:bytes=60000"}, True),
        ({"preset": "modern"}, True),
        ({"transport": "tcp"}, True),
    ],
)
def test_dctcp_over_queues_that_never_mark(tree: Network, words: dict[str, Any], marks: bool) -> None:
    """It runs, and says so; the queues of an incast are long enough to be marked where there are marks."""
    workload = build_workload("incast:senders=8,sizes=300kB,to=0", tree)
    result = simulate(tree, workload, **words)
    found = [warning for warning in result.warnings if "never mark a packet" in warning]
    assert bool(found) != marks
    if not marks:
        assert found == [f"the queues {result.settings['queue']} never mark a packet, so dctcp only reacts to losses"]
    if words.get("transport") != "tcp" and "bytes" not in words.get("queue", ""):
        assert bool(result.port["marked"].sum()) == marks


def test_seeds_draw(tree: Network) -> None:
    workload = build_workload(BUSY, tree)
    first, second = (simulate(tree, workload, seed=seed) for seed in (1, 2))
    assert parquet(first.flows) != parquet(second.flows)


def test_jobs_do_not_matter() -> None:
    requested = {"topology": "jellyfish:switches=8,ports=5,hosts=16", "workload": BUSY, "preset": "pnet"}
    alone, together = (pn.simulate(**requested, seed=7, draws=3, jobs=jobs).results for jobs in (1, 2))
    assert [result.seed for result in together] == [7, *(derive_seed(7, "draw", i) for i in (1, 2))]
    for one, other in zip(alone, together, strict=True):
        assert parquet(one.flows) == parquet(other.flows)
        assert parquet(one.ports) == parquet(other.ports)
    (single,) = pn.simulate(**requested, seed=alone[1].seed).results
    assert parquet(single.flows) == parquet(alone[1].flows)


def without_seconds(result: SimulationResult) -> dict[str, Any]:
    return {**figures([result]), "seconds": None}


@pytest.mark.parametrize(
    ("limit", "end"), [({"time_limit": "300us"}, "time limit"), ({"event_limit": 5000}, "event limit")]
)
def test_a_limit_loses_nothing(tree: Network, limit: dict[str, Any], end: str) -> None:
    workload = flows(tree, (0, 5, 1000, 0), (1, 6, 50_000_000, 0), (2, 7, 1000, 10**12), (3, 8, 10_000_000, 100))
    result = simulate(tree, workload, **limit)
    assert result.end == end
    assert result.done.tolist() == [True, False, False, False]
    assert result.flow["flow"].tolist() == [0, 1, 2, 3]
    assert 0 < result.flow["received_bytes"][1] < 50_000_000
    assert result.flow["start_ps"][2] == 10**12
    row = result.flows.slice(1, 1).to_pylist()[0]
    assert (row["end_ps"], row["completion_ps"], row["slowdown"]) == (None, None, None)
    assert result.flows.column("ideal_ps").to_pylist()[2] is None
    check_conserved(result)
    found = figures([result])
    assert found["flows"] == {"completed": 1, "unfinished": 3}
    assert found["packets"]["in_flight"] > 0
    assert without_seconds(simulate(tree, workload, **limit)) == without_seconds(result)


def test_flows_that_wait_for_unfinished_ones_have_no_start(tree: Network) -> None:
    workload = Workload.from_flows(16, [0, 5], [5, 0], [50_000_000, 1000], after=([1], [0]))
    result = simulate(tree, workload, time_limit="1ms")
    assert result.flows.column("start_ps").to_pylist() == [0, None]
    assert not result.task_ps.tolist()
    assert figures([result])["limited_by"] == "no flow was complete, so nothing can be said"


def test_progress_is_told_and_can_fail(tree: Network) -> None:
    workload = build_workload("poisson:sizes=dctcp-web-search,load=0.9,flows=1000", tree)
    seen: list[SimulationProgress] = []
    result = simulate(tree, workload, on_progress=seen.append)
    assert result.completed == 1000
    assert seen
    assert [one.events for one in seen] == sorted(one.events for one in seen)
    assert all(0 <= one.share <= 1 for one in seen)

    def refuse(_: SimulationProgress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        simulate(tree, workload, on_progress=refuse)


def test_failed_links_carry_nothing(tree: Network) -> None:
    network = fail(tree, Failures(links=0.2), seed=1)
    src = np.arange(16)
    result = simulate(network, Workload.from_flows(16, src, src[::-1], 300_000), seed=1)
    assert result.completed == 16
    names = {(row["u"], row["v"]) for row in result.ports.to_pylist()}
    plane = network.planes[0]
    tail, head, capacity = plane.arcs
    down = {
        (plane.switch_names[u], plane.switch_names[v])
        for u, v in zip(tail[capacity == 0], head[capacity == 0], strict=True)
    }
    assert down
    assert not down & names


def outage(network: Network, **times: int) -> Outage:
    """The cables of the first edge switch, but for one, are down."""
    plane = network.planes[0]
    tail, head, _ = plane.arcs
    edge = plane.switch_names.index("edge0")
    cut = (tail == edge) | (head == edge)
    cut[np.flatnonzero(cut)[-2:]] = False
    nothing = np.zeros(plane.switch_count, dtype=bool)
    return Outage(Mask.of(network, [cut], [nothing]), **times)


def test_what_fails_for_a_time_loses_packets_then(tree: Network) -> None:
    workload = flows(tree, *((host, 8 + host, 2_000_000, 0) for host in (0, 1)))
    words = {"transport": "tcp:rto_min=1ms,rto_initial=1ms", "seed": 3}
    whole = simulate(tree, workload, **words)
    late = outage(tree, from_ps=100 * 10**6, until_ps=10 * 10**9)
    result = simulate(tree, workload, outage=late, **words)
    check_conserved(result)
    assert result.completed == 2
    lost = result.ports.filter(np.array(result.port["lost"][result.places.connected] > 0))
    assert lost.num_rows
    assert all("edge0" in (row["u"], row["v"]) for row in lost.to_pylist())
    # Nothing gets through before the links are back.
    assert result.flow["end_ps"].max() > 10 * 10**9 > whole.flow["end_ps"].max()
    assert result.settings["outage"] == {
        "link_directions": 2,
        "switches": 0,
        "access_links": 0,
        "from": "100us",
        "until": "10ms",
        "reroute_after": None,
    }
    again = simulate(tree, workload, outage=outage(tree, from_ps=100 * 10**6, reroute_ps=10**6), **words)
    assert again.completed == 2
    assert again.flow["end_ps"].max() < 10 * 10**9


def test_what_is_down_from_the_start_is_avoided(tree: Network) -> None:
    workload = flows(tree, (0, 8, 100_000, 0), (1, 9, 100_000, 0))
    result = simulate(tree, workload, outage=outage(tree))
    assert result.completed == 2
    assert result.port["lost"].sum() == 0


def test_a_receiver_that_holds_early_packets_back_sees_fewer_losses(tree: Network) -> None:
    workload = flows(tree, *((host, 8 + host % 2, 3_000_000, 0) for host in range(4)))
    words = {"forwarding": "rps", "seed": 1, "queue": "drop-tail:packets=1000"}
    plain, held = (
        simulate(tree, workload, transport=f"tcp:receive_window=60{more}", **words) for more in ("", ",resequence=1ms")
    )
    assert plain.flow["fast_retransmits"].sum() > 0
    assert 4 * held.flow["fast_retransmits"].sum() < plain.flow["fast_retransmits"].sum()
    assert held.completed == 4


def test_tables_are_arrow(tree: Network) -> None:
    result = simulate(tree, flows(tree, (0, 5, 1000, 0)))
    row = result.flows.to_pylist()[0]
    assert (row["src"], row["dst"], row["bytes"], row["slowdown"]) == ("h0", "h5", 1000, 1.0)
    assert result.ports.num_rows == 2 * (32 + 16)
    assert repr(result).startswith("SimulationResult(end='complete', flow_count=1")
    assert len(repr(result)) <= 200


def test_traces(tree: Network) -> None:
    result = simulate(tree, flows(tree, (0, 1, 100_000, 0)), trace=("flow:0", "queue:edge0->h1"))
    arrivals, windows, queues = (result.trace(sort) for sort in ("arrivals", "windows", "queues"))
    assert arrivals.column("segment").to_pylist() == list(range(69))
    window = windows.column("window").to_pylist()
    # From ten segments on by one for each acknowledgement: slow start without a loss.
    assert window[:3] == [10, 11, 12]
    assert window == sorted(window)
    # SYN and data; the port to h1 carries no acknowledgements.
    assert queues.num_rows == 70
    assert (
        max(queues.column("packets").to_pylist())
        == result.ports.column("longest_packets").to_pylist()[result.ports.column("v").to_pylist().index("h1")]
    )


def test_figures_are_of_the_records(tree: Network) -> None:
    result = simulate(tree, build_workload(BUSY, tree))
    found, flow = figures([result]), result.flows
    times = np.array(flow.column("completion_ps").to_pylist()) / 1e6
    assert found["fct_us"]["mean"] == pytest.approx(times.mean())
    # 60 flows: the 30th of them; the last one, from 98.4 % on.
    assert found["fct_us"]["p50"] == np.sort(times)[29]
    assert found["fct_us"]["p99"] == found["fct_us"]["max"] == times.max()
    assert found["packets"]["sent"] == sum(flow.column("packets_sent").to_pylist())
    assert sum(row["flows"] for row in found["slowdown"]["by_size"]) == 60
    assert sum(found["waiting_shares"].values()) == pytest.approx(1)
    assert found["tasks_us"] is None
    both = figures([result, result])
    assert both["fct_us"]["mean"] == pytest.approx(found["fct_us"]["mean"])
    assert both["packets"]["sent"] == 2 * found["packets"]["sent"]


def test_requests_fill_links_that_hashed_paths_do_not(tree: Network) -> None:
    src = np.arange(16)
    workload = Workload.from_flows(16, src, (src + 5) % 16, 3_000_000)
    sprayed = simulate(tree, workload, preset="ndp", seed=1)
    hashed = simulate(tree, workload, transport="tcp:rto_min=1ms", seed=1)
    assert sprayed.goodput_gbps.min() > 0.85 * 10
    assert sprayed.goodput_gbps.min() > 1.5 * hashed.goodput_gbps.min()
    assert (sprayed.flow["timeouts"] + sprayed.flow["packets_dropped"]).sum() == 0


@pytest.mark.parametrize("senders", [4, 15])
def test_incast_by_requests_takes_the_receivers_link(tree: Network, senders: int) -> None:
    workload = build_workload(f"incast:senders={senders},sizes=900kB,to=0", tree, seed=3)
    result = simulate(tree, workload, preset="ndp", seed=1)
    packets = senders * -(-900_000 // (9000 - 64))
    least = (senders * 900_000 + packets * 64) * 800
    assert least < result.completion_ps.max() < 1.05 * least + 100 * 10**6
    flow, port = result.flow, result.port
    assert flow["timeouts"].sum() == 0
    assert flow["trimmed"].sum() == flow["resent"].sum() == port["trimmed"].sum() > 0
    check_conserved(result)


def test_what_a_stream_loses_it_never_sends_again(tree: Network) -> None:
    # Two hosts send 7.5 Gb/s each to a third, whose link has 10.
    workload = flows(tree, (1, 0, 1_460_000, 0), (2, 0, 1_460_000, 0), (4, 5, 1_460_000, 0))
    result = simulate(tree, workload, transport="cbr:rate=7500Mbps", queue="drop-tail:packets=10")
    assert result.end == "no events left"
    flow = result.flow
    # The two may be in step, so that all the losses are one's.
    assert result.done.tolist() == (flow["packets_dropped"] == 0).tolist()
    assert result.done[2]
    assert flow["packets_sent"].tolist() == [1000] * 3
    assert (flow["received_bytes"] == 1460 * flow["packets_delivered"]).all()
    assert flow["packets_dropped"][:2].sum() == pytest.approx(2000 / 3, rel=0.05)
    assert result.settings["transport"] == "cbr:rate=7500Mbps"
    check_conserved(result)


def test_selective_acknowledgements_repair_in_fewer_round_trips(tree: Network) -> None:
    """Slow start without a bound loses about a hundred packets at the host's own port, and each is sent again."""
    workload = flows(tree, (0, 5, 3_000_000, 0))
    hosts = {"host_queue": "same"}
    plain, sack = (simulate(tree, workload, transport=f"tcp:sack={sack}", **hosts) for sack in (False, True))
    own = plain.places.kind == KINDS.index("links from hosts")
    for result in (plain, sack):
        lost = result.port["dropped"]
        assert 90 < lost.sum() == lost[own].sum() == result.flow["resent"].sum() < 125
        assert result.flow["timeouts"].sum() == 0
    assert sack.completion_ps[0] < plain.completion_ps[0]
    bound = simulate(tree, workload, transport="tcp:initial_threshold=100", **hosts)
    assert bound.flow["resent"].sum() < 5


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    queue=st.sampled_from(["drop-tail:packets=5", "drop-tail:bytes=20kB", "ecn:threshold=3", "pfabric:packets=6"]),
    planes=st.integers(1, 3),
    data=st.data(),
)
def test_any_network_keeps_its_packets(seed: int, queue: str, planes: int, data: st.DataObject) -> None:
    network = build_network(
        "jellyfish:switches=6,ports=5,hosts=9",
        planes=planes,
        variant="heterogeneous" if planes > 1 else None,
        seed=seed,
    )
    workload = build_workload("poisson:sizes=facebook-cache,load=0.5,flows=40", network, seed=seed)
    hosts = data.draw(st.sampled_from(["unbounded", "unbounded:small_queue=3000", "same", "drop-tail:packets=7"]))
    words = {"queue": queue, "host_queue": hosts, "transport": "tcp:rto_min=1ms,rto_initial=1ms"}
    result = simulate(network, workload, **words, seed=seed)
    assert result.completed == 40
    check_conserved(result)
    assert ((result.plane_bytes > 0).sum(axis=1) == 1).all()
    most = {"packets=5": 5, "packets=6": 6, "bytes=20kB": 500}.get(queue.partition(":")[2], 100)
    limited = result.places.kind != KINDS.index("links from hosts")
    assert result.port["longest_packets"][limited].max() <= most
    assert "bytes" not in queue or result.port["longest_bytes"][limited].max() <= 20_000
    assert not hosts.startswith("unbounded") or result.port["dropped"][~limited].sum() == 0


BAD: list[tuple[dict[str, Any], type[PnetError], str]] = [
    ({"transport": "tcpp"}, SpecError, "transport: unknown transport 'tcpp' (did you mean 'tcp'?)"),
    ({"queue": "drop-tail:packet=3"}, SpecError, "unknown parameter 'packet' (did you mean 'packets'?)"),
    ({"queue": "drop-tail:bytes=1kB"}, SpecError, "queue: bytes: a packet has 1500 bytes and never fits, found 1000"),
    (
        {"queue": "drop-tail:packets=0"},
        SpecError,
        "queue: drop-tail: packets: input should be greater than or equal to 1",
    ),
    ({"queue": "ecn:chance=0.5"}, SpecError, "chance needs always"),
    ({"queue": "strict:bounds=9x3"}, SpecError, "the bounds of classes do not ascend"),
    ({"preset": "pnett"}, SpecError, "preset: unknown preset 'pnett' (did you mean 'pnet'?)"),
    ({"forwarding": "given"}, SpecError, "given: parameter 'routing' is required"),
    ({"routing": "ideal"}, RoutingError, "routing: the routing has no list of paths, found 'ideal'"),
    ({"routing": "ksp:2", "forwarding": "ecmp"}, SpecError, "routing: has no meaning beside forwarding, found 'ksp:2'"),
    ({"routing": "ksq:2"}, SpecError, "routing: unknown routing 'ksq' (did you mean 'ksp'?)"),
    ({"plane_policy": "best"}, SpecError, "plane_policy: input should be 'any', "),
    ({"transprot": "tcp"}, SpecError, "unknown parameter 'transprot' (did you mean 'transport'?)"),
    ({"link_delay": "1001ms"}, SpecError, "link_delay: invalid delay, found '1001ms'; allowed: 0 to 1e+09 ns, "),
    ({"link_delay": "1"}, SpecError, "link_delay: not a quantity, found '1'; allowed: a time with its unit"),
    ({"header": "1500"}, SpecError, "header: the header leaves no room for payload, found 1500"),
    ({"packet": "70000"}, SpecError, "packet: no size of a packet, found 70000; allowed: 1 to 65535 bytes"),
    ({"time_limit": "0s"}, SpecError, "time_limit: input should be greater than 0, found '0s'"),
    ({"event_limit": 0}, SpecError, "event_limit: input should be greater than or equal to 1, found 0"),
    ({"transport": "tcp:rto_min=2"}, SpecError, "transport: tcp: rto_min: not a quantity, found '2'"),
    (
        {"traffic": build_traffic("permutation", build_network("fat-tree:k=4"))},
        SpecError,
        "traffic: the workload has its pairs already, found 'permutation'; allowed: a workload expression, or no "
        "matrix",
    ),
    ({"trace": ("port:3",)}, SpecError, "trace: not something to trace, found 'port:3'"),
    ({"trace": ("flow:" + "9" * 4301,)}, SpecError, "trace: no such flow, found 'flow:99999"),
    ({"trace": ("queue:" + "9" * 4301 + "/h0->0",)}, SpecError, "trace: no host or switch is called '99999"),
    ({"trace": ("flow:1",)}, SpecError, "trace: no such flow, found 'flow:1'; allowed: flow:0 to flow:0"),
    ({"trace": ("queue:h0->h1",)}, SpecError, "trace: there is no such link, found 'queue:h0->h1'"),
    ({"trace": ("queue:h0->edge",)}, SpecError, "trace: no host or switch is called 'edge' (did you mean"),
    ({"transport": "tcp:rto_min=2s,rto_max=1s"}, SpecError, "transport: tcp: rto_min=2s is above rto_max=1s"),
    ({"transport": "min-tcp:sack=true"}, SpecError, "min-tcp: unknown parameter 'sack'"),
    ({"transport": "ndp:window=0"}, SpecError, "ndp: window: input should be greater than or equal to 1"),
    ({"transport": "cbr"}, SpecError, "cbr: parameter 'rate' is required"),
    (
        {"transport": "cbr:rate=5"},
        SpecError,
        "rate: not a quantity, found '5'; allowed: a rate with its unit: 800Mbps, 2.5Gbps",
    ),
    (
        {"queue": "trim"},
        SpecError,
        "queue: the queue cuts payload off packets, and the transport makes nothing of the rest, found 'trim'; "
        "allowed: with a transport that makes use of them, such as ndp or swift",
    ),
    (
        {"queue": "drop-tail:packets=5,bytes=60000"},
        SpecError,
        "queue: drop-tail: packets: changes nothing beside bytes, found '5'",
    ),
    (
        {"transport": "tcp:ack_delay=1ms"},
        SpecError,
        "transport: tcp: ack_delay: changes nothing with ack_every=1, found '1ms'",
    ),
    (
        {"preset": "sopa", "transport": "tcp:ack_every=1,ack_delay=1ms"},
        SpecError,
        "transport: tcp: ack_delay: changes nothing with ack_every=1, found '1ms'",
    ),
    (
        {"transport": "tcp:handshake=false,syn=1500"},
        SpecError,
        "transport: tcp: syn: changes nothing with handshake=false, found '1500'",
    ),
    (
        {"queue": "trim:header=2000", "transport": "ndp"},
        SpecError,
        "queue: header: cuts nothing off 1500 bytes, found 2000; allowed: at least header=40, less than packet=1500",
    ),
    (
        {"queue": "trim:header=10", "transport": "ndp", "header": "40"},
        SpecError,
        "queue: header: a header has 40 bytes, and is not cut, found 10; allowed: at least header=40",
    ),
    (
        {"queue": "trim:headers=10", "transport": "ndp"},
        SpecError,
        "queue: trim: headers=10 has no room for a header of 64 bytes",
    ),
]


@pytest.mark.parametrize(("words", "error", "says"), BAD, ids=lambda value: str(value)[:40])
def test_bad_words(tree: Network, words: dict[str, Any], error: type[PnetError], says: str) -> None:
    with pytest.raises(error) as caught:
        simulate(tree, flows(tree, (0, 5, 1000, 0)), **words)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_flows(tree: Network) -> None:
    with pytest.raises(WorkloadError, match="the workload is for 4 hosts, the network has 16"):
        simulate(tree, Workload.from_flows(4, [0], [1], 1))
    with pytest.raises(WorkloadError, match="flow 0: a flow has too many packets, found 10"):
        simulate(tree, flows(tree, (0, 1, 10**16, 0)))


@pytest.mark.parametrize(
    ("words", "text", "hint"),
    [
        ({}, "poisson:sizes=1kB,load=0.1,flows=140", "fewer flows"),
        ({}, "incast:senders=1,sizes=1kB", "a smaller network"),
        ({"queue": "drop-tail:packets=1000000"}, "incast:senders=15,sizes=100MB", "shorter queues"),
        ({"trace": "flow:0"}, "incast:senders=1,sizes=1kB", "fewer traces"),
        ({"transport": "mptcp:subflows=1000", "forwarding": "sopa"}, "incast:senders=1,sizes=1kB", "fewer flows"),
    ],
)
def test_what_does_not_fit_into_memory_is_refused(
    tree: Network, monkeypatch: pytest.MonkeyPatch, words: dict[str, Any], text: str, hint: str
) -> None:
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 30_000)
    monkeypatch.setattr("pnet_lp.memory._LEAST", 0)
    with pytest.raises(WorkloadError) as caught:
        simulate(tree, text, **words)
    assert re.fullmatch(
        r"a simulation of [0-9,]+ flows over 96 ports needs about .* [KMG]iB, 29\.3 KiB are free; "
        rf"allowed: .*{hint}.*",
        str(caught.value),
    )


@pytest.mark.parametrize("transport", ["tcp", "mptcp", "nscc", "roce"])
def test_long_flows_wait_in_what_sends_them(tree: Network, monkeypatch: pytest.MonkeyPatch, transport: str) -> None:
    """Their packets would take 640 MB at once, and only a few are in their hosts."""
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 5_000_000)
    monkeypatch.setattr("pnet_lp.memory._LEAST", 0)
    words = {"transport": transport, "event_limit": 100}
    assert simulate(tree, "incast:senders=15,sizes=1GB", **words).end == "event limit"
    with pytest.raises(WorkloadError, match="shorter queues"):
        simulate(tree, "incast:senders=15,sizes=1GB", transport="ndp", event_limit=100)


def test_more_paths_than_memory_is_one_sentence(tree: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = flows(tree, (0, 5, 1000, 0))
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 100)
    monkeypatch.setattr("pnet_lp.memory._LEAST", 0)
    with pytest.raises(RoutingError) as caught:
        simulate(tree, workload, routing="ksp:100000")
    assert "100 B are free" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of a process is read from /proc")
def test_the_estimate_of_memory_is_near_what_is_taken() -> None:
    """Of so many small flows, in a process of its own, that they are most of it."""
    code = (
        "from pnet_lp.memory import check_fits\n"
        "from pnet_lp.sim import footprint, simulate\n"
        "from pnet_lp.topology import build_network\n"
        "def peak():\n"
        "    text = open('/proc/self/status').read()\n"
        "    return 1024 * int(text.partition('VmHWM:')[2].split()[0])\n"
        "network, asked = build_network('fat-tree:k=4'), []\n"
        "footprint.check_fits = lambda needed, *_, **__: asked.append(needed)\n"
        "simulate(network, 'incast:senders=1,sizes=1kB').flows\n"
        "before = peak()\n"
        "simulate(network, 'poisson:sizes=100,load=0.1,flows=40000').flows\n"
        "print((peak() - before) / (asked[1] - asked[0]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0.5 < float(done.stdout) < 1.5


def test_the_clock_has_an_end(tree: Network) -> None:
    # Probes without an answer go on for ever, and so rarely that events do not end the run first.
    network = outage(tree, from_ps=1, until_ps=2**63 - 1)
    words = {"transport": "tcp:rto_initial=1000000s,rto_min=1000000s,rto_max=1000000s", "outage": network}
    result = simulate(tree, flows(tree, (0, 8, 10**9, 0), (1, 9, 10**9, 0)), **words)
    assert result.end == "end of clock"
    assert result.completed < 2
    check_conserved(result)


def test_a_network_cut_in_two() -> None:
    plane = build_network("ring:n=4", hosts_per_switch=1).planes[0]
    cut = dataclasses.replace(plane, capacity_uv_gbps=np.zeros(4), capacity_vu_gbps=np.zeros(4))
    network = Network.from_planes([cut])
    with pytest.raises(RoutingError, match=r"no path leads from '0\.h0' to '1\.h0'"):
        simulate(network, flows(network, (0, 1, 1, 0)))


def test_links_that_cannot_be_simulated() -> None:
    network = build_network("ring:n=4", hosts_per_switch=1, link_gbps=9000)
    with pytest.raises(TopologyError, match="link_gbps: a link is too fast or too slow to be simulated, found 9000"):
        simulate(network, flows(network, (0, 1, 1, 0)))


def test_one_way_cables_are_refused_by_the_core() -> None:
    plane = build_network("path:n=2", hosts_per_switch=1).planes[0]
    network = Network.from_planes([dataclasses.replace(plane, capacity_vu_gbps=np.zeros(1))])
    with pytest.raises(WorkloadError, match=r"^workload: flow 0: a link of its path has no reverse"):
        simulate(network, flows(network, (0, 1, 1, 0)))


@pytest.mark.parametrize("model", ["packets", "fluid"])
def test_more_shortest_paths_than_are_listed(model: str) -> None:
    """Across a cube of seven dimensions there are 7! = 5,040."""
    network = build_network("hypercube:d=7", hosts_per_switch=1)
    with pytest.raises(RoutingError) as caught:
        simulate(network, flows(network, (0, 127, 1000, 0)), forwarding="sopa", model=model)
    assert str(caught.value) == (
        "forwarding: more than 4,096 shortest paths lead from '0.h0' to '127.h0', found 'sopa'; "
        "allowed: another forwarding, or a routing such as ksp:8"
    )
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("forwarding", "paths"), [("sopa", 4), ("rps", 4), ("plane-spray", 2), ("ecmp", 1)])
def test_arrivals_say_plane_and_path(forwarding: str, paths: int) -> None:
    """Two planes of two parallel cables: paths are numbered as they are first seen, and belong to one plane each."""
    plane = Plane.from_cables(2, [0, 0], [1, 1], 10, host_switch=[0, 1], access_gbps=10)
    network = Network.from_planes([plane, plane])
    words: dict[str, Any] = {"forwarding": forwarding, "plane_policy": "round-robin", "trace": ("flow:0",)}
    result = simulate(network, flows(network, (0, 1, 400 * 1460, 0)), **words)
    rows = result.traces["arrivals"]
    path, plane_of = rows["path"], rows["plane"]
    assert set(path.tolist()) == set(range(paths))
    firsts = [int(np.flatnonzero(path == number)[0]) for number in range(paths)]
    assert firsts == sorted(firsts)
    for number in range(paths):
        assert len(set(plane_of[path == number].tolist())) == 1
    used = [rows["bytes"][plane_of == number].sum() for number in range(2)]
    assert result.flow["packets_dropped"][0] > 0 or used == result.plane_bytes[0].tolist()
    if forwarding == "sopa":
        # In every window of four packets sent in a row each path has one.
        order = np.argsort(rows["segment"], kind="stable")
        assert all(set(path[order][i : i + 4]) == {0, 1, 2, 3} for i in range(0, 396, 4))


def test_slowdown_over_several_paths() -> None:
    """Two parallel cables of 1 Gb/s: 10 MB take 10 MB / 2 Gb/s, headers beside, however they are divided."""
    plane = Plane.from_cables(2, [0, 0], [1, 1], 1, host_switch=[0, 1], access_gbps=10)
    network = Network.from_planes([plane])
    wire = 10**7 + -(-(10**7) // 1460) * 40
    cases: tuple[dict[str, Any], ...] = (
        {"forwarding": "sopa"},
        {"forwarding": "rps"},
        {"routing": "ksp:2", "transport": "mptcp:subflows=2"},
        {"routing": "ksp:2", "model": "fluid", "sharing": "subflows", "subflows": 2},
        {"forwarding": "sopa", "model": "fluid"},
    )
    for words in cases:
        result = simulate(network, flows(network, (0, 1, 10**7, 0)), seed=1, **words)
        assert result.flow["ideal_ps"][0] == pytest.approx(wire * 4000, rel=1e-3)
        assert 1 <= result.slowdown[0] < 1.2
