"""Collective operations and the job of MapReduce: who sends how much, and after what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import SpecError, WorkloadError
from pnet_lp.model import Network
from pnet_lp.model.workload import Workload
from pnet_lp.sim import simulate
from pnet_lp.topology import build_network
from pnet_lp.workload import build_workload
from pnet_lp.workload.base import WorkloadContext
from pnet_lp.workload.kinds.hadoop import HadoopParams, _hashed, _Racks


@pytest.fixture(scope="module")
def network() -> Network:
    return build_network("leaf-spine:leaves=4,spines=2,hosts_per_leaf=4", planes=2)


def parents(workload: Workload) -> list[list[int]]:
    ptr = workload.after_ptr
    return [workload.after[ptr[f] : ptr[f + 1]].tolist() for f in range(workload.flow_count)]


def knowledge(workload: Workload, hosts: int) -> list[set[int]]:
    """Whose data each host has in the end, if a message carries what its sender has by what it waits for."""
    carried: list[set[int]] = []
    for flow, waits in enumerate(parents(workload)):
        src = int(workload.src[flow])
        for parent in waits:
            assert parent < flow
            # Only what one sends or receives oneself can be waited for.
            assert src in (workload.src[parent], workload.dst[parent])
        came = [carried[parent] for parent in waits if workload.dst[parent] == src]
        # And what came earlier: whatever a host's own last message waited for.
        own = [carried[parent] for parent in waits if workload.src[parent] == src]
        carried.append({src}.union(*came, *own))
    known = [{host} for host in range(hosts)]
    for flow, dst in enumerate(workload.dst.tolist()):
        known[dst] |= carried[flow]
    return known


def sent(workload: Workload, hosts: int) -> list[float]:
    totals: list[float] = np.bincount(workload.src, workload.size, minlength=hosts).tolist()
    return totals


@given(
    ranks=st.integers(2, 9),
    chunks=st.integers(1, 3),
    rounds=st.integers(1, 3),
    spare=st.integers(0, 40),
    kind=st.sampled_from(["all-reduce:", "all-reduce:algorithm=tree,", "all-gather:", "reduce-scatter:"]),
)
def test_everybody_hears_of_everybody(ranks: int, chunks: int, rounds: int, spare: int, kind: str) -> None:
    network = build_network("star:n=9", hosts_per_switch=1)
    size = ranks * chunks + spare
    workload = build_workload(f"{kind}size={size},ranks={ranks},chunks={chunks},rounds={rounds}", network)
    assert all(known >= set(range(ranks)) for known in knowledge(workload, ranks))
    messages = 2 if kind.startswith("all-reduce") else 1
    # Over all ranks, what an operation has to carry: (n - 1) blocks or buffers, once for each half.
    assert workload.total_bytes == messages * (ranks - 1) * size * rounds
    assert workload.task.tolist() == np.repeat(np.arange(rounds), workload.flow_count // rounds).tolist()
    pairs = set(zip(workload.src.tolist(), workload.dst.tolist(), strict=True))
    assert workload.connects.sum() == len(pairs)


@given(bits=st.integers(1, 4), spare=st.integers(0, 40), rounds=st.integers(1, 2))
def test_everybody_hears_of_everybody_by_exchanges(bits: int, spare: int, rounds: int) -> None:
    network = build_network("star:n=15", hosts_per_switch=1)
    ranks, size = 2**bits, 2**bits + spare
    for kind, steps in (
        ("all-reduce:algorithm=halving-doubling", 2 * bits),
        ("all-gather:algorithm=recursive", bits),
        ("reduce-scatter:algorithm=recursive", bits),
    ):
        workload = build_workload(f"{kind},size={size},ranks={ranks},rounds={rounds}", network)
        assert all(known == set(range(ranks)) for known in knowledge(workload, ranks))
        assert workload.flow_count == steps * ranks * rounds
        halves = 2 if kind.startswith("all-reduce") else 1
        assert workload.total_bytes == halves * (ranks - 1) * size * rounds


def test_a_rank_of_a_ring_sends_its_part(network: Network) -> None:
    """2 (n - 1) / n of the buffer, as the bound for all-reduce says."""
    workload = build_workload("all-reduce:size=16MB", network)
    assert sent(workload, 16) == [2 * 15 * 10**6] * 16
    assert np.array_equal(workload.dst, (workload.src + 1) % 16)
    assert parents(workload)[:17] == [[]] * 16 + [[0, 15]]


def test_halving_doubling_by_hand(network: Network) -> None:
    workload = build_workload("all-reduce:size=100,ranks=4,algorithm=halving-doubling", network)
    steps = [
        list(zip(workload.src[i : i + 4], workload.dst[i : i + 4], workload.size[i : i + 4], strict=True))
        for i in range(0, 16, 4)
    ]
    near, far = [(0, 1), (1, 0), (2, 3), (3, 2)], [(0, 2), (1, 3), (2, 0), (3, 1)]
    expected = [(far, 50), (near, 25), (near, 25), (far, 50)]
    assert steps == [[(*pair, size) for pair in pairs] for pairs, size in expected]


@given(ranks=st.integers(2, 16), spare=st.integers(0, 40), rounds=st.integers(1, 2))
def test_halving_doubling_sums_everything_everywhere(ranks: int, spare: int, rounds: int) -> None:
    """Moving the data: after the last message, every byte of every rank has each rank's contribution exactly once."""
    network = build_network("star:n=15", hosts_per_switch=1)
    power = 1 << (ranks.bit_length() - 1)
    extra, size = ranks - power, power + spare
    text = f"all-reduce:algorithm=halving-doubling,size={size},ranks={ranks},rounds={rounds}"
    workload = build_workload(text, network)
    steps = power.bit_length() - 1
    assert workload.flow_count == rounds * 2 * (extra + power * steps)
    assert workload.total_bytes == rounds * 2 * (extra + power - 1) * size
    everybody = dict.fromkeys(range(ranks), 1)
    assert all(known >= everybody.keys() for known in knowledge(workload, ranks))
    messages = list(zip(workload.src.tolist(), workload.dst.tolist(), workload.size.tolist(), strict=True))[
        : workload.flow_count // rounds
    ]
    # Of each rank and byte, how often each rank's contribution is in it.
    data = [np.zeros((size, ranks), dtype=int) for _ in range(ranks)]
    for host in range(ranks):
        data[host][:, host] = 1
    for src, dst, length in messages[:extra]:
        assert (src % 2, dst, length) == (0, src + 1, size)
        data[dst] += data[src]
    acting = [*range(1, 2 * extra, 2), *range(2 * extra, ranks)]
    place = {host: i for i, host in enumerate(acting)}
    held = dict.fromkeys(acting, (0, power))
    later = messages[extra : len(messages) - extra]
    for step in range(2 * steps):
        before, ranges = [values.copy() for values in data], dict(held)
        for src, dst, length in later[step * power : (step + 1) * power]:
            if step < steps:
                low, high = ranges[dst]
                assert (low, high) == ranges[src]
                middle = (low + high) // 2
                half = (low, middle) if place[dst] < place[src] else (middle, high)
                held[dst] = half
            else:
                half = ranges[src]
                held[dst] = (min(half[0], held[dst][0]), max(half[1], held[dst][1]))
            a, b = (block * size // power for block in half)
            assert length == b - a
            data[dst][a:b] = before[src][a:b] + (before[dst][a:b] if step < steps else 0)
    for src, dst, length in messages[len(messages) - extra :]:
        assert (src, length) == (dst + 1, size)
        data[dst] = data[src]
    assert all((values == 1).all() for values in data)


def test_three_ranks_by_hand() -> None:
    """At 8 Gb/s, 1 MB is a ms.  0 sends all of it to 1, beside 2's half: 1.5 ms; each half then goes one way after the
    other, 0.5 ms each; and all of it back to 0: 3.5 ms."""
    network = build_network("star:n=2", hosts_per_switch=1, link_gbps=8)
    workload = build_workload("all-reduce:size=1MB,ranks=3,algorithm=halving-doubling", network)
    rows = zip(workload.src.tolist(), workload.dst.tolist(), workload.size.tolist(), strict=True)
    half = 500_000
    assert list(rows) == [(0, 1, 2 * half), (1, 2, half), (2, 1, half), (1, 2, half), (2, 1, half), (1, 0, 2 * half)]
    assert parents(workload) == [[], [0], [], [1, 2], [1, 2], [3, 4]]
    found = simulate(network, workload, model="fluid", correction="none", header="0")
    assert found.job_ps == 3_500_000_000


def test_a_tree_goes_up_and_down(network: Network) -> None:
    workload = build_workload("all-reduce:size=100,ranks=5,chunks=2,algorithm=tree", network)
    up = [(4, 1), (3, 1), (2, 0), (1, 0)]
    down = [(high, low) for low, high in reversed(up)]
    pairs = list(zip(workload.src.tolist(), workload.dst.tolist(), strict=True))
    assert pairs == [*up, *up, *down, *down]
    # Up: 1 waits for what is below it; down: the root for both of its children; a second chunk for the first.
    assert parents(workload)[:8] == [[], [], [], [0, 1], [0], [1], [2], [3, 4, 5]]
    assert parents(workload)[8:12] == [[2, 3], [2, 3], [8], [8]]
    assert parents(workload)[12:] == [[6, 7, 8], [6, 7, 9], [10, 12], [11, 12]]


def test_all_to_all(network: Network) -> None:
    workload = build_workload("all-to-all:size=160", network)
    assert set(workload.size.tolist()) == {10}
    pairs = set(zip(workload.src.tolist(), workload.dst.tolist(), strict=True))
    assert len(pairs) == workload.flow_count == 16 * 15
    assert workload.connects.all()
    assert parents(workload)[16:32] == [[f] for f in range(16)]
    assert workload.dst[:32].tolist() == [(i + 1) % 16 for i in range(16)] + [(i + 2) % 16 for i in range(16)]
    at_once = build_workload("all-to-all:size=160,order=at-once", network)
    assert not len(at_once.after)


def test_who_takes_part(network: Network) -> None:
    chosen = build_workload("all-gather:size=40,hosts=3+8-10", network)
    assert chosen.src[:4].tolist() == [3, 8, 9, 10]
    assert chosen.dst[:4].tolist() == [8, 9, 10, 3]
    drawn = build_workload("all-gather:size=40,ranks=4,placement=random", network, seed=1)
    again = build_workload("all-gather:size=40,ranks=4,placement=random,seed=1", network, seed=2)
    assert drawn.fingerprint == again.fingerprint
    assert drawn.src[:4].tolist() != [0, 1, 2, 3]
    assert len(set(drawn.src.tolist())) == 4


def test_rounds_follow_with_a_pause(network: Network) -> None:
    workload = build_workload("all-reduce:size=40,ranks=4,rounds=2,pause=5us", network)
    count = workload.flow_count // 2
    assert workload.start_ps[count : count + 4].tolist() == [5_000_000] * 4
    assert workload.start_ps.sum() == 4 * 5_000_000
    # Rank 1 begins again when its last message has arrived, and the last one to it.
    assert parents(workload)[count + 1] == [count - 4, count - 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "all-reduce:size=31,ranks=4,chunks=8",
            "all-reduce:size=31,ranks=4,chunks=8: size: a buffer is sent in 32 pieces, found 31; allowed: 32 or more",
        ),
        (
            "all-gather:size=1kB,ranks=6,algorithm=recursive",
            "all-gather:size=1kB,ranks=6,algorithm=recursive: algorithm: ranks are paired by the bits of their "
            "numbers, found '6 ranks'; allowed: 2, 4, 8, 16, ... ranks",
        ),
        (
            "all-reduce:size=1kB,algorithm=halving-doubling,chunks=2",
            "all-reduce: halving-doubling exchanges whole blocks, so that chunks have no meaning",
        ),
        (
            "all-gather:size=1kB,hosts=3-99",
            "all-gather:size=1kB,hosts=3-99: hosts: no such hosts, found '3-99'; allowed: all, or indices from 0 to 15 "
            "as in 0-7+12",
        ),
        ("all-gather:size=1kB,hosts=3-4+4", None),
        ("all-gather:size=1kB,hosts=3", None),
        ("all-gather:size=1kB,hosts=", None),
        ("all-gather:size=1kB,hosts=²", None),
        ("all-gather:size=1kB,ranks=17", None),
        ("all-gather:size=1kB,ranks=1", "all-gather: ranks: input should be greater than or equal to 2, found '1'"),
        (
            "hadoop:mappers=9,reducers=8",
            "hadoop:mappers=9,reducers=8: mappers and reducers are different hosts, found '9 + 8'; allowed: up to 16 "
            "together",
        ),
        (
            "hadoop:mappers=3,reducers=3,data=8",
            "hadoop:mappers=3,reducers=3,data=8: data: each of 9 flows of the shuffle has at least a byte, found 8",
        ),
        ("hadoop:mappers=3,reducers=3,data=1PB,block=1", None),
        (
            "hadoop:mappers=3,reducers=17,workers=packed",
            "hadoop:mappers=3,reducers=17,workers=packed: mappers are different hosts, and so are reducers, found "
            "'3, 17'; allowed: up to 16 each",
        ),
        ("hadoop:stage=map", "hadoop: stage: input should be 'all', 'read', 'shuffle' or 'write', found 'map'"),
        ("hadoop:shuffle=ordered", None),
        ("all-reduce:size=1PB,chunks=1000000,rounds=1000000000", None),
    ],
)
def test_wrong_parameters(text: str, message: str | None, network: Network) -> None:
    with pytest.raises((SpecError, WorkloadError)) as caught:
        build_workload(text, network)
    assert "\n" not in str(caught.value)
    if message:
        assert str(caught.value) == message


