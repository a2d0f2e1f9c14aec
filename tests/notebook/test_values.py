"""Checks, references and values by themselves: what ``verify``, ``cite`` and the tables of values say from Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd
import pytest
from click.testing import CliRunner

import pnet_lp as pn
from pnet_lp.cli import main
from pnet_lp.cost import equal_cost, load_book
from pnet_lp.errors import CertificateError, SpecError, TrafficError


def document_of(*command: str) -> Any:
    return json.loads(CliRunner().invoke(main, [*command, "--json"], catch_exceptions=False).stdout)


def test_verify_is_the_command(tmp_path: Path) -> None:
    answer = pn.throughput("jellyfish:k=4", traffic="permutation", routing="ksp:4")
    answer.save(file := tmp_path / "answer.json")
    found = pn.verify(file)
    assert found.to_json() == document_of("verify", str(file))
    assert found.status == "certified"
    assert (found.interval.lower, found.interval.upper) == pytest.approx((answer.lower, answer.upper), rel=1e-9)
    assert repr(found).startswith("Verification(path=")
    claims = found.to_frame()
    assert claims["claim"].tolist() == [*found.checks, *found.trusted]
    assert claims["verified"].sum() == len(found.checks)
    assert pn.verify(answer).figures == found.figures


def test_verify_refuses_what_does_not_hold(tmp_path: Path) -> None:
    pn.throughput("ring:n=6").save(file := tmp_path / "answer.json")
    document = json.loads(file.read_text())
    with pytest.raises(SpecError, match=r"nothing\.json"):
        pn.verify(tmp_path / "nothing.json")
    document["throughput_gbps"] *= 2
    file.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="throughput_gbps"):
        pn.verify(file)


def test_full_checks_what_is_else_on_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pnet_lp.verification.paths.STEPS", 0)
    answer = pn.throughput("jellyfish:k=4", routing="ksp:4", traffic="permutation")
    brief, full = pn.verify(answer), pn.verify(answer, full=True)
    assert len(brief.trusted) > len(full.trusted)


def test_cite() -> None:
    found = pn.cite("jellyfish:k=8", routing="ksp:8")
    assert "Networking Data Centers Randomly" in found
    assert "@article{yen1971," in found
    with pytest.raises(SpecError, match=r"cite: unknown kind of model 'ruoting' \(did you mean 'routing'\?\)"):
        pn.cite(ruoting="ksp:8")


def test_a_built_network_has_failures() -> None:
    network = pn.build_network("jellyfish:k=4", planes=2, fail_links=0.1, seed=3)
    by_name = pn.throughput("jellyfish:k=4", planes=2, fail_links=0.1, seed=3, traffic="permutation")
    assert network.fingerprint == by_name.network.fingerprint
    assert network.fingerprint != pn.build_network("jellyfish:k=4", planes=2, seed=3).fingerprint
    with pytest.raises(SpecError, match="fail_lnks"):
        pn.build_network("jellyfish:k=4", fail_lnks=0.1)
    picture = pn.draw("jellyfish:k=4", planes=2, fail_links=0.1, seed=3)
    assert picture.document["failed_cables"] == 6


def test_cables_as_a_table_and_as_a_graph() -> None:
    plane = pn.build_network("jellyfish:k=4", link_gbps=10).planes[0]
    table = plane.to_frame()
    assert len(table) == plane.cable_count
    bare = pn.build_network(table)
    assert bare.host_count == 0
    assert pn.build_network(nx.MultiGraph(plane.to_networkx())).planes[0].fingerprint == plane.fingerprint
    by_table, by_plane = pn.throughput(table), pn.throughput(plane, level="rack")
    assert by_table.value == pytest.approx(by_plane.value, rel=1e-9)


def test_demands_as_a_table() -> None:
    network = pn.build_network("fat-tree:k=4")
    traffic = pn.build_traffic("gravity", network, seed=2)
    table = traffic.to_frame(network)
    assert list(table.columns) == ["src", "dst", "demand"]
    assert table["src"][0] == "h0"
    assert pn.build_traffic(table, network).fingerprint == traffic.fingerprint
    with pytest.raises(TrafficError, match="for 16 hosts, the network has 128"):
        traffic.to_frame(pn.build_network("fat-tree:k=8"))


@pytest.mark.parametrize(
    "expression",
    ["incast:senders=4,sizes=64kB", "all-reduce:size=1MB", "poisson:load=0.5,sizes=pfabric-web-search,flows=50"],
)
def test_flows_as_a_table(expression: str) -> None:
    network = pn.build_network("fat-tree:k=4")
    flows = pn.build_workload(expression, network)
    table = flows.to_frame(network)
    assert len(table) == flows.flow_count
    assert isinstance(table, pd.DataFrame)
    assert pn.build_workload(table, network).fingerprint == flows.fingerprint


def test_short_forms_are_sweeps() -> None:
    trees = ["fat-tree:k=4", "fat-tree:k=8"]
    table = pn.sweep(question="cost", vary={"architecture": trees})
    compared = document_of("cost", "compare", *trees)["architectures"]
    assert table["total_usd"].tolist() == [one["total_usd"] for one in compared]
    table = pn.sweep(question="cost", vary={"architecture": ["hybrid", "beta-fat-tree"], "beta": [1, 4]})
    curves = document_of("cost", "curve", "--beta", "1,4")["architectures"]
    assert table["total_usd"].tolist() == [point["total_usd"] for curve in curves for point in curve["points"]]
    case = document_of("cost", "equal", "25", "--links", "6")["cases"][0]
    found = equal_cost(25, load_book("price"), load_book("power"), links=6)
    assert (found.tree_usd, found.excess) == (case["tree_usd"], case["excess"])
    table = pn.sweep("fat-tree:k=4", question="hops", vary={"fail_links": [0.1, 0.2]}, trials=3)
    swept = document_of("hops", "fat-tree:k=4", "--sweep", "0.1,0.2", "--trials", "3")["sweep"]
    assert table["mean_hops"].tolist() == [one["mean"] for one in swept]
