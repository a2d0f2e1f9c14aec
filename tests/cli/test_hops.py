"""``pnet-lp hops``, and the failure options of the other commands."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
RunJson = Callable[..., Any]


def test_document(run_json: RunJson) -> None:
    document = run_json("hops", "fat-tree:k=4")
    assert document["level"] == "host"
    assert document["histogram"] == {"0": 16, "2": 32, "4": 192}
    assert document["mean"] == pytest.approx((2 * 32 + 4 * 192) / 240)
    assert document["mean_switches_passed"] == pytest.approx(document["mean"] + 1)
    assert (document["p50"], document["p99"], document["max"]) == (4, 4, 4)
    assert (document["pairs"], document["disconnected_pairs"]) == (240, 0)
    assert [trial["trial"] for trial in document["trials"]] == [0]
    assert document["intervals"]["mean"] is None
    assert document["rpc"] is None
    racks = run_json("hops", "fat-tree:k=4", "--level", "rack")
    assert racks["histogram"] == {"2": 8, "4": 48}


def test_trials(run_json: RunJson) -> None:
    arguments = ("hops", "jellyfish:k=8", "--fail-links", "0.3", "--trials", "5", "--seed", "3")
    document = run_json(*arguments, "--threads", "1")
    assert document == run_json(*arguments, "--threads", "2")
    means = [trial["mean"] for trial in document["trials"]]
    assert document["mean"] == pytest.approx(sum(means) / 5)
    low, high = document["intervals"]["mean"]
    assert min(means) < low < document["mean"] < high < max(means)
    assert document["pairs"] == 5 * 128 * 127
    assert sum(document["histogram"].values()) + document["disconnected_pairs"] == document["pairs"]


def test_disconnected_pairs_are_shown_and_enter_no_mean(run: Run, run_json: RunJson) -> None:
    arguments = ("hops", "path:n=3", "--fail-groups", "groups.yaml")
    Path("groups.yaml").write_text("groups: {duct: {cables: [[0, 1]]}}")
    document = run_json(*arguments)
    assert (document["mean"], document["p50"], document["disconnected_pairs"]) == (1.0, None, 4)
    shown = run(*arguments).stdout.splitlines()
    assert shown[0] == "hops      1 links between switches on average, so 2 switches passed"
    assert shown[1] == "          median none, 99th percentile none, at most 1"
    assert shown[2] == "pairs     6 of racks, 4 without a path"
    assert shown[-1].split() == ["none", "4", "66.7", "%"]


def test_nothing_connected(run: Run, run_json: RunJson) -> None:
    arguments = ("hops", "fat-tree:k=4", "--fail-planes", "0", "--rpc-bytes", "100")
    assert run_json(*arguments)["mean"] is None
    assert run(*arguments).stdout.startswith("hops      no pair has a path\n")
    swept = run("hops", "path:n=3", "--sweep", "0,100%", "--plot", "c.png", "--rpc-bytes", "9").stdout
    assert swept.splitlines()[-1].split() == ["100", "%", "none", "none", "none", "none", "6", "none"]


def test_pair(run: Run, run_json: RunJson) -> None:
    arguments = ("hops", "path:n=3", "--pair", "2", "0", "--fail-links", "0.5", "--trials", "4")
    pair = run_json(*arguments)["pair"]
    assert pair["ends"] == ["2", "0"]
    assert (pair["connected_trials"], pair["connected_probability"], pair["histogram"]) == (0, 0, {})
    assert "pair      2 reaches 0 in 0 of 4 trials (between 0 % and 48.989 %" in run(*arguments).stdout
    assert run_json("hops", "path:n=3", "--pair", "2", "0")["pair"]["histogram"] == {"2": 1}


def test_call(run: Run, run_json: RunJson) -> None:
    arguments = ("hops", "complete:n=4", "--rpc-bytes", "1500", "--hop-delay", "2")
    rpc = run_json(*arguments)["rpc"]
    expected = 3 * (4 * 2 + 1581 * 8 / 100e3)
    assert [rpc[key] for key in ("mean_us", "p50_us", "p99_us")] == pytest.approx([expected] * 3)
    assert "call      24.38 us on average" in run(*arguments).stdout
    slower = run("hops", "complete:n=4", "--rpc-bytes", "1500", "--rate", "10").stdout
    assert "1500 B at 10 Gb/s, 1 us a link" in slower


def test_sweep_table_chart_and_file(run: Run, run_json: RunJson) -> None:
    arguments = ("hops", "jellyfish:k=8", "--sweep", "0,0.2,0.4", "--trials", "3")
    document = run_json(*arguments, "--out", "rows.csv", "--plot", "chart.png")
    assert [row["fail_links"] for row in document["sweep"]] == [0, 0.2, 0.4]
    means = [row["mean"] for row in document["sweep"]]
    assert means == sorted(means)
    single = run_json("hops", "jellyfish:k=8", "--fail-links", "0.2", "--trials", "3")
    assert single["mean"] == means[1]
    rows = list(csv.DictReader(Path("rows.csv").read_text().splitlines()))
    assert [(row["fail_links"], row["trial"]) for row in rows[2:4]] == [("0.0", "2"), ("0.2", "0")]
    assert float(rows[3]["mean_hops"]) == single["trials"][0]["mean"]
    chart = Path("chart.png").read_bytes()
    assert chart.startswith(b"\x89PNG")
    shown = run(*arguments, "--plot", "chart.png").stdout
    assert Path("chart.png").read_bytes() == chart
    assert len(shown.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fail-links", "1"), "Invalid value for '--fail-links': may mean all of them or a single one, found '1'; "),
        (
            ("--fail-planes", "a"),
            "Invalid value for '--fail-planes': found 'a'; allowed: numbers joined by commas, such as 0,2",
        ),
        (("--fail-planes", "3"), "--fail-planes: no such plane, found 3; allowed: 0 to 0"),
        (("--fail-unit", "x"), "Invalid value for '--fail-unit': 'x' is not one of 'cable', 'direction', 'box'"),
        (("--fail-groups", "none.yaml"), "--fail-groups: none.yaml: cannot read the file: No such file or directory"),
        (
            ("--sweep", "0,x"),
            "Invalid value for '--sweep': not a share or a number of links, found 'x'; allowed: 0.01 or ",
        ),
        (("--sweep", "0,7"), "--sweep: plane 0 has fewer cables, found 7; allowed: at most 4"),
        (("--sweep", "0.1,2", "--plot", "c.png"), "--sweep: shares and numbers have no common axis; allowed: one of"),
        (("--plot", "c.png"), "--plot needs --sweep"),
        (("--sweep", "0", "--pair", "0", "1"), "give either --sweep or --pair"),
        (("--sweep", "0", "--fail-links", "0.1"), "give either --sweep or --fail-links"),
        (("--rate", "10"), "--rate needs --rpc-bytes"),
        (("--hop-delay", "2"), "--hop-delay needs --rpc-bytes"),
        (("--fail-unit", "box"), "--fail-unit needs --fail-links or --fail-switches or --fail-nics or --sweep"),
        (
            ("--fail-mode", "betweenness"),
            "--fail-mode needs --fail-links or --fail-switches or --fail-ports or --fail-nics or "
            "--fail-servers or --sweep",
        ),
        (("--pair", "0", "9"), "--pair: no rack is called '9'; allowed: 0 to 3"),
        (("--pair", "1", "1"), "--pair: the two ends are the same, found '1'"),
        (("--level", "host"), "the network has no hosts, so host-level demands mean nothing"),
        (("--trials", "0"), "Invalid value for '--trials': 0 is not in the range 1<=x<=1000000."),
    ],
)
def test_wrong_use(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("hops", "ring:n=4", *arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].removeprefix("Error: ").startswith(message)


def test_speeds_that_differ_need_a_rate(run: Run) -> None:
    Path("net.edges").write_text("a b 10\nb c 40\n")
    found = run("hops", "net.edges", "--rpc-bytes", "1500", code=2).stderr
    assert found == "Error: --rpc-bytes: the network's links have 2 speeds; allowed: --rate C with it\n"


def test_other_commands_see_trial_0(run_json: RunJson) -> None:
    failed = ("jellyfish:k=8", "--fail-links", "0.1", "--seed", "5", "--level", "rack")
    hops = run_json("hops", *failed, "--trials", "2")["trials"][0]["mean"]
    assert run_json("paths", *failed, "--stats", "--routing", "ecmp-lp")["hops"]["mean_shortest"] == hops
    assert run_json("topology", *failed[:-2])["planes"][0]["mean_hops"] == pytest.approx(hops)


def test_failures_reach_throughput_and_bounds(run: Run, run_json: RunJson) -> None:
    intact = run_json("throughput", "ring:n=8", "--link-gbps", "1")
    # A ring without a cable is a path of 8: the middle link carries 16 pairs.
    failed = ("ring:n=8", "--link-gbps", "1", "--fail-links", "0.125")
    document = run_json("throughput", *failed, "--save", "answer.json")
    assert intact["throughput_gbps"] == pytest.approx(1 / 8, rel=1e-4)
    assert document["throughput_gbps"] == pytest.approx(1 / 16, rel=1e-4)
    assert run("verify", "answer.json").exit_code == 0
    bounds = {row["name"]: row["value_gbps"] for row in run_json("bounds", *failed)["bounds"]}
    assert bounds["bisection"] == pytest.approx(1 / 16)


def test_traffic_by_rack_survives_a_failed_first_plane(run_json: RunJson) -> None:
    failed = ("fat-tree:k=4", "--planes", "2", "--fail-planes", "0")
    document = run_json("throughput", *failed, "--traffic", "hadoop:stage=shuffle")
    assert document["throughput_gbps"] > 0


def test_a_plot_as_svg(run: Run) -> None:
    arguments = ("hops", "ring:n=4", "--sweep", "0,0.5", "--plot", "c.svg")
    run(*arguments)
    first = Path("c.svg").read_bytes()
    assert b"<svg" in first
    run(*arguments)
    assert Path("c.svg").read_bytes() == first
    assert "allowed: .pdf, .png, .svg" in run(*arguments[:-1], "c.gif", code=2).stderr