@pytest.mark.parametrize("barrier", [True, False])
def test_a_job_in_three_stages(barrier: bool, network: Network) -> None:
    """10,000 bytes in blocks of 700, two at a time: everything that is read is shuffled, and written."""
    text = "hadoop:data=10000,mappers=4,reducers=3,block=700,parallel=2"
    workload = build_workload(f"{text},barrier={barrier}", network)
    tasks = [set(np.flatnonzero(workload.task == task).tolist()) for task in range(4 + 4 + 3)]
    reads, shuffles, writes = tasks[:4], tasks[4:8], tasks[8:]
    bytes_of = [int(workload.size[list(flows)].sum()) for flows in tasks]
    assert [sum(bytes_of[a:b]) for a, b in ((0, 4), (4, 8), (8, 11))] == [10_000] * 3
    assert bytes_of[:4] == bytes_of[4:8]
    assert workload.size.max() <= 700 or not workload.size[list(set.union(*reads, *writes))].max() > 700
    rack = network.planes[0].host_switch
    waits = parents(workload)
    mappers = []
    for read, shuffle in zip(reads, shuffles, strict=True):
        (mapper,) = set(workload.dst[list(read)].tolist())
        mappers.append(mapper)
        assert set(workload.src[list(shuffle)].tolist()) == {mapper}
        assert all(rack[workload.src[flow]] != rack[mapper] for flow in read)
        ordered = sorted(read)
        assert [waits[flow] for flow in ordered] == [[], []] + [[flow] for flow in ordered[:-2]]
        needed = set.union(*(set(sorted(blocks)[-2:]) for blocks in (reads if barrier else [read])))
        assert all(set(waits[flow]) == needed for flow in shuffle)
    for write in writes:
        (reducer,) = set(workload.src[list(write)].tolist())
        assert reducer not in mappers
        assert all(rack[workload.dst[flow]] != rack[reducer] for flow in write)
        first = sorted(write)[:2]
        needed = set.union(*shuffles)
        if not barrier:
            needed = {flow for flow in needed if workload.dst[flow] == reducer}
        assert all(set(waits[flow]) == needed for flow in first)
        assert {int(workload.size[list(write)].sum())} == {
            int(sum(workload.size[flow] for flow in set.union(*shuffles) if workload.dst[flow] == reducer))
        }


