"""``pnet-lp paths``."""

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
RunJson = Callable[..., Any]


def test_the_paths_of_a_pair(run: Run, run_json: RunJson) -> None:
    document = run_json("paths", "ring:n=5", "ring:n=5", "--routing", "ksp:3", "--pair", "0", "1")
    assert [path["hops"] for path in document["paths"]] == [1, 1, 4]
    assert [path["plane"] for path in document["paths"]][:2] == [0, 1]
    assert document["paths"][2]["switches"] == ["0", "4", "3", "2", "1"]
    shown = run("paths", "fat-tree:k=4", "--routing", "ecmp-lp", "--pair", "h0", "h15").stdout
    assert len(shown.splitlines()) == 1 + 4
    assert "edge0 agg0 core0 agg6 edge7" in shown


def test_statistics(run: Run, run_json: RunJson) -> None:
    document = run_json("paths", "hypercube:d=3", "--routing", "ecmp-lp", "--stats")
    # Distance h has h! shortest paths.
    assert document["pairs"] == 56
    assert document["hops"]["histogram"] == {"1": 8 * 3, "2": 8 * 3 * 2, "3": 8 * 6}
    assert document["planes"] == [120]
    shown = run("paths", "hypercube:d=3", "--routing", "ksp:4", "--stats").stdout
    assert "4 on average, 4 to 4" in shown


def test_edge_disjoint_paths(run_json: RunJson) -> None:
    # Three edge-disjoint paths between opposite corners of a cube, all shortest.
    document = run_json("paths", "hypercube:d=3", "--routing", "edge-disjoint:9", "--pair", "0", "7")
    assert [path["hops"] for path in document["paths"]] == [3, 3, 3]
    assert len({path["switches"][1] for path in document["paths"]}) == 3


def test_statistics_of_more_paths_than_could_be_listed(run_json: RunJson) -> None:
    document = run_json("paths", "torus:dims=30x30", "--routing", "ecmp-lp", "--stats")
    # Opposite: 15 steps in each dimension, each in one of two directions.
    assert document["paths"]["per_pair_max"] == 4 * math.comb(30, 15)
    assert document["pairs"] == 900 * 899


def test_policies_reach_the_search(run_json: RunJson) -> None:
    planes = ["ring:n=6", "--planes", "2", "--routing", "ksp:2", "--stats"]
    assert run_json("paths", *planes, "--plane-policy", "round-robin")["planes"] == [30, 30]
    single = run_json("paths", *planes, "--plane-policy", "single", "--seed", "3")
    assert sum(single["planes"]) == 60
    assert single["paths"]["per_pair_max"] == 2


def test_what_is_refused(run: Run) -> None:
    assert "nothing is requested; allowed: --pair A B or --stats" in run("paths", "ring:n=4", code=2).stderr
    assert "no rack is called 'x'; allowed: 0 to 3" in run("paths", "ring:n=4", "--pair", "0", "x", code=2).stderr
    wrong = run("paths", "ring:n=4", "--stats", "--routing", "ksp:0", code=2).stderr
    assert wrong == "Error: ksp: k: input should be greater than or equal to 1, found '0'\n"
    valiant = run("paths", "ring:n=4", "--stats", "--routing", "vlb", code=2).stderr
    listed = "ecmp, ecmp-lp, ecmp-split, edge-disjoint, hedera, ksp"
    assert valiant == f"Error: --routing: the routing has no list of paths, found 'vlb'; allowed: {listed}\n"
    ideal = run("paths", "ring:n=4", "--pair", "0", "1", "--routing", "ideal", code=2).stderr
    assert ideal.endswith(f"found 'ideal'; allowed: {listed}\n")


def test_tables_of_what_is_printed(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    pair = ("paths", "ring:n=5", "ring:n=5", "--routing", "ksp:3", "--pair", "0", "1")
    run(*pair, "-o", str(tmp_path / "pair.csv"))
    with (tmp_path / "pair.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert [(row["hops"], row["switches"]) for row in found] == [("1", "0 1"), ("1", "0 1"), ("4", "0 4 3 2 1")]
    assert [int(row["plane"]) for row in found] == [path["plane"] for path in run_json(*pair)["paths"]]
    # Distance h has h! shortest paths.
    run("paths", "hypercube:d=3", "--routing", "ecmp-lp", "--stats", "-o", str(tmp_path / "stats.json"))
    rows = json.loads((tmp_path / "stats.json").read_text(encoding="utf-8"))
    assert rows == [{"hops": 1, "paths": 24}, {"hops": 2, "paths": 48}, {"hops": 3, "paths": 48}]
    wrong = run(*pair, "-o", str(tmp_path / "pair.txt"), code=2).stderr
    assert "unknown file format, found '.txt'; allowed: " in wrong
