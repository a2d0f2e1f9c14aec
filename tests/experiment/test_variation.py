"""Published experiments with other settings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import pnet_lp as pn
from pnet_lp.cli import main
from pnet_lp.errors import SpecError
from pnet_lp.experiment import load_experiment
from pnet_lp.experiment.variation import load_variation, parse_settings

SPEC = """\
title: Rings
baseline: serial-{topology}
common: {traffic: all-to-all, draws: 2}
quick: {draws: 1, cases: ["*ring-n-4*"]}
cases:
  serial: {grid: {topology: ["ring:n=4", "ring:n=6"]}, name: "serial-{topology}"}
  planes: {grid: {topology: ["ring:n=4", "ring:n=6"], planes: [2, 4]}, name: "{topology}-{planes}x"}
chart: {x: planes, lines: topology, words: {"ring:n=4": small, "ring:n=6": large, planes: number of planes}}
"""
CLAIMS = """\
source: arithmetic
claims:
  - {case: ring-n-4-2x, relative_to: serial-ring-n-4, percent: 200, statement: twice}
  - {case: ring-n-6-4x, relative_to: serial-ring-n-6, percent: 400, statement: four times}
  - {kind: ordering, cases: [ring-n-4-4x, ring-n-6-4x], statement: smaller is faster}
  - {kind: percentile, cases: "*-2x", percentile: 50, at_least: 0, statement: all}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "experiments" / "rings"
    place.mkdir(parents=True)
    (place / "spec.yaml").write_text(SPEC)
    (place / "claims.yaml").write_text(CLAIMS)
    return place


@pytest.fixture
def run(folder: Path) -> Callable[..., Result]:
    def invoke(*words: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, list(words), prog_name="pnet-lp")
        assert result.exit_code == code, result.output
        return result

    assert folder.exists()
    return invoke


def statements(folder: Path, **settings: list[Any]) -> list[str]:
    claimed = load_variation(folder, settings).claimed
    return [claim.statement for claim in claimed.claims] if claimed else []


def test_values_take_the_place_of_what_the_spec_says(folder: Path) -> None:
    found = load_variation(folder, {"topology": ["ring:n=8"], "planes": [3], "tolerance": [0.01]})
    assert {name: (case.topology, case.planes, case.tolerance) for name, case in found.cases.items()} == {  # type: ignore[attr-defined]
        "serial-ring-n-8": (("ring:n=8",), 1, 0.01),
        "ring-n-8-3x": (("ring:n=8",), 3, 0.01),
    }
    assert found.chart is not None
    assert found.chart.words == {"planes": "number of planes"}
    assert found.variation is not None
    assert found.variation.text == "topology=ring:n=8, planes=3, tolerance=0.01"
    assert found.title == f"Variation of rings ({found.variation.text}): Rings"


def test_values_take_the_place_of_what_a_preset_states(tmp_path: Path) -> None:
    folder = tmp_path / "spraying"
    folder.mkdir()
    (folder / "spec.yaml").write_text("""\
title: Spraying
question: simulate
common: {topology: "fat-tree:k=4", link_gbps: 100, traffic: permutation, flow_size: 10kB}
cases:
  own: {transport: tcp, forwarding: rps}
  preset: {preset: uec}
  neither: {transport: dctcp}
""")
    published, made = load_experiment(folder), load_variation(folder, {"forwarding": ["flowlet"]})
    found = {name: [of.cases[name].forwarding for of in (published, made)] for name in published.cases}  # type: ignore[attr-defined]
    assert found["own"] == ["rps", "flowlet"]
    assert found["preset"] == ["reps", "flowlet"]
    assert found["neither"][0] == found["neither"][1]


def test_settings_go_before_those_of_quick_size(folder: Path) -> None:
    assert {case.draws for case in load_experiment(folder, size="quick").cases.values()} == {1}
    quick = load_variation(folder, {"draws": [5]}, size="quick")
    assert {case.draws for case in quick.cases.values()} == {5}
    assert quick.folder == "rings-set-draws-quick"
    assert list(quick.cases) == ["serial-ring-n-4", "ring-n-4-2x", "ring-n-4-4x"]
    # Its patterns are about cases that are not there any more.
    assert next(iter(load_variation(folder, {"topology": ["ring:n=8"]}, size="quick").cases)) == "serial-ring-n-8"


def test_claims_that_still_apply_are_kept(folder: Path) -> None:
    every = ["twice", "four times", "smaller is faster", "all"]
    assert statements(folder, draws=[7]) == statements(folder, seed=[3], title=["Circles"]) == every
    assert statements(folder, planes=[4]) == ["four times", "smaller is faster"]
    assert statements(folder, topology=["ring:n=4", "ring:n=8"]) == ["twice"]
    assert statements(folder, traffic=["permutation"]) == statements(folder, column=["throughput_gbps"]) == []
    found = load_variation(folder, {"planes": [4]}).variation
    assert found is not None
    assert found.dropped == 2