def test_a_job_needs_other_racks() -> None:
    one_rack = build_network("leaf-spine:leaves=1,spines=1,hosts_per_leaf=4")
    with pytest.raises(WorkloadError, match=r"all hosts are in one rack, and blocks are in others$"):
        build_workload("hadoop:mappers=1,reducers=1,data=1kB", one_rack)
    network = build_network("star:n=4", hosts_per_switch=1)
    assert build_workload("hadoop:mappers=1,reducers=1,data=1kB", network).flow_count == 3


PACKED = "hadoop:data=10000,block=700,parallel=2,mappers=5,reducers=6,workers=packed,blocks=hashed,shuffle=in-turn"


@pytest.mark.parametrize("seed", range(6))
def test_packed_workers_are_neighbours_from_a_rack_on(seed: int, network: Network) -> None:
    """Racks have four hosts, so that all begin at a multiple of four; mappers and reducers may be the same."""
    workload = build_workload(f"{PACKED},stage=shuffle", network, seed=seed)
    for hosts, count in ((workload.src, 5), (workload.dst, 6)):
        found = set(hosts.tolist())
        firsts = [host for host in found if (host - 1) % 16 not in found]
        assert len(firsts) == 1
        assert firsts[0] % 4 == 0
        assert found == {(firsts[0] + number) % 16 for number in range(count)}
    both = set(workload.src.tolist()) & set(workload.dst.tolist())
    assert workload.flow_count == 30 - len(both)


