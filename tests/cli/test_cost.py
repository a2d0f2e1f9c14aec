"""``pnet-lp cost``."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from pnet_lp.cli import main
from pnet_lp.cli.command import Command, CommandFamily
from pnet_lp.model import ThroughputResult
from pnet_lp.questions.cost import appraise
from pnet_lp.throughput import solve

Run = Callable[..., Result]
RunJson = Callable[..., Any]

FIVE = (
    "hybrid",
    "beta-fat-tree",
    "jellyfish:servers=10240,access=sr",
    "ocs-core:hosts=10240,radix=64,planes=1,link_gbps=10,access=sr",
    "patch-panel-core:hosts=10240,radix=64,planes=1,link_gbps=10,access=sr",
)


def test_the_document(run_json: RunJson) -> None:
    document = run_json("cost", "hybrid:servers=10240,beta=1")
    assert document["architecture"] == "hybrid:servers=10240,beta=1"
    assert document["total_usd"] == 40_028_050
    assert sum(part["usd"] for part in document["parts"]) == 40_028_050
    assert all(part["usd"] == part["count"] * part["unit_usd"] for part in document["parts"])
    assert document["watts"] == pytest.approx(sum(part["watts"] for part in document["parts"]))
    assert document["usd_per"]["host"] == 40_028_050 / 10_240
    assert document["bisection"] == {"gbps": 51_200.0, "basis": "closed form"}
    assert document["usd_per"]["gbps_bisection"] == 40_028_050 / 51_200
    assert document["throughput"] is None
    assert document["optical_ports"] == 10_240


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("serial-scale-out:hosts=8192,radix=16", (4, 7, 3584, 3584, 24_576)),
        ("serial-chassis:hosts=8192,radix=16,chassis=128", (2, 7, 3584, 192, 8192)),
        ("parallel:hosts=8192,radix=16,planes=8", (2, 3, 1536, 192, 8192)),
    ],
)
def test_table_1(run_json: RunJson, text: str, row: tuple[int, ...]) -> None:
    document = run_json("cost", text)
    found = [document[key] for key in ("tiers", "switch_hops", "chips", "boxes", "links")]
    assert tuple(found) == row


def test_a_topology_with_traffic(run_json: RunJson) -> None:
    document = run_json("cost", "fat-tree:k=4", "--link-gbps", "10", "--traffic", "permutation", "--planes", "2")
    assert (document["boxes"], document["chips"]) == (20, 40)
    assert document["bisection"] == {"gbps": 160.0, "basis": "proved"}
    assert document["throughput"]["status"] == "certified"
    assert document["throughput"]["total_gbps"] == pytest.approx(320, rel=1e-3)
    expected = document["total_usd"] / document["throughput"]["total_gbps"]
    assert document["usd_per"]["gbps_throughput"] == expected


def test_planes_of_their_own(run_json: RunJson) -> None:
    document = run_json("cost", "fat-tree:k=4", "--planes", "2", "--separate", "--ports", "8")
    assert (document["boxes"], document["links"], document["ports"]["free"]) == (40, 64, 160)


def test_rack_level(run_json: RunJson) -> None:
    document = run_json("cost", "ring:n=6", "--traffic", "all-to-all", "--link-gbps", "1")
    assert (document["hosts"], document["usd_per"]["host"]) == (0, None)
    assert document["bisection"] == {"gbps": 2.0, "basis": "proved"}


def test_what_is_shown(run: Run) -> None:
    shown = run("cost", "parallel").stdout
    assert "8,192 hosts, 1,536 chips in 192 boxes, 2 tiers, 3 switch hops, 8,192 links\n" in shown
    assert "example prices, to be replaced by --prices: chassis, chip-128x100g, " in shown
    assert "closed form" in shown


def test_compare(run: Run, run_json: RunJson, here: Path) -> None:
    arguments = ("cost", "compare", "serial-scale-out", "parallel", "--out", "c.csv", "--plot", "c.png")
    document = run_json(*arguments)
    assert [item["architecture"] for item in document["architectures"]] == ["serial-scale-out", "parallel"]
    assert (document["cheapest"], document["cheapest_per"]) == ("parallel", "gbps_bisection")
    lines = (here / "c.csv").read_text().splitlines()
    assert lines[0].startswith("architecture,hosts,tiers,switch_hops,chips,boxes,links,")
    assert lines[1].startswith("serial-scale-out,8192,4,7,3584,3584,24576,")
    first = (here / "c.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    run_json(*arguments)
    assert (here / "c.png").read_bytes() == first
    shown = run("cost", "compare", "serial-scale-out", "parallel").stdout
    assert "cheapest per Gb/s of bisection: parallel" in shown
    assert "3,276,800" in shown
    assert "2,272.1" in shown


def test_the_cheapest_is_not_the_one_that_carries_least(run: Run, run_json: RunJson) -> None:
    arguments = ("cost", "compare", "ring:n=6", "complete:n=6", "--planes", "2", "--link-gbps", "10")
    document = run_json(*arguments)
    ring, complete = document["architectures"]
    assert ring["total_usd"] < complete["total_usd"]
    assert (ring["bisection"]["gbps"], complete["bisection"]["gbps"]) == (2 * 2 * 10, 2 * 9 * 10)
    assert (document["cheapest"], document["cheapest_per"]) == ("complete:n=6", "gbps_bisection")
    solved = run(*arguments, "--traffic", "stride:s=3").stdout
    assert "Gb/s carried" in solved
    assert "cheapest per Gb/s carried: complete:n=6" in solved


def test_no_cheapest_where_a_capacity_is_unknown(run: Run, run_json: RunJson) -> None:
    # All links down: no bisection, and no price for a Gb/s of it.
    document = run_json("cost", "compare", "ring:n=6", "complete:n=6", "--fail-links", "100%")
    assert document["cheapest"] is None
    assert "cheapest" not in run("cost", "compare", "ring:n=6", "complete:n=6", "--fail-links", "100%").stdout


def test_what_fails_is_paid_for_and_carries_nothing(run_json: RunJson) -> None:
    arguments = ("cost", "complete:n=6", "--link-gbps", "1", "--traffic", "all-to-all")
    whole, failed = run_json(*arguments), run_json(*arguments, "--fail-links", "0.4", "--fail-mode", "random")
    assert failed["architecture"] == "complete:n=6 (12 link directions down)"
    assert (failed["parts"], failed["total_usd"]) == (whole["parts"], whole["total_usd"])
    assert failed["bisection"]["gbps"] < whole["bisection"]["gbps"] == 9
    expected = run_json("throughput", *arguments[1:], "--fail-links", "0.4")
    assert failed["throughput"]["throughput_gbps"] == expected["throughput_gbps"]
    nothing = run_json("cost", "ring:n=6", "--fail-planes", "0")
    assert nothing["architecture"] == "ring:n=6 (12 link directions, 6 switches down)"


def test_a_name_that_is_both_an_architecture_and_a_topology(run_json: RunJson) -> None:
    def switch(*arguments: str) -> str:
        parts = run_json("cost", *arguments)["parts"]
        return next(part["part"] for part in parts if part["part"].startswith("switch"))

    assert switch("jellyfish:k=4", "--link-gbps", "100") == "switch-4x100g"
    assert switch("topology:jellyfish:k=4") == "switch-4x100g"
    assert switch("architecture:jellyfish:k=4") == "switch-4x10g"
    assert switch("jellyfish:k=4,access=sr") == "switch-4x10g"


def test_the_curve(run: Run, run_json: RunJson, here: Path) -> None:
    document = run_json("cost", "curve", "--beta", "1..32", "--out", "c.json", "--plot", "c.png")
    hybrid, tree = (curve["points"] for curve in document["architectures"])
    assert [point["beta"] for point in hybrid] == list(range(1, 33))
    assert all(ours["total_usd"] < theirs["total_usd"] for ours, theirs in zip(hybrid, tree, strict=True))
    (claim,) = document["published"]
    assert (claim["published_percent"], round(claim["percent"], 1)) == (31, 31.9)
    assert len(json.loads((here / "c.json").read_text())) == 64
    assert (here / "c.png").read_bytes().startswith(b"\x89PNG")
    shown = run("cost", "curve", "--beta", "1,1.6,4").stdout
    assert "published 31 % cheaper than the fat tree" in shown
    assert " 1.6  32.482         46.827\n" in shown


def test_a_curve_with_throughput(run_json: RunJson) -> None:
    arguments = ("--beta", "1,2", "--traffic", "permutation", "--tolerance", "0.01")
    document = run_json("cost", "curve", *arguments, "jellyfish:servers=64,ports=8", "fat-tree:k=4", "--measure")
    random, constant = document["architectures"]
    assert (random["constant"], constant["constant"]) == (False, True)
    assert constant["points"][0] == constant["points"][1] | {"beta": 1.0}
    assert all(point["status"] == "certified" for curve in (random, constant) for point in curve["points"])
    assert random["points"][0]["bisection_gbps"] > random["points"][1]["bisection_gbps"] > 0
    assert document["published"] == []


def test_five_curves_at_once(run_json: RunJson) -> None:
    document = run_json("cost", "curve", "--beta", "1..32", "--plot", "c.png", *FIVE)
    assert [len(curve["points"]) for curve in document["architectures"]] == [32] * 5


def test_equal(run: Run, run_json: RunJson) -> None:
    document = run_json("cost", "equal")
    found = [(case["oversubscription"], case["links"], round(case["excess"], 3)) for case in document["cases"]]
    assert found == [(25.0, 6, 0.076), (4.0, 20, -0.015)]
    assert run_json("cost", "equal", "25")["cases"][0]["links"] == 3
    assert "+7.6 %" in run("cost", "equal").stdout


def test_speedup(run: Run, run_json: RunJson, here: Path) -> None:
    arguments = ("cost", "speedup", "--job", "--traffic", "mpi-fft", "--traffic", "mpi-mg")
    document = run_json(*arguments, "--volume", "1e12", "--out", "s.csv", "--circuits", "c.json")
    assert [round(row["speedup"], 3) for row in document["workloads"]] == [1.875, 2.5]
    assert document["published_at_most"] == 1.3
    assert document["compared"]["excess"] == pytest.approx(0.0762, abs=1e-4)
    for row in document["workloads"]:
        assert row["speedup_lower"] <= row["speedup"] <= row["speedup_upper"]
        assert 1 < row["speedup_at_volume"] < row["speedup"]
        assert row["circuits_gbps"] <= row["limit_gbps"] * (1 + 1e-9)
    assert (here / "s.csv").read_text().splitlines()[1].startswith("mpi-fft,host,1560.0,1200.0,")
    circuits = json.loads((here / "c.json").read_text())
    assert sum(row["circuits"] for row in circuits if row["traffic"] == "mpi-fft") == 4
    shown = run(*arguments).stdout
    assert "published for whole programs, computing included: up to 30 % faster" in shown
    assert run(*arguments).stdout == shown


def test_speedup_that_never_pays(run: Run, run_json: RunJson) -> None:
    arguments = ("cost", "speedup", *["--oversubscription", "1", "--links", "2", "--servers", "64", "--ports", "16"])
    (row,) = run_json(*arguments)["workloads"]
    assert row["break_even_bytes"] is None
    assert row["speedup"] < 1
    shown = run(*arguments).stdout
    assert "never" in shown
    assert "published" not in shown


def test_prices_of_ones_own(run_json: RunJson, here: Path) -> None:
    (here / "mine.yaml").write_text("over: [hybrid-list, example]\nentries: {ocs-port: 0, switch-64x10g: 10000}\n")
    (here / "watts.yaml").write_text("over: example\nentries: {switch: 100}\n")
    document = run_json("cost", "hybrid", "--prices", "mine.yaml", "--power", "watts.yaml")
    assert document["total_usd"] == 40_028_050 - 10_240 * 340 - 320 * 20_000
    switches = [part for part in document["parts"] if part["part"].startswith("switch")]
    assert [part["watts"] for part in switches] == [32_000, 69_400, 32_000]
    assert document["prices"] == "mine.yaml over hybrid-list over example"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hybrd"], "unknown architecture 'hybrd' (did you mean 'hybrid'?); allowed: beta-fat-tree, "),
        (["hybrid", "--planes", "2"], "--planes: has no meaning for the architecture 'hybrid', found 2"),
        (["hybrid", "--fail-links", "0.5"], "--fail-links: has no meaning for the architecture 'hybrid', found 0.5"),
        (["curve", "--planes", "2"], "--planes: has no meaning for the architecture 'hybrid', found 2"),
        (
            ["compare", "fat-tree:k=4", "parallel", "--link-gbps", "10"],
            "--link-gbps: has no meaning for the architecture 'parallel', found 10.0",
        ),
        (
            ["jellyfish:k=4"],
            "jellyfish:k=4: 'jellyfish' is an architecture and a topology, and the parameters fit both; "
            "allowed: architecture:jellyfish:k=4 or topology:jellyfish:k=4",
        ),
        (["hybrid", "--level", "rack"], "--level needs --traffic"),
        (["hybrid", "--tolerance", "0.1"], "--tolerance needs --traffic"),
        (["hybrid", "--threads", "1"], "--threads needs --traffic"),
        (["hybrid", "--seed", "1"], "--seed: nothing is drawn; allowed: a TOPOLOGY, or --traffic permutation"),
        (
            ["fat-tree:k=4", "--fail-groups", "gone.yaml"],
            "--fail-groups: gone.yaml: cannot read the file: No such file",
        ),
        (
            ["parallel", "--prices", "hybrid-list"],
            "hybrid-list: no price for part 'chassis'; the book has switch-64x10g, ",
        ),
        (["hybrid", "--prices", "gone.yaml"], "--prices: gone.yaml: cannot read the file: No such file"),
        (
            ["hybrid:beta=3", "--traffic", "permutation"],
            "--traffic: has no meaning for 'hybrid:beta=3', which has no explicit network",
        ),
        (
            ["curve", "--beta", "x"],
            "Invalid value for '--beta': found 'x'; allowed: numbers joined by commas, such as 1,2.5, or a range such",
        ),
        (
            ["curve", "--beta", "5..2"],
            "Invalid value for '--beta': found '5..2'; allowed: numbers joined by commas, such as 1,2.5, or a range",
        ),
        (["curve", "--beta", "nan"], "Invalid value for '--beta': found 'nan'; allowed: numbers joined by commas"),
        (["curve", "--beta", "0..3"], "--beta: input should be greater than or equal to 1, found 0"),
        (["curve", "hybrid:beta=2"], "--beta: 'hybrid:beta=2' already gives it, found 1.0"),
        (["compare"], "Missing argument 'ARCHITECTURE...'."),
        (["equal", "40"], "beta-fat-tree: beta is at most ports / 2 = 32"),
        (["speedup", "--job", "--links", "5"], "give either --job or --links"),
        (
            ["speedup", "--ports", "7"],
            "Invalid value for '--ports': found 7; allowed: an even number, half of them for servers",
        ),
        (["speedup", "--links", "33"], "links of a ToR are out of range, found 33; allowed: 1 to 32"),
        (["speedup", "--job", "--traffic", "mpi-ftt"], "unknown traffic 'mpi-ftt' (did you mean 'mpi-fft'?)"),
        (["equal", "4", "--links", "40"], "links of a ToR are out of range, found 40; allowed: 1 to 32"),
    ],
)
def test_bad_input(run: Run, arguments: list[str], message: str) -> None:
    result = run("cost", *arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].removeprefix("Error: ").startswith(message)


def test_bounds_have_an_exit_code(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*arguments: Any, **options: Any) -> ThroughputResult:
        return replace(solve(*arguments, **options), status="bounds")

    monkeypatch.setattr(appraise, "solve", stopped)
    shown = run("cost", "fat-tree:k=4", "--traffic", "permutation", code=3).stdout
    assert "Gb/s of permutation, bounds)" in shown
    run("cost", "compare", "fat-tree:k=4", "--traffic", "permutation", code=3)
    run("cost", "curve", "fat-tree:k=4", "--beta", "1", "--traffic", "permutation", code=3)


@pytest.mark.parametrize("name", ["compare", "curve", "equal", "speedup"])
def test_every_part_explains_itself(run: Run, name: str) -> None:
    family = main.get_command(None, "cost")
    assert isinstance(family, CommandFamily)
    other = family.load(name)
    assert isinstance(other, Command)
    shown = run("cost", name, "--help").stdout
    assert f"Usage: pnet-lp cost {name} " in shown
    assert f"Example:\n  {other.example}\n" in shown
    assert f"  {name} " in run("cost", "--help").stdout
    assert run(*other.example.split()[1:]).stdout


@pytest.mark.parametrize("command", [["cost"], ["cost", "compare"], ["cost", "curve"]])
def test_what_was_assumed_of_a_file_is_said_once(run: Run, here: Path, command: list[str]) -> None:
    (here / "odd.gml").write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 speed 40 ] ]")
    result = run(*command, "odd.gml", "--json")
    assert result.exit_code == 0
    assert result.stderr.count("Warning: ") == 1
    assert "no edge has a speed" in result.stderr
    assert "not read: speed" in result.stderr
