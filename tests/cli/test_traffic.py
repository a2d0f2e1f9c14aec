"""``pnet-lp traffic``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
RunJson = Callable[..., Any]


def test_what_failures_cut_off_is_counted(run: Run, run_json: RunJson) -> None:
    """Of a path of four, whose first cable is cut, the first rack is alone: six of twelve demands have no path."""
    Path("cut.yaml").write_text("groups: {cut: {cables: [['0', '1']]}}\n")
    options = ["traffic", "all-to-all", "--on", "path:n=4"]
    assert run_json(*options)["without_path"] is None
    assert run_json(*options, "--fail-groups", "cut.yaml")["without_path"] == {"demands": 6, "total": 6.0}
    assert "6 demands, 6 in total" in run(*options, "--fail-groups", "cut.yaml").stdout


def test_a_matrix_is_shown_and_written(run: Run, run_json: RunJson) -> None:
    shown = run("traffic", "stride:s=2", "--on", "fat-tree:k=4", "-o", "two.csv").stdout
    assert "16 between 16 hosts, 16 in total" in shown
    again = run_json("traffic", "two.csv", "--on", "fat-tree:k=4")
    assert again["fingerprint"] == run_json("traffic", "stride:s=2", "--on", "fat-tree:k=4")["fingerprint"]


def test_what_is_refused(run: Run) -> None:
    assert "Missing option '--on'" in run("traffic", "all-to-all", code=2).stderr
    wrong = run("traffic", "gravty", "--on", "ring:n=4", code=2).stderr
    assert wrong.startswith("Error: unknown traffic 'gravty' (did you mean 'gravity'?); allowed: all-gather,")
