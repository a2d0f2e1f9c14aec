"""NetGraph's scenarios: by hand, against its own maximum flows, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pnet_lp.errors import PnetError
from pnet_lp.model import TrafficMatrix
from pnet_lp.throughput import solve
from pnet_lp.topology import build_network, read_plane
from pnet_lp.topology.io import NETWORK_FORMATS
from pnet_lp.topology.io.files import parse_plane

ngraph = pytest.importorskip("ngraph")

DATA = Path(__file__).parents[1] / "data"
SITES = (DATA / "sites.netgraph").read_text()


def test_sites_by_hand() -> None:
    plane = read_plane(DATA / "sites.netgraph")
    assert plane.switch_names == (
        *(f"east/{kind}/{kind}{n}" for kind in ("leaf", "spine") for n in (1, 2)),
        *(f"west/{kind}/{kind}{n}" for kind in ("leaf", "spine") for n in (1, 2)),
        *("pop1", "pop2"),
    )
    assert plane.rack_names == plane.switch_names
    assert Counter(plane.capacity_uv_gbps.tolist()) == {100: 8, 40: 4, 7.5: 2}
    assert plane.capacity_vu_gbps.tolist() == plane.capacity_uv_gbps.tolist()
    assert Counter(plane.attributes["cost"][:, 0].tolist()) == {1: 8, 10: 4, 5: 2}
    # The hub and its two links, a leaf and its two.
    assert "6 nodes and links are disabled and left out" in plane.warnings[0]


@pytest.mark.parametrize(
    ("src", "dst"),
    [("east/leaf/leaf1", "west/leaf/leaf2"), ("west/leaf/leaf1", "pop2"), ("east/leaf/leaf2", "east/leaf/leaf1")],
)
def test_one_demand_is_the_maximum_flow(src: str, dst: str) -> None:
    network = build_network(str(DATA / "sites.netgraph"))
    names = network.endpoint_names("rack")
    found = solve(network, TrafficMatrix.from_entries("rack", len(names), [names.index(src)], [names.index(dst)]))
    scenario = ngraph.Scenario.from_yaml(SITES)
    (flow,) = ngraph.analyze(scenario.network).max_flow(f"^{src}$", f"^{dst}$").values()
    assert found.throughput_gbps == pytest.approx(flow, rel=1e-4)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("network:", "netwerk:", "f: not a scenario of NetGraph; allowed: a mapping with network"),
        (
            "demands:",
            "demand:",
            "f: unknown key of a scenario, found 'demand'; allowed: network, blueprints, components, ",
        ),
        ("count: 2, capacity", "cuont: 2, capacity", "f: NetGraph refuses it: "),
        (
            "blueprint: site}",
            "blueprint: sites}",
            "f: NetGraph refuses it: Node 'east' references unknown blueprint 'sites'.",
        ),
        (
            "pop[1-2]",
            "pop[1-2000][1-2000]",
            "f: a pattern of too many names, found 'pop[1-2000][1-2000]'; allowed: at most",
        ),
        ("leaf.count: 3", "leaf.count: 99999999", "f with 4,096 nodes and links needs about "),
        ("count: 2, capacity", "count: 99999999, capacity", "nodes and links needs about "),
        ("capacity: 7.5", "capacity: -7.5", "f: cable 'pop1' - 'pop2': invalid speed, found -7.5; allowed: 0, or "),
        (
            "seed: 7",
            "risk_groups: [{name: a, disabled: true}]",
            "f: a disabled risk group, found 'a'; allowed: disabled",
        ),
        ("seed: 7", "seed: [", "f:33: not YAML: "),
    ],
)
def test_faults_are_named(old: str, new: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.memory.available_bytes", lambda: 2**24)
    monkeypatch.setattr("pnet_lp.memory._LEAST", 0)
    assert old in SITES
    with pytest.raises(PnetError) as caught:
        parse_plane(SITES.replace(old, new, 1).encode(), "f")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.extras.installed", lambda library: library != "ngraph")
    with pytest.raises(
        PnetError, match=r"ngraph is not installed: install it with `pip install 'pnet-lp\[netgraph\]'`"
    ):
        parse_plane(SITES.encode(), "f")


def test_a_scenario_is_known_by_its_keys() -> None:
    known = NETWORK_FORMATS.get("netgraph").build
    for text in (SITES, "network: # ours\n", "vars: {}\nnetwork:\n  nodes: {}\n", "network: {nodes: {a: {}}}\n"):
        assert known.recognise(text)
    for text in ("builder: ring\n", "topology:\n  nodes:\n    network: {}\n", "network: a\n"):
        assert not known.recognise(text)
