"""``pnet-lp throughput`` and ``pnet-lp verify``: the documents, the words, the files."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow.parquet as pq
import pytest
from click.testing import Result

from pnet_lp.model import ThroughputResult
from pnet_lp.questions.throughput import answer
from pnet_lp.throughput import Interrupted

Run = Callable[..., Result]
RunJson = Callable[..., Any]

CUBE = ["throughput", "hypercube:d=3", "--link-gbps", "10", "--tolerance", "1e-6"]


def test_the_document_has_the_fields_of_the_contract(run_json: RunJson) -> None:
    document = run_json(*CUBE)
    assert document["throughput_gbps"] == document["lower_bound_gbps"] == pytest.approx(2.5, rel=1e-6)
    assert document["lower_bound_gbps"] <= document["upper_bound_gbps"] <= 2.5 * (1 + 1e-6)
    assert document["relative_gap"] <= 1e-6
    expected = {
        "status": "certified",
        "objective": "concurrent",
        "routing": "ideal",
        "level": "rack",
        "interrupted": False,
        "warnings": [],
    }
    assert {key: document[key] for key in expected} == expected
    assert document["seconds"].keys() == {"build", "solve", "certify"}
    network = document["network"]
    assert (network["planes"], network["switches"], network["hosts"], network["links"]) == (1, 8, 0, 12)
    assert (document["traffic"]["demands"], document["traffic"]["total"]) == (56, 56.0)
    assert network["fingerprint"].startswith("sha256:")
    assert document["traffic"]["fingerprint"].startswith("sha256:")
    for item in document["bottlenecks"]:
        assert item.keys() >= {"plane", "link", "share"}


def test_what_was_assumed_of_a_file_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "net.graphml"
    nx.write_graphml(nx.Graph([("a", "b", {"speed": 1})]), path)
    sentence = (
        f"{path}: no edge has a speed (capacity_gbps, capacity, bandwidth, LinkSpeedRaw), and all get 100 Gb/s, "
        "the speed of links without one (--link-gbps); not read: speed"
    )
    result = run("throughput", str(path), "--level", "rack", "--json")
    assert json.loads(result.stdout)["warnings"] == [sentence]
    assert result.stderr == f"Warning: {sentence}\n"
    assert run("topology", str(path)).stderr == f"Warning: {sentence}\n"


def test_the_words(run: Run) -> None:
    shown = run(*CUBE).stdout
    for words in (
        "Gb/s per unit demand",
        "at least 2.",
        "certified: the bounds meet within a gap of 1e-06",
        "1 plane (serial): 8 switches, 12 cables, 0 hosts",
        "all-to-all: 56 demands between racks, 56 in total",
        "limited by",
        "plane 0: ",
    ):
        assert words in shown


@pytest.mark.parametrize(
    ("options", "planes", "factor"),
    [
        ([], 1, 1),
        (["--planes", "3"], 3, 3),
        (["--planes", "3", "--variant", "homogeneous"], 3, 3),
        (["--planes", "3", "--variant", "serial-high"], 1, 3),
    ],
)
def test_planes_and_variants(run_json: RunJson, options: list[str], planes: int, factor: int) -> None:
    document = run_json(*CUBE, *options)
    assert document["network"]["planes"] == planes
    assert document["throughput_gbps"] == pytest.approx(2.5 * factor, rel=1e-5)


def test_several_topologies_are_several_planes(run_json: RunJson) -> None:
    document = run_json("throughput", "ring:n=8", "hypercube:d=3", "--link-gbps", "10")
    assert document["network"]["planes"] == 2
    assert document["network"]["variant"] == "heterogeneous"
    assert document["throughput_gbps"] > 2.5 + 10 / 8 - 1e-3


def test_levels(run_json: RunJson) -> None:
    arguments = ["throughput", "ring:n=4", "--hosts-per-switch", "2"]
    assert run_json(*arguments)["level"] == "host"
    assert run_json(*arguments, "--level", "rack")["level"] == "rack"


def test_the_seed_reaches_network_and_traffic(run_json: RunJson) -> None:
    def fingerprints(seed: int) -> tuple[str, str]:
        arguments = ["throughput", "jellyfish:switches=10,ports=4", "--traffic", "permutation"]
        document = run_json(*arguments, "--seed", str(seed), code=0)
        return document["network"]["fingerprint"], document["traffic"]["fingerprint"]

    first, second = fingerprints(1), fingerprints(2)
    assert first == fingerprints(1)
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_a_disconnected_pair_is_named(run: Run, run_json: RunJson, here: Path) -> None:
    (here / "net.edges").write_text("a b\nc d\n")
    document = run_json("throughput", "net.edges")
    assert document["throughput_gbps"] == 0
    assert document["upper_bound_gbps"] == 0
    assert document["status"] == "certified"
    assert document["solver"] == "none"
    assert "a -> c" in document["warnings"][-1]
    shown = run("throughput", "net.edges", "--links", "links.csv", "--save", "result.json").stdout
    assert "a pair without any path" in shown
    assert "concurrent with ideal routing without a solver" in shown
    assert "a -> c" in shown
    assert "holds in all" in run("verify", "result.json").stdout


def test_bounds_that_do_not_meet_exit_with_3(run: Run, run_json: RunJson, monkeypatch: pytest.MonkeyPatch) -> None:
    solve = answer.solve

    def stopped(*args: Any, **kwargs: Any) -> ThroughputResult:
        result = solve(*args, **kwargs)
        object.__setattr__(result, "status", "bounds")
        object.__setattr__(result, "interrupted", True)
        raise Interrupted(result)

    monkeypatch.setattr(answer, "solve", stopped)
    assert run_json(*CUBE, code=3)["interrupted"] is True
    assert "bounds: interrupted before they met within a gap of 1e-06" in run(*CUBE, code=3).stdout


def test_a_solver_of_other_routings_is_bad_usage(run: Run) -> None:
    said = run("throughput", "fat-tree:k=4", "--routing", "ksp:4", "--solver", "symmetric", code=2).stderr
    assert "--solver: solver 'symmetric' does not take routings over given paths; allowed: auto, columns, high" in said


def test_options_reach_the_solver(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    solve = answer.solve

    def spy(*args: Any, **kwargs: Any) -> ThroughputResult:
        seen.update(kwargs)
        return solve(*args, **kwargs)

    monkeypatch.setattr(answer, "solve", spy)
    run(*CUBE, "--solver", "highs-simplex", "--threads", "2", "--time-limit", "60")
    assert (seen["solver"], seen["threads"], seen["deadline"].limit_s, seen["tolerance"]) == (
        "highs-simplex",
        2,
        60,
        1e-6,
    )


def test_a_table_that_does_not_fit_is_refused_before_solving(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "solve", lambda *_, **__: pytest.fail("began to solve"))
    monkeypatch.setattr("pnet_lp.questions.throughput.links._BYTES_PER_RATE", 1 << 50)
    assert "Error: a table of 56 demands needs about " in run(*CUBE, "-o", "rates.csv", code=2).stderr
    assert not (here / "rates.csv").exists()


def test_links(run: Run, here: Path) -> None:
    run(*CUBE, "--planes", "2", "--links", "links.csv")
    with (here / "links.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        *["plane", "u", "v", "kind", "cable"],
        *["capacity_gbps", "load_gbps", "utilisation", "length"],
    ]
    assert len(rows) == 2 * 24
    assert {row["plane"] for row in rows} == {"0", "1"}
    for row in rows:
        load, capacity = float(row["load_gbps"]), float(row["capacity_gbps"])
        assert capacity == 10
        assert float(row["utilisation"]) == load / capacity
        assert 0 <= load <= capacity * (1 + 1e-9)
    assert max(float(row["utilisation"]) for row in rows) == pytest.approx(1, rel=1e-9)
    # All-to-all in a cube: 56 demands of 12/7 hops each, all links equally long.
    assert sum(float(row["load_gbps"]) for row in rows) == pytest.approx(5 * 56 * 12 / 7, rel=1e-5)


def test_write_lp(run: Run, here: Path) -> None:
    run(*CUBE, "--routing", "ksp:2", "--write-lp", "cube.lp")
    assert " path(0,1,1)" in (here / "cube.lp").read_text()
    refused = run(*CUBE[:-2], "--routing", "ecmp", "--write-lp", "no.lp", code=2)
    assert "no linear program where the routing fixes the split, as 'ecmp' does" in refused.stderr
    assert not (here / "no.lp").exists()


def test_links_of_no_capacity_are_listed(run: Run, here: Path) -> None:
    (here / "net.edges").write_text("a b 10\nb c 10\nc a 0\n")
    run("throughput", "net.edges", "--links", "links.json")
    rows = json.loads((here / "links.json").read_text())
    assert [row["utilisation"] for row in rows if row["capacity_gbps"] == 0] == [0, 0]
    assert len(rows) == 6


def test_rates(run_json: RunJson, here: Path) -> None:
    document = run_json(*CUBE, "--traffic", "stride:s=1", "-o", "rates.parquet")
    table = pq.read_table(here / "rates.parquet").to_pydict()
    assert list(table) == ["src", "dst", "demand", "rate_gbps"]
    assert table["src"] == [str(i) for i in range(8)]
    assert table["rate_gbps"] == [document["throughput_gbps"]] * 8


def test_a_saved_result_is_verified_and_a_tampered_one_is_not(run: Run, run_json: RunJson, here: Path) -> None:
    document = run_json(*CUBE, "--save", "result.json")
    verified = run_json("verify", "result.json")
    assert verified["verified"] is True
    assert verified["file"] == "result.json"
    assert verified["status"] == "certified"
    assert verified["lower_bound_gbps"] == pytest.approx(document["lower_bound_gbps"], rel=1e-9)
    assert verified["checks"]
    assert "result.json holds in all" in run("verify", "result.json").stdout

    stored = json.loads((here / "result.json").read_text())
    for key in ("throughput_gbps", "lower_bound_gbps"):
        stored[key] *= 1 + 1e-7
    stored["relative_gap"] = 1 - stored["lower_bound_gbps"] / stored["upper_bound_gbps"]
    (here / "tampered.json").write_text(json.dumps(stored))
    result = run("verify", "tampered.json", code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: tampered.json: ")

    (here / "other.json").write_text('{"some": "json"}')
    assert run("verify", "other.json", code=2).stderr.startswith("Error: other.json: ")


def test_what_limits_is_what_more_capacity_is_worth(run: Run, run_json: RunJson) -> None:
    """Sixteen links between leaves and spines limit together, so 1 % more of all of them gives 1 %."""
    fabric = ["throughput", "leaf-spine:leaves=4,spines=2,hosts_per_leaf=8"]
    document = run_json(*fabric)
    assert {item["equivalent"] for item in document["bottlenecks"]} == {16}
    assert sum(item["share"] for item in document["bottlenecks"]) == pytest.approx(4 / 16)
    shown = " ".join(run(*fabric).stdout.split())
    assert "limited by core links (all full) plane 0: leaf0 -> spine0 and 15 links of equal price, 100 Gb/s; " in shown
    assert "1 % more capacity in all of them gives at most 1 % more throughput" in shown
    faster = run_json("throughput", "leaf-spine:leaves=4,spines=2,hosts_per_leaf=8,link_gbps=101,host_gbps=100")
    assert faster["throughput_gbps"] <= 1.01 * document["throughput_gbps"] * (1 + 1e-9)


def test_what_a_host_sends(run: Run, run_json: RunJson) -> None:
    """Two of three hosts send 1 and 3 over access links of 10: at K = 10 / 4 into the third."""
    Path("to-one.csv").write_text("src,dst,demand\nh0,h2,1\nh1,h2,3\n")
    ask = ["throughput", "single-switch:hosts=3", "--link-gbps", "10", "--traffic", "to-one.csv"]
    assert run_json(*ask)["sends"] == pytest.approx(
        {"mean_gbps": 5.0, "max_gbps": 7.5, "mean_access_share": 0.5, "max_access_share": 0.75}
    )
    line = "5 Gb/s from a host on average, 50 % of its access links; at most 7.5 Gb/s, 75 % of its access links"
    assert line in " ".join(run(*ask).stdout.split())
    # The matrix itself is what is sent where its utilisation is the question.
    assert run_json(*ask, "--objective", "min-max-utilisation")["sends"]["mean_gbps"] == 2.0
    assert "sends       0.185 Gb/s from a rack" in run("throughput", "ring:n=4", "--link-gbps", "0.123456").stdout
    racks = run_json("throughput", "ring:n=4", "--level", "rack")["sends"]
    assert racks["mean_access_share"] is None


def test_what_a_file_leaves_open_is_said_with_the_option_that_settles_it(run: Run, run_json: RunJson) -> None:
    Path("net.edges").write_text("a b\nb c 100\nc a\n")
    speed = "net.edges: 2 links get 100 Gb/s, the speed of links without one (--link-gbps)"
    level = (
        "net.edges: names no hosts, so demands are between its 3 racks (--level rack says so, --hosts-per-switch "
        "attaches hosts)"
    )
    assert run_json("throughput", "net.edges")["warnings"] == [speed, level]
    shown = run("throughput", "net.edges")
    assert f"Warning: {speed}\nWarning: {level}\n" in shown.stderr
    assert run_json("throughput", "net.edges", "--link-gbps", "10")["warnings"] == [level]
    assert run_json("throughput", "net.edges", "--link-gbps", "10", "--level", "rack")["warnings"] == []
    assert run_json("throughput", "net.edges", "--hosts-per-switch", "1")["warnings"] == [speed]
    Path("bare.edges").write_text("a b\nb c\n")
    assert "bare.edges: no link has a speed, and all get 100 Gb/s" in run("hops", "bare.edges").stderr
    Path("full.edges").write_text("a b 100\nb c 100\n")
    assert run_json("throughput", "full.edges", "--level", "rack")["warnings"] == []
    assert run_json("throughput", "ring:n=4")["warnings"] == []


@pytest.mark.parametrize(
    "command",
    [
        ("throughput",),
        ("price-performance",),
        ("cost",),
        ("bounds",),
        ("hops",),
        ("hops", "--sweep", "0.1,0.2"),
        ("paths", "--stats"),
        ("traffic", "all-to-all", "--on"),
        ("failures", "--each", "link"),
        ("simulate", "--traffic", "permutation", "--flow-size", "10kB"),
        ("crosscheck", "--traffic", "permutation", "--flow-size", "10kB"),
        ("draw", "-o", "net.svg"),
        ("topology",),
    ],
    ids=" ".join,
)
def test_a_warning_is_printed_once_and_in_the_document(run: Run, command: tuple[str, ...]) -> None:
    Path("net.edges").write_text("a b\nb c 100\nc a\n")
    hosts = () if command[0] == "cost" else ("--hosts-per-switch", "1")
    name, *options = command
    for as_json in ((), ("--json",)):
        result = run(name, *options, "net.edges", *hosts, *as_json)
        assert result.exit_code == 0, result.stderr
        lines = result.stderr.splitlines()
        assert len(lines) == len(set(lines)) >= 1, lines
        assert any("2 links get 100 Gb/s" in line for line in lines)
        for line in lines:
            told = line.removeprefix("Warning: ")
            assert as_json or told not in " ".join(result.stdout.split())
        assert not as_json or any("2 links get 100 Gb/s" in told for told in json.loads(result.stdout)["warnings"])
