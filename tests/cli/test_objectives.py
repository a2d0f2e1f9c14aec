"""``pnet-lp throughput --objective``: documents, words, tables, and what is refused."""

import csv
import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from pnet_lp.throughput.solvers.general import Limits
from pnet_lp.throughput.solvers.highs import _Highs

Run = Callable[..., Result]
RunJson = Callable[..., Any]

LOT = ["throughput", "path:n=4", "--link-gbps", "1", "--traffic", "lot.csv"]


@pytest.fixture(autouse=True)
def parking_lot(here: Path) -> None:
    """One demand along the whole path, one over each link."""
    (here / "lot.csv").write_text("src,dst,demand\n0,3,1\n0,1,1\n1,2,1\n2,3,1\n")


def test_total(run: Run, run_json: RunJson, here: Path) -> None:
    document = run_json(*LOT, "--objective", "total", "-o", "rates.csv")
    assert document["total_gbps"] == document["lower_bound_gbps"] == pytest.approx(3, rel=1e-6)
    assert document["upper_bound_gbps"] == pytest.approx(3, rel=1e-6)
    assert set(document["rates_gbps"]) == {"min", "mean", "max"}
    assert document["rates_gbps"]["mean"] == pytest.approx(0.75, rel=1e-5)
    assert "throughput_gbps" not in document
    with (here / "rates.csv").open(newline="") as file:
        rates = {(row["src"], row["dst"]): float(row["rate_gbps"]) for row in csv.DictReader(file)}
    assert sum(rates.values()) == pytest.approx(document["total_gbps"], rel=1e-12)
    assert rates["0", "3"] == pytest.approx(0, abs=1e-5)
    shown = run(*LOT, "--objective", "total").stdout
    assert "total with ideal routing by highs-ipx" in shown
    assert "0.75 on average" in shown


@pytest.mark.parametrize(
    ("objective", "options"), [("max-min", ["--tolerance", "1e-6"]), ("max-min-fill", ["--routing", "ecmp"])]
)
def test_max_min(run: Run, run_json: RunJson, objective: str, options: list[str]) -> None:
    document = run_json(*LOT, "--objective", objective, *options)
    assert document["total_gbps"] == pytest.approx(2, rel=1e-6)
    assert [level["demands"] for level in document["levels"]] == [4]
    shown = run(*LOT, "--objective", objective, *options).stdout
    assert "0.5 Gb/s per unit demand for 4 demands" in shown
    assert "no demand is more than a part of" in shown


def test_min_max_utilisation(run: Run, run_json: RunJson) -> None:
    document = run_json(*LOT, "--objective", "min-max-utilisation")
    assert document["max_utilisation"] == document["upper_bound"] == pytest.approx(2, rel=1e-6)
    assert document["lower_bound"] == pytest.approx(2, rel=1e-6)
    assert (
        "200 % of the fullest link: the matrix does not fit" in run(*LOT, "--objective", "min-max-utilisation").stdout
    )


def test_min_cost(run: Run, run_json: RunJson, here: Path) -> None:
    document = run_json(*LOT, "--objective", "min-cost:at=0.25", "-o", "rates.csv", "--links", "links.csv")
    assert document["cost_gbps_links"] == pytest.approx(1.5, rel=1e-6)
    assert document["carried_gbps"] == pytest.approx(0.25, rel=1e-6)
    assert document["mean_links"] == pytest.approx(1.5, rel=1e-6)
    with (here / "rates.csv").open(newline="") as file:
        assert [float(row["rate_gbps"]) for row in csv.DictReader(file)] == pytest.approx([0.25] * 4)
    with (here / "links.csv").open(newline="") as file:
        assert sum(float(row["load_gbps"]) for row in csv.DictReader(file)) == pytest.approx(1.5, rel=1e-6)
    shown = run(*LOT, "--objective", "min-cost:at=0.25").stdout
    assert "1.5 Gb/s times links, 1.5 links on average" in shown
    assert "no link: the shortest paths fit" in shown


