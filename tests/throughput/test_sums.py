"""Sums of a rule and of listed demands: the optimum of the listed sum, by classes, without writing the rule out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pnet_lp as pn
from pnet_lp.errors import TimeLimitError
from pnet_lp.model import TrafficMatrix
from pnet_lp.model.demands import Demands, Grouped, Pairs, Product, Summed
from pnet_lp.model.servers import RELAYS, Relay
from pnet_lp.throughput import solve
from pnet_lp.throughput.proofs.store import load_result, save_result
from pnet_lp.throughput.verify import verify_file
from pnet_lp.traffic import build_traffic

FABRIC = "leaf-spine:leaves=4,spines=2,hosts_per_leaf=4"


def both(pattern: str, network: pn.Network, patch: pytest.MonkeyPatch) -> tuple[TrafficMatrix, TrafficMatrix]:
    """Return demands as a rule with a list, and listed."""
    pairs = build_traffic(pattern, network)
    patch.setattr("pnet_lp.model.traffic.LISTED_PAIRS", 0)
    rule = build_traffic(pattern, network)
    assert isinstance(rule.demands, Summed)
    assert isinstance(pairs.demands, Pairs)
    return rule, pairs


@pytest.mark.parametrize("relay", RELAYS)
@pytest.mark.parametrize(
    ("topology", "pattern"),
    [
        (FABRIC, "2*all-to-all+ring"),
        (FABRIC, "groups:size=8,of=ring+all-to-all+0.5*groups:size=2,stride=2,of=all-to-all"),
        ("fat-tree:k=4", "all-to-all+3*groups:size=4,stride=4,of=ring"),
        ("fat-tree:k=4", "gravity+ring"),
    ],
)
def test_a_rule_beside_a_list_has_the_optimum_of_the_listed_sum(
    monkeypatch: pytest.MonkeyPatch, topology: str, pattern: str, relay: str, tmp_path: Path
) -> None:
    keys: dict[str, Any] = {"server": "single-switch:hosts=4", "server_gbps": 90, "rails": 2, "relay": relay}
    network = pn.build_network(topology, planes=2, link_gbps=40, **keys)
    rule, pairs = both(pattern, network, monkeypatch)
    found, whole = (solve(network, traffic, solver="symmetric") for traffic in (rule, pairs))
    assert found.throughput_gbps == pytest.approx(whole.throughput_gbps, rel=1e-9)
    if found.certificate is None:
        return
    assert found.throughput_gbps == pytest.approx(solve(network, pairs, solver="highs-simplex").throughput_gbps, 1e-6)
    save_result(tmp_path / "r.json", network, rule, found)
    assert verify_file(tmp_path / "r.json").trusted == ()
    again = load_result(tmp_path / "r.json").traffic
    assert isinstance(again.demands, Summed)
    assert again.fingerprint == rule.fingerprint


@given(
    pairs=st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15), st.sampled_from([0.5, 1.0, 3.0])), min_size=1),
    relay=st.sampled_from(RELAYS),
    size=st.sampled_from([0, 4]),
)
@settings(deadline=None, max_examples=25)
def test_any_list_beside_a_rule_is_added_to_it(pairs: list[tuple[int, int, float]], relay: Relay, size: int) -> None:
    network = pn.build_network(FABRIC, planes=2, server="single-switch:hosts=4", server_gbps=60, relay=relay)
    src, dst, demand = (
        np.array(column) for column in zip(*[p for p in pairs if p[0] != p[1]] or [(0, 9, 1)], strict=True)
    )
    rule = build_traffic("all-to-all", network)
    if size:
        rule = rule.in_groups(np.arange(16) // size, 0.25)
    listed = TrafficMatrix.from_entries("host", 16, src, dst, demand)
    demands = Summed(rule.demands, listed.pairs)  # type: ignore[arg-type]
    joined = TrafficMatrix("host", 16, demands)
    found, whole = (solve(network, each, solver="symmetric") for each in (joined, rule + listed))
    assert found.throughput_gbps == pytest.approx(whole.throughput_gbps, rel=1e-9)


@pytest.mark.parametrize("relay", RELAYS)
def test_a_ring_beside_all_to_all_of_thousands_is_solved_by_classes(
    monkeypatch: pytest.MonkeyPatch, relay: str, tmp_path: Path
) -> None:
    """What leaves a server passes its NICs, one by one where none forwards at its end."""

    def listed(_: Demands, what: str) -> None:
        raise AssertionError(f"pairs are written out: {what}")

    network = pn.build_network(
        "leaf-spine:leaves=64,spines=16,hosts_per_leaf=16", planes=2, server="single-switch:hosts=8", relay=relay
    )
    traffic = build_traffic("2*all-to-all+ring", network)
    for rule in (Product, Grouped, Summed):
        monkeypatch.setattr(rule, "listed", listed)
    found = solve(network, traffic)
    apart = {"ends": 1600 / (16 * 1016 + 1), "any": 1600 / (16 * 1016 + 1)}
    assert (found.solver, found.throughput_gbps) == (
        "symmetric",
        pytest.approx(apart.get(relay, 200 / (2 * 1016 + 1)), rel=1e-9),
    )
    save_result(tmp_path / "r.json", network, traffic, found)
    assert verify_file(tmp_path / "r.json").status == "certified"


def test_networks_without_servers_list_sums() -> None:
    network = pn.build_network("leaf-spine:leaves=32,spines=2,hosts_per_leaf=32")
    found = build_traffic("all-to-all+ring", network)
    assert isinstance(found.demands, Pairs)
    terms = [build_traffic(text, network) for text in ("all-to-all", "ring")]
    assert isinstance((terms[0] + terms[1]).on_graph(network).demands, Pairs)


def test_a_sum_in_python_stays_a_rule_until_it_is_solved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    network = pn.build_network(FABRIC)
    parts = [build_traffic(pattern, network) for pattern in ("all-to-all", "ring")]
    pairs = parts[0] + parts[1]
    monkeypatch.setattr("pnet_lp.model.traffic.LISTED_PAIRS", 0)
    rule = parts[0] + parts[1]
    assert isinstance(rule.demands, Summed)
    assert isinstance(pairs.demands, Pairs)
    found, whole = (solve(network, traffic) for traffic in (rule, pairs))
    assert found.interval == whole.interval
    save_result(tmp_path / "r.json", network, rule, found)
    assert verify_file(tmp_path / "r.json").trusted == ()


def test_what_is_known_of_classes_in_time_is_reported() -> None:
    """First bounds of 134 million variables take longer than the limit, and those on classes do not."""
    topology = "leaf-spine:leaves=64,spines=16,hosts_per_leaf=32"
    network = pn.build_network(topology, planes=8, server="single-switch:hosts=8")
    found = solve(network, build_traffic("all-to-all", network), time_limit_s=6)
    assert (found.solver, found.status) == ("symmetric", "certified")


def test_too_little_time_for_a_bound_is_said_at_once() -> None:
    network = pn.build_network("leaf-spine:leaves=64,spines=16,hosts_per_leaf=64", planes=8, server="ring:n=8")
    traffic = build_traffic("all-to-all+permutation", network)
    with pytest.raises(TimeLimitError, match=r"first bounds of 16,773,120 demands alone take about \d+ s"):
        solve(network, traffic, time_limit_s=1)
