"""``pnet-lp sweep --vary``: an experiment made of options."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from click.testing import Result

import pnet_lp as pn
from pnet_lp.cli import sweeping

Run = Callable[..., Result]

GRID = [
    *("jellyfish:k=4", "--vary", "planes=1,2", "--vary", "routing=ecmp,ideal", "--draws", "2"),
    *("--level", "rack", "--link-gbps", "10"),
]


def table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def test_the_table_is_that_of_python(run: Run, here: Path) -> None:
    run("sweep", *GRID, "-o", "draws.csv", "--rows", "draw")
    requested = {"vary": {"planes": [1, 2], "routing": ["ecmp", "ideal"]}, "draws": 2, "level": "rack", "link_gbps": 10}
    same = pn.sweep("jellyfish:k=4", **requested)  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(table(here / "draws.csv"), same, check_dtype=False)
    run("sweep", *GRID, "-o", "cases.csv", "--baseline", "planes=1")
    means = pn.sweep("jellyfish:k=4", **requested, baseline={"planes": 1}, mean=True)  # type: ignore[arg-type]
    found = table(here / "cases.csv")
    pd.testing.assert_frame_equal(found.drop(columns="seconds"), means.drop(columns="seconds"), check_dtype=False)
    # The mean is that of the draws, each of which is what a single solve gives.
    by_hand = same.groupby(["planes", "routing"])["throughput_gbps"].agg(["mean", "sem"]).reset_index()
    assert found["throughput_gbps"].tolist() == pytest.approx(by_hand["mean"].tolist())
    assert found["standard_error_gbps"].tolist() == pytest.approx(by_hand["sem"].tolist(), abs=1e-9)
    one = pn.throughput("jellyfish:k=4", level="rack", link_gbps=10, planes=2, seed=int(same["seed"].iloc[-1]))
    assert one.value == same["throughput_gbps"].iloc[-1]


def test_the_spec_gives_the_same_table(run: Run, here: Path) -> None:
    chart = ("--baseline", "planes=1", "--facet", "routing", "--unit", "gbps", "--spread", "standard-deviation")
    written = run("sweep", *GRID, *chart, "--write-spec", "mine/planes")
    assert written.stdout == "4 cases, 8 draws: pnet-lp sweep mine/planes\n"
    assert not (here / "results").exists()
    run("sweep", *GRID, *chart, "-o", "one.csv", "--chart", "one.svg")
    run("sweep", "mine/planes", "-o", "other.csv", "--chart", "other.svg")
    one, other = table(here / "one.csv"), table(here / "other.csv")
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), other.drop(columns="seconds"))
    assert (here / "one.svg").read_bytes() == (here / "other.svg").read_bytes()
    again = run("sweep", *GRID, "--write-spec", "mine/planes", code=2)
    assert "--write-spec: there is a spec already, found 'mine/planes/spec.yaml'" in again.stderr
    named = run("sweep", *GRID, "--write-spec", "mine.yaml", code=2)
    assert "--write-spec: a spec is called spec.yaml, found 'mine.yaml'; allowed: its folder" in named.stderr


def test_draws_are_kept_and_an_interrupted_sweep_goes_on(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = sweeping.run_experiment

    def interrupted(*args: object, **options: object):  # type: ignore[no-untyped-def]
        for i, record in enumerate(undisturbed(*args, **options)):  # type: ignore[arg-type]
            if i == 2:
                raise KeyboardInterrupt
            yield record

    monkeypatch.setattr(sweeping, "run_experiment", interrupted)
    stopped = run("sweep", *GRID, code=130)
    assert "2 of 4 cases are stored in results/throughput-by-planes-routing-" in stopped.stderr
    (folder,) = (here / "results").iterdir()
    times = {path: path.stat().st_mtime_ns for path in folder.glob("*/draw-*/result.json")}
    monkeypatch.setattr(sweeping, "run_experiment", undisturbed)
    run("sweep", *GRID)
    # One more value along an axis keeps what there is.
    run("sweep", *(word.replace("planes=1,2", "planes=1,2,3") for word in GRID), "--jobs", "1")
    assert [path.name for path in (here / "results").iterdir()] == [folder.name]
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert len(list(folder.glob("*/draw-*/result.json"))) == 12


def test_other_questions(run: Run, here: Path) -> None:
    run("sweep", "ring:n=6", "--vary", "fail-links=0,0.2", "--trials", "3", "-o", "hops.csv")
    assert table(here / "hops.csv")["mean_hops"].is_monotonic_increasing
    run("sweep", "--vary", "architecture=fat-tree:k=8,fat-tree:k=16", "-o", "cost.csv")
    assert table(here / "cost.csv")["total_usd"].is_monotonic_increasing
    document = run(
        *("sweep", "fat-tree:k=4", "--traffic", "permutation", "--flow-size", "1kB", "--vary", "link-delay=1us,5us"),
        *("--column", "p99_fct_us", "--unit", "us", "--json"),
    )
    cases = json.loads(document.stdout)["cases"]
    assert [case["link_delay"] for case in cases] == ["1us", "5us"]
    assert cases[0]["p99_fct_us"] < cases[1]["p99_fct_us"]
    run("sweep", "ring:n=6", "--vary", "planes=1,2", "--question", "bounds", "-o", "bounds.csv")
    assert table(here / "bounds.csv")["tightest_bound_gbps"].is_monotonic_increasing


def test_the_headline_is_a_column(run: Run, here: Path) -> None:
    run("sweep", *GRID, "-o", "one.csv")
    run("sweep", *GRID, "--column", "throughput_gbps", "-o", "other.csv")
    pd.testing.assert_frame_equal(
        table(here / "one.csv").drop(columns="seconds"), table(here / "other.csv").drop(columns="seconds")
    )
    total = ("sweep", "ring:n=4", "--vary", "planes=1,2", "--objective", "total", "--traffic", "permutation")
    run(*total, "--column", "total_gbps", "-o", "total.csv")
    assert table(here / "total.csv")["total_gbps"].gt(0).all()
    said = run(*total, "--column", "throughput_gbps", code=2).stderr
    assert "no column is called 'throughput_gbps'; allowed: solved_by, total_gbps" in said
    # Of cases that ask for different things, none is a column of all.
    mixed = ("sweep", "ring:n=4", "--vary", "objective=total,concurrent")
    assert "allowed: solved_by\n" in run(*mixed, "--column", "throughput_gbps", code=2).stderr


def test_keys_that_take_several_values(run: Run, here: Path) -> None:
    run("sweep", "ring:n=6", "--planes", "3", "--vary", 'fail-planes=0,"1,2"', "-o", "t.csv")
    with (here / "t.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["fail_planes"] for row in rows] == ["0", "1 + 2"]
    assert float(rows[0]["throughput_gbps"]) == pytest.approx(2 * float(rows[1]["throughput_gbps"]), rel=1e-3)
    run("sweep", "ring:n=6", "--planes", "3", "--vary", "routing=ideal", "--fail-planes", "1,2", "-o", "t.csv")
    assert table(here / "t.csv")["throughput_gbps"][0] == float(rows[1]["throughput_gbps"])
    run("sweep", "ring:n=6", "ring:n=6", "--vary", "seed=1,2", "--traffic", "permutation", "-o", "s.csv")
    assert table(here / "s.csv")["seed"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "ring:n=4 --vary plans=1,2",
            "no option, and no key of a case, is called 'plans' (did you mean 'planes'?); allowed: what `pnet-lp list "
            "questions NAME` lists; NAME: throughput, hops, cost, simulate, failures\n",
        ),
        ("ring:n=4 --vary planes", "--vary: not KEY=VALUE, found 'planes'"),
        ("ring:n=4 --vary planes=1,x", "--vary: planes: input should be a valid integer"),
        ("ring:n=4 --vary planes=1 --vary planes=2", "--vary: planes: varies twice; allowed: all values in one"),
        ("ring:n=4 --vary planes=1,2 --planes 3", "--planes: is fixed, and cannot vary, found 3"),
        ("ring:n=4 --vary planes=1,2 --facet routing", "--facet: no axis is called 'routing'; allowed: pl"),
        ("ring:n=4 --vary planes=1,2 --facet planes", "--facet: nothing else varies, found 'planes'"),
        (
            "ring:n=4 --vary planes=1,2 --baseline planes=3",
            "--baseline: planes: not among the values, found 3; allowed",
        ),
        ("ring:n=4 --vary planes=1,2 --baseline level=rack", "--baseline: level: does not vary; allowed: planes"),
        ("ring:n=4 --vary planes=1,2 --baseline planes=1,2", "--baseline: planes: several values, found '1,2'"),
        ("ring:n=4 --vary planes=1,2 --unit percent", "--unit: needs a baseline, found 'percent'"),
        (
            "ring:n=4 --vary planes=1,2 --unit us",
            "--unit: throughput_gbps has another unit, found 'us'; allowed: gbps or p",
        ),
        ("ring:n=4 --vary planes=1,2 --column p99", "column: no column is called 'p99'"),
        ("ring:n=4 --vary routing=kps:8", "--vary: routing: unknown routing 'kps' (did you mean 'ksp'?)"),
        ("ring:n=4 --vary planes=1,2 --routing kps:8", "--routing: unknown routing 'kps' (did you mean 'ksp'?)"),
        ("ring:n=4 --vary planes=1,2 --routing", "--routing needs a value"),
        ("ring:n=4 --vary planes=1,2 --level rack --level host", "--level: is given twice"),
        ("ring:n=4 --vary planes=1,2 -z", "No such option '-z'"),
        (
            "ring:n=4 --vary correction=none --traffic random --flow-size 1kB",
            "--vary: correction: only --model fluid has",
        ),
        ("ring:n=4 --vary beta=1,2", "--vary: beta: has no meaning for 'ring:n=4'"),
        ("ring:n=4 ring:n=5 --vary ports=8,9", "architecture: 2 are given; allowed: one, or --vary architecture=A,B"),
        ("--vary planes=1,2", "give a TOPOLOGY, or --vary topology=..."),
        ("ring:n=4 --vary search=1,2 --question speed-up", "the question speed-up takes no TOPOLOGY, found 'ring:n=4'"),
        ("ring:n=4 --vary planes=1,2 --question hop", "--question: unknown question 'hop' (did you mean 'hops'?)"),
        ("ideal-planes --vary planes=1,2", "ideal-planes: an experiment defines what varies; allowed: a TOPOLOGY"),
        ("ring:n=4 --vary planes=1,2 --size quick", "give either --vary or --size"),
        ("ring:n=4 --vary planes=1,2 --rows draw", "--rows needs --out"),
        ("ring:n=4 --vary planes=1,2 --write-spec x --json", "give either --write-spec or --json"),
        (
            "ring:n=4 --vary planes=1,2 --trials 3",
            "--trials: has no meaning without --fail-links or --fail-switches or --fail-ports or --fail-nics or "
            "--fail-servers or ",
        ),
        ("ring:n=4 --planes 2", "no option --planes without --vary"),
        ("ring:n=4 ring:n=5", "give one EXPERIMENT, or --vary too"),
    ],
)
def test_nothing_is_accepted_and_ignored(run: Run, words: str, message: str) -> None:
    assert message in run("sweep", *words.split(), code=2).stderr
