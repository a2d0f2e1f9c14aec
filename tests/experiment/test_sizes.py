"""An experiment at the size of the paper, and made small: cases, claims, results apart."""

from pathlib import Path

import pytest

from pnet_lp.errors import SpecError
from pnet_lp.experiment import Store, load_experiment, run_experiment
from pnet_lp.report.claims import compare_claims

SPEC = """
title: Trial
baseline: one
common: {topology: "ring:n=8", draws: 3}
quick: {draws: 1, topology: "ring:n=4", cases: ["all-planes-4", two]}
cases:
  one: {}
  two: {planes: 2, quick: {topology: "ring:n=5", draws: 2}}
  all:
    grid: {planes: [2, 4]}
    topology: "ring:n=6"
"""
CLAIMS = """
source: a paper
claims:
  - {statement: full, case: two, relative_to: one, percent: 200}
  - {statement: small, case: two, relative_to: one, percent: 150, tolerance_percent: 90, size: quick}
  - {statement: both, kind: ordering, cases: [two, one], size: any}
  - {statement: left out, kind: ordering, cases: [all-planes-2, one], size: any}
"""


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    folder = tmp_path / "trial"
    folder.mkdir()
    (folder / "spec.yaml").write_text(SPEC)
    (folder / "claims.yaml").write_text(CLAIMS)
    return folder


def test_quick_keys_win_over_all_others(trial: Path) -> None:
    paper, quick = load_experiment(trial), load_experiment(trial, size="quick", seed=7)
    assert (paper.size, quick.size) == ("paper", "quick")
    assert (paper.folder, quick.folder) == ("trial", "trial-quick")
    assert (paper.title, quick.title) == ("Trial", "Quick size of: Trial")
    requested = {name: (case.model_dump()["topology"], case.draws, case.seed) for name, case in paper.cases.items()}
    assert requested == {
        "one": (("ring:n=8",), 3, 0),
        "two": (("ring:n=8",), 3, 0),
        "all-planes-2": (("ring:n=6",), 3, 0),
        "all-planes-4": (("ring:n=6",), 3, 0),
    }
    requested = {name: (case.model_dump()["topology"], case.draws, case.seed) for name, case in quick.cases.items()}
    # The baseline is kept, named or not.
    assert requested == {
        "one": (("ring:n=4",), 1, 7),
        "two": (("ring:n=5",), 2, 7),
        "all-planes-4": (("ring:n=4",), 1, 7),
    }


def test_one_without_quick_is_the_same_at_both_sizes(trial: Path) -> None:
    lines = [line for line in SPEC.splitlines() if "quick" not in line]
    (trial / "spec.yaml").write_text("\n".join(lines).replace("  one: {}", "  one: {}\n  two: {planes: 2}"))
    (trial / "claims.yaml").unlink()
    assert load_experiment(trial, size="quick") == load_experiment(trial)


def test_claims_are_about_a_size(trial: Path) -> None:
    found = {}
    for size in ("paper", "quick"):
        experiment = load_experiment(trial, size=size)  # type: ignore[arg-type]
        records = list(run_experiment(experiment.reduced(draws=1), Store(trial / size)))
        found[size] = {
            item.claim.statement: (item.judgement.verdict, item.judgement.reason)
            for item in compare_claims(experiment, records)
        }
    assert found["paper"] == {
        "full": ("agrees", "within 1 %"),
        "small": ("not comparable", "claimed at quick size, run at paper size"),
        "both": ("agrees", "in this order"),
        "left out": ("agrees", "in this order"),
    }
    assert found["quick"] == {
        "full": ("not comparable", "claimed at paper size, run at quick size"),
        "small": ("agrees", "within 90 %"),
        "both": ("agrees", "in this order"),
    }


@pytest.mark.parametrize("size", ["paper", "quick"])
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "quick: {draws",
            "quick: {drawn",
            "spec.yaml: quick: unknown parameter 'drawn' (did you mean 'draws'?); allowed: cases, seed, draws, ",
        ),
        ('"all-planes-4"', '"all-planes-5*"', "spec.yaml: quick.cases: no case is called 'all-planes-5*'"),
        (
            '["all-planes-4", two]',
            "two",
            "spec.yaml: quick.cases: not a list of names, found 'two'; allowed: [name, name]",
        ),
        ('["all-planes-4", two]', "[]", "spec.yaml: quick.cases: not a list of names, found []; allowed: "),
        ("ring:n=5", "ring:n=1", "spec.yaml: cases.two, at quick size: topology: ring: n: "),
        (
            'quick: {topology: "ring:n=5"',
            'quick: {cases: "ring:n=5"',
            "spec.yaml: cases.two.quick: unknown parameter 'cases'",
        ),
        (
            "quick: {draws: 1,",
            "quick: [1]\nquicker: {draws: 1,",
            "spec.yaml: quick: not a mapping, found [1]; allowed: key: value",
        ),
        ("title:", "size: quick\ntitle:", "spec.yaml: size: a spec has no size of its own; allowed: --size"),
        (
            "quick: {draws: 1",
            "quick: {draws: 1000000",
            "spec.yaml: draws of all cases at quick size: out of range, found 2000002; allowed: 1 to 1000000",
        ),
        (
            "baseline: one",
            "baseline: one\nspread: variance",
            "spec.yaml: spread: input should be 'standard-error' or 'standard-deviation', found 'variance'",
        ),
    ],
)
def test_faults_of_either_size_are_found_at_both(trial: Path, old: str, new: str, message: str, size: str) -> None:
    assert old in SPEC
    (trial / "spec.yaml").write_text(SPEC.replace(old, new))
    with pytest.raises(SpecError) as caught:
        load_experiment(trial, size=size)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"{trial}/{message}")


def test_a_claim_about_the_quick_size_is_of_cases_that_it_has(trial: Path) -> None:
    (trial / "claims.yaml").write_text(CLAIMS.replace("one], size: any}", "one], size: quick}"))
    with pytest.raises(SpecError) as caught:
        load_experiment(trial)
    assert str(caught.value).startswith(
        f"{trial}/claims.yaml: claims.3: quick size has no case 'all-planes-2' (did you mean 'all-planes-4'?)"
    )


def test_results_of_two_experiments_do_not_meet(trial: Path) -> None:
    folder = trial.rename(trial.with_name("trial-quick"))
    with pytest.raises(SpecError) as caught:
        load_experiment(folder)
    assert str(caught.value) == (f"{folder}: the results of this folder would mix with those of trial at quick size")
