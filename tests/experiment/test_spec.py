"""What an experiment may say, and what it is told when it is wrong."""

from pathlib import Path

import pytest

from pnet_lp.errors import SpecError
from pnet_lp.experiment import load_experiment

REPOSITORY = Path(__file__).parents[2]

GOOD = """
title: Trial
baseline: one
common: {topology: "ring:n=4", tolerance: 1e-3}
cases:
  one: {}
  two: {planes: 2, topology: ["ring:n=4"]}
"""


def write(folder: Path, spec: str, published: str | None = None) -> Path:
    (folder / "spec.yaml").write_text(spec)
    if published is not None:
        (folder / "published.yaml").write_text(published)
    return folder


def test_common_keys_reach_every_case(tmp_path: Path) -> None:
    folder = tmp_path / "trial"
    folder.mkdir()
    experiment = load_experiment(write(folder, GOOD))
    assert experiment.name == "trial"
    assert experiment == load_experiment(folder / "spec.yaml")
    one, two = experiment.cases.values()
    assert (one.topology, one.planes, one.tolerance) == (("ring:n=4",), 1, 1e-3)
    assert (two.topology, two.planes, two.tolerance) == (("ring:n=4",), 2, 1e-3)
    assert experiment.published is None


def test_a_seed_replaces_every_cases(tmp_path: Path) -> None:
    experiment = load_experiment(write(tmp_path, GOOD.replace("{}", "{seed: 4}")), seed=9)
    assert [case.seed for case in experiment.cases.values()] == [9, 9]


@pytest.mark.parametrize("folder", sorted(path.parent for path in REPOSITORY.glob("experiments/*/spec.yaml")))
def test_shipped_experiments_are_complete(folder: Path) -> None:
    experiment = load_experiment(folder)
    assert experiment.published
    assert experiment.published.claims
    readme = (folder / "README.md").read_text()
    for word in ("**Question.**", "**Paper.**", f"pnet-lp sweep experiments/{folder.name}"):
        assert word in readme


CLAIMS = (
    "source: a paper\nclaims:\n  - {case: two, relative_to: one, percent: 200, kind: equal, statement: s}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("baseline: one\n", "", "spec.yaml: parameter 'baseline' is required"),
        (
            "baseline: one",
            "baseline: ome",
            "spec.yaml: baseline: no case is called 'ome' (did you mean 'one'?); allowed: one, two",
        ),
        (
            "title:",
            "titel: x\ntitle:",
            "spec.yaml: unknown parameter 'titel' (did you mean 'title'?); allowed: ",
        ),
        (
            "planes: 2",
            "planes: 0",
            "spec.yaml: cases.two: planes: input should be greater than or equal to 1, found 0",
        ),
        (
            "planes: 2",
            "plane: 2",
            "spec.yaml: cases.two: unknown parameter 'plane' (did you mean 'planes'?); allowed: ",
        ),
        (
            "1e-3",
            "much",
            "spec.yaml: cases.one: tolerance: input should be a valid number, "
            "unable to parse string as a number, found 'much'",
        ),
        (
            "tolerance:",
            "tolerence:",
            "spec.yaml: common: unknown parameter 'tolerence' (did you mean 'tolerance'?); allowed: ",
        ),
        ("  one: {}", "  one: 3", "spec.yaml: cases.one: not a mapping, found 3; allowed: key: value"),
        (
            "  one:",
            "  One:",
            "spec.yaml: cases.One.[key]: string should match pattern '^[a-z0-9][a-z0-9.-]*$', found 'One'",
        ),
        ("  one: {}", "  one: {}\n  one: {}", "spec.yaml:7: not YAML: key 'one' is given twice"),
        ("  one: {}", "  one: {", "spec.yaml:"),
        ("title: Trial", "[", "spec.yaml:"),
    ],
)
def test_faults_name_file_and_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_experiment(write(tmp_path, GOOD.replace(old, new)))
    assert str(caught.value).startswith(f"{tmp_path}/{message}")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "case: two",
            "case: too",
            "claims.0.case: no case is called 'too' (did you mean 'two'?); allowed: one, two",
        ),
        (
            "relative_to: one",
            "relative_to: 1",
            "claims.0.relative_to: input should be a valid string, found 1",
        ),
        ("equal", "roughly", "claims.0.kind: input should be 'equal' or 'at-most', found 'roughly'"),
    ],
)
def test_faults_of_published_values(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_experiment(write(tmp_path, GOOD, CLAIMS.replace(old, new)))
    assert str(caught.value) == f"{tmp_path}/published.yaml: {message}"


def test_a_missing_spec(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        load_experiment(tmp_path)
    assert str(caught.value) == f"{tmp_path}/spec.yaml: cannot read the file: No such file or directory"


@pytest.mark.parametrize("text", ["", "- a\n", "3"])
def test_a_spec_is_a_mapping(tmp_path: Path, text: str) -> None:
    with pytest.raises(SpecError, match=r"spec\.yaml: not a mapping"):
        load_experiment(write(tmp_path, text))
