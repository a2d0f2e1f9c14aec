"""Workloads: counts, pairs, loads, who waits for whom."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.model import Network, Plane, Workload
from pnet_lp.model.workload import Offered
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.workload import WORKLOADS, build_workload, parse_sizes

ALL = {entry.name: entry.expression for entry in WORKLOADS}


@pytest.fixture(scope="module")
def network() -> Network:
    return build_network("fat-tree:k=4", planes=2, link_gbps=10)


def build(text: str, network: Network, seed: int = 0) -> Workload:
    beside = WORKLOADS.get(text.partition(":")[0]).beside.get("traffic")
    return build_workload(text, network, beside and build_traffic(beside, network, seed=seed), seed=seed)


def parents(workload: Workload) -> list[list[int]]:
    """Return the flows that each flow waits for."""
    pointer = workload.after_ptr.tolist()
    return [workload.after[a:b].tolist() for a, b in itertools.pairwise(pointer)]


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_seed_makes_the_list(text: str, network: Network) -> None:
    first = build(text, network)
    assert first.fingerprint == build(text, network).fingerprint
    assert first.fingerprint != build(text, network, seed=1).fingerprint
    assert first.hosts == network.host_count
    assert first.label == text


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_everything_can_start(text: str, network: Network) -> None:
    """Releasing flows one by one reaches all of them."""
    workload = build(text, network)
    waits = [set(flows) for flows in parents(workload)]
    done: set[int] = set()
    while ready := {f for f, flows in enumerate(waits) if f not in done and flows <= done}:
        done |= ready
    assert len(done) == workload.flow_count


def test_each_follows_the_matrix(network: Network) -> None:
    traffic = build_traffic("permutation", network)
    workload = build_workload("each:sizes=10MB,start_within=2ms", network, traffic)
    assert workload.src.tolist() == traffic.src.tolist()
    assert workload.dst.tolist() == traffic.dst.tolist()
    assert set(workload.size.tolist()) == {10**7}
    assert 0 <= workload.start_ps.min() < workload.start_ps.max() <= 2 * 10**9


def test_poisson_offers_its_load(network: Network) -> None:
    """16 hosts on two planes of 10 Gb/s can send 320 Gb/s; offered bytes over time come within 2 % of half of it."""
    workload = build_workload("poisson:sizes=10kB,load=0.5,flows=40000", network)
    gbps = workload.total_bytes * 8 * 1000 / int(workload.start_ps[-1])
    assert gbps == pytest.approx(160, rel=0.02)
    gaps = np.diff(workload.start_ps)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.02)  # as of an exponential
    counts = np.bincount(workload.src * 16 + workload.dst, minlength=256).reshape(16, 16)
    assert not counts.diagonal().any()
    assert counts.sum(axis=1).min() > 0.9 * 2500
    assert counts.sum(axis=0).min() > 0.9 * 2500


@pytest.mark.parametrize("sigma", [0.5, 1.0])
def test_log_normal_offers_its_load_in_bursts(network: Network, sigma: float) -> None:
    workload = build_workload(f"log-normal:sizes=10kB,load=0.5,flows=40000,sigma={sigma}", network)
    assert workload.total_bytes * 8 * 1000 / int(workload.start_ps[-1]) == pytest.approx(160, rel=0.02)
    gaps = np.log(np.maximum(np.diff(workload.start_ps), 1))
    assert gaps.std() == pytest.approx(sigma, rel=0.02)


def test_poisson_of_a_capacity(network: Network) -> None:
    one = build_workload("poisson:sizes=10kB,load=0.5,flows=50,capacity_gbps=160", network)
    other = build_workload("poisson:sizes=10kB,load=0.25,flows=50", network)
    assert one.fingerprint == other.fingerprint
    named = build_workload("poisson:sizes=10kB,load=0.25,flows=50,capacity_gbps=access", network)
    assert named.fingerprint == other.fingerprint
    assert one.offered == Offered(0.5, 160.0, "as given", 10_000.0)
    assert one.offered.flows_per_s == pytest.approx(1e6)  # 80 Gb/s of 80,000 bits


@pytest.mark.parametrize("kind", ["poisson", "log-normal"])
def test_a_load_of_the_bisection(kind: str, network: Network) -> None:
    """A fat tree has full bisection: 8 hosts send to 8 others at 10 Gb/s on each of 2 planes, half of what all can."""
    half = build_workload(f"{kind}:sizes=10kB,load=0.5,flows=50,capacity_gbps=bisection", network)
    other = build_workload(f"{kind}:sizes=10kB,load=0.25,flows=50", network)
    assert half.fingerprint == other.fingerprint
    assert half.offered is not None
    assert half.offered.capacity_gbps == pytest.approx(160)
    assert half.offered.capacity == "the bisection (proved narrowest)"
    # Two stars joined by one cable of 10 Gb/s: hosts can send 60 Gb/s, and a sixth of that crosses.
    two = Network.from_planes([Plane.from_cables(2, [0], [1], 10.0, host_switch=[0, 0, 0, 1, 1, 1], access_gbps=10.0)])
    narrow = build_workload(f"{kind}:sizes=10kB,load=0.6,flows=50,capacity_gbps=bisection", two)
    wide = build_workload(f"{kind}:sizes=10kB,load=0.1,flows=50", two)
    assert narrow.fingerprint == wide.fingerprint


def test_a_load_of_nothing() -> None:
    apart = Network.from_planes([Plane.from_cables(2, [], [], host_switch=[0, 1])])
    with pytest.raises(WorkloadError) as caught:
        build_workload("poisson:sizes=1kB,load=1,flows=1,capacity_gbps=bisection", apart)
    assert str(caught.value).startswith(
        "poisson:sizes=1kB,load=1,flows=1,capacity_gbps=bisection: capacity_gbps: a load is a fraction of "
        "the bisection (proved narrowest), which is 0 Gb/s, found 'bisection'; allowed: access, bisection or a number"
    )


def test_the_mean_of_the_distribution_is_known(network: Network) -> None:
    """Not that of the sizes drawn; a fixed size has no distribution to speak of."""
    sizes = parse_sizes("pfabric-web-search")
    for text in ("poisson:load=0.3,", "incast:senders=3,", "closed-loop:loops=1,rounds=2,"):
        more = "flows=10," if text.startswith("poisson") else ""
        made = build_workload(f"{text}{more}sizes=pfabric-web-search", network)
        assert made.mean_bytes == sizes.mean_bytes
    assert build_workload("incast:senders=3,sizes=1kB", network).mean_bytes is None


def test_poisson_by_demand(network: Network) -> None:
    traffic = build_traffic("stride:s=1", network)
    workload = build_workload("poisson:sizes=10kB,load=0.5,flows=500", network, traffic)
    assert np.array_equal(workload.dst, (workload.src + 1) % 16)


@given(loops=st.integers(1, 4), rounds=st.integers(1, 5))
def test_a_loop_is_chains(loops: int, rounds: int) -> None:
    network = build_network("star:n=4", hosts_per_switch=1)
    workload = build_workload(f"closed-loop:sizes=1kB,loops={loops},rounds={rounds},pause=3ns", network)
    assert workload.flow_count == 5 * loops * rounds
    assert np.bincount(workload.src).tolist() == [loops * rounds] * 5
    for flow, waits in enumerate(parents(workload)):
        if flow < 5 * loops:
            assert not waits
            assert workload.start_ps[flow] == 0
        else:
            assert waits == [flow - 5 * loops]
            assert workload.src[waits[0]] == workload.src[flow]
            assert workload.start_ps[flow] == 3000
    # The host that sends acts on acknowledgements, and opens a connection each time.
    assert workload.acknowledged.all()
    assert workload.connects.all()
    assert workload.connection.tolist() == list(range(workload.flow_count))


def test_the_first_rounds_of_a_loop_are_a_stage(network: Network) -> None:
    workload = build_workload("closed-loop:sizes=1kB,loops=2,rounds=5,warm_up=2", network)
    assert workload.stages == ("warmup", "steady")
    assert workload.stage.tolist() == [0] * (16 * 2 * 2) + [1] * (16 * 2 * 3)
    plain = build_workload("closed-loop:sizes=1kB,loops=2,rounds=5", network)
    assert plain.stages == ()
    assert np.array_equal(plain.dst, workload.dst)
    with pytest.raises(SpecError, match="sequential: warm_up=3 leaves none of 3 rounds"):
        build_workload("sequential:sizes=1kB,rounds=3,warm_up=3", network)


@pytest.mark.parametrize(("connects", "opens"), [("message", [1, 1]), ("call", [1, 0]), ("never", [0, 0])])
def test_a_call_is_a_request_and_its_response(connects: str, opens: list[int], network: Network) -> None:
    workload = build_workload(f"rpc:rounds=3,clients=2,request=64,response=100kB,connects={connects}", network)
    assert workload.flow_count == 16 * 2 * 3 * 2
    waits = parents(workload)
    clients = 32
    for call in range(clients * 3):
        request, response = 2 * call, 2 * call + 1
        assert (workload.src[request], workload.dst[request]) == (workload.dst[response], workload.src[response])
        assert (workload.size[request], workload.size[response]) == (64, 100_000)
        assert waits[response] == [request]
        assert waits[request] == ([] if call < clients else [2 * (call - clients) + 1])
        assert workload.task[request] == workload.task[response] == call
        assert workload.connects[[request, response]].tolist() == [bool(value) for value in opens]
        assert workload.src[request] == (call % clients) // 2
    assert not workload.acknowledged.any()


def test_calls_share_connections(network: Network) -> None:
    """By message, by call, by client and server: with 32 clients and fixed servers, calls 0 and 32 share one."""
    shared = {
        connects: build_workload(f"rpc:rounds=2,clients=2,server=fixed,connects={connects}", network)
        for connects in ("message", "call", "once", "never")
    }
    first = {name: workload.connection[[0, 1, 64, 65]].tolist() for name, workload in shared.items()}
    assert first == {"message": [0, 1, 64, 65], "call": [0, 0, 64, 64], "once": [0] * 4, "never": [0] * 4}
    opens = {name: workload.connects[[0, 1, 64, 65]].tolist() for name, workload in shared.items()}
    assert opens["once"] == [True, False, False, False]
    assert opens["never"] == [False] * 4
    # Two clients of a host that have the same server have a connection each.
    assert len(set(shared["once"].connection.tolist())) == 32


def test_a_fixed_server_stays(network: Network) -> None:
    fixed = build_workload("rpc:rounds=4,server=fixed", network)
    assert np.array_equal(fixed.dst[0:32:2], fixed.dst[32:64:2])
    drawn = build_workload("rpc:rounds=4", network)
    assert not np.array_equal(drawn.dst[0:32:2], drawn.dst[32:64:2])


@pytest.mark.parametrize("responds", ["arrived", "acknowledged"])
def test_a_response_waits_for_its_client_or_not(responds: str, network: Network) -> None:
    """Of two rounds of 16 calls, all 32 responses wait for requests, and 16 requests for responses that are there."""
    workload = build_workload(f"rpc:rounds=2,responds={responds}", network)
    known = {
        flow: bool(workload.acknowledged[workload.after_ptr[flow]]) for flow in range(64) if parents(workload)[flow]
    }
    assert len(known) == 32 + 16
    assert all(known[flow] == (responds == "acknowledged" and flow % 2 == 1) for flow in known)


@given(seed=st.integers(0, 2**32), clients=st.integers(1, 4))
def test_paired_hosts_call_each_other(seed: int, clients: int) -> None:
    network = build_network("star:n=5", hosts_per_switch=1)
    workload = build_workload(f"rpc:rounds=2,clients={clients},server=paired", network, seed=seed)
    server = workload.dst[::2].reshape(2, 6, clients)
    assert np.array_equal(server[0], server[1])
    for partner in server[0].T:
        assert np.all(partner != np.arange(6))
        assert np.array_equal(partner[partner], np.arange(6))


def test_pairs_need_an_even_number() -> None:
    network = build_network("star:n=4", hosts_per_switch=1)
    for text in ("rpc:rounds=1,server=paired", "closed-loop:sizes=1,loops=1,rounds=1,repeats=true"):
        with pytest.raises(WorkloadError, match=r": hosts are in pairs, found '5 hosts'; allowed: an even number$"):
            build_workload(text, network)


def test_a_loop_repeats_its_flow(network: Network) -> None:
    """Three loops of 16 hosts, four times: 48 sizes, and three pairings in which all hosts send to each other."""
    text = "closed-loop:sizes=pfabric-web-search,loops=3,rounds=4,warm_up=1"
    workload = build_workload(f"{text},repeats=true", network)
    for values in (workload.size, workload.dst):
        assert np.array_equal(values.reshape(4, 48), np.tile(values[:48], (4, 1)))
    partner = workload.dst[:48].reshape(16, 3).T
    assert all(np.array_equal(one[one], np.arange(16)) and np.all(one != np.arange(16)) for one in partner)
    assert len(set(workload.size[:48].tolist())) > 24
    assert parents(workload) == parents(build_workload(text, network))


def test_loops_that_repeat_go_on_up_to_a_volume(network: Network) -> None:
    text = "closed-loop:sizes=pfabric-web-search,loops=3,rounds=2,warm_up=1,repeats=true"
    rounds, workload = (build_workload(text + more, network) for more in ("", ",volume=5MB"))
    assert workload.stages == ("warmup", "steady", "more")
    assert np.array_equal(workload.size[:96], rounds.size)
    chain = np.arange(workload.flow_count)
    for flow, waits in enumerate(parents(workload)):
        chain[flow] = chain[waits[0]] if waits else flow
        assert not waits or (flow < 96) == (flow - 48 == waits[0])
        assert (workload.src[flow], workload.dst[flow]) == (workload.src[chain[flow]], workload.dst[chain[flow]])
    each = np.bincount(chain, minlength=48)
    assert np.array_equal(each, np.maximum(2, -(-5_000_000 // workload.size[:48])))
    assert np.array_equal(np.bincount(chain, workload.size), each * workload.size[:48])
    with pytest.raises(SpecError, match="volume is for loops with repeats=true and a warm_up"):
        build_workload("closed-loop:sizes=1kB,loops=1,rounds=2,volume=1MB", network)


def test_an_incast_waits_for_all(network: Network) -> None:
    workload = build_workload("incast:senders=5,sizes=1MB,to=3,rounds=3", network)
    assert set(workload.dst.tolist()) == {3}
    assert len(set(workload.src.tolist())) == 5
    assert 3 not in workload.src
    assert parents(workload)[5:10] == [[0, 1, 2, 3, 4]] * 5
    assert workload.task.tolist() == [0] * 5 + [1] * 5 + [2] * 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "incast:senders=16,sizes=1",
            "incast:senders=16,sizes=1: senders: the network has 16 hosts, found 16; allowed: up to 15",
        ),
        (
            "incast:senders=3,sizes=1,to=16",
            "incast:senders=3,sizes=1,to=16: to: the network has 16 hosts, found 16; allowed: up to 15",
        ),
        ("rpc", "rpc: parameter 'rounds' is required"),
        ("rpc:rounds=0", "rpc: rounds: input should be greater than or equal to 1, found '0'"),
        ("poisson:sizes=1kB,load=0,flows=1", "poisson: load: input should be greater than 0, found '0'"),
        (
            "poisson:sizes=1kB,load=1,flows=1,capacity_gbps=0",
            "poisson: capacity_gbps: not access, bisection or a number of Gb/s above 0, found '0'",
        ),
        (
            "log-normal:sizes=1kB,load=1,flows=1,capacity_gbps=half",
            "log-normal: capacity_gbps: not access, bisection or a number of Gb/s above 0, found 'half'",
        ),
        ("poisson:sizes=x,load=1,flows=1", None),
        (
            "sequential:sizes=1kB,rounds=1,pause=3",
            "sequential: pause: not a quantity, found '3'; allowed: a time with its unit: 25ns, 1.5us, 2s",
        ),
        ("closed-lop:sizes=1", None),
    ],
)
def test_wrong_parameters(text: str, message: str | None, network: Network) -> None:
    with pytest.raises((SpecError, WorkloadError)) as caught:
        build_workload(text, network)
    assert "\n" not in str(caught.value)
    if message:
        assert str(caught.value) == message


def test_traffic_where_it_means_something(network: Network) -> None:
    traffic = build_traffic("permutation", network)
    with pytest.raises(SpecError, match=r"^traffic: workload 'rpc' chooses its pairs itself, found 'permutation'$"):
        build_workload("rpc:rounds=1", network, traffic)
    with pytest.raises(SpecError, match=r"^traffic: workload 'each' needs a traffic matrix$"):
        build_workload("each:sizes=1kB", network)
    racks = build_traffic("permutation", network, "rack")
    with pytest.raises(WorkloadError, match=r"flows run between hosts, not racks; allowed: level=host$"):
        build_workload("each:sizes=1kB", network, racks)


def test_a_network_of_racks() -> None:
    with pytest.raises(WorkloadError, match="flows need at least two hosts, the network has 0"):
        build_workload("rpc:rounds=1", build_network("ring:n=4"))


def test_too_many_flows(network: Network) -> None:
    with pytest.raises(WorkloadError, match=r"rpc:rounds=1000000000 with 32,000,000,000 flows needs about"):
        build_workload("rpc:rounds=1000000000", network)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"src": [0, 4]}, "workload: flow 1: no such host as src, found 4; allowed: 0 to 3"),
        ({"dst": [1, -1]}, "workload: flow 1: no such host as dst, found -1; allowed: 0 to 3"),
        ({"dst": [1, 2]}, "workload: flow 1: host 2 sends to itself"),
        ({"size": 0}, "workload: flow 0: invalid flow size in bytes, found 0; allowed: 1 to 576460752303423487"),
        ({"size": 1.5}, "workload: invalid flow size in bytes, found 'float64'; allowed: whole numbers"),
        (
            {"start_ps": [0, -1]},
            "workload: flow 1: invalid flow start in picoseconds, found -1; allowed: 0 to 1000000000000000000",
        ),
        ({"size": [1, 2, 3]}, "workload: 2 flows have 3 values of size"),
        ({"src": [], "dst": []}, "workload: the workload has no flows"),
        (
            {"after": ([1], [0]), "enough": [0, 2]},
            "workload: flow 1: invalid number of flows that are enough, found 2; allowed: 1 to 1",
        ),
        (
            {"after": ([1], [0]), "enough": [1, 1]},
            "workload: flow 0: invalid number of flows that are enough, found 1; allowed: 0: it waits for none",
        ),
        (
            {"after": ([1, 1], [0, 0]), "enough": [0, 1], "pause_ps": [0, 1]},
            "workload: flow 1: a flow has pauses after flows that do not all have to be done",
        ),
        ({"after": ([0], [0])}, "workload: flow 0: circular dependency between flows"),
        ({"after": ([0, 1], [1, 0])}, "workload: flow 0: circular dependency between flows"),
        # The first waits for a circle, and is not on it.
        (
            {"src": [0, 2, 1], "dst": [1, 3, 2], "after": ([0, 1, 2], [1, 2, 1]), "label": "chain"},
            "chain: flow 1: circular dependency between flows",
        ),
        ({"stage": ["read", "read", "read"]}, "workload: 2 flows have 3 values of stage"),
        ({"stage": ["read", " "]}, "workload: flow 1: a stage has no name, found ' '"),
        ({"after": ([0], [2])}, "workload: wait 0: no such flow to wait, found 2; allowed: 0 to 1"),
        ({"after": ([0, 1], [1])}, "workload: 2 flows wait for 1"),
        ({"after": ([0], [1]), "acknowledged": [True, False]}, "workload: 1 waits have 2 values of acknowledged"),
        (
            {"connection": [7, 7]},
            "workload: flow 1: a connection between hosts 2 and 3 is already used between other hosts, found 7; "
            "allowed: that of flow 0 joins hosts 0 and 1",
        ),
        (
            {"connection": [0, -1]},
            "workload: flow 1: invalid connection of a flow, found -1; allowed: 0 to 9223372036854775807",
        ),
    ],
)
def test_what_is_no_workload(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"src": [0, 2], "dst": [1, 3], "size": 1500} | change
    with pytest.raises(WorkloadError) as caught:
        Workload.from_flows(4, **arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_a_flow_may_wait_for_a_later_one() -> None:
    workload = Workload.from_flows(3, [0, 1, 2], [1, 2, 0], 1, after=([0, 1, 0], [1, 2, 2]))
    assert parents(workload) == [[1, 2], [2], []]


def test_what_is_not_said_leaves_the_fingerprint() -> None:
    def fingerprint(**more: Any) -> str:
        return Workload.from_flows(2, [0, 1, 0], [1, 0, 1], 1, after=([1], [0]), **more).fingerprint

    plain = fingerprint()
    assert plain == fingerprint(acknowledged=False, connection=[4, 2, 9])
    assert len({plain, fingerprint(acknowledged=True), fingerprint(connection=[4, 4, 9])}) == 3
