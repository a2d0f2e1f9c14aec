"""``pnet-lp bounds``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
RunJson = Callable[..., Any]


def test_the_document(run_json: RunJson) -> None:
    document = run_json("bounds", "torus:dims=4x8", "--link-gbps", "1", "--solve")
    found = {entry["name"]: entry for entry in document["bounds"]}
    assert document["tightest"] == "bisection"
    assert found["mean-path"]["value_gbps"] == pytest.approx(1 / 24)
    assert found["mean-path"]["ratio"] == pytest.approx(4 / 3, rel=1e-4)
    assert found["mean-path"]["witness"] == {"kind": "lengths", "core": 1.0, "access": 0.0}
    cut = found["bisection"]["witness"]
    assert (found["bisection"]["exact"], cut["capacity_gbps"], cut["demand"]) == (True, 8.0, 256.0)
    assert cut["endpoints"] == cut["switches"][0]
    assert len(cut["endpoints"]) == 16
    assert found["tub"]["of"] == "worst-case"
    assert len(found["tub"]["witness"]["demands"]) == 32
    assert document["silent"] == [{"name": "nic", "why": "access links do not limit racks"}]
    assert document["throughput"]["status"] == "certified"
    assert document["summary"] == [
        "bisection and sparsest-cut bind: their bounds are the throughput.",
        "The bisection does not mislead here: it is the throughput.",
    ]


def test_what_is_said_of_a_bisection_that_misleads(run: Run) -> None:
    shown = run("bounds", "fat-tree:k=4", "--link-gbps", "1", "--solve").stdout
    assert "nic binds: its bound is the throughput." in shown
    assert "The bisection misleads: it allows 87.5 % more than is carried." in shown
    assert "(proved" in shown


def test_without_solving_nothing_is_compared(run: Run, run_json: RunJson) -> None:
    document = run_json("bounds", "ring:n=6", "--bound", "mean-path", "--bound", "moore")
    assert [entry["name"] for entry in document["bounds"]] == ["mean-path", "moore"]
    assert [entry["ratio"] for entry in document["bounds"]] == [None, None]
    assert (document["throughput"], document["summary"]) == (None, [])
    assert "x solved" not in run("bounds", "ring:n=6").stdout


def test_hosts(run_json: RunJson) -> None:
    document = run_json("bounds", "fat-tree:k=4", "--planes", "2", "--bound", "nic", "--link-gbps", "1")
    assert document["bounds"][0]["witness"] == {
        "kind": "access-links",
        "endpoint": "h0",
        "alike": 2,
        "direction": "up",
        "capacity_gbps": 4.0,
        "demand": 30.0,
    }


def test_a_pair_without_a_path(run: Run, here: Path) -> None:
    (here / "net.edges").write_text("a b 10\nc d 10\n")
    shown = run("bounds", "net.edges", "--solve").stdout
    assert "throughput is 0: 8 rack pairs have a demand but no path in any plane" in shown


def test_no_demand_crosses(run: Run, here: Path) -> None:
    (here / "demands.csv").write_text("src,dst,demand\n0,1,1\n")
    shown = run("bounds", "path:n=4", "--traffic", "demands.csv", "--solve").stdout
    assert "The bisection says nothing: no demand crosses it." in shown
    assert "no limit" in shown


def test_a_gap_that_is_not_closed(run: Run) -> None:
    shown = run("bounds", "path:n=6", "--solve", "--bound", "moore").stdout
    assert "No bound binds: moore, the tightest, allows 36.4 % more than is carried." in shown


def test_the_table_in_a_file(run: Run, here: Path) -> None:
    run("bounds", "complete:n=4", "--link-gbps", "1", "--out", "bounds.csv")
    lines = (here / "bounds.csv").read_text().splitlines()
    assert lines[0] == "name,value_gbps,exact,of,ratio"
    assert "mean-path,1.0,True,matrix," in lines


def test_an_unknown_bound(run: Run) -> None:
    assert run("bounds", "ring:n=4", "--bound", "sparse-cut", code=2).stderr == (
        "Error: --bound: unknown bound 'sparse-cut' (did you mean 'sparsest-cut'?); "
        "allowed: bisection, mean-path, moore, nic, sparsest-cut, tub\n"
    )
