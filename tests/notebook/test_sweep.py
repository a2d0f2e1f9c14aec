"""``pnet_lp.sweep``: a table of many answers, without a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import pnet_lp as pn
from pnet_lp.errors import SpecError

ROOT = Path(__file__).parents[2]


def test_a_row_for_each_draw() -> None:
    table = pn.sweep(
        "jellyfish:k=4", vary={"planes": [1, 2], "routing": ["ecmp", "ideal"]}, draws=2, level="rack", link_gbps=10
    )
    assert len(table) == 2 * 2 * 2
    assert table["planes"].tolist() == [1] * 4 + [2] * 4
    assert table["routing"].tolist() == ["ecmp", "ecmp", "ideal", "ideal"] * 2
    one = pn.throughput("jellyfish:k=4", level="rack", link_gbps=10)
    found = table[(table["planes"] == 1) & (table["routing"] == "ideal") & (table["draw"] == 0)]
    assert found["throughput_gbps"].item() == one.value


def test_means_against_a_baseline(tmp_path: Path) -> None:
    call: dict[str, Any] = {
        "vary": {"traffic": ["all-to-all", "stride:s=1"], "planes": [1, 3]},
        "baseline": {"planes": 1},
        "mean": True,
        "link_gbps": 10,
    }
    table = pn.sweep("ring:n=6", **call, results=tmp_path)
    assert table["percent"].tolist() == pytest.approx([100, 300, 100, 300], rel=1e-3)
    assert table.equals(pn.sweep("ring:n=6", **call, results=tmp_path))


def test_other_questions() -> None:
    hops = pn.sweep("jellyfish:k=4", question="hops", vary={"fail_links": [0.0, 0.2]}, trials=3)
    assert hops["mean_hops"].is_monotonic_increasing
    cost = pn.sweep(question="cost", vary={"architecture": ["fat-tree:k=8", "fat-tree:k=16"]})
    assert cost["total_usd"].is_monotonic_increasing


def test_an_experiment_in_a_folder() -> None:
    table = pn.sweep(ROOT / "experiments" / "table1-components")
    assert "chips" in table.columns


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"topology": "ring:n=6"}, "vary: nothing varies"),
        ({"topology": "ring:n=6", "vary": {}}, "vary: nothing varies"),
        ({"topology": "ring:n=6", "vary": {"planes": []}}, "vary: planes: no values"),
        ({"topology": "ring:n=6", "vary": {"planes": 2}}, "vary: planes: not a list of values, found 2; allowed"),
        ({"topology": "ring:n=6", "vary": {"planes": "12"}}, "vary: planes: not a list of values, found '12'"),
        ({"topology": "ring:n=6", "vary": 7}, "vary: nothing varies"),
        (
            {"topology": nx.cycle_graph(5), "vary": {"planes": [1, 2]}},
            "topology: a sweep takes networks as strings, found 'Graph'; allowed: expressions",
        ),
        (
            {"topology": ["ring:n=6", np.eye(2)], "vary": {"link_gbps": [1]}},
            "as strings, found 'ndarray'; allowed: expressions",
        ),
        ({"topology": "ring:n=6", "vary": {"plane": [1]}}, "did you mean 'planes'"),
        ({"topology": "ring:n=6", "vary": {"planes": [1]}, "routng": "ecmp"}, "did you mean 'routing'"),
        ({"topology": "ring:n=6", "vary": {"topology": ["ring:n=5"]}}, "topology: is fixed, and cannot vary"),
        ({"topology": "ring:n=6", "vary": {"planes": [1, 2]}, "baseline": {"planes": 3}, "mean": True}, "not among"),
        ({"topology": "ring:n=6", "vary": {"planes": [1]}, "baseline": {"level": 3}, "mean": True}, "does not vary"),
        ({"topology": "ring:n=6", "vary": {"planes": [1]}, "baseline": {"planes": 1}}, "mean=True"),
        ({"topology": "ring:n=6", "question": "nosuch", "vary": {"planes": [1]}}, "unknown question"),
        ({"topology": ROOT / "experiments/table1-components", "level": "rack"}, "level: has no meaning without vary"),
    ],
)
def test_wrong(call: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        pn.sweep(**call)
