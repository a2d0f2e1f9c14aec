"""A case in per cent of the baseline that has its values of some keys."""

from pathlib import Path

import pytest

from pnet_lp.errors import SpecError
from pnet_lp.experiment import Store, load_experiment, run_experiment
from pnet_lp.report.experiment import compare

SPEC = """
title: Trial
baseline: "{objective}-{topology}-1"
common: {traffic: "100*all-to-all"}
quick: {topology: "ring:n=3", cases: ["max-min-ring-n-4-2"]}
cases:
  all:
    grid: {objective: [concurrent, max-min], topology: ["ring:n=4", "ring:n=5"], planes: [1, 2]}
    name: "{objective}-{topology}-{planes}"
"""


def test_each_case_has_its_own_baseline(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC)
    experiment = load_experiment(tmp_path)
    assert experiment.base_of("max-min-ring-n-5-2") == "max-min-ring-n-5-1"
    assert experiment.baseline_label == "1 of the same objective and topology"
    rows = compare(experiment, list(run_experiment(experiment, Store(tmp_path / "results"))))
    # Two planes carry twice as much of the same traffic, however it is counted.
    assert [row.percent for row in rows] == pytest.approx([100, 200] * 4)


def test_a_case_that_is_kept_keeps_its_baseline_alone(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC)
    kept = ["max-min-ring-n-4-1", "max-min-ring-n-4-2"]
    assert list(load_experiment(tmp_path).reduced(cases=["*max-min*4-2"]).cases) == kept
    quick = load_experiment(tmp_path, size="quick")
    assert list(quick.cases) == kept
    # Quick keys do not change what it is compared with.
    assert quick.base_of(kept[1]) == kept[0]


def test_a_baseline_of_the_entry_that_a_case_came_out_of(tmp_path: Path) -> None:
    entries = "".join(
        f"  {name}: {{topology: 'ring:n={n}', grid: {{planes: [1, 2]}}, name: '{{case}}-{{planes}}'}}\n"
        for name, n in (("four", 4), ("five", 5))
    )
    (tmp_path / "spec.yaml").write_text(f"title: Trial\nbaseline: '{{case}}-1'\ncases:\n{entries}")
    experiment = load_experiment(tmp_path)
    assert [experiment.base_of(name) for name in experiment.cases] == ["four-1"] * 2 + ["five-1"] * 2
    assert experiment.baseline_label == "1 of the same case"


@pytest.mark.parametrize(
    ("baseline", "text"),
    [
        ("{planet}-1", "spec.yaml: baseline: no key of a case is called 'planet' (did you mean 'planes'?)"),
        ("{planes}-1", "spec.yaml: baseline: no case is called '1-1'"),
    ],
)
def test_baselines_that_are_none(tmp_path: Path, baseline: str, text: str) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC.replace("{objective}-{topology}-1", baseline))
    with pytest.raises(SpecError) as caught:
        load_experiment(tmp_path)
    assert text in str(caught.value)
