"""``pnet-lp topology``, ``list`` and ``sweep``."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from pnet_lp.cli import sweep
from pnet_lp.report.registries import WIDEST_PARAMETER, routing_documents
from pnet_lp.throughput import SOLVERS
from pnet_lp.topology import topologies
from pnet_lp.traffic import traffics

Run = Callable[..., Result]
RunJson = Callable[..., Any]


def test_topology_describes(run: Run, run_json: RunJson) -> None:
    document = run_json("topology", "fat-tree:k=4")
    assert (document["switches"], document["hosts"], document["cables"]) == (20, 16, 32)
    shown = run("topology", "fat-tree:k=4", "jellyfish:k=4", "jellyfish:k=4").stdout
    assert "3 planes: 60 switches, 16 hosts, 96 cables" in shown
    assert "planes 1, 2" in shown
    assert "20 (8 + 8 + 4 from the hosts upwards)" in shown
    assert all(line == line.rstrip() for line in shown.splitlines())


def test_topology_converts(run_json: RunJson) -> None:
    before = run_json("topology", "jellyfish:k=4,seed=3", "-o", "net.graphml")
    after = run_json("topology", "net.graphml")
    assert after["fingerprint"] == before["fingerprint"]


@pytest.mark.parametrize(
    ("kind", "registry"), [("topologies", topologies), ("traffic", traffics), ("solvers", SOLVERS)]
)
def test_list_shows_every_entry(run: Run, run_json: RunJson, kind: str, registry: Any) -> None:
    document = run_json("list", kind)
    assert document["kind"] == kind
    assert [entry["name"] for entry in document["entries"]] == registry.names()
    shown = run("list", kind).stdout
    for entry in document["entries"]:
        assert entry["name"] in shown
        for parameter in entry["parameters"]:
            written = f"{parameter['name']}={parameter['type']}"
            assert written[:WIDEST_PARAMETER] in shown


def test_list_gives_types_and_defaults(run_json: RunJson) -> None:
    entries = {entry["name"]: entry for entry in run_json("list", "traffic")["entries"]}
    kind, given, seed = entries["permutation"]["parameters"]
    assert (kind["type"], kind["default"], kind["required"]) == ("random|pairs", "random", False)
    assert given["type"] == "list of int"
    assert (seed["type"], seed["default"]) == ("int", None)
    assert entries["stride"]["parameters"][0]["required"] is True
    assert entries["shortest-matching"]["parameters"] == []


def test_list_solvers_says_what_they_can(run_json: RunJson) -> None:
    entries = {entry["name"]: entry for entry in run_json("list", "solvers")["entries"]}
    assert entries["structured"]["installed"] is True
    assert "ideal" in entries["structured"]["routings"]
    assert "concurrent" in entries["structured"]["objectives"]


def test_every_routing_of_a_solver_is_listed() -> None:
    known = {document["name"] for document in routing_documents()}
    assert set().union(*(entry.build.routings for entry in SOLVERS)) == known


def test_list_as_a_table(run: Run, here: Path) -> None:
    run("list", "traffic", "-o", "traffic.csv")
    with (here / "traffic.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    shown = {"longest-matching", "permutation", "stride"}
    assert [(row["name"], row["parameter"]) for row in rows if row["name"] in shown] == [
        ("longest-matching", ""),
        ("permutation", "kind"),
        ("permutation", "map"),
        ("permutation", "seed"),
        ("stride", "s"),
    ]
    assert list(dict.fromkeys(row["name"] for row in rows)) == traffics.names()


SPEC = """
title: A trial
baseline: one
common: {topology: "ring:n=6", link_gbps: 9}
cases:
  one: {}
  two: {planes: 2}
"""


@pytest.fixture
def trial(here: Path) -> Path:
    folder = here / "trial"
    folder.mkdir()
    (folder / "spec.yaml").write_text(SPEC)
    return folder


def test_sweep_prints_stores_and_draws(run: Run, run_json: RunJson, here: Path, trial: Path) -> None:
    result = run("sweep", "trial", "-o", "table.json")
    assert "A trial" in result.stdout
    assert "200.0" in result.stdout
    assert result.stdout.splitlines()[-1] == "chart: results/trial/throughput.png"
    assert result.stderr == ""
    chart = here / "results" / "trial" / "throughput.png"
    before = chart.read_bytes()
    document = run_json("sweep", str(trial))
    assert document["experiment"] == "trial"
    assert document["files"] == ["results/trial/throughput.png"]
    assert document["cases"] == json.loads((here / "table.json").read_text())
    assert document["cases"][0]["throughput_gbps"] == pytest.approx(2, rel=1e-4)
    assert document["cases"][1]["percent"] == pytest.approx(200, rel=2e-4)
    assert chart.read_bytes() == before


def test_sweep_elsewhere_and_anew(run: Run, here: Path, trial: Path) -> None:
    run("sweep", str(trial), "--results", "elsewhere")
    seconds = here / "elsewhere" / "trial" / "one" / "seconds.json"
    before = seconds.read_bytes()
    run("sweep", str(trial), "--results", "elsewhere")
    assert seconds.read_bytes() == before
    run("sweep", "trial", "--results", "elsewhere", "--no-resume")
    assert seconds.read_bytes() != before


def test_a_case_without_a_certificate_shows_in_the_exit_code(run: Run, here: Path, trial: Path) -> None:
    run("sweep", str(trial))
    record = here / "results" / "trial" / "two" / "result.json"
    record.write_text(record.read_text().replace('"certified"', '"bounds"'))
    assert "chart: " in run("sweep", str(trial), code=3).stdout


@pytest.mark.usefixtures("trial")
def test_an_interrupted_sweep_says_how_to_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = sweep.run_experiment

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        yield next(undisturbed(*args, **kwargs))
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "run_experiment", interrupted)
    result = run("sweep", "trial", code=130)
    assert result.stdout == ""
    assert result.stderr == (
        "1 of 2 cases are stored in results/trial; the same command goes on from there\nError: interrupted\n"
    )
    monkeypatch.setattr(sweep, "run_experiment", undisturbed)
    run("sweep", "trial")
