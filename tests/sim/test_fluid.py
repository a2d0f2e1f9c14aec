"""The fluid: its rates against the LP's max-min, its records, what it refuses."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pnet_lp as pn
from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.model import Network, TrafficMatrix, Workload
from pnet_lp.sim import figures, simulate
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import build_workload

from .conftest import flows

BUSY = "poisson:sizes=dctcp-web-search,load=0.6,flows=60"
PACKET_COLUMNS = {"packets_sent", "data_packets", "resent", "timeouts", "marked", "out_of_order"}


def fluid(network: Network, workload: Workload | str, **words: Any) -> Any:
    return simulate(network, workload, model="fluid", **words)


def parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("topology", "routing", "words"),
    [
        ("fat-tree:k=4", "ksp:1", {"routing": "ksp:1"}),
        ("jellyfish:switches=8,ports=5,hosts=16", "ecmp", {"routing": "ecmp"}),
        ("jellyfish:switches=8,ports=5,hosts=16", "ecmp-split", {"forwarding": "rps"}),
        ("fat-tree:k=4", "ecmp-split", {"forwarding": "sopa"}),
        ("jellyfish:switches=8,ports=5,hosts=16", "ksp:4", {"routing": "ksp:4", "sharing": "best"}),
        ("jellyfish:switches=8,ports=5,hosts=16", "ecmp-lp", {"forwarding": "sopa", "sharing": "best"}),
    ],
)
def test_long_flows_get_the_rates_of_the_linear_program(topology: str, routing: str, words: dict[str, Any]) -> None:
    network = build_network(topology, planes=2, link_gbps=10, seed=3)
    traffic = build_traffic("permutation", network, "host", seed=3)
    expected = solve(network, traffic, objective="max-min", routing=routing, seed=3).rates_gbps
    assert expected is not None
    workload = Workload.from_flows(network.host_count, traffic.src, traffic.dst, 10**12)
    found = fluid(network, workload, **words, header="0", correction="none", time_limit="10s", seed=3)
    rates = found.flow["received_bytes"] * 8 / 10 / 1e9
    assert rates == pytest.approx(expected, rel=1e-9)


def test_weights_are_those_of_the_demands(tree: Network) -> None:
    traffic = build_traffic("permutation", tree, "host", seed=1)
    weight = np.linspace(0.5, 3.0, traffic.demand_count)
    weighted = TrafficMatrix.from_entries("host", 16, traffic.src, traffic.dst, weight)
    expected = solve(tree, weighted, objective="max-min", routing="ksp:1", seed=1).rates_gbps
    assert expected is not None
    workload = Workload.from_flows(16, weighted.src, weighted.dst, 10**12, weight=weighted.demand)
    words = {"routing": "ksp:1", "header": "0", "correction": "none", "time_limit": "10s"}
    found = fluid(tree, workload, **words, seed=1)
    assert found.flow["received_bytes"] * 8 / 10 / 1e9 == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "words",
    [
        {"routing": "ecmp"},
        {"forwarding": "sopa"},
        {"routing": "ksp:2", "sharing": "best"},
        {"sharing": "subflows", "subflows": 4},
    ],
)
def test_weights_divide_a_link_in_their_proportion(tree: Network, words: dict[str, Any]) -> None:
    """Three flows out of one host at weights 4, 2, 1 and sizes in the same proportion end together: 7 MB at 10 Gb/s."""
    workload = Workload.from_flows(16, [0, 0, 0], [5, 6, 7], [4_000_000, 2_000_000, 1_000_000], weight=[4, 2, 1])
    found = fluid(tree, workload, **words, header="0", correction="none")
    assert found.completion_ps == pytest.approx([7_000_000 * 800] * 3, rel=1e-9)
    # Alone, a flow has the whole link, whatever its weight.
    assert found.flow["ideal_ps"] == pytest.approx([size * 800 for size in (4e6, 2e6, 1e6)], rel=1e-9)


def test_weights_of_one_are_no_weights(tree: Network) -> None:
    plain = build_workload(BUSY, tree, seed=2)
    weighted = replace(plain, weight=np.ones(plain.flow_count))
    assert plain.fingerprint == weighted.fingerprint
    assert parquet(fluid(tree, plain).flows) == parquet(fluid(tree, weighted).flows)


def test_what_has_no_weights_refuses_them(tree: Network) -> None:
    workload = Workload.from_flows(16, [0, 0], [5, 6], 1000, weight=[1, 2], label="w")
    with pytest.raises(WorkloadError) as caught:
        simulate(tree, workload)
    assert str(caught.value) == "w: flow 1: packets have no weights; allowed: with model=fluid, or without weights"
    with pytest.raises(SpecError) as windows:
        fluid(tree, workload, correction="queueing")
    assert str(windows.value).startswith("correction: flows with weights have no windows that share equally")


def test_flows_take_the_paths_that_packets_take(tree: Network) -> None:
    workload = build_workload(BUSY, tree, seed=2)
    packets, found = simulate(tree, workload, seed=2), fluid(tree, workload, seed=2)
    carried = [result.port["bytes"] > 20_000 for result in (packets, found)]
    # What is small on one of them are acknowledgements.
    assert (carried[1] <= carried[0]).all()
    assert found.flow["links"].tolist() == packets.flow["links"].tolist()
    assert found.flow["ideal_ps"] == pytest.approx(packets.flow["ideal_ps"], rel=0.02)


def test_a_flow_alone_takes_its_ideal_time(tree: Network) -> None:
    workload = flows(tree, (0, 5, 10_000, 0), (1, 6, 2_000_000, 10**12))
    found = fluid(tree, workload, correction="none")
    wire = np.array([10_000 + 7 * 40, 2_000_000 + 1370 * 40])
    assert found.completion_ps.tolist() == (wire * 800).tolist() == found.flow["ideal_ps"].tolist()
    # The first fits into a window.
    found = fluid(tree, workload)
    assert found.slowdown[0] == 1 < found.slowdown[1] < 1.1


def test_flows_to_one_host_are_done_in_the_order_of_their_sizes(tree: Network) -> None:
    """Of n that start together the k-th has sent its bytes when all have sent as many, or all of theirs."""
    size = np.array([100_000, 200_000, 400_000, 400_000, 1_000_000])
    requested = [(src, 0, int(bytes_), 0) for src, bytes_ in zip(range(5, 10), size, strict=True)]
    found = fluid(tree, flows(tree, *requested), correction="none", header="0")
    together = np.minimum(size[:, None], size).sum(axis=1)
    assert found.completion_ps == pytest.approx(together * 800, abs=8)


def test_records_have_what_a_fluid_has(tree: Network) -> None:
    result = fluid(tree, BUSY, seed=1)
    assert result.completed == 60
    assert not PACKET_COLUMNS & set(result.flows.column_names)
    assert not {"packets", "dropped", "mean_packets", "longest_packets"} & set(result.ports.column_names)
    found = figures([result])
    assert not {"packets", "timeouts", "queues", "limited_by", "packet_hops"} & set(found)
    # What hosts send is what hosts receive, and what flows are on the wire.
    size = result.flow["bytes"]
    wire = (size + 40 * -(-size // 1460)).sum()
    kind, carried = result.places.kind, result.port["bytes"]
    for access in (1, 2):
        assert carried[kind == access].sum() == pytest.approx(wire, abs=32)
    assert result.plane_bytes.sum() == pytest.approx(wire, abs=60)
    assert all(0 < row["utilisation"] <= 1 for row in found["busiest"])


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"sharing": "subflows", "subflows": 4, "routing": "ksp:4"},
        {"sharing": "best", "routing": "ksp:4"},
        {"forwarding": "sopa"},
        {"preset": "pfabric", "plane_policy": "round-robin", "forwarding": "plane-spray"},
        {"correction": "handshake,propagation", "event_limit": 50},
    ],
)
def test_a_seed_repeats_itself_on_any_number_of_jobs(words: dict[str, Any]) -> None:
    requested = {"topology": "jellyfish:switches=8,ports=5,hosts=16", "workload": BUSY, "model": "fluid", **words}
    alone, together = (pn.simulate(**requested, seed=7, draws=2, jobs=jobs).results for jobs in (1, 2))
    for one, other in zip(alone, together, strict=True):
        assert parquet(one.flows) == parquet(other.flows)
        assert parquet(one.ports) == parquet(other.ports)


LATENCY = "propagation,store-and-forward"
PACKET_PS = 1_200_000
"""Of 1,500 bytes at 10 Gb/s."""
PACKETS = {"transport": "dctcp:handshake=false,initial_window=12,receive_window=12", "queue": "ecn:threshold=65"}
"""Windows of 12 packets that meet no marks."""


@pytest.mark.parametrize("reverse", [False, True])
def test_a_small_flow_waits_behind_the_windows_of_long_ones(reverse: bool) -> None:
    """Three long flows keep 12 packets each in the network; what is not on its way waits before the host they share."""
    network = build_network("fat-tree:k=4,oversubscription=5", link_gbps=10)
    ends = (5, 4) if reverse else (4, 5)
    small = 3 * PACKET_PS * 10**4
    workload = flows(network, *((host, 5, 10**8, 0) for host in range(3)), (*ends, 1460, small))
    words = {"link_delay": "1us", "seed": 1}
    found = {
        terms: fluid(network, workload, correction=f"{LATENCY}{terms}", **words, **({"window": 12} if terms else {}))
        for terms in ("", ",queueing")
    }
    # A packet and its acknowledgement through empty queues, but for the packet at the link that they share.
    round_trip = 4 * 10**6 + PACKET_PS + 2 * 32_000
    waiting = 3 * 12 * PACKET_PS - round_trip
    kept = waiting if reverse else waiting * (1 - 1 / 12)
    added = found[",queueing"].completion_ps[3] - found[""].completion_ps[3]
    assert added == pytest.approx(kept, abs=1)
    # A long flow waits for nothing that the fluid does not know, where nothing comes the other way.
    assert np.array_equal(found[",queueing"].completion_ps[:3], found[""].completion_ps[:3])
    packets = simulate(network, workload, **PACKETS, **words)
    assert packets.completion_ps[3] == pytest.approx(packets.flow["ideal_ps"][3] + waiting, abs=2 * PACKET_PS)


def test_a_window_takes_a_round_trip_behind_reverse_traffic() -> None:
    """A flow of 340 packets alone on its way, whose acknowledgements wait behind three long flows, each time anew."""
    network = build_network("fat-tree:k=4,oversubscription=5", link_gbps=10)
    new = (5, 4, 340 * 1460, 3 * PACKET_PS * 10**4)
    workload = flows(network, *((host, 5, 10**8, 0) for host in range(3)), new)
    words = {"link_delay": "1us", "seed": 1, "time_limit": "60ms"}
    free = fluid(network, workload, correction=LATENCY, **words)
    held = fluid(network, workload, correction=f"{LATENCY},queueing", window=12, **words)
    round_trip = 4 * 10**6 + 2 * PACKET_PS + 2 * 32_000
    waiting = 3 * 12 * PACKET_PS - (round_trip - PACKET_PS)
    later = (340 / 12 - 1) * (round_trip + waiting - 12 * PACKET_PS)
    added = int(held.completion_ps[3] - free.completion_ps[3])
    assert added == pytest.approx(later + waiting, rel=1e-6)
    packets = simulate(network, workload, **PACKETS, **words)
    assert held.completion_ps[3] == pytest.approx(packets.completion_ps[3], rel=0.03)
    assert free.completion_ps[3] < 0.4 * packets.completion_ps[3]


def test_a_window_waits_at_one_place_at_a_time() -> None:
    """Six long flows that meet each other's acknowledgements: their windows are in two queues, not twice in both."""
    network = build_network("fat-tree:k=4,oversubscription=5", link_gbps=10)
    both = [ends for host in range(3) for ends in ((host, 5), (5, host))]
    small = (4, 5, 1460, 3 * PACKET_PS * 10**4)
    workload = flows(network, *((*ends, 10**8, 0) for ends in both), small)
    words = {"link_delay": "1us", "seed": 1, "time_limit": "60ms"}
    free = fluid(network, workload, correction=LATENCY, **words)
    held = fluid(network, workload, correction=f"{LATENCY},queueing", window=12, **words)
    windows = 3 * 12 * PACKET_PS - (4 * 10**6 + PACKET_PS + 2 * 32_000)
    added = int(held.completion_ps[-1] - free.completion_ps[-1])
    assert windows * 11 / 12 <= added <= windows
    packets = simulate(network, workload, **PACKETS, **words)
    waited = packets.completion_ps[-1] - packets.flow["ideal_ps"][-1]
    assert added == pytest.approx(waited, rel=0.1)


