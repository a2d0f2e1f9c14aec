"""What experiments take, and which of them fit into a time and into memory."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from pnet_lp.experiment import Draw, Experiment, Record, RecordedAnswer, Store
from pnet_lp.experiment.finished import aliases, read_run
from pnet_lp.experiment.plan import Estimate, estimate, plan
from pnet_lp.experiment.record import Spent
from pnet_lp.experiment.spec import load_experiment
from pnet_lp.questions.base import Headline
from pnet_lp.questions.throughput.case import ThroughputCase
from pnet_lp.report.plan import estimate_cells
from pnet_lp.units import GIB, format_bytes, format_seconds

ROOT = Path(__file__).parents[2]


def known(name: str, seconds: float | None, gib: float | None = None, draws: int = 4) -> Estimate:
    case = ThroughputCase(topology=("ring:n=4",), draws=draws)
    experiment = Experiment(name=name, title=name, cases={"a": case})
    return Estimate(experiment, seconds, None if gib is None else int(gib * GIB))


def planned(*estimates: Estimate, **limits: Any) -> dict[str, str]:
    limits = {"budget_s": None, "jobs": 1, "free_bytes": 8 * GIB, **limits}
    return {one.name: one.left_out for one in plan(estimates, **limits)}


def test_the_longest_come_first_and_the_unknown_last() -> None:
    found = planned(known("unknown", None), known("short", 1), known("long", 9), known("middle", 5))
    assert list(found.items()) == [("long", ""), ("middle", ""), ("short", ""), ("unknown", "")]


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    estimates = (known("long", 7200), known("middle", 3000), known("short", 700), known("other", 500))
    assert planned(*estimates, budget_s=3600) == {
        "long": "needs about 2.0 h, of the budget 60 min are left",
        "middle": "",
        "short": "needs about 12 min, of the budget 10 min are left",
        "other": "",
    }
    # Two processes take half the time.
    assert not any(planned(*estimates, budget_s=5700, jobs=2).values())


def test_memory_is_that_of_all_processes() -> None:
    estimates = (known("large", 9, gib=5), known("one draw", 8, gib=5, draws=1))
    assert not any(planned(*estimates).values())
    assert planned(*estimates, jobs=2) == {"large": "needs about 10.0 GiB of memory, 8.0 GiB are free", "one draw": ""}
    assert not any(planned(*estimates, jobs=2, free_bytes=None).values())


def test_what_is_known_least_comes_last() -> None:
    estimates = (known("unknown", None), Estimate(known("quick", 1).experiment, 7000, at_least=True))
    assert list(planned(*estimates, known("short", 1))) == ["short", "quick", "unknown"]
    assert planned(*estimates, budget_s=60)["quick"] == "needs at least 1.9 h, of the budget 60 s are left"


def left(folder: Path, seconds: dict[str, float], draws: int, worked: float | None = None) -> None:
    """Leave what a run does of cases of so many draws of so many seconds each, ``worked`` of them of a processor."""
    case = ThroughputCase(topology=("ring:n=4",), draws=draws)
    store = Store(folder)
    manifest = store.begin({"cases": {name: case.model_dump(mode="json") for name in seconds}})
    answer = RecordedAnswer(Headline.exact("throughput_gbps", "gbps", "throughput", 1.0), "exact", {}, {})
    store.finish(
        manifest,
        [
            Record(
                name, tuple(Draw(name, i, "", {"seed": i}, answer, Spent(each, 1 << 20, worked)) for i in range(draws))
            )
            for name, each in seconds.items()
        ],
    )


def test_where_estimates_come_from(tmp_path: Path) -> None:
    case = ThroughputCase(topology=("ring:n=4",), draws=4)
    experiment = Experiment(name="trial", title="T", cases={"a": case, "b": case})
    assert estimate_cells(estimate(experiment, tmp_path)) == ("trial", "2", "8", "unknown", "unknown")
    # Of the quick run's cases each draw as there, of others as their mean; a run of a part says no more.
    left(tmp_path / "trial-quick", {"a": 3.0}, draws=1)
    left(tmp_path / "trial", {"a": 9.0}, draws=2)
    found = estimate(experiment, tmp_path)
    assert (found.seconds, found.at_least) == (24, True)
    assert estimate_cells(found)[3:] == ("> 24 s", "> 1.0 MiB")
    assert found.to_json()["at_least"]
    left(tmp_path / "published" / "trial", {"a": 5.0, "b": 6.0}, draws=2)
    found = estimate(experiment, tmp_path)
    assert (found.seconds, found.at_least) == (44, False)
    left(tmp_path / "trial", {"a": 1.0, "b": 2.0}, draws=2)
    assert estimate(experiment, tmp_path).seconds == 12
    # Of draws that waited for others it counts what they worked.
    left(tmp_path / "trial", {"a": 100.0, "b": 200.0}, draws=2, worked=3.0)
    assert estimate(experiment, tmp_path).seconds == 24
    # At quick size a quick run is the run.
    shutil.rmtree(tmp_path / "trial")
    quick = experiment.model_copy(update={"size": "quick", "cases": {"a": case}})
    assert (estimate(quick, tmp_path).seconds, estimate(quick, tmp_path).at_least) == (12, False)


def published() -> list[str]:
    """Return for each experiment the line of the list that its spec and its published manifest make."""
    lines, also = [], aliases(ROOT / "experiments")
    for spec in sorted(ROOT.glob("experiments/*/spec.yaml")):
        name = spec.parent.name
        manifest = ROOT / "results" / "published" / name / "manifest.json"
        document = json.loads(manifest.read_text(encoding="utf-8")) if manifest.exists() else {}
        took = [Spent(**draw) for draws in document.get("spent", {}).values() for draw in draws]
        numbers = ["", "", "", ""]
        if took:
            numbers = [
                str(len(document["spent"])),
                str(len(took)),
                format_seconds(sum(one.work_seconds for one in took)),
                format_bytes(max(one.peak_bytes or 0 for one in took)),
            ]
        called = ", ".join(alias for alias, folder in also.items() if folder.name == name)
        lines.append(f"| {' | '.join([f'[{name}]({name})', called, *numbers])} |".replace("|  ", "| "))
    return lines


def test_the_list_of_experiments_says_how_they_are_called_and_what_they_take() -> None:
    listed = (ROOT / "experiments" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[.*\]\(.*$", listed, re.MULTILINE) == published()


def test_what_is_published_is_of_the_specs_as_they_stand() -> None:
    """Else the page of all claims, made from the published records, would say of a case that it was not run."""
    results = ROOT / "results" / "published"
    missing = {}
    for folder in sorted(ROOT.glob("experiments/*/")):
        if (folder / "spec.yaml").exists():
            run = read_run(load_experiment(folder), results)
            missing[folder.name] = ("no run",) if run is None else run.missing
    assert len(missing) > 40
    assert {name: cases for name, cases in missing.items() if cases} == {}
