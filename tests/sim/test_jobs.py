"""How long jobs, their stages and tasks take: collective operations in closed form, others by their records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.errors import RoutingError
from pnet_lp.failures import Mask, apply_mask
from pnet_lp.model import Network, Workload
from pnet_lp.sim import Outage, figures, simulate
from pnet_lp.topology import build_network

GBPS, DELAY_PS = 10, 10**6
FULL = 1460
"""Payload of a full packet."""


@pytest.fixture(scope="module")
def switch() -> Network:
    """Eight hosts on one switch at 10 Gb/s, which nothing blocks."""
    return build_network("leaf-spine:leaves=1,spines=1,hosts_per_leaf=8", link_gbps=GBPS)


def sending_ps(payload: int) -> int:
    """Return how long a link takes for so much payload in full packets."""
    packets, left = divmod(payload, FULL)
    assert left == 0
    return packets * 1500 * 8000 // GBPS


LATENCY_PS = 2 * DELAY_PS + 1500 * 8000 // GBPS
"""Of a message beside its bytes: two links, and the packet that the switch receives before it sends it on."""

SIZE = 840 * FULL
"""In whole packets for as many ranks and chunks as here."""


def job(network: Network, text: str, **words: Any) -> int:
    """Return when the last byte of a job has arrived."""
    result = simulate(network, text, **words)
    assert result.completed == result.flow_count
    assert result.flow["start_ps"].min() == 0
    return int(result.flow["arrived_ps"].max())


def both(network: Network, text: str) -> tuple[int, int, int]:
    """Return the time of a job as a bare fluid, as one with the delays of its links, and in packets.

    Packets are sent at line rate and unanswered: what is left of a transport is nothing, so the forms are exact.
    """
    return (
        job(network, text, model="fluid", correction="none"),
        job(network, text, model="fluid", correction="propagation,store-and-forward"),
        job(network, text, transport="line-rate"),
    )


@pytest.mark.parametrize("n", [2, 3, 4, 8])
@pytest.mark.parametrize("chunks", [1, 5])
def test_rings(switch: Network, n: int, chunks: int) -> None:
    """2 (n - 1) / n S / rate and 2 (n - 1) latencies, or half of it; every chunk has latencies of its own."""
    size = SIZE if chunks == 1 or n < 8 else 2 * SIZE
    for kind, halves in (("all-reduce", 2), ("reduce-scatter", 1), ("all-gather", 1)):
        steps = halves * (n - 1)
        bare, fluid, packets = both(switch, f"{kind}:size={size},ranks={n},chunks={chunks}")
        assert bare == steps * sending_ps(size // n // chunks) * chunks
        assert packets == bare + steps * chunks * LATENCY_PS
        assert fluid == packets


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_halving_and_doubling(switch: Network, bits: int) -> None:
    """The bytes of a ring in as many steps as ranks have bits."""
    n = 2**bits
    for kind, halves in (
        ("all-reduce:algorithm=halving-doubling", 2),
        ("reduce-scatter:algorithm=recursive", 1),
        ("all-gather:algorithm=recursive", 1),
    ):
        bare, fluid, packets = both(switch, f"{kind},size={SIZE},ranks={n}")
        assert bare == halves * (n - 1) * sending_ps(SIZE // n)
        assert fluid == packets == bare + halves * bits * LATENCY_PS


@pytest.mark.parametrize("n", [2, 3, 8])
def test_all_to_all(switch: Network, n: int) -> None:
    """(n - 1) / n S / rate, and a latency for each message that waits for the one before."""
    bare, fluid, packets = both(switch, f"all-to-all:size={SIZE},ranks={n}")
    assert bare == (n - 1) * sending_ps(SIZE // n)
    assert fluid == packets == bare + (n - 1) * LATENCY_PS
    at_once = f"all-to-all:size={SIZE},ranks={n},order=at-once"
    assert job(switch, at_once, model="fluid", correction="propagation,store-and-forward") == bare + LATENCY_PS
    # Packets of several flows that reach a link at one time wait for each other.
    packets = job(switch, at_once, transport="line-rate", queue="drop-tail:packets=2000")
    assert bare + LATENCY_PS <= packets <= bare + LATENCY_PS + n * sending_ps(FULL)


@pytest.mark.parametrize("local", [2, 4])
def test_two_levels(switch: Network, local: int) -> None:
    """2 (n - 1) / n S / rate, as of one ring, in fewer steps; the matrix has the same bound in all three models."""
    n, servers = 8, 8 // local
    for kind, halves in (("all-reduce", 2), ("reduce-scatter", 1), ("all-gather", 1)):
        algorithm = f"algorithm=two-level:local={local}"
        bare, fluid, packets = both(switch, f"{kind}:{algorithm},size={SIZE}")
        assert bare == halves * (n - 1) * sending_ps(SIZE // n)
        assert fluid == packets == bare + halves * (local - 1 + servers - 1) * LATENCY_PS
        solved = pn.throughput(switch, traffic=f"{kind}:{algorithm}")
        # A full packet has a header beside its payload, which is not in the matrix.
        assert SIZE * 8 / solved.lower * 1e3 == pytest.approx(bare * FULL / 1500, rel=1e-9)


def test_all_to_all_in_two_levels(switch: Network) -> None:
    """Blocks for other places cross twice: 2 x 3 inside, 4 x 1 along rails."""
    bare, fluid, packets = both(switch, f"all-to-all:algorithm=hierarchical:local=4,size={SIZE}")
    assert bare == (3 * 2 + 1 * 4) * sending_ps(SIZE // 8)
    assert fluid == packets == bare + 4 * LATENCY_PS


def test_a_tree(switch: Network) -> None:
    """Up and down every level in turn, at half the rate, as two ranks share their parent's link."""
    for n, levels in ((3, 1), (7, 2)):
        text = f"all-reduce:algorithm=tree,size={SIZE},ranks={n}"
        steps = 2 * levels
        assert job(switch, text, model="fluid", correction="none") == steps * 2 * sending_ps(SIZE)
        packets = job(switch, text, transport="line-rate", queue="drop-tail:packets=2000")
        assert packets == steps * (2 * sending_ps(SIZE) + LATENCY_PS)


