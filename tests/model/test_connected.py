"""What of a rule has a path, against a look at each pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.failures import Mask, apply_mask
from pnet_lp.model import Network, TrafficMatrix, connected, flow
from pnet_lp.throughput import solve

SERVED = {"server": "single-switch:hosts=3", "server_gbps": 40}


@pytest.fixture(autouse=True, scope="module")
def few_pairs() -> None:
    """Take rules of any number of pairs for many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connected, "LISTED_PAIRS", 0)
        patch.setattr(flow, "LISTED_PAIRS", 0)
        yield


def network(relay: str | None, rails: int = 1) -> Network:
    keys = {} if relay is None else {**SERVED, "relay": relay, "rails": rails}
    planes = 3 if rails > 1 else 2
    return pn.build_network("leaf-spine:leaves=3,spines=1,hosts_per_leaf=4", planes=planes, link_gbps=10, **keys)


@st.composite
def broken(draw: st.DrawFn) -> Network:
    """A network with some ports, switches and scale-up links down."""
    whole = network(draw(st.sampled_from([None, "none", "source", "ends", "any"])), draw(st.sampled_from([1, 3])))
    share = draw(st.sampled_from([0.1, 0.4]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def some(count: int) -> np.ndarray:
        return rng.random(count) < share

    arcs = [np.repeat(some(plane.cable_count), 2) for plane in whole.planes]
    switches = [some(plane.switch_count) for plane in whole.planes]
    ports = [some(plane.host_count) for plane in whole.planes]
    inside = None if whole.servers is None else some(4 * whole.servers.link_count)
    return apply_mask(whole, Mask.of(whole, arcs, switches, ports, inside))


def listed(traffic: TrafficMatrix | None) -> set[tuple[int, int, float]]:
    if traffic is None:
        return set()
    return set(zip(traffic.src.tolist(), traffic.dst.tolist(), traffic.demand.tolist(), strict=True))


@pytest.mark.parametrize("groups", [False, True])
@given(failed=broken(), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_a_rule_loses_the_pairs_without_a_path(groups: bool, failed: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    traffic = TrafficMatrix.from_weights("host", rng.integers(0, 2, 12), rng.integers(0, 2, 12))
    if groups:
        traffic = traffic.in_groups(np.arange(12) // 4, 0.5 * (seed % 2))
    if not traffic.demand_count:
        return
    expected = connected.without(traffic, connected.lost_pairs(failed, traffic))
    found = connected.connected(failed, traffic)
    assert listed(found.traffic) == listed(expected.traffic)
    assert found.lost_demands == expected.lost_demands
    assert found.lost_total == pytest.approx(expected.lost_total)
    gone = listed(traffic) - listed(found.traffic)
    assert {pair[:2] for pair in gone} >= set(found.examples)
    assert len(found.examples) == min(len(gone), connected.NAMED_PAIRS) or found.lost_demands > 0


@pytest.mark.parametrize("relay", [None, "source", "ends", "any"])
def test_what_a_lost_switch_cuts_off_leaves_a_rule(relay: str | None) -> None:
    """Each server of three has all of its ports at one leaf."""
    keys = {} if relay is None else {**SERVED, "relay": relay}
    whole = pn.build_network("leaf-spine:leaves=3,spines=2,hosts_per_leaf=3", link_gbps=10, fail="leaf0", **keys)
    traffic = pn.build_traffic("all-to-all", whole)
    found = connected.connected(whole, traffic)
    # Three accelerators, of six at other leaves; only through what is inside servers they reach each other.
    assert found.lost_demands == (2 * 3 * 6 if relay else 2 * 3 * 6 + 3 * 2)
    assert found.traffic is not None
    assert "_listed" not in vars(found.traffic.demands)
    assert found.examples == (((0, 3), (1, 3), (2, 3)) if relay else ((0, 1), (0, 2), (0, 3)))
    answer = solve(whole, found.traffic, solver="symmetric")
    assert answer.throughput_gbps == pytest.approx(10 / 5 if relay is None else 20 / 9, rel=1e-4)
    [warning] = solve(whole, traffic).warnings
    assert f"{found.lost_demands} host pairs have a demand but no path" in warning
