"""``pnet-lp topology``, ``list`` and ``sweep``."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result

import pnet_lp.questions.throughput.answer as throughput
from pnet_lp.cli import sweeping
from pnet_lp.report.registries import KIND_LINES, KINDS, WIDEST_PARAMETER
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
    builders = [entry["name"] for entry in document["entries"] if entry["type"] == "builder"]
    assert builders == registry.names()
    lines = run("list", kind).stdout.splitlines()
    for entry in document["entries"]:
        assert any(line.startswith(f"{entry['name']}  ") and entry["summary"].split(";")[0] in line for line in lines)


@pytest.mark.parametrize(("kind", "folder"), [("topologies", "topologies"), ("traffic", "traffic_matrices")])
def test_list_shows_the_catalogue(run: Run, run_json: RunJson, here: Path, kind: str, folder: str) -> None:
    (here / folder).mkdir()
    (here / folder / "mine.yaml").write_text("description: two\n  lines\nsource: me\nwhen: 2020-01-01\n")
    (here / folder / "broken.yaml").write_text("a: [\n")
    (here / folder / "words.yaml").write_text("no mapping\n")
    entries = {entry["name"]: entry for entry in run_json("list", kind)["entries"] if entry["type"] == "catalogue"}
    shipped = {path.stem for path in (REPOSITORY / folder).glob("*.yaml")}
    assert set(entries) == shipped | {"mine", "broken", "words"}
    for name in shipped:
        assert entries[name]["summary"] == entries[name]["spec"]["description"]
    assert entries["mine"] == {
        "name": "mine",
        "type": "catalogue",
        "summary": "two lines",
        "source": "me",
        "parameters": [],
        "file": f"{folder}/mine.yaml",
        "spec": {"description": "two lines", "source": "me", "when": "2020-01-01"},
    }
    assert entries["broken"]["spec"] is None
    assert entries["broken"]["summary"].startswith(f"(cannot be used: {folder}/broken.yaml:2: not YAML: ")
    assert entries["words"]["summary"] == (f"(cannot be used: {folder}/words.yaml: not a spec; allowed: a mapping)")
    lines = run("list", kind).stdout.splitlines()
    assert lines.index("catalogue") < lines.index(next(line for line in lines if line.startswith("mine ")))


@pytest.mark.parametrize(
    ("kind", "registry"), [("topologies", topologies), ("traffic", traffics), ("solvers", SOLVERS)]
)
def test_list_shows_one_builder_in_full(run: Run, run_json: RunJson, kind: str, registry: Any) -> None:
    for name in registry.names():
        (entry,) = run_json("list", kind, name)["entries"]
        assert entry["name"] == name
        shown = " ".join(run("list", kind, name).stdout.split())
        assert shown.startswith(name)
        for parameter in entry["parameters"]:
            written = f"{parameter['name']}={parameter['type']}"
            assert written[:WIDEST_PARAMETER] in shown
            assert parameter["description"].split()[0] in shown


def test_list_shows_defaults_and_units(run: Run) -> None:
    shown = " ".join(run("list", "topologies", "hyperx").stdout.split())
    assert "link_gbps=float 100.0 speed of every cable, Gb/s in each direction" in shown
    assert "dims=list of int required" in shown
    assert "k=list of int 1 cables" in shown
    assert "bijective=bool false" in " ".join(run("list", "traffic", "staggered").stdout.split())
    assert "parameters none" in " ".join(run("list", "traffic", "longest-matching").stdout.split())


def test_list_shows_one_spec_in_full(run: Run, run_json: RunJson, here: Path) -> None:
    shown = " ".join(run("list", "topologies", "jellyfish-k8-heterogeneous-4x").stdout.split())
    for text in ("builder jellyfish", "parameters k=8, seed=1", "planes 4", "variant heterogeneous", "P-Net"):
        assert text in shown
    (entry,) = run_json("list", "traffic", "sopa-four-flows")["entries"]
    assert entry["spec"]["file"] == "sopa-four-flows.csv"
    (here / "topologies").mkdir()
    (here / "topologies" / "two.yaml").write_text("planes:\n- file: a.adj\n- builder: ring\n")
    assert "planes file=a.adj builder=ring" in " ".join(run("list", "topologies", "two").stdout.split())
    # A builder and a spec of one name are both shown.
    (here / "topologies" / "ring.yaml").write_text("builder: star\n")
    types = [entry["type"] for entry in run_json("list", "topologies", "ring")["entries"]]
    assert types == ["builder", "catalogue"]
    assert "builder star" in " ".join(run("list", "topologies", "ring").stdout.split())


def test_list_of_an_unknown_name_offers_the_nearest(run: Run) -> None:
    wrong = run("list", "topologies", "jelyfish-k8", code=2).stderr
    assert wrong.startswith(
        "Error: there is no 'jelyfish-k8' among the topologies (did you mean 'jellyfish-k8'?); allowed: bcube, "
    )
    assert run("list", "routings", "idael", code=2).stderr == (
        "Error: there is no 'idael' among the routings (did you mean 'ideal'?); allowed: ecmp, ecmp-lp, "
        "ecmp-split, edge-disjoint:K, hedera, ideal, ksp:K, vlb\n"
    )


def test_list_alone_lists_its_kinds(run: Run, run_json: RunJson, here: Path) -> None:
    assert list(KIND_LINES) == list(KINDS)
    assert [one["kind"] for one in run_json("list")["kinds"]] == list(KINDS)
    assert [line.split()[0] for line in run("list", "-o", "kinds.csv").stdout.splitlines()][: len(KINDS)] == list(KINDS)
    assert len((here / "kinds.csv").read_text().splitlines()) == 1 + len(KINDS)
    wrong = run("list", "transport", code=2).stderr
    assert "found 'transport' (did you mean 'transports'?); allowed: topologies, traffic, " in wrong


@pytest.mark.parametrize("kind", KINDS)
def test_list_gives_every_kind_as_json(run_json: RunJson, kind: str) -> None:
    assert run_json("list", kind)["entries"]


def test_list_shows_books_as_tables(run: Run, run_json: RunJson) -> None:
    lines = [line.split() for line in run("list", "prices").stdout.splitlines()]
    assert ["part", "USD", "USD", "per", "Gb/s", "date", "source"] in lines
    bought = [
        "switch-48x1g",
        "3,595",
        "undated,",
        "as",
        "the",
        "paper",
        "table",
        "1:",
        "Juniper",
        "EX2200,",
        "48",
        "ports",
    ]
    assert bought in lines
    alone = run("list", "powers", "example").stdout
    assert "W per Gb/s" in alone
    assert "USD" not in alone
    book = run_json("list", "powers", "example")["entries"][0]
    assert {part["part"] for part in book["parts"]} == set(book["spec"]["entries"])


def test_list_gives_types_and_defaults(run_json: RunJson) -> None:
    entries = {entry["name"]: entry for entry in run_json("list", "traffic")["entries"]}
    kind, given, seed = entries["permutation"]["parameters"]
    assert (kind["type"], kind["default"], kind["required"]) == ("random|pairs|halves", "random", False)
    assert given["type"] == "list of int"
    assert (seed["type"], seed["default"]) == ("int", None)
    assert entries["stride"]["parameters"][0]["required"] is True
    assert entries["shortest-matching"]["parameters"] == []


def test_list_solvers_says_what_they_can(run_json: RunJson) -> None:
    entries = {entry["name"]: entry for entry in run_json("list", "solvers")["entries"]}
    assert entries["structured"]["installed"] is True
    assert entries["structured"]["forms"] == ["arc", "path"]
    assert "concurrent" in entries["structured"]["objectives"]


def test_every_form_has_a_solver() -> None:
    assert set().union(*(entry.build.forms for entry in SOLVERS)) == {"arc", "shortest", "path"}


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
    builders = [row["name"] for row in rows if row["entry"] == "builder"]
    assert list(dict.fromkeys(builders)) == traffics.names()
    assert "sopa-four-flows" in {row["name"] for row in rows if row["entry"] == "catalogue"}
    run("list", "topologies", "hyperx", "-o", "hyperx.json")
    (k,) = (row for row in json.loads((here / "hyperx.json").read_text()) if row["parameter"] == "k")
    assert (k["name"], k["entry"], k["default"], k["required"]) == ("hyperx", "builder", "1", False)
    run("list", "topologies", "-o", "all.parquet")


REPOSITORY = Path(__file__).parents[2]

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
    assert result.stdout.splitlines()[-1] == "chart: results/trial/chart.png"
    assert result.stderr == ""
    chart = here / "results" / "trial" / "chart.png"
    before = chart.read_bytes()
    document = run_json("sweep", str(trial))
    assert document["experiment"] == "trial"
    assert document["files"] == [f"results/trial/{name}" for name in ("chart.png", "cases.csv", "draws.csv")]
    assert document["cases"] == json.loads((here / "table.json").read_text())
    package = json.loads((here / "results" / "trial" / "datapackage.json").read_text())
    assert (package["name"], package["title"]) == ("trial", "A trial")
    for resource in package["resources"]:
        # Every cell is what its column is said to hold.
        kinds = {"integer": int, "number": float, "boolean": bool, "string": str}
        fields = {field["name"]: field for field in resource["schema"]["fields"]}
        with (here / "results" / "trial" / resource["path"]).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == list(fields)
        for row in rows:
            for name, cell in row.items():
                assert not cell or kinds[fields[name]["type"]](cell) is not None
        assert fields["throughput_gbps"] == {"name": "throughput_gbps", "type": "number", "unit": "Gb/s"}
    run("sweep", str(trial), "--tables", "parquet")
    assert not (here / "results" / "trial" / "cases.csv").exists()
    other = json.loads((here / "results" / "trial" / "datapackage.json").read_text())
    for resource, same in zip(other["resources"], package["resources"], strict=True):
        assert (resource["format"], resource["path"]) == ("parquet", same["path"].replace("csv", "parquet"))
        assert resource["schema"]["fields"] == same["schema"]["fields"]
        columns = pq.read_table(here / "results" / "trial" / resource["path"]).column_names
        assert columns == [field["name"] for field in resource["schema"]["fields"]]
    assert document["cases"][0]["throughput_gbps"] == pytest.approx(2, rel=1e-4)
    assert document["cases"][1]["percent"] == pytest.approx(200, rel=2e-4)
    assert chart.read_bytes() == before


def test_sweep_elsewhere_and_anew(run: Run, here: Path, trial: Path) -> None:
    run("sweep", str(trial), "--results", "elsewhere")
    seconds = here / "elsewhere" / "trial" / "one" / "draw-0" / "spent.json"
    before = seconds.read_bytes()
    run("sweep", str(trial), "--results", "elsewhere")
    assert seconds.read_bytes() == before
    run("sweep", "trial", "--results", "elsewhere", "--no-resume")
    assert seconds.read_bytes() != before


def test_sweep_in_part_over_draws_and_processes(run: Run, run_json: RunJson, here: Path, trial: Path) -> None:
    (trial / "spec.yaml").write_text(SPEC.replace("link_gbps: 9", "link_gbps: 9, traffic: permutation"))
    document = run_json("sweep", "trial", "--draws", "3", "--case", "t*", "--jobs", "2")
    assert [(case["case"], case["draws"]) for case in document["cases"]] == [("one", 3), ("two", 3)]
    one, two = document["cases"]
    assert two["percent"] == pytest.approx(200, rel=1e-3)
    assert one["standard_error_gbps"] > two["percent_error"] >= 0
    assert len({draw["seed"] for draw in document["draws"]}) == 3
    with (here / "results" / "trial" / "draws.csv").open(newline="") as file:
        assert [row["case"] for row in csv.DictReader(file)] == ["one"] * 3 + ["two"] * 3
    with (here / "results" / "trial" / "cases.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["throughput_gbps"]) == one["throughput_gbps"]
    assert "±" in run("sweep", "trial", "--draws", "3").stdout
    wrong = run("sweep", "trial", "--case", "tow", code=2)
    assert "trial: no case is called 'tow' (did you mean 'two'?); allowed: one, two\n" in wrong.stderr


def test_a_case_without_a_certificate_shows_in_the_exit_code(
    run: Run, trial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = throughput.solve

    def stopped(*args: Any, **kwargs: Any) -> Any:
        result = undisturbed(*args, **kwargs)
        object.__setattr__(result, "status", "bounds")
        return result

    monkeypatch.setattr(throughput, "solve", stopped)
    assert "chart: " in run("sweep", str(trial), code=3).stdout
    monkeypatch.setattr(throughput, "solve", undisturbed)
    assert "chart: " in run("sweep", str(trial), code=3).stdout


@pytest.mark.usefixtures("trial")
def test_an_interrupted_sweep_says_how_to_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = sweeping.run_experiment

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        yield next(undisturbed(*args, **kwargs))
        raise KeyboardInterrupt

    monkeypatch.setattr(sweeping, "run_experiment", interrupted)
    result = run("sweep", "trial", code=130)
    assert result.stdout == ""
    assert result.stderr == (
        "Error: interrupted; 1 of 2 cases are stored in results/trial; the same command continues from there\n"
    )
    monkeypatch.setattr(sweeping, "run_experiment", undisturbed)
    run("sweep", "trial")