@pytest.mark.parametrize(("n", "sharing"), [(2, 1), (3, 2)])
@pytest.mark.parametrize("chunks", [1, 4, 7])
def test_a_tree_is_pipelined(switch: Network, n: int, sharing: int, chunks: int) -> None:
    """A chunk goes down while the next comes up: S (1 + 1 / chunks) / rate, twice that where two share a link."""
    text = f"all-reduce:algorithm=tree,size={SIZE},ranks={n},chunks={chunks}"
    bare = job(switch, text, model="fluid", correction="none")
    assert bare == sharing * (chunks + 1) * sending_ps(SIZE // chunks)


def test_a_ring_on_a_fat_tree() -> None:
    """No two neighbours of a ring in order share a link, whatever hashes say, and the farthest set the pace.

    TCP takes longer than the fluid of its slow start: its acknowledgements wait behind data of the other direction.
    """
    tree, size = build_network("fat-tree:k=4", link_gbps=GBPS), 16 * 200 * FULL
    text = f"all-reduce:size={size}"
    bare, fluid, packets = both(tree, text)
    assert bare == 30 * sending_ps(size // 16)
    # Six links, and a packet that all switches but the first link's receive before they send it on.
    assert fluid == packets == bare + 30 * (6 * DELAY_PS + 5 * sending_ps(FULL))
    corrected = job(tree, text, model="fluid")
    assert fluid < corrected < job(tree, text, queue="drop-tail:packets=1000") < 1.5 * corrected


def test_a_job_lasts_from_its_first_start_to_its_last_end(switch: Network) -> None:
    """Two flows and one that waits for both, 5 us later; the others are a task of their own."""
    workload = Workload.from_flows(
        8,
        [0, 1, 2],
        [1, 2, 0],
        FULL,
        [10**6, 3 * 10**6, 5 * 10**6],
        after=([2, 2], [0, 1]),
        task=[0, 1, 1],
        stage=["ask", "ask", "answer"],
    )
    result = simulate(switch, workload, model="fluid", correction="none")
    one = sending_ps(FULL)
    assert result.flow["start_ps"].tolist() == [10**6, 3 * 10**6, 8 * 10**6 + one]
    assert result.job_ps == 7 * 10**6 + 2 * one
    assert result.task_ps.tolist() == [one, 5 * 10**6 + 2 * one]
    assert result.stages == ("ask", "answer")
    assert [(time, tasks.tolist()) for time, tasks in map(result.stage_ps, (0, 1))] == [
        (2 * 10**6 + one, [one, one]),
        (one, [one]),
    ]
    assert result.flows.column("stage").to_pylist() == ["ask", "ask", "answer"]
    found = figures([result, result])
    assert found["job_us"]["mean"] == found["job_us"]["max"] == (7 * 10**6 + 2 * one) / 1e6
    assert [(row["stage"], row["tasks"], row["tasks_us"]["mean"]) for row in found["stages"]] == [
        ("ask", 4, one / 1e6),
        ("answer", 2, one / 1e6),
    ]


def test_what_is_no_job_or_not_complete_has_no_time(switch: Network) -> None:
    plain = simulate(switch, Workload.from_flows(8, [0, 1], [1, 2], FULL), model="fluid")
    assert plain.job_ps is None
    assert figures([plain])["job_us"] is None
    assert figures([plain])["stages"] == []
    assert "stage" not in plain.flows.column_names
    cut = simulate(switch, f"all-reduce:size={SIZE}", model="fluid", time_limit="1us")
    assert cut.job_ps is None
    assert figures([cut])["job_us"]["mean"] is None
    # One task is complete, the stage is not.
    workload = Workload.from_flows(8, [0, 1], [1, 2], [FULL, 10**9], after=([1], [0]), stage=["first", "first"])
    part = simulate(switch, workload, model="fluid", correction="none", time_limit="1ms")
    whole, tasks = part.stage_ps(0)
    assert (whole, tasks.tolist()) == (None, [sending_ps(FULL)])


def test_every_worker_of_a_job_has_a_time_for_each_stage() -> None:
    network = build_network("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4", link_gbps=GBPS)
    text = "hadoop:data=40MB,mappers=4,reducers=3,block=2MB"
    for result in (
        simulate(network, text, model="fluid"),
        simulate(network, text, transport="dctcp", queue="ecn:packets=500"),
    ):
        assert result.stages == ("read", "shuffle", "write")
        whole, tasks = zip(*(result.stage_ps(stage) for stage in range(3)), strict=True)
        assert [len(times) for times in tasks] == [4, 4, 3]
        # With a barrier the stages follow each other: each begins when the last byte of the one before is there.
        assert result.job_ps is not None
        assert sum(whole) == pytest.approx(result.job_ps, rel=1e-3)
        for time, times in zip(whole, tasks, strict=True):
            assert time == max(times)


@pytest.mark.parametrize("model", ["packets", "fluid"])
def test_with_free_turns_a_worker_always_has_as_many_flows(model: str) -> None:
    """A worker's next flow starts at the end of another one, whichever that is, and in its order."""
    network = build_network("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4", link_gbps=GBPS)
    text = "hadoop:data=20MB,mappers=4,reducers=6,block=1MB,shuffle=in-turn,parallel=3,turns=free"
    result = simulate(network, text, model=model)
    flow, worker = result.flow, result.task
    late = 0
    for task in range(worker.max() + 1):
        own = np.flatnonzero(worker == task)
        start, end = flow["start_ps"][own], flow["arrived_ps"][own]
        assert (np.diff(start) >= 0).all()
        assert start[3:].tolist() == np.sort(end)[: len(own) - 3].tolist()
        late += int(np.sum(start[3:] < end[:-3]))
    # Some begin before the one three before them has ended.
    assert late


@pytest.mark.parametrize("model", ["packets", "fluid"])
def test_a_flow_that_can_never_finish(switch: Network, model: str) -> None:
    """Without a path it is refused by name; cut off during the run it is unfinished, and so is what waits for it."""
    waiting = Workload.from_flows(8, [0, 2, 4], [1, 3, 5], 10**6, after=([2], [0]), label="chain")
    plane = switch.planes[0]
    mask = Mask.of(switch, [np.zeros(len(plane.arcs[0]), dtype=bool)], [np.ones(plane.switch_count, dtype=bool)])
    with pytest.raises(RoutingError, match=r"^chain: no path leads from 'h0' to 'h1'$"):
        simulate(apply_mask(switch, mask), waiting, model=model)
    cut = simulate(switch, waiting, model=model, outage=Outage(mask, from_ps=10**8), time_limit="1s")
    assert cut.completed == 0
    assert cut.flow["start_ps"].tolist() == [0, 0, -1]
    assert (cut.flow["received_bytes"][:2] > 0).all()
    assert cut.job_ps is None