@pytest.mark.parametrize(
    ("objective", "said"),
    [
        ("total", "total 3 Gb/s; rates 0 to 1 Gb/s, 0.75 on average; proved at least 2.99999999, at most 3.00000001"),
        ("max-min", "total 2 Gb/s rates 0.5 to 0.5 Gb/s, 0.5 on average level 0.5 Gb/s per unit demand for 4"),
        ("min-cost:at=0.25", "cost 1.5 Gb/s times links, 1.5 links on average; carried 0.25 Gb/s per unit demand"),
        ("min-max-utilisation", "utilisation 200 % of the fullest link: the matrix does not fit; proved at least"),
    ],
)
def test_every_objective_is_saved_with_its_proof(run: Run, run_json: RunJson, objective: str, said: str) -> None:
    run(*LOT, "--objective", objective, "--tolerance", "1e-9", "--save", "result.json")
    assert said in " ".join(run("verify", "result.json").stdout.split())
    document = run_json("verify", "result.json")
    assert document["verified"]
    assert document["trusted"] == []


GRAPH = ("throughput", "jellyfish:switches=40,ports=8", "--level", "rack")
PROGRAM = ["--solver", "highs-ipx"]


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that lets the linear programs of given numbers, from 0, run into their time limit at once."""

    def hurry(*numbers: int) -> None:
        run_one, count = _Highs.run, itertools.count()

        def run(self: _Highs, lp: object, settings: object, limits: Limits, watch: object) -> object:
            limits = replace(limits, time_s=0.0) if next(count) in numbers else limits
            return run_one(self, lp, settings, limits, watch)

        monkeypatch.setattr(_Highs, "run", run)

    return hurry


def test_min_cost_that_is_stopped_costs_what_the_largest_flow_does(
    run_json: RunJson, hurried: Callable[..., None]
) -> None:
    hurried(1)
    document = run_json(*GRAPH, *PROGRAM, "--objective", "min-cost:at=9", code=3)
    assert document["carried_gbps"] == pytest.approx(9)
    assert 0 < document["lower_bound_gbps_links"] < document["upper_bound_gbps_links"]


def test_min_cost_that_falls_short_says_so_first(run: Run, run_json: RunJson) -> None:
    late = [*GRAPH, "--objective", "min-cost:at=9", "--time-limit", "0.000001"]
    document = run_json(*late, code=3)
    assert document["carried_gbps"] < 0.9 * document["asked_gbps"]
    assert document["asked_gbps"] == 9
    shown = run(*late, code=3).stdout
    assert shown.startswith("carried     only ")
    assert " of the requested 9 Gb/s per unit demand, at this cost\ncost        " in shown
    assert "status      bounds: stopped before all that was requested was carried\n" in shown
    assert "before they met" not in shown


def test_min_cost_of_a_largest_rate_that_is_not_known(run: Run, hurried: Callable[..., None]) -> None:
    hurried(0)
    shown = run(*GRAPH, *PROGRAM, "--objective", "min-cost", code=3).stdout
    assert "status      bounds: stopped before the largest K was known within a gap of 0.0001\n" in shown
    hurried(0)
    shown = run(*GRAPH, *PROGRAM, "--objective", "min-cost:at=9", code=3).stdout
    assert shown.startswith("carried     only ")
    assert "status      bounds: stopped before all that was requested was carried\n" in shown
    most = run(*GRAPH, *PROGRAM, "--objective", "min-cost:at=9").stdout
    assert "carried     9 Gb/s per unit demand\n" in most


def test_they_are_listed(run: Run, run_json: RunJson) -> None:
    entries = {entry["name"]: entry for entry in run_json("list", "objectives")["entries"]}
    assert {"concurrent", "total", "max-min", "min-cost"} <= set(entries)
    assert [item["name"] for item in entries["min-cost"]["parameters"]] == ["at", "fraction", "costs"]
    assert "K to carry, Gb/s per unit demand" in run("list", "objectives", "min-cost").stdout


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ("total:at=2", "--objective: total: unknown parameter 'at'; allowed: floor"),
        ("min-cost:at=7", "min-cost: at: the matrix does not fit, found 7.0; allowed: at most 0.5"),
        ("max-min-fill", "--objective: max-min-fill needs one path or one fixed split for each demand"),
    ],
)
def test_bad_input(run: Run, objective: str, message: str) -> None:
    assert run(*LOT, "--objective", objective, code=2).stderr.startswith(f"Error: {message}")
