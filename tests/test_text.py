"""Texts that others wrote are shown as they are: none acts on a terminal, runs in a table, or becomes markup."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pnet_lp.cli import main
from pnet_lp.cli.output import print_report
from pnet_lp.drawing.svg import page
from pnet_lp.errors import TrafficError, printable
from pnet_lp.layouts import csv_text, parse_csv
from pnet_lp.model import Plane
from pnet_lp.notebook.progress import progress_text
from pnet_lp.tables import fact_grid, table_of, write_table
from pnet_lp.topology import build_network
from pnet_lp.traffic import build_traffic
from pnet_lp.traffic.io import read_traffic, write_traffic

EVIL = "a\x1b]52;c;eA==\x07\x1b]8;;x\x1b\\b\x1b[2J\u202ec\u200bd\x85\x9b\ud800e\rf\x7f"
SHOWN = "a\\x1b]52;c;eA==\\x07\\x1b]8;;x\\x1b\\b\\x1b[2J\\u202ec\\u200bd\\x85\\x9b\\ud800e\\rf\\x7f"
FORMULAS = ["=1+1", "+cmd", "-a", "@SUM(A1)", "'=1", "''-a", "'+"]
NO_FORMULAS = ["", "a=1", "-1", "+1.5e3", "'a", "'", "-.5", "a\nb"]


def acting(text: str) -> set[str]:
    """Return the characters of a text that do something other than being seen."""
    return {c for c in text if not c.isprintable()} - {"\n"}


def test_what_acts_is_escaped() -> None:
    assert printable(EVIL) == SHOWN
    assert printable("ä\n漢 | é", "\n") == "ä\n漢 | é"


def test_lines_and_tables_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of([EVIL], (EVIL, str), texts={EVIL}, title=EVIL)
    print_report(EVIL, table, fact_grid([(EVIL, "1")]))
    out = capsys.readouterr().out
    assert not acting(out)
    # Columns are as wide as what they show: not a character is lost.
    assert re.sub(r"\s", "", out).count(SHOWN) == 5


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    class Report:
        seconds = 2.0

        def __str__(self) -> str:
            return EVIL

    with progress_text() as show:
        show(Report())
    assert acting(capsys.readouterr().err) == {"\r"}


@pytest.mark.parametrize(
    "words",
    [
        [EVIL],
        ["topology", EVIL],
        ["topology", "ring:n=4", "--seed", EVIL],
        ["topology", "ring:n=4", f"--{EVIL}"],
        ["throughput", "ring:n=4", "--traffic", EVIL, "--debug"],
        ["verify", EVIL],
        ["sweep", EVIL],
        ["list", EVIL],
        [f"--{EVIL}"],
    ],
)
def test_errors(words: list[str]) -> None:
    found = CliRunner().invoke(main, [word.replace("\ud800", "") for word in words], prog_name="pnet-lp")
    assert found.exit_code
    assert not acting(found.output)


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An experiment whose texts are all hostile."""
    monkeypatch.chdir(tmp_path)
    text = f"=cmd|' /C calc'!A0 <script>alert(1)</script> `x` [a](javascript:b) {EVIL} $\\frac{{$"
    text = text.replace("\ud800", "")
    folder = tmp_path / "hostile"
    folder.mkdir()
    chart = {"x": "topology.n", "words": {"topology.n": text}}
    cases = {f"c{n}": {"topology": f"ring:n={n}", "traffic": "all-to-all"} for n in (4, 5)}
    spec = {"title": text, "unit": text, "baseline": "c4", "chart": chart, "cases": cases}
    claim = {"case": "c4", "value": 25.0, "range": [20, 30], "statement": text, "cause": text}
    (folder / "spec.yaml").write_text(json.dumps(spec))
    (folder / "claims.yaml").write_text(json.dumps({"source": text, "claims": [claim]}))
    return folder


def test_sweeps_and_reports(experiment: Path, tmp_path: Path) -> None:
    def run(*words: str) -> Result:
        found = CliRunner().invoke(main, words, prog_name="pnet-lp")
        assert found.exit_code == 0, found.output
        assert not acting(found.output)
        return found

    assert "\\x1b]52;" in run("sweep", str(experiment), "--chart", "c.svg").output
    run("report", str(experiment), "--to", "report")
    made = [path for path in Path("report").rglob("*.*") if path.suffix not in {".png", ".pdf"}]
    texts = {path.name: path.read_text() for path in made}
    texts["c.svg"] = Path("c.svg").read_text()
    assert texts.keys() >= {"index.html", "tables.md", "claims.csv", "chart.svg"}
    assert {name: acting(text) - {"\t"} for name, text in texts.items() if acting(text) - {"\t"}} == {}
    assert all("<script>alert" not in texts[name] for name in ("index.html", "tables.md", "chart.svg", "c.svg"))
    assert "[a](javascript" not in texts["tables.md"]
    table = [line for line in texts["tables.md"].splitlines() if line.startswith("| =cmd")]
    assert len(table) == 1
    assert len(re.findall(r"(?<!\\)\|", table[0])) == 7
    assert re.findall(r"(?<!\\)`", table[0]) == []
    with (tmp_path / "report" / "hostile" / "claims.csv").open(newline="") as file:
        assert list(csv.reader(file))[1][0].startswith("'=cmd|")


def test_web_pages() -> None:
    assert not acting(page("<svg/>", EVIL))


def test_formulas_in_tables(tmp_path: Path) -> None:
    cells = [*FORMULAS, *NO_FORMULAS]
    write_table({"=name": cells, "load": np.arange(len(cells)) - 1.5}, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["'=name", "load"]
    assert [row[0] for row in rows] == [f"'{cell}" for cell in FORMULAS] + NO_FORMULAS
    assert rows[0][1] == "-1.5"


def test_every_cell_comes_back() -> None:
    cells = [*FORMULAS, *NO_FORMULAS, "x"]
    rows = [row for _, row in parse_csv(csv_text(["a", "b"], ([cell, "1"] for cell in cells)), "f", TrafficError)]
    assert [row[0] for row in rows] == ["a", *cells]


def test_names_that_are_formulas_come_back(tmp_path: Path) -> None:
    network = build_network(Plane.from_cables([*FORMULAS, "-1"], range(7), range(1, 8)))
    traffic = build_traffic("all-to-all", network)
    write_traffic(traffic, network, tmp_path / "m.csv")
    assert "\n'=1+1,'+cmd," in (tmp_path / "m.csv").read_text()
    assert read_traffic(tmp_path / "m.csv", network, "rack").fingerprint == traffic.fingerprint
