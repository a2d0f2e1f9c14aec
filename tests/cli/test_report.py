"""What sweeps have left, as tables, figures and a page; and sweeps of everything."""

import base64
import csv
import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pnet_lp.cli import sweeping
from pnet_lp.errors import SpecError
from pnet_lp.experiment.finished import aliases, all_experiments, find_experiment, name_of

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]
RunJson = Callable[..., Any]

SPEC = """
title: A <trial> & more
baseline: one
quick: {draws: 2, cases: [two]}
common: {topology: "ring:n=6", traffic: permutation, level: rack}
cases: {one: {}, two: {planes: 2}, three: {planes: 3}}
chart: {x: planes, lines: variant}
"""
CLAIMS = """
source: A paper, NSDI'99, figure 3
claims:
  - {statement: twice, case: two, relative_to: one, percent: 200}
  - {statement: thrice, case: three, relative_to: one, percent: 50, origin: artifact, cause: it has three, late: true}
  - {statement: small, kind: ordering, cases: [two, one], size: any}
"""


@pytest.fixture
def trial(here: Path) -> Path:
    (here / "experiments").unlink()
    folder = here / "experiments" / "trial"
    folder.mkdir(parents=True)
    (folder / "spec.yaml").write_text(SPEC)
    (folder / "claims.yaml").write_text(CLAIMS)
    other = folder.with_name("other")
    other.mkdir()
    (other / "spec.yaml").write_text("title: Other\ncases: {a: {topology: 'ring:n=3', level: rack}}\n")
    return folder


