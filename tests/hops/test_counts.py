"""Hop counts against networkx, under failures, and on any number of threads."""

from collections import Counter
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.errors import SpecError, TopologyError
from pnet_lp.failures import FailureModel, Failures, apply_mask
from pnet_lp.hops import HopDistribution, count_hops, run_trials
from pnet_lp.hops.count import HopCounter
from pnet_lp.model import Network
from pnet_lp.model.network import Level
from pnet_lp.topology import build_network

from ..failures.conftest import failures, networks

LEVELS: list[Level] = ["rack", "host"]


def by_networkx(network: Network, level: Level) -> dict[tuple[int, int], int]:
    """The hops of every ordered pair that has a path."""
    found: dict[tuple[int, int], int] = {}
    for plane in network.planes:
        tail, head, capacity = plane.arcs
        graph = nx.DiGraph()
        graph.add_nodes_from(range(plane.switch_count))
        graph.add_edges_from(zip(tail[capacity > 0].tolist(), head[capacity > 0].tolist(), strict=True))
        hops = dict(nx.all_pairs_shortest_path_length(graph))
        at = (plane.rack_switch if level == "rack" else plane.host_switch).tolist()
        for s, t in permutations(range(len(at)), 2):
            if at[s] >= 0 and at[t] >= 0 and at[t] in hops[at[s]]:
                found[s, t] = min(found.get((s, t), 99), hops[at[s]][at[t]])
    return found


def check(distribution: HopDistribution, expected: dict[tuple[int, int], int], endpoints: int) -> None:
    counts = Counter(expected.values())
    assert distribution.pairs == tuple(counts[h] for h in range(max(counts, default=0) + 1))
    assert distribution.disconnected == endpoints * (endpoints - 1) - len(expected)


@pytest.mark.parametrize("level", LEVELS)
@given(networks(), failures(), st.integers(0, 9))
def test_counts_agree_with_networkx(level: Level, network: Network, failing: Failures, seed: int) -> None:
    mask = FailureModel(network, failing).draw(seed)
    failed = apply_mask(network, mask)
    expected = by_networkx(failed, level)
    endpoints = len(network.endpoint_names(level))
    counter = HopCounter(network, level)
    masked = counter.count(mask)
    check(masked, expected, endpoints)
    # A mask over the intact network is as good as the failed network.
    assert count_hops(failed, level) == masked
    pairs = list(permutations(range(endpoints), 2))
    hops = counter.between(*zip(*pairs, strict=True), [mask, None])
    intact = by_networkx(network, level)
    assert hops.tolist() == [[found.get(pair, -1) for pair in pairs] for found in (expected, intact)]


@pytest.mark.parametrize("level", LEVELS)
@given(networks(), failures(), st.integers(0, 9))
def test_failures_never_bring_a_pair_nearer(level: Level, network: Network, failing: Failures, seed: int) -> None:
    pairs = list(permutations(range(len(network.endpoint_names(level))), 2))
    mask = FailureModel(network, failing).draw(seed)
    hops = HopCounter(network, level).between(*zip(*pairs, strict=True), [None, mask])
    before, after = np.where(hops < 0, 99, hops)
    assert np.all(after >= before)


@given(networks(planes=2), failures(), st.integers(1, 4))
def test_one_plane_more_never_hurts(network: Network, failing: Failures, seed: int) -> None:
    mask = FailureModel(network, failing).draw(seed)
    all_planes = apply_mask(network, mask)
    first = Network(all_planes.planes[:1], "serial", common_racks=True)
    alone, together = by_networkx(first, "host"), by_networkx(all_planes, "host")
    assert all(together[pair] <= hops for pair, hops in alone.items())
    assert count_hops(all_planes, "host").disconnected <= count_hops(first, "host").disconnected


@pytest.mark.parametrize(
    ("expression", "hops"),
    [
        # 3 others on the same switch, ... : k-ary fat tree of k^3/4 hosts.
        ("fat-tree:k=4", {0: 1, 2: 2, 4: 12}),
        ("fat-tree:k=8", {0: 3, 2: 12, 4: 112}),
        ("complete:n=6", {1: 5}),
        ("hypercube:d=4", {1: 4, 2: 6, 3: 4, 4: 1}),
        ("ring:n=8", {1: 2, 2: 2, 3: 2, 4: 1}),
    ],
)
def test_closed_forms(expression: str, hops: dict[int, int]) -> None:
    network = build_network([expression])
    found = count_hops(network, network.default_level)
    endpoints = len(network.endpoint_names(network.default_level))
    assert {h: n for h, n in enumerate(found.pairs) if n} == {h: n * endpoints for h, n in hops.items()}
    assert found.disconnected == 0


