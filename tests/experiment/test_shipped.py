"""Every shipped experiment runs, at reduced size; the multipath figures say what the paper says, at full size."""

import re
from pathlib import Path

import pytest

from pnet_lp.experiment import Experiment, Store, load_experiment, run_experiment
from pnet_lp.report.experiment import compare, compare_published

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SHIPPED = sorted(path.parent.name for path in EXPERIMENTS.glob("*/spec.yaml"))


def shrunk(experiment: Experiment) -> Experiment:
    """Return the experiment with networks of radix 4 and at most 2 draws."""
    cases = {
        name: case.model_copy(
            update={
                "topology": tuple(re.sub(r"\bk=\d+", "k=4", text) for text in case.topology),
                "draws": min(case.draws, 2),
            }
        )
        for name, case in experiment.cases.items()
    }
    return experiment.model_copy(update={"cases": cases})


@pytest.mark.parametrize("name", SHIPPED)
def test_at_reduced_size(name: str, tmp_path: Path) -> None:
    experiment = shrunk(load_experiment(EXPERIMENTS / name))
    assert all("k=4" in text for case in experiment.cases.values() for text in case.topology)
    records = list(run_experiment(experiment, Store(tmp_path)))
    rows = compare(experiment, records)
    assert [row.case for row in rows] == list(experiment.cases)
    assert {row.status for row in rows} == {"certified"}
    assert all(row.percent is not None and row.percent > 0 for row in rows)
    assert experiment.published
    assert len(compare_published(experiment, records)) == len(experiment.published.claims)


@pytest.mark.parametrize(
    ("name", "draws", "cases"),
    [
        ("multipath-fat-tree-all-to-all", 10, ["*"]),
        ("multipath-fat-tree-permutation", 20, ["*"]),
        ("multipath-fat-tree-saturation", 6, ["1x-ksp-4", "1x-ksp-8"]),
        ("multipath-fat-tree-saturation", 1, ["2x-ksp-8", "2x-ksp-16", "4x-ksp-16", "4x-ksp-32"]),
        ("multipath-jellyfish-all-to-all", 1, ["*"]),
        ("multipath-jellyfish-permutation", 4, ["*x"]),
        (
            "multipath-jellyfish-saturation",
            1,
            ["1x-ksp-8", "het*-2x-ksp-8", "het*-2x-ksp-16", "het*-4x-ksp-??"],
        ),
    ],
)
def test_published_figures(name: str, draws: int, cases: list[str], tmp_path: Path) -> None:
    experiment = load_experiment(EXPERIMENTS / name).reduced(draws=draws, cases=cases)
    records = list(run_experiment(experiment, Store(tmp_path)))
    claims = compare_published(experiment, records)
    assert claims
    for claim in claims:
        assert claim.agrees, claim.sentence()


def test_all_to_all_fills_every_access_link(tmp_path: Path) -> None:
    """Figure 8a is fully determined: 10 Gb/s over the 127 other hosts, in each plane."""
    experiment = load_experiment(EXPERIMENTS / "multipath-jellyfish-all-to-all").reduced(draws=1)
    for record in run_experiment(experiment, Store(tmp_path)):
        planes = experiment.cases[record.case].planes
        assert record.interval.lower == pytest.approx(planes * 10 / 127, rel=1e-3)
        assert record.interval.upper >= planes * 10 / 127 * (1 - 1e-9)