def test_no_queue_is_longer_than_marks_let_it() -> None:
    network = build_network("fat-tree:k=4,oversubscription=5", link_gbps=10)
    workload = flows(network, *((host, 9, 10**8, 0) for host in range(8)), (8, 9, 1, 10**10))
    correction = f"{LATENCY},queueing"
    waits = [
        fluid(network, workload, correction=correction, window=window, threshold=30).completion_ps[8]
        for window in (12, 24)
    ]
    free = fluid(network, workload, correction=LATENCY).completion_ps[8]
    assert waits[0] - free == pytest.approx(0.8 * 30 * PACKET_PS, rel=0.01)
    assert waits[1] == pytest.approx(waits[0], rel=0.01)


@pytest.mark.parametrize(
    ("long", "delay_us", "window", "size", "part"),
    [(4, 4, 12, 365_000, 0.88), (8, 4, 12, 365_000, 0.97), (2, 10, 36, 730_000, 0.98)],
)
def test_what_a_new_flow_lacks_where_packets_are_marked(
    long: int, delay_us: int, window: int, size: int, part: float
) -> None:
    """Long flows and a new one, whose window is cut too far at first: by the rule, and packets."""
    network = build_network("fat-tree:k=4,oversubscription=5", link_gbps=10)
    words = {"link_delay": f"{delay_us}us", "seed": 1}
    new = (8, 9, size, 10**10)
    workload = flows(network, *((host, 9, 10**8, 0) for host in range(long)), new)
    requested = {**words, "window": window, "threshold": 30}
    slow = fluid(network, workload, correction=f"{LATENCY},convergence", **requested)
    fair = fluid(network, workload, correction=LATENCY, **words)
    empty = 4 * delay_us * 10**6 + 2 * PACKET_PS + 2 * 32_000
    share = (empty / PACKET_PS + 24) / (long + 1)
    marked = (math.sqrt(1 + 2 * share) - 1) / share
    left, own, estimate, trips = size / 1460, float(window), 1.0, 0.0
    expected = left / share
    while left > 0:
        trips += min(1.0, left / own)
        left -= own
        mean = 2 * (1 - marked) / (estimate * marked)
        own = min(mean, own + 1) if own < mean else max(mean, own * (1 - estimate / 2))
        estimate += (marked - estimate) / 16
    lost = (trips - expected) * (empty + 24 * PACKET_PS)
    added = int(slow.completion_ps[-1] - fair.completion_ps[-1])
    assert lost > 10**8
    assert added == pytest.approx(lost, rel=0.01)
    # Whose packets are marked hangs on the phase of every flow: the rule is about the mean.
    random, took = np.random.default_rng(1), []
    for _ in range(12):
        starts = random.integers(0, 10**9, long).tolist()
        workload = flows(network, *((host, 9, 3 * 10**7, starts[host]) for host in range(long)), new)
        packets = simulate(
            network,
            workload,
            transport=f"dctcp:handshake=false,initial_window={window},receive_window={window}",
            queue="ecn:threshold=30",
            time_limit="18ms",
            **words,
        )
        took.append(packets.completion_ps[-1])
    assert min(took) > 0
    # Against flows that have long found their windows the rule is 2 to 12 % short (docs/fluid.md).
    assert slow.completion_ps[-1] == pytest.approx(part * np.mean(took), rel=0.05)
    assert fair.completion_ps[-1] < 0.9 * np.mean(took)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"queue": "ecn"}, "queue: changes nothing in a fluid without a transport, found 'ecn'"),
        (
            {"transport": "tcp", "correction": "none"},
            "correction: a fluid with a transport has that one's terms, found 'none'",
        ),
        ({"subflows": 4}, "subflows: changes nothing without sharing=subflows, found '4'"),
        ({"correction": "none", "link_delay": "2us"}, "link_delay: changes nothing without a correction, found '2us'"),
        (
            {"correction": "handshake", "initial_window": 4},
            "initial_window: changes nothing without slow-start in the correction, found '4'",
        ),
        (
            {"correction": "queues"},
            "correction: no such term, found 'queues'; allowed: none, short-flows, or some of handshake, propagation, "
            "store-and-forward, slow-start, queueing, convergence",
        ),
        (
            {"correction": "short-flows,queueing", "forwarding": "rps"},
            "correction: flows with sharing=even have several paths, and find queues on none, found 'queueing'; "
            "allowed: with sharing=single",
        ),
        ({"window": 12}, "window: changes nothing without queueing or convergence in the correction, found '12'"),
        ({"correction": "handshake,handshake"}, "correction: a term stands there twice, found 'handshake,handshake'"),
        (
            {"sharing": "even"},
            "sharing: the forwarding has no paths to split a flow over, found 'even'; allowed: single, subflows, "
            "or another forwarding",
        ),
        (
            {"sharing": "best"},
            "sharing: the forwarding has no paths to split a flow over, found 'best'; allowed: single, subflows, "
            "or another forwarding",
        ),
        (
            {"sharing": "even", "routing": "ksp:2"},
            "sharing: a routing says no fixed parts, found 'even'; allowed: single, subflows, best, or another "
            "forwarding",
        ),
        (
            {"sharing": "single", "forwarding": "rps"},
            "sharing: the forwarding spreads what a flow sends over its paths, found 'single'; allowed: even, best, "
            "or another forwarding",
        ),
        ({"trace": "flow:0"}, "trace: a fluid has no queues and windows, found 'flow:0'"),
    ],
)
def test_what_means_nothing_is_refused(tree: Network, words: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        fluid(tree, flows(tree, (0, 5, 1000, 0)), **words)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("forwarding", "why"),
    [
        ("hedera", "a fluid has no controller that places flows"),
        ("flowlet", "a fluid has no gaps in which a flow could change its path"),
    ],
)
def test_a_forwarding_that_looks_at_packets_is_refused(tree: Network, forwarding: str, why: str) -> None:
    with pytest.raises(SpecError, match=f"^forwarding: {why}, found '{forwarding}'; allowed: another forwarding"):
        fluid(tree, flows(tree, (0, 5, 1000, 0)), forwarding=forwarding)


