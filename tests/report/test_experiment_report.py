"""The comparison of an experiment's cases, as numbers, words and a chart."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pnet_lp.experiment import Case, Claim, Experiment, Record
from pnet_lp.experiment.spec import Published
from pnet_lp.report.chart import write_bar_chart
from pnet_lp.report.experiment import compare, compare_published, comparison_table, sweep_document

CLAIM = Claim(case="b", relative_to="a", percent=160, kind="at-most", statement="b against a")
EXPERIMENT = Experiment(
    name="trial",
    title="A trial",
    unit="Gb/s per pair",
    baseline="a",
    cases={name: Case(topology=("ring:n=4",)) for name in "abc"},
    published=Published(source="A paper, figure 1", claims=(CLAIM,)),
)


def record(case: str, value: float, binding: str = "cut") -> Record:
    bottleneck = {"plane": 1, "link": ["x", "y"], "kind": "core", "share": 1.0, "capacity_gbps": 10.0}
    result = {
        "throughput_gbps": value,
        "upper_bound_gbps": value * 1.01,
        "relative_gap": 0.01,
        "status": "certified",
        "binding": binding,
        "bottlenecks": [bottleneck],
    }
    return Record(case, "sha256:0", {}, result, {"build": 0.5, "solve": 1.0})


RECORDS = [record("a", 2.0), record("b", 3.0, "core link"), record("c", 8.0)]


def text(renderable: object) -> str:
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    with console.file:
        console.print(renderable)
    return console.export_text()


def test_rows_are_in_per_cent_of_the_baseline() -> None:
    rows = compare(EXPERIMENT, RECORDS)
    assert [row.percent for row in rows] == [100.0, 150.0, 400.0]
    assert [row.seconds for row in rows] == [1.5] * 3
    words = "(each at most 100 %)"
    assert [row.bottleneck for row in rows] == [f"a cut {words}", f"core links {words}", f"a cut {words}"]


def test_without_a_baseline_there_are_no_per_cents() -> None:
    assert compare(EXPERIMENT, RECORDS[1:])[0].percent is None
    nothing = [record("a", 0.0), RECORDS[1]]
    assert [row.percent for row in compare(EXPERIMENT, nothing)] == [None, None]


def test_published_claims_stand_next_to_what_was_measured() -> None:
    [claim] = compare_published(EXPERIMENT, RECORDS)
    assert claim.sentence() == "b against a (A paper, figure 1): published up to 160 %, here 150.0 % of a"
    equal = replace(claim, claim=CLAIM.model_copy(update={"kind": "equal"}))
    assert "published 160 %, here" in equal.sentence()
    assert compare_published(EXPERIMENT, RECORDS[:1]) == []
    assert compare_published(EXPERIMENT.model_copy(update={"published": None}), RECORDS) == []


def test_the_table_shows_every_case() -> None:
    shown = text(comparison_table(EXPERIMENT, compare(EXPERIMENT, RECORDS)))
    for word in ("A trial", "Gb/s per pair", "% of a", "150.0", "1.0e-02", "1.50", "core links (each"):
        assert word in shown


def test_the_document() -> None:
    rows, claims = compare(EXPERIMENT, RECORDS), compare_published(EXPERIMENT, RECORDS)
    document = sweep_document(EXPERIMENT, rows, claims, ["chart.png"])
    assert document["cases"][1]["percent"] == 150.0
    assert document["published"][0]["measured_percent"] == 150.0
    assert document["files"] == ["chart.png"]


@pytest.mark.parametrize("shown", [0, 1])
def test_the_chart_is_a_png_and_the_same_every_time(tmp_path: Path, shown: int) -> None:
    rows, claims = compare(EXPERIMENT, RECORDS), compare_published(EXPERIMENT, RECORDS)[:shown]
    first, second = tmp_path / "first.png", tmp_path / "second.png"
    write_bar_chart(EXPERIMENT, rows, claims, first)
    write_bar_chart(EXPERIMENT, rows, claims, second)
    data = first.read_bytes()
    assert data == second.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width > height > 400
    assert b"tEXt" not in data.replace(b"\x00", b"") or b"Software" not in data