class Page(HTMLParser):
    """What a page holds: tags with their attributes, and whether each is closed."""

    VOID = ("meta", "img", "link", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def every(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.mark.usefixtures("trial")
def test_a_report(run: Run, run_json: RunJson, here: Path) -> None:
    run("sweep", "trial")
    shown = run("report", "--all")
    assert shown.stdout == (
        "trial: agrees 2, differs 1.\n"
        "A paper, NSDI'99: agrees 2, differs 1; late 1.\n"
        "All papers: agrees 2, differs 1; late 1.\n"
        "page: report/index.html\n"
    )
    assert shown.stderr == "Warning: other: no results; pnet-lp sweep experiments/other\n"

    folder = here / "report" / "trial"
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert sorted(files) == [
        *("cases.csv", "chart.pdf", "chart.png", "chart.svg", "claims.csv"),
        *("draws.csv", "manifest.json", "records.json", "tables.md"),
    ]
    # The tables are those of the sweep; every key of the spec has a column.
    for name in ("cases.csv", "draws.csv", "chart.png", "records.json", "manifest.json"):
        assert files[name] == (here / "results" / "trial" / name).read_bytes()
    rows = list(csv.DictReader(files["cases.csv"].decode().splitlines()))
    assert [(row["case"], row["topology"], row["planes"]) for row in rows] == [
        (name, "ring:n=6", str(i)) for i, name in enumerate(("one", "two", "three"), start=1)
    ]
    claims = list(csv.DictReader(files["claims.csv"].decode().splitlines()))
    assert [(claim["source"], claim["verdict"]) for claim in claims] == [
        ("A paper, NSDI'99, figure 3", "agrees"),
        ("A paper, NSDI'99, figure 3 (its program, late)", "differs"),
        ("A paper, NSDI'99, figure 3", "agrees"),
    ]
    markdown = files["tables.md"].decode()
    assert re.search(r"\n\| three \| [0-9.]+ \| 300\.0 \| ", markdown)
    assert "pnet-lp sweep experiments/trial\n" in markdown

    page = (here / "report" / "index.html").read_text()
    parsed = Page(page)
    assert "A &lt;trial&gt; &amp; more" in page
    assert "A paper, NSDI&#39;99</h2>" in page
    # Nothing is asked of anybody else, and no two elements have one name.
    assert not re.search(r'(?:src|href)="(?!#|data:)|url\(|@import|<script|<link', page)
    names = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(names) == len(set(names))
    [image] = parsed.every("img")
    assert (image["alt"] or "").startswith("Chart: A <trial> & more. Hollow marks: published")
    assert base64.b64decode((image["src"] or "").partition("base64,")[2]) == files["chart.svg"]
    assert all(attributes.get("scope") in ("row", "col") for attributes in parsed.every("th"))
    assert len(parsed.every("caption")) == len(parsed.every("table")) == 4
    # What does not agree stands by itself before all others, with its cause.
    unlike = page[page.index('id="unlike"') : page.index('id="paper-1"')]
    assert "thrice" in unlike
    assert "twice" not in unlike
    assert f"<td>{claims[1]['reason']}</td>" in unlike
    assert claims[1]["reason"] == "outside 1 %: it has three"
    manifest = json.loads(files["manifest.json"])
    for word in (manifest["code"], manifest["python"], "pnet-lp sweep experiments/other"):
        assert word in page

    # Equal records give equal bytes, and what was written can be read.
    document = run_json("report", "--all", "--results", "report", "--to", "again")
    assert {path.name: path.read_bytes() for path in (here / "again" / "trial").iterdir()} == files
    assert (here / "again" / "index.html").read_text() == page
    paper = {"paper": "A paper, NSDI'99", "verdicts": {"agrees": 2, "differs": 1}, "late": 1, "first": "trial"}
    assert document["papers"] == [paper, {**paper, "paper": "All papers", "first": ""}]
    assert document["missing"] == {"other": "pnet-lp sweep experiments/other"}
    [one] = document["experiments"]
    assert [claim["verdict"] for claim in one["claims"]] == ["agrees", "differs", "agrees"]
    assert sorted(Path(name).name for name in document["files"]) == sorted([*files, "index.html"])


def test_several_papers_have_a_page_each(run: Run, run_json: RunJson, here: Path, trial: Path) -> None:
    (trial.with_name("other") / "claims.yaml").write_text(
        "source: Another paper, table 1\nclaims:\n  - {statement: lowest of all, case: a, kind: value, value: 99}\n"
    )
    run("sweep", "trial")
    run("sweep", "other")
    assert run("report", "--all").stdout.splitlines()[-1] == "page: report/index.html"
    names = ["index.html", "claims-another-paper.html", "claims-a-paper-nsdi-99.html"]
    assert sorted(path.name for path in (here / "report").glob("*.html")) == sorted(names)
    pages = {name: (here / "report" / name).read_text() for name in names}
    for name, text in pages.items():
        ids = {attributes["id"] for _, attributes in Page(text).tags if "id" in attributes}
        links = [str(attributes["href"]) for attributes in Page(text).every("a")]
        assert len(links) > 1
        for file, _, place in (link.partition("#") for link in links):
            known = {tag["id"] for _, tag in Page(pages[file]).tags if "id" in tag} if file else ids
            assert not place or place in known, f"{name}: {file}#{place}"
    assert "thrice" in pages["index.html"]
    assert "twice" not in pages["index.html"]
    assert "twice" in pages["claims-a-paper-nsdi-99.html"]
    assert "lowest of all" not in pages["claims-a-paper-nsdi-99.html"].partition("<main")[2]
    assert {Path(name).name for name in run_json("report", "--all")["files"]} > set(names)


def test_claims_count_for_who_makes_them(run: Run, run_json: RunJson, here: Path, trial: Path) -> None:
    """Claims of an experiment may be of several papers; ours count for none of them."""
    (trial / "claims.yaml").write_text(
        CLAIMS.replace("size: any", "size: any, source: 'B paper, section 2'")
        + "  - {statement: more, kind: ordering, cases: [three, two], origin: ours, late: true}\n"
    )
    run("sweep", "trial")
    found = {one["paper"]: one for one in run_json("report", "--all")["papers"]}
    assert {name: (one["verdicts"], one["late"]) for name, one in found.items()} == {
        "A paper, NSDI'99": ({"agrees": 1, "differs": 1}, 1),
        "B paper": ({"agrees": 1}, 0),
        "All papers": ({"agrees": 2, "differs": 1}, 1),
        "Not from a paper": ({"agrees": 1}, 1),
    }
    page = (here / "report" / "index.html").read_text()
    rows = re.findall(r'<tr(?: class="sum")?><th scope="row">(?:<a href="(.*?)">)?([^<]*)(?:</a>)?</th>', page)
    shown = [(place, name) for place, name in rows if name.endswith(("99", "paper", "papers"))]
    assert shown == [
        ("#paper-1", "A paper, NSDI&#39;99"),
        ("#trial", "B paper"),
        ("", "All papers"),
        ("#trial", "Not from a paper"),
    ]


@pytest.mark.usefixtures("trial")
def test_sizes_do_not_mix(run: Run, run_json: RunJson, here: Path) -> None:
    run("sweep", "trial", "--size", "quick")
    wrong = run("report", "trial", code=2)
    assert wrong.stderr == (
        "Error: trial: no results in results of a complete run; allowed: pnet-lp sweep experiments/trial first\n"
    )
    [one] = run_json("report", "trial", "--size", "quick")["experiments"]
    assert (one["size"], one["cases"]) == ("quick", 2)
    assert [(claim["verdict"], claim["reason"]) for claim in one["claims"]] == [
        ("not comparable", "claimed at paper size, run at quick size"),
        ("not run", "no result of three"),
        ("agrees", "in this order"),
    ]
    assert "pnet-lp sweep experiments/trial --size quick" in (here / "report" / "index.html").read_text()
    assert (here / "report" / "trial-quick" / "cases.csv").exists()


def test_a_spec_that_has_changed_is_not_shown_with_old_results(run: Run, here: Path, trial: Path) -> None:
    run("sweep", "trial")
    (trial / "spec.yaml").write_text(SPEC.replace("planes: 3", "planes: 4").replace("more", "less"))
    sentence = "No result, or one of another spec, of 1 of 3 cases: three."
    assert run("report", "trial").stdout.splitlines()[0] == f"trial: agrees 2, not run 1. {sentence}"
    assert sentence in (here / "report" / "index.html").read_text()
    assert (here / "report" / "trial" / "tables.md").read_text().startswith("# A &lt;trial> &amp; less\n")
    records = here / "results" / "trial" / "records.json"
    records.write_text(records.read_text().replace('"draws"', '"drawn"'))
    assert run("report", "trial", code=2).stderr == ("Error: results/trial/records.json: not written by a sweep\n")


@pytest.mark.usefixtures("trial")
def test_an_interrupted_run_leaves_nothing_to_report(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("sweep", "trial")
    undisturbed = sweeping.run_experiment

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        yield next(undisturbed(*args, **kwargs))
        raise KeyboardInterrupt

    monkeypatch.setattr(sweeping, "run_experiment", interrupted)
    run("sweep", "trial", code=130)
    assert "no results in results of a complete run" in run("report", "trial", code=2).stderr


def test_sweeps_of_everything(run: Run, run_json: RunJson, here: Path, trial: Path) -> None:
    planned = run("sweep", "--all", "--dry-run").stdout
    assert re.search(r"│ trial +│ +3 │ +3 │ unknown │ unknown │ +│ +│", planned)
    assert not (here / "results").exists()
    shown = run("sweep", "--all").stdout
    assert shown.index("│ other ") < shown.index("chart: results/other/") < shown.index("chart: results/trial/")
    assert shown.endswith("2 of 2 experiments done\n")

    # What each has taken is known now; a broken one is named, and the others run.
    known = run_json("sweep", "--all", "--dry-run")
    assert all(one["seconds"] > 0 and one["measured_on"] for one in known["estimates"])
    assert [one["draws"] for one in run_json("sweep", "--all", "--dry-run", "--draws", "5")["estimates"]] in (
        [15, 5],
        [5, 15],
    )
    (here / "results" / "published").mkdir()
    shutil.move(here / "results" / "trial", here / "results" / "published" / "trial")
    (here / "pairs.csv").write_text("src,dst,demand\n0,9,1\n")
    (trial.with_name("other") / "spec.yaml").write_text(
        "title: Other\ncases: {a: {topology: 'ring:n=3', traffic: pairs.csv, level: rack}}\n"
    )
    found = run_json("sweep", "--all", code=2)
    assert [one["experiment"] for one in found["experiments"]] == ["trial"]
    assert found["left_out"].keys() == {"other"}
    assert {one["experiment"]: one["seconds"] is None for one in found["estimates"]} == {"trial": False, "other": True}


@pytest.mark.usefixtures("trial")
def test_a_budget(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 100_000, 40))
    monkeypatch.setattr("pnet_lp.cli.sweep.time.monotonic", lambda: next(clock))
    shown = run("sweep", "--all", "--budget", "90s")
    # Asked before and after its one case: 40 and 80 s; 120 s when trial would begin.
    assert shown.stdout.endswith("1 of 2 experiments done\n")
    assert shown.stderr == "Warning: trial: the budget is spent; the same command continues from there\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sweep",), "give either EXPERIMENT or --all"),
        (("sweep", "trial", "--all"), "give either EXPERIMENT or --all"),
        (("report",), "give either EXPERIMENT or --all"),
        (("sweep", "trial", "--budget", "1h"), "--budget needs --all"),
        (("sweep", "trial", "--dry-run"), "--dry-run needs --all"),
        (("sweep", "--all", "--case", "one"), "give either --case or --all"),
        (("sweep", "--all", "--out", "x.csv"), "give either --out or --all"),
        (("sweep", "--all", "--budget", "2 days"), "--budget: not a quantity, found '2 days'; allowed: a time"),
        (("sweep", "trial", "--executor", "x"), "--executor: unknown executor 'x'; allowed: dask, local"),
        (("sweep", "tril"), "no experiment, and no topology, is called 'tril' (did you mean 'trial'?)"),
    ],
)
@pytest.mark.usefixtures("trial")
def test_faults(run: Run, words: tuple[str, ...], message: str) -> None:
    assert message in run(*words, code=2).stderr