def test_mappers_go_through_reducers_in_one_order(network: Network) -> None:
    """Two flows of a mapper at a time: the third waits for the first, all mappers in one order of reducers."""
    workload = build_workload(f"{PACKED},stage=shuffle", network, seed=1)
    assert workload.stages == ("shuffle",)
    waits = parents(workload)
    order = list(dict.fromkeys(workload.dst.tolist()))
    for task in range(5):
        flows = np.flatnonzero(workload.task == task).tolist()
        (mapper,) = set(workload.src[flows].tolist())
        to = workload.dst[flows].tolist()
        assert to == sorted(to, key=lambda host: (host - order[0]) % 16)
        assert set(to) == set(order) - {mapper} or mapper not in order
        assert [waits[flow] for flow in flows] == [[], []] + [[flow] for flow in flows[:-2]]


@pytest.mark.parametrize("stage", ["read", "shuffle", "write", "all"])
def test_free_turns_begin_when_any_flow_ends(network: Network, stage: str) -> None:
    """Of a worker's flows before it all but one are enough for the third one and each after it, with two at a time."""
    fixed, workload = (build_workload(f"{PACKED},stage={stage},turns={turns}", network) for turns in ("fixed", "free"))
    for name in ("src", "dst", "size", "task", "stage"):
        assert np.array_equal(getattr(fixed, name), getattr(workload, name))
    waits, first = parents(workload), []
    for task in range(workload.task.max() + 1):
        flows = np.flatnonzero(workload.task == task).tolist()
        assert [waits[flow] for flow in flows[2:]] == [flows[:number] for number in range(2, len(flows))]
        assert workload.enough[flows[2:]].tolist() == [number - 1 for number in range(2, len(flows))]
        first += flows[:2]
    # The first ones wait for the whole stage before.
    for flow in first:
        before = np.flatnonzero(workload.stage == workload.stage[flow] - 1).tolist()
        assert waits[flow] == before
        assert workload.enough[flow] == len(before)


