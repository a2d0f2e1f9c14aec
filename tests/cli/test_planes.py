"""Expressions for several planes, wherever a command takes a TOPOLOGY."""

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

import pnet_lp as pn

SLOW = "leaf-spine:leaves=4,spines=2,hosts_per_leaf=4,link_gbps=100"
FAST = SLOW.replace("100", "800")
BOTH = "[ring:n=6,link_gbps=300]+2x[ring:n=6,link_gbps=50]"


def test_results_are_stored_and_verified(run: Callable[..., Result], run_json: Callable[..., Any]) -> None:
    found = run_json("throughput", BOTH, "--save", "answer.json")
    parts = ["ring:n=6,link_gbps=300", *2 * ["ring:n=6,link_gbps=50"]]
    assert found["network"] == run_json("throughput", *parts)["network"]
    assert found["network"] == pn.throughput(BOTH).to_json()["network"]
    assert run("verify", "answer.json").stdout


def test_one_plane_beside_eight_as_values_of_one_key(run_json: Callable[..., Any]) -> None:
    vary = f"topology={FAST},8x[{SLOW}]"
    document = run_json("sweep", "--vary", vary, "--traffic", "permutation")
    rows = {row["topology"]: row for row in document["cases"]}
    assert list(rows) == [FAST, f"8x[{SLOW}]"]
    fast, slow = rows.values()
    assert fast["throughput_gbps"] == pytest.approx(slow["throughput_gbps"])


def test_architectures_and_planes_are_compared(run_json: Callable[..., Any]) -> None:
    """Eight planes share boxes and cables: an eighth of the cables, each as fast as all eight together."""
    document = run_json("cost", "compare", FAST, f"8x[{SLOW}]", f"topology:[{FAST}]", "--no-measure")
    fast, slow, again = document["architectures"]
    assert (fast["links"], slow["links"], slow["chips"], slow["boxes"]) == (8, 8, 48, 6)
    assert {part["part"] for part in slow["parts"]} >= {"chassis", "transceiver-lr-800g", "copper-800g"}
    assert fast["parts"] == again["parts"]


@pytest.mark.parametrize("command", ["throughput", "hops", "cost", "topology", "price-performance", "draw"])
def test_a_bracket_that_is_not_closed(run: Callable[..., Result], command: str) -> None:
    out = ("-o", "out.svg") if command == "draw" else ()
    said = run(command, "8x[ring:n=4", *out, code=2).stderr
    assert "'[' is not closed at character 3, found '8x[ring:n=4'; allowed: such as 8x[TOPOLOGY]" in said


@pytest.mark.parametrize("command", ["topology", "hops", "paths --routing ksp:2 --stats", "bounds"])
def test_commands_take_expressions_as_they_take_arguments(run_json: Callable[..., Any], command: str) -> None:
    words = command.split()
    assert run_json(words[0], BOTH, *words[1:])["network" if words[0] != "topology" else "planes"]
    drawn = run_json(words[0], "3~[jellyfish:k=4,seed=2]", *words[1:])
    option = run_json(words[0], "jellyfish:k=4,seed=2", "--planes", "3", "--variant", "heterogeneous", *words[1:])
    assert without_times(drawn) == without_times(option)


def without_times(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items() if key not in {"seconds", "label"}}
    return [without_times(one) for one in document] if isinstance(document, list) else document