def test_where_there_are_no_experiments_the_shipped_ones_are_meant(run: Run, here: Path) -> None:
    (here / "experiments").unlink()
    assert [name_of(folder) for folder in all_experiments()] == sorted(
        path.parent.name for path in (ROOT / "experiments").glob("*/spec.yaml")
    )
    assert run("report", "ideal-planes", code=2).stderr == (
        "Error: ideal-planes: no results in results of a complete run; allowed: pnet-lp sweep ideal-planes first\n"
    )


def test_own_experiments_come_first(here: Path, trial: Path) -> None:
    assert all_experiments() == [Path("experiments/other"), Path("experiments/trial")]
    assert find_experiment("trial") == trial.relative_to(here)
    assert find_experiment("experiments/other") == Path("experiments/other")
    assert find_experiment("ideal-planes") == ROOT / "experiments" / "ideal-planes"
    with pytest.raises(SpecError, match="no experiment is called 'nonsense'"):
        find_experiment("nonsense")


def test_every_figure_and_table_is_found_by_its_number() -> None:
    pnet = ["6a", "6b", "6c", "7", "8a", "8b", "8c", "9", *range(10, 15), *range(16, 21)]
    names = [f"pnet-figure-{number}" for number in pnet] + ["pnet-table-1", "pnet-table-2"]
    names += ["pfabric-figure-2", "pfabric-figure-3", "pfabric-rto", "hybrid-figure-2", "hybrid-figure-5"]
    names += [f"sopa-figure-{number}" for number in range(3, 13)] + ["sopa-example-1", "sopa-example-2"]
    known = {path.name: path for path in all_experiments()} | aliases(ROOT / "experiments")
    assert {*names, "hedera-figure-9"} <= set(known)
    assert find_experiment("pnet-figure-9").name == "packets-flow-size-artifact"


def test_an_experiment_is_found_by_its_other_names(run: Run, here: Path, trial: Path) -> None:
    spec = here / "experiments" / "other" / "spec.yaml"
    spec.write_text("aliases: [figure-9, figure-10]\n" + spec.read_text())
    run("sweep", "figure-9")
    assert (here / "results" / "other" / "records.json").exists()
    assert run("report", "figure-10").stdout.startswith("other: no claims")
    assert "  Other (figure-9, figure-10)\n" in run("list", "experiments").stdout
    assert run("list", "experiments", "figure-9").stdout.startswith("other ")
    assert run("sweep", "figur-9", code=2).stderr == (
        "Error: no experiment, and no topology, is called 'figur-9' (did you mean 'figure-9'?); allowed: "
        "a folder with a spec.yaml, or a name of `pnet-lp list experiments`\n"
    )
    for name, found in (("trial", "trial"), ("figure-9", "other")):
        (trial / "spec.yaml").write_text(f"aliases: [{name}]\n{SPEC}")
        assert run("report", name if name != "trial" else "x", code=2).stderr == (
            f"Error: experiments/trial/spec.yaml: aliases: the name is already used by {found}, found '{name}'; "
            "allowed: another name\n"
        )