def test_hashed_blocks_by_hand() -> None:
    """Five racks of two hosts, six blocks of 10 bytes but the last one of 4, and a random number of 0.

    Block b is in rack 1 + b mod 4, at host (b xor 1) mod 2 of it: hosts 3, 4, 7, 8, 3, 4; the first rack has none.
    """
    network = build_network("leaf-spine:leaves=5,spines=2,hosts_per_leaf=2")
    params = HadoopParams.model_validate({"data": 54, "block": 10, "blocks": "hashed"})
    context = WorkloadContext(network, 0, "hadoop")

    class Zero(np.random.Generator):
        def integers(self, *_: Any, **__: Any) -> Any:
            return 0

    found = _hashed(params, _Racks(context), 4, Zero(np.random.PCG64(1)))
    assert found.worker.tolist() == [0, 0, 1, 1, 2, 3]
    at = sorted(zip(found.host.tolist(), found.size.tolist(), strict=True))
    assert at == sorted([(3, 10), (4, 10), (7, 10), (8, 10), (3, 10), (4, 4)])


@pytest.mark.parametrize("seed", range(4))
def test_hashed_blocks_are_dealt_evenly(seed: int, network: Network) -> None:
    """15 blocks, the last one smaller, for five mappers: three each, but what a mapper has itself."""
    read = build_workload(f"{PACKED},stage=read", network, seed=seed)
    assert read.dst.tolist() == sorted(read.dst.tolist(), key=lambda host: (host - read.dst[0]) % 16)
    assert np.bincount(read.task).max() == 3
    assert read.src.min() >= 4
    own = 15 - read.flow_count
    assert 10_000 - 700 * own - 700 <= read.total_bytes <= 10_000 - 700 * (own - 1)
    write = build_workload(f"{PACKED},stage=write", network, seed=seed)
    assert write.dst.min() >= 4
    assert len(np.unique(write.task)) == 6


def test_stages_alone_are_those_of_the_job(network: Network) -> None:
    """The same flows as in the whole job, without what waits for another stage."""
    whole = build_workload(f"{PACKED}", network, seed=3)
    assert whole.stages == ("read", "shuffle", "write")
    begin = 0
    for number, stage in enumerate(whole.stages):
        alone = build_workload(f"{PACKED},stage={stage}", network, seed=3)
        inside = np.flatnonzero(whole.stage == number)
        for key in ("src", "dst", "size"):
            assert np.array_equal(getattr(alone, key), getattr(whole, key)[inside])
        within = [[one - begin for one in waits if one >= begin] for waits in (parents(whole)[i] for i in inside)]
        assert parents(alone) == within
        assert np.bincount(alone.task).min() > 0
        begin += len(inside)


def test_a_stage_of_nothing(network: Network) -> None:
    text = "hadoop:mappers=16,reducers=1,workers=packed,blocks=hashed,data=160,block=1000,stage=read"
    seeds = [seed for seed in range(200) if _fails(text, network, seed)]
    assert 0 < len(seeds) < 200
    with pytest.raises(WorkloadError, match=r": the workload has no flows$"):
        build_workload(text, network, seed=seeds[0])


def _fails(text: str, network: Network, seed: int) -> bool:
    try:
        build_workload(text, network, seed=seed)
    except WorkloadError:
        return True
    return False