def test_names_tell_settings_apart_but_not_numbers_of_draws(folder: Path) -> None:
    names = [load_variation(folder, one).name for one in ({"planes": [4]}, {"planes": [8]}, {"planes": [4, 8]})]
    assert len(set(names)) == 3
    assert load_variation(folder, {"planes": [4], "draws": [9]}).name == names[0]
    assert all(name.startswith("rings-set-planes-") for name in names)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ["topolgy=ring:n=8"],
            "set: no key of the experiment is called 'topolgy' (did you mean 'topology'?); allowed: ",
        ),
        (["titel=x"], "set: no key of the experiment is called 'titel' (did you mean 'title'?)"),
        (["draws"], "set: not KEY=VALUE, found 'draws'; allowed: such as draws=10"),
        (["draws=0"], "set: draws: input should be greater than or equal to 1, found '0'"),
        (["draws=1", "draws=2"], "set: draws: is given twice; allowed: all values in one list"),
        (["traffic=permutation,all-to-all"], "set: traffic: several values, and the spec has no grid of them, found"),
        (["topology=rnig:n=8"], "set: "),
        (["spread=range"], "set: "),
        (["baseline=none"], "set: "),
    ],
)
def test_settings_that_mean_nothing(run: Callable[..., Result], texts: list[str], message: str) -> None:
    said = run("sweep", "rings", *(word for text in texts for word in ("--set", text)), code=2).stderr
    assert said.startswith(f"Error: --{message}")


def test_values_are_read_as_on_an_axis() -> None:
    assert parse_settings(["planes=2,4", "link-gbps=25", "topology=ring:n=4"], "throughput") == {
        "planes": [2, 4],
        "link_gbps": [25],
        "topology": ["ring:n=4"],
    }


def test_a_sweep_has_results_of_its_own_and_a_report(run: Callable[..., Result], folder: Path) -> None:
    changed = ("--set", "topology=ring:n=4,ring:n=8", "--set", "draws=1")
    said = " ".join(run("sweep", "rings", *changed).stdout.split())
    sentence = "This is a variation of rings: topology=ring:n=4,ring:n=8, draws=1. "
    assert sentence + "3 of 4 claims no longer apply: their cases are not there, or differ." in said
    assert "twice (arithmetic): published 200 %, here 200.0 %" in said
    document = json.loads(run("sweep", "rings", *changed, "--json").stdout)
    assert document["variation"] == {
        "of": "rings",
        "settings": {"topology": ["ring:n=4", "ring:n=8"], "draws": [1]},
        "dropped": 3,
    }
    [results] = Path("results").iterdir()
    assert results.name == document["experiment"]
    manifest = json.loads((results / "manifest.json").read_text())
    assert manifest["spec"]["variation"] == document["variation"]
    for words in (("rings", *changed), (results.name,)):
        assert sentence.strip() in run("report", *words).stdout.replace("\n", " ")
        tables = (Path("report") / results.name / "tables.md").read_text()
        assert sentence.strip() in tables
        assert "    pnet-lp sweep experiments/rings --set topology=ring:n=4,ring:n=8 --set draws=1" in tables
    said = run("report", "rings", code=2).stderr
    assert "rings: no results in results of a complete run" in said
    assert "variation" not in (folder / "spec.yaml").read_text()


def test_all_and_vary_have_no_settings(run: Callable[..., Result]) -> None:
    for words in (("sweep", "--all"), ("report", "--all"), ("sweep", "ring:n=4", "--vary", "planes=1,2")):
        assert "--set" in run(*words, "--set", "draws=2", code=2).stderr
    with pytest.raises(SpecError, match="change: has no meaning with vary"):
        pn.sweep("ring:n=4", vary={"planes": [1]}, change={"draws": 2})


def test_python_changes_what_the_command_does(folder: Path) -> None:
    table = pn.sweep(folder, change={"topology": ["ring:n=4"], "planes": 2, "draws": 1})
    assert table["case"].tolist() == ["serial-ring-n-4", "ring-n-4-2x"]


def test_every_key_of_every_experiment_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the published experiments: with other draws all claims stay, with another seed too."""
    monkeypatch.chdir(Path(__file__).parents[2])
    for place in sorted(Path("experiments").glob("pnet-figure-*")):
        found = load_variation(place, {"draws": [2], "seed": [99]})
        assert found.variation is not None
        assert found.variation.dropped == 0, place
        assert {case.draws for case in found.cases.values()} == {2}