def test_the_best_split_is_refused_where_it_would_take_days(tree: Network) -> None:
    src = np.arange(40_000) % 16
    workload = Workload.from_flows(16, src, (src + 1) % 16, 1000)
    with pytest.raises(WorkloadError) as caught:
        fluid(tree, workload, sharing="best", routing="ksp:4")
    assert str(caught.value) == (
        "sharing: the best split of some 40,000 flows at once over up to 4 paths, at 80,000 events, takes 59 days or "
        "more, found 'best'; allowed: fewer flows or paths, an event limit, or sharing=subflows"
    )


def test_the_best_split_is_fairer_than_any_subflows() -> None:
    network = build_network("jellyfish:switches=8,ports=5,hosts=16", link_gbps=10, seed=3)
    traffic = build_traffic("permutation", network, "host", seed=3)
    workload = Workload.from_flows(16, traffic.src, traffic.dst, 10**12)
    words = {"routing": "ksp:4", "header": "0", "correction": "none", "time_limit": "1s", "seed": 3}
    best, subflows = (
        np.sort(fluid(network, workload, sharing=sharing, **words).flow["received_bytes"])
        for sharing in ("best", "subflows")
    )
    # Lexicographically: where they differ first, the best split has more.
    first = np.flatnonzero(~np.isclose(best, subflows, rtol=1e-6))[0]
    assert best[first] > subflows[first]


def test_packets_have_no_settings_of_a_fluid(tree: Network) -> None:
    with pytest.raises(SpecError, match=r"^sharing: only model=fluid has this setting, found 'single'$"):
        simulate(tree, flows(tree, (0, 5, 1000, 0)), sharing="single")