def test_four_tiers_pass_seven_switches() -> None:
    """P-Net, table 1: 7 switch hops in the serial scale-out design, 3 in the parallel one."""
    serial = count_hops(build_network(["pnet-table1-serial-scale-out"]), "rack")
    parallel = count_hops(build_network(["pnet-table1-parallel-8x"]), "rack")
    assert [serial.most, parallel.most] == [7 - 1, 3 - 1]


def test_hosts_without_any_plane_are_disconnected_from_their_neighbours_too() -> None:
    network = build_network(["ring:n=4"], planes=2, hosts_per_switch=2)
    trials = run_trials(network, Failures(planes=(0, 1)), "host")
    assert trials.pooled == HopDistribution((0,), 56)
    assert trials.mean is None
    assert trials.pooled.percentile(1) is None
    assert trials.connected_share == 0
    assert trials.all_connected == 0


@pytest.mark.parametrize("unit", ["cable", "direction"])
def test_threads_and_batches_change_nothing(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = build_network(["jellyfish:k=8"], planes=3)
    failing = Failures(links=0.6, switches=0.1, unit=unit)  # type: ignore[arg-type]
    pairs = [(0, 1), (5, 100), (100, 5)]

    def run(threads: int) -> object:
        return run_trials(network, failing, "host", trials=12, seed=4, pairs=pairs, threads=threads)

    first = run(1)
    assert run(2) == run(5) == first
    # Two trials at a time.
    monkeypatch.setattr("pnet_lp.hops.count._MASK_BYTES", 2 * 3 * (512 + 80))
    assert run(0) == first


def test_trials_are_those_of_the_other_commands() -> None:
    from pnet_lp.failures import fail

    network = build_network(["jellyfish:k=8"], planes=2)
    failing = Failures(links=0.3)
    trials = run_trials(network, failing, "host", trials=3, seed=7)
    assert trials.trials[0] == count_hops(fail(network, failing, seed=7), "host")
    assert len(set(trials.trials)) == 3
    assert run_trials(network, failing, "host", trials=2, seed=7).trials == trials.trials[:2]


def test_availability_of_a_chain_is_the_product() -> None:
    """Three cables in a row, each up with probability 0.9; two planes of them."""
    failing = Failures(links=0.1, mode="independent")
    for planes, expected in ((1, 0.9**3), (2, 1 - (1 - 0.9**3) ** 2)):
        network = build_network(["path:n=4"], planes=planes)
        trials = run_trials(network, failing, "rack", trials=4000, pairs=[(0, 3)], seed=2)
        up = sum(hops[0] == 3 for hops in trials.pair_hops)
        assert up / 4000 == pytest.approx(expected, abs=0.025)
        if planes == 1:
            low, high = trials.all_connected_interval
            assert low < expected < high
            # Means over the 3, 2 and 1 pairs at distance 1, 2 and 3.
            share = (3 * 0.9 + 2 * 0.9**2 + 0.9**3) / 6
            assert trials.connected_share == pytest.approx(share, abs=0.02)
            low, high = trials.connected_interval or (0, 0)
            assert low < share < high


def test_distribution_figures() -> None:
    found = HopDistribution((2, 0, 5, 3), 10)
    assert (found.total, found.connected, found.connected_share, found.most) == (20, 10, 0.5, 3)
    assert found.mean == pytest.approx(1.9)
    assert [found.percentile(p) for p in (1, 10, 11, 35, 36, 50, 51)] == [0, 0, 2, 2, 3, 3, None]
    assert HopDistribution.added_up([found, HopDistribution((1,), 0)]) == HopDistribution((3, 0, 5, 3), 10)
    empty = HopDistribution((0,), 0)
    assert (empty.mean, empty.most, empty.connected_share, empty.percentile(50)) == (None, None, None, None)
    with pytest.raises(SpecError, match="not a percentile, found 0; allowed: 1 to 100"):
        found.percentile(0)


def test_wrong_questions() -> None:
    network = build_network(["ring:n=4"])
    with pytest.raises(TopologyError, match="the network has no hosts"):
        count_hops(network, "host")
    with pytest.raises(SpecError) as caught:
        run_trials(network, Failures(), "rack", trials=0)
    assert str(caught.value) == "trials: out of range, found 0; allowed: 1 to 1000000"
