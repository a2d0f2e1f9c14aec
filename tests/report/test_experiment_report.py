"""The comparison of an experiment's cases, as numbers, words and a chart."""

import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

from pnet_lp.experiment import BoundClaim, Chart, Claims, Draw, Experiment, Record, RecordedAnswer, ValueClaim
from pnet_lp.questions.base import Headline
from pnet_lp.questions.simulate.case import SimulateCase
from pnet_lp.questions.throughput.case import ThroughputCase as Case
from pnet_lp.report import chart
from pnet_lp.report.chart import key_label, write_chart
from pnet_lp.report.claims import compare_claims
from pnet_lp.report.experiment import (
    compare,
    comparison_cells,
    comparison_table,
    draw_table,
    result_table,
    saturation_sentences,
    sweep_document,
)
from pnet_lp.report.lines import bar_panels, chart_panels
from pnet_lp.report.numbers import clean

CLAIM = BoundClaim(kind="bound", case="b", relative_to="a", at_most=160, statement="b against a")
EXPERIMENT = Experiment(
    name="trial",
    title="A trial",
    unit="Gb/s per pair",
    baseline="a",
    cases={name: Case(topology=("ring:n=4",)) for name in "abc"},
    claimed=Claims(source="A paper, figure 1", claims=(CLAIM,)),
)


def record(case: str, *values: float, binding: str = "cut") -> Record:
    draws = []
    for i, value in enumerate(values):
        answer = RecordedAnswer(
            Headline("throughput_gbps", "gbps", "throughput", value, value, value / 0.99, "Gb/s per unit demand"),
            "certified",
            {"solver": "structured"},
            {},
            limited_by=binding if i != 1 else "access link",
            seconds={"build": 0.5, "solve": 1.0},
        )
        draws.append(Draw(case, i, "sha256:0", {"seed": i}, answer))
    return Record(case, tuple(draws))


RECORDS = [record("a", 2.0), record("b", 3.0, binding="core link"), record("c", 8.0)]


def text(renderable: object) -> str:
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    with console.file:
        console.print(renderable)
    return console.export_text()


def test_rows_are_in_per_cent_of_the_baseline() -> None:
    rows = compare(EXPERIMENT, RECORDS)
    assert [row.percent for row in rows] == [100.0, 150.0, 400.0]
    assert [row.seconds for row in rows] == [1.5] * 3
    assert [row.limited_by for row in rows] == ["cut", "core link", "cut"]


def test_without_a_baseline_there_are_no_per_cents() -> None:
    assert compare(EXPERIMENT, RECORDS[1:])[0].percent is None
    nothing = [record("a", 0.0), RECORDS[1]]
    assert [row.percent for row in compare(EXPERIMENT, nothing)] == [None, None]


def test_published_claims_stand_next_to_what_was_measured() -> None:
    [claim] = compare_claims(EXPERIMENT, RECORDS)
    assert claim.agrees
    assert claim.sentence() == (
        "b against a (A paper, figure 1): published at most 160 %, here 150.0 % of a; agrees: at most 160 %"
    )
    assert compare_claims(EXPERIMENT, RECORDS[:1]) == []
    assert compare_claims(EXPERIMENT.model_copy(update={"claimed": None}), RECORDS) == []


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        ({"percent": 160}, "published 160 %, here 150.0 % of a; trend only: outside 1 %, but above a as claimed"),
        ({"percent": 60}, "published 60 %, here 150.0 % of a; DIFFERS: outside 1 %"),
        (
            {"percent": 160, "tolerance_percent": 8, "origin": "artifact"},
            "the paper's program has 160 %, here 150.0 % of a; agrees: within 8 %",
        ),
        (
            {"percent": 160, "range": (100, 170)},
            "published 160 %, here 150.0 % of a; agrees: within the 100 to 170 % accepted",
        ),
        (
            {"percent": 160, "not_comparable": "other sizes"},
            "published 160 %, here 150.0 % of a; not comparable: other sizes",
        ),
    ],
)
def test_a_sentence_says_what_is_accepted(words: dict[str, Any], ending: str) -> None:
    claim = ValueClaim(case="b", relative_to="a", statement="b", **words)
    claimed = Claims(source="A paper", claims=(claim,))
    [found] = compare_claims(EXPERIMENT.model_copy(update={"claimed": claimed}), RECORDS)
    assert found.sentence() == f"b (A paper): {ending}"
    assert found.agrees == ("agrees" in ending)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"value": 3.02}, "b (A paper): published 3.02, here 3 Gb/s per unit demand; agrees: within 1 %"),
        ({"value": 2}, "b (A paper): published 2, here 3 Gb/s per unit demand; DIFFERS: outside 1 %"),
        (
            {"value": 3.1, "range": (2, 4), "origin": "ours"},
            "b (A paper): by our reckoning 3.1, here 3 Gb/s per unit demand; agrees: within the 2 to 4 accepted",
        ),
        (
            {"value": 3, "source": "Its abstract"},
            "b (Its abstract): published 3, here 3 Gb/s per unit demand; agrees: within 1 %",
        ),
    ],
)
def test_values_of_their_own(words: dict[str, Any], sentence: str) -> None:
    claimed = Claims(source="A paper", claims=(ValueClaim(case="b", statement="b", **words),))
    experiment = EXPERIMENT.model_copy(update={"claimed": claimed, "baseline": None})
    [found] = compare_claims(experiment, RECORDS)
    assert found.sentence() == sentence
    document = found.to_json()
    assert document["measured"] == [{"case": "b", "value": 3.0, "error": None, "unit": "Gb/s per unit demand"}]
    assert (document["verdict"] == "agrees") == ("agrees" in sentence)
    rows = compare(experiment, RECORDS)
    assert all(row.percent is None and "percent" not in row.to_json() for row in rows)
    assert "% of" not in text(comparison_table(experiment, rows))


def test_published_values_are_drawn_and_recomputed_ones_are_not(tmp_path: Path) -> None:
    pictures = []
    for words in ({}, {"origin": "ours"}):
        claim = ValueClaim.model_validate({"case": "2-8", "value": 15, "statement": "s", **words})
        claimed = Claims(source="A paper", claims=(claim,))
        for lines in (CURVES.chart, None):
            changes = {"claimed": claimed, "baseline": None, "chart": lines and Chart(x="routing", lines="planes")}
            experiment = CURVES.model_copy(update=changes)
            records = [record(case, value) for case, value in MEASURED.items()]
            claims = compare_claims(experiment, records)
            write_chart(experiment, compare(experiment, records), claims, tmp_path / "chart.png")
            pictures.append((tmp_path / "chart.png").read_bytes())
    assert len(set(pictures)) == 4


@pytest.mark.parametrize(("lines", "level"), [(False, 15.0), (True, 190.0)])
def test_a_published_ratio_is_drawn_beside_the_published_value_that_it_is_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lines: bool, level: float
) -> None:
    """Of 10, which the paper has, and not of 2, which was measured; in per cent it is what it is."""
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    base, other, shown = ("1-ideal", "2-8", CURVES) if lines else ("a", "b", EXPERIMENT)
    claims = (
        ValueClaim(case=base, value=10, statement="s"),
        ValueClaim(case=other, relative_to=base, percent=190 if lines else 150, statement="s"),
    )
    experiment = shown.model_copy(update={"claimed": Claims(source="A paper", claims=claims)})
    records = [record(case, value) for case, value in MEASURED.items()] if lines else RECORDS
    write_chart(experiment, compare(experiment, records), compare_claims(experiment, records), tmp_path / "chart.png")
    marks = [line for line in figures[-1].axes[0].get_lines() if line.get_markerfacecolor() == "none"]
    places = [(line.get_ydata() if lines else line.get_xdata())[0] for line in marks if line.get_markersize() < 9]
    assert places == ([level] if lines else [10.0, level])


def test_words_without_an_order_are_not_joined_by_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Their points stand beside each other; words that differ by a number, but for one, have its order."""
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    for values, joined in (
        (["ksp:2", "ksp:4", "ideal"], True),
        (["ksp:2", "ecmp", "ideal"], False),
        (["ecmp", "ideal"], False),
    ):
        cases = {
            f"{planes}-{i}": Case.model_validate({"topology": "ring:n=4", "planes": planes, "routing": value})
            for planes in (1, 2)
            for i, value in enumerate(values)
        }
        experiment = Experiment(name="t", title="T", cases=cases, chart=Chart(x="routing", lines=("planes",)))
        assert chart_panels(experiment)[0].ordered == joined
        records = [record(case, 1.0 + i) for i, case in enumerate(cases)]
        write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
        one, two = figures[-1].axes[0].get_lines()[:2]
        assert (one.get_linestyle() == "None") != joined
        assert np.allclose(np.subtract(two.get_xdata(), one.get_xdata()), 0 if joined else 0.4)


def test_circles_are_also_drawn_where_they_are_published(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At the first case of a line that is claimed to carry what counts as saturated."""
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    words = {"kind": "bound", "relative_to": "1-ideal", "statement": "s"}
    at_least = {"1-4": 80, "1-8": 90, "2-8": 180}
    claims = [BoundClaim.model_validate({**words, "case": case, "at_least": least}) for case, least in at_least.items()]
    for origin, places in (("paper", [(2, 90.0), (2, 179.0)]), ("ours", [])):
        made = tuple(claim.model_copy(update={"origin": origin}) for claim in claims)
        experiment = CURVES.model_copy(update={"claimed": Claims(source="A paper", claims=made)})
        records = [record(case, value) for case, value in MEASURED.items()]
        rows, comparisons = compare(experiment, records), compare_claims(experiment, records)
        write_chart(experiment, rows, comparisons, tmp_path / "chart.png")
        circles = [line for line in figures[-1].axes[0].get_lines() if line.get_markersize() == 12]
        assert [(line.get_xdata()[0], round(line.get_ydata()[0], 9)) for line in circles] == places
        assert ("in grey as published" in chart.caption(experiment, rows, comparisons)) == bool(places)


def test_each_source_of_published_values_has_its_own_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    words = {"case": "b", "relative_to": "a", "percent": 160, "statement": "s"}
    sources = ("A paper", "Its abstract")
    claims = [ValueClaim.model_validate({**words, "source": source}) for source in sources]
    for shown, labels in (
        (claims, [f"published: {one}" for one in sources]),
        (claims[:1], ["published"]),
        # A bound did not come out of anything.
        ([*claims[:1], CLAIM], ["published"]),
    ):
        experiment = EXPERIMENT.model_copy(update={"claimed": Claims(source="?", claims=tuple(shown))})
        rows, comparisons = compare(experiment, RECORDS), compare_claims(experiment, RECORDS)
        write_chart(experiment, rows, comparisons, tmp_path / "chart.png")
        [legend] = figures[-1].legends
        assert [text.get_text() for text in legend.get_texts()] == labels
        named = "; ".join(sources[: len(labels)])
        assert f"Hollow marks: published ({named})." in chart.caption(experiment, rows, comparisons)


def test_lines_on_each_other_are_both_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    for second, wide in ((1.0, True), (1.5, False)):
        records = [record(f"{n}-ksp:{k}", k * (second if n == 2 else 1.0)) for n in (1, 2) for k in (4, 8)]
        experiment = CURVES.model_copy(
            update={
                "cases": {one.case: curve(int(one.case[0]), one.case[2:]) for one in records},
                "baseline": None,
                "chart": Chart(x="routing", lines=("planes",)),
            }
        )
        write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
        under, over = figures[-1].axes[0].get_lines()[:2]
        assert (under.get_linewidth() > over.get_linewidth()) == wide
        assert (under.get_zorder() < over.get_zorder()) == wide
        # In grey they differ too.
        assert under.get_marker() != over.get_marker()
        assert under.get_linestyle() != over.get_linestyle()


def test_the_caption_names_error_bars_and_circles() -> None:
    records = [record(case, value, value + 1) for case, value in MEASURED.items()]
    rows, claims = compare(CURVES, records), compare_claims(CURVES, records)
    assert chart.caption(CURVES, rows, claims) == (
        "Curves. Error bars: one standard error of the mean, n = 2 draws. "
        "Circles: first with 90 % of planes x 1-ideal. Hollow marks: published (A paper)."
    )
    assert chart.caption(EXPERIMENT, compare(EXPERIMENT, RECORDS), []) == "A trial. Labels: per cent of a."


def test_words_along_an_axis_are_all_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without what all begin with; numbers only where there are few."""
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    for key, values, labels, name in (
        ("traffic", [f"stride:s={i}" for i in range(1, 16)], [str(i) for i in range(1, 16)], "traffic: stride:s=..."),
        ("routing", ["ideal", "ksp:4"], ["ideal", "ksp:4"], "routing"),
        # By their numbers, wherever a quick size has left them.
        ("routing", ["ksp:8", "ksp:32", "ecmp", "ksp:16"], ["ksp:8", "ksp:16", "ksp:32", "ecmp"], "routing"),
        ("planes", [1, 2], ["1", "2"], "planes"),
    ):
        cases = {f"{i}": Case.model_validate({"topology": "ring:n=4", key: value}) for i, value in enumerate(values)}
        experiment = Experiment(name="t", title="T", cases=cases, chart=Chart(x=key, lines=("level",)))
        records = [record(case, 1.0 + i) for i, case in enumerate(cases)]
        write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
        axes = figures[-1].axes[0]
        assert [text.get_text() for text in axes.get_xticklabels()] == labels
        assert axes.get_xlabel() == name


def test_axes_have_units() -> None:
    found = [key_label(key) for key in ("planes", "fail_links", "link_gbps", "delay_s", "p99_fct_us", "s")]
    assert found == ["planes", "fail links", "link (Gb/s)", "delay (s)", "p99 fct (us)", "s"]


def test_rounding_is_nothing() -> None:
    assert clean(1.9e-16) == 0
    assert clean(1e-9) == 1e-9
    assert clean(1e-9, 1e4) == 0
    assert clean(None) is None


def test_draws_are_shown_with_their_error() -> None:
    records = [record("a", 2.0, 2.0), record("b", 3.0, 5.0)]
    a, b = compare(EXPERIMENT, records)
    assert (b.draws, b.shown.value, b.spread) == (2, 4.0, 1.0)
    assert (a.percent, a.percent_spread) == (100.0, 0.0)
    assert (b.percent, b.percent_spread) == (200.0, pytest.approx(50.0))
    assert b.seconds == 3.0
    assert b.limited_by == "cut 1, access link 1 of 2"
    shown = text(comparison_table(EXPERIMENT, [a, b]))
    assert "draws" in shown
    assert "200.0 ± 50.0" in shown
    assert "± one standard error of the mean, n = 2 draws" in shown
    [claim] = compare_claims(EXPERIMENT, records)
    assert "here 200.0 ± 50.0 % of a; DIFFERS: more than 160 %" in claim.sentence()


def test_draws_are_shown_with_how_far_they_are_apart() -> None:
    experiment = EXPERIMENT.model_copy(update={"spread": "standard-deviation"})
    rows = compare(experiment, [record("a", 2.0, 2.0), record("b", 3.0, 5.0)])
    shown = text(comparison_table(experiment, rows))
    assert "200.0 ± 70.7" in shown
    assert "± one standard deviation, n = 2 draws" in shown
    table = result_table(rows)
    assert table["standard_deviation_gbps"] == [0.0, pytest.approx(math.sqrt(2))]
    assert table["percent_deviation"] == [0.0, pytest.approx(50 * math.sqrt(2))]


def test_the_table_shows_every_case() -> None:
    shown = text(comparison_table(EXPERIMENT, compare(EXPERIMENT, RECORDS)))
    for word in ("A trial", "Gb/s per pair", "% of a", "150.0", "1.0e-02", "1.50", "core link"):
        assert word in shown


def test_the_document() -> None:
    rows, claims = compare(EXPERIMENT, RECORDS), compare_claims(EXPERIMENT, RECORDS)
    document = sweep_document(EXPERIMENT, RECORDS, rows, claims, ["chart.png"])
    assert document["cases"][1]["percent"] == 150.0
    assert document["claims"][0]["measured"] == [{"case": "b", "value": 150.0, "error": None, "unit": "% of a"}]
    assert (document["claims"][0]["verdict"], document["claims"][0]["refuted_by"]) == ("agrees", "above 160 %")
    assert document["saturated"] == []
    assert [draw["throughput_gbps"] for draw in document["draws"]] == [2.0, 3.0, 8.0]
    assert document["files"] == ["chart.png"]


def test_a_sum_of_fair_rates_stands_between_no_bounds() -> None:
    """Each rate has a bound of its own: their sum, without any, is not shown as proved to the last digit."""
    fair = Case(topology=("ring:n=4",), objective="max-min")
    mixed = EXPERIMENT.model_copy(update={"cases": {**EXPERIMENT.cases, "b": fair}})
    total = RecordedAnswer(Headline.exact("total_gbps", "gbps", "total", 6.0, "Gb/s"), "certified", {}, {})
    records = [RECORDS[0], Record("b", (Draw("b", 0, "sha256:0", {"seed": 0}, total),))]
    rows = compare(mixed, records)
    assert [row.relative_gap for row in rows] == [pytest.approx(0.01), None]
    assert "1.0e-02" in text(comparison_table(mixed, rows))
    for table in (result_table(rows), draw_table(mixed, records)):
        assert (table["total_gbps"][1], table["status"][1]) == (6.0, "certified")
        assert table["lower_bound_gbps"] == [2.0, None]
    assert result_table(rows)["relative_gap"][1] is None
    assert "gap" not in comparison_cells(mixed, rows[1:])[0]


def test_stored_tables_hold_no_timings() -> None:
    rows = result_table(compare(EXPERIMENT, RECORDS))
    assert rows["throughput_gbps"] == [2.0, 3.0, 8.0]
    assert "seconds" not in rows
    draws = draw_table(EXPERIMENT, [record("a", 2.0, 4.0), record("b", 3.0)])
    assert draws["case"] == ["a", "a", "b"]
    assert draws["seed"] == draws["draw"] == [0, 1, 0]
    assert draws["throughput_gbps"] == [2.0, 4.0, 3.0]


def curve(planes: int, routing: str) -> Case:
    return Case(topology=("ring:n=4",), planes=planes, routing=routing)


CURVES = Experiment(
    name="curves",
    title="Curves",
    baseline="1-ideal",
    cases={
        "1-ideal": curve(1, "ideal"),
        **{f"{n}-{k}": curve(n, f"ksp:{k}") for n in (1, 2) for k in (4, 8)},
        "2-ideal": curve(2, "ideal"),
    },
    chart=Chart(x="routing", lines=("planes",), saturated_percent=90),
    claimed=Claims(
        source="A paper",
        claims=(ValueClaim(case="2-8", relative_to="1-ideal", percent=190, statement="8 paths fill 2 planes"),),
    ),
)
MEASURED = {"1-ideal": 10.0, "1-4": 8.9, "1-8": 9.0, "2-4": 12.0, "2-8": 17.9, "2-ideal": 20.0}


def test_cases_make_lines() -> None:
    axis, [panel] = chart_panels(CURVES)
    one, two = panel.lines
    assert axis.labels == ("ideal", "ksp:4", "ksp:8")
    assert (one.label, one.cases, one.places) == ("1 plane", ("1-ideal", "1-4", "1-8"), (0, 1, 2))
    assert (two.label, two.cases) == ("2 planes", ("2-ideal", "2-4", "2-8"))


def test_numbers_stand_at_their_values_and_open_cases_on_every_line() -> None:
    grid = [(variant, planes) for variant in ("serial-high", "homogeneous", "heterogeneous") for planes in (8, 2)]
    cases = {f"{v}-{n}": Case(topology=("jellyfish:k=4",), planes=n, variant=v) for v, n in grid}
    cases["serial"] = Case(topology=("jellyfish:k=4",))
    chart = Chart(x="planes", lines=("variant", "plane_policy"))
    experiment = Experiment(name="t", title="T", baseline="serial", cases=cases, chart=chart)
    axis, [panel] = chart_panels(experiment)
    assert (axis.places, axis.labels) == ((1, 2, 8), ("1", "2", "8"))
    # What all have in common is not said.
    assert [line.label for line in panel.lines] == ["serial-high", "homogeneous", "heterogeneous"]
    assert panel.lines[1].cases == ("serial", "homogeneous-2", "homogeneous-8")
    assert panel.lines[1].places == (1, 2, 8)


def test_numbers_that_all_have_words_stand_a_step_apart_in_their_order() -> None:
    cases = {f"lost-{share}": Case(topology=("ring:n=4",), fail_links=share) for share in (0.1, 0.0, 0.01)}
    words = {"0.0": "none", "0.01": "1 %", "0.1": "10 %"}
    for known, places in ((words, (0, 1, 2)), ({"0.1": "10 %"}, (0.0, 0.01, 0.1))):
        chart = Chart(x="fail_links", words=known)
        axis, [panel] = chart_panels(Experiment(name="t", title="T", cases=cases, chart=chart))
        assert (axis.places, axis.ordered) == (places, True)
        assert panel.lines[0].cases == ("lost-0.0", "lost-0.01", "lost-0.1")


def test_times_and_sizes_have_their_unit() -> None:
    cases = {
        f"after-{us}": SimulateCase(
            topology=("ring:n=4",), traffic="ring", flow_size="1MB", time_limit="2ms", warm_up=f"{us}us"
        )
        for us in (50, 1000)
    }
    axis, _ = chart_panels(Experiment(name="t", title="T", question="simulate", cases=cases, chart=Chart(x="warm_up")))
    assert axis.labels == ("50us", "1ms")
    assert axis.write(2.5e8) == "250us"


def many(routings: int, policies: int) -> Experiment:
    """So many routings times plane policies, over two numbers of planes."""
    cases = {
        f"{k}-{policy}-{n}": Case(topology=("ring:n=4",), planes=n, routing=f"ksp:{k}", plane_policy=policy)
        for k in range(1, routings + 1)
        for policy in ("any", "single", "shortest")[:policies]
        for n in (1, 2)
    }
    keys = ("routing", "plane_policy")[: 1 + (policies > 1)]
    return Experiment(name="t", title="T", cases=cases, chart=Chart(x="planes", lines=keys))


def test_at_most_eight_lines_are_in_a_panel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, [panel] = chart_panels(many(8, 1))
    assert len(panel.lines) == 8
    # Of several keys, the first makes the panels.
    _, panels = chart_panels(many(5, 3))
    assert [panel.label for panel in panels] == [f"ksp:{k}" for k in range(1, 6)]
    assert [line.label for line in panels[0].lines] == ["any", "single", "shortest"]
    # Of one, they have equal numbers of lines, and no two of these look the same.
    experiment = many(17, 1)
    _, panels = chart_panels(experiment)
    assert [(panel.label, len(panel.lines)) for panel in panels] == [("(1 of 3)", 6), ("(2 of 3)", 6), ("(3 of 3)", 5)]
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    records = [record(case, 1.0 + 7 * i) for i, case in enumerate(experiment.cases)]
    write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
    looks = {
        (line.get_color(), line.get_marker(), line.get_linestyle())
        for axes in figures[0].axes
        for line in axes.get_lines()
        if line.get_marker() not in ("", "None", "_", "|")
    }
    assert len(looks) == 17


def test_parameters_of_expressions_make_lines() -> None:
    cases = {
        f"{name}-{k}": Case(topology=(text.format(k),), routing=routing)
        for name, text, routing in (("serial", "jellyfish:k={}", "ideal"), ("paths", "jellyfish:k={},seed=1", "ksp:8"))
        for k in (8, 4)
    }
    chart = Chart(x="topology.k", lines=("topology.name", "routing.name"), words={"jellyfish": "random graph"})
    axis, [panel] = chart_panels(Experiment(name="t", title="T", cases=cases, chart=chart))
    assert axis.places == (4, 8)
    assert [line.label for line in panel.lines] == ["ideal", "ksp"]
    assert panel.lines[1].cases == ("paths-4", "paths-8")
    # Of a parameter that some do not give, the others are told by it.
    chart = Chart(x="topology.k", lines=("topology.name", "topology.seed"))
    _, [panel] = chart_panels(Experiment(name="t", title="T", cases=cases, chart=chart))
    assert [line.label for line in panel.lines] == ["jellyfish", "jellyfish, topology seed 1"]


def paneled(**chart: Any) -> Experiment:
    """Two measures of one plane, of two, and of two by a hash, as a spec would have them."""
    cases = {
        f"{objective}-{planes}{end}": Case.model_validate(
            {"topology": "ring:n=4", "routing": "ksp:8", "objective": objective, "planes": planes, **more}
        )
        for objective in ("concurrent", "total")
        for planes, end, more in (
            (1, "", {}),
            (2, "", {"variant": "homogeneous"}),
            (2, "-single", {"variant": "homogeneous", "plane_policy": "single"}),
        )
    }
    return Experiment(name="t", title="T", cases=cases, chart=Chart(**chart))


def test_panels_have_the_cases_of_a_value_each_and_lines_look_the_same_in_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    experiment = paneled(
        x="planes",
        lines=("variant", "plane_policy"),
        panels="objective",
        words={"concurrent": "worst flow", "any": "", "planes": "number of planes"},
    )
    _, panels = chart_panels(experiment)
    assert [panel.label for panel in panels] == ["worst flow", "total"]
    for panel, objective in zip(panels, ("concurrent", "total"), strict=True):
        assert [line.label for line in panel.lines] == ["homogeneous", "homogeneous, single"]
        assert [line.cases for line in panel.lines] == [
            (f"{objective}-1", f"{objective}-2"),
            (f"{objective}-1", f"{objective}-2-single"),
        ]
    records = [record(case, 1.0 + i) for i, case in enumerate(experiment.cases)]
    write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
    one, two = figures[-1].axes
    assert [axes.get_title() for axes in (one, two)] == ["worst flow", "total"]
    assert figures[-1].get_supxlabel() == "number of planes"
    assert one.get_ylim() == two.get_ylim()
    looks = [[(line.get_color(), line.get_marker()) for line in axes.get_lines()] for axes in (one, two)]
    assert looks[0] == looks[1]
    assert looks[0][0] != looks[0][1]
    [legend] = figures[-1].legends
    assert [text.get_text() for text in legend.get_texts()] == ["homogeneous", "homogeneous, single"]


def test_the_label_of_panels_is_beside_them_and_not_in_the_legend(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    experiment = paneled(x="planes", lines=("variant", "plane_policy"), panels="objective")
    experiment = experiment.model_copy(update={"unit": "packets per second and per pair of endpoints, on average"})
    # Axes of their own, since values are far apart.
    records = [record(case, 1.0 if case[0] == "c" else 9e5) for case in experiment.cases]
    write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
    [figure] = figures
    [label] = [text for text in figure.texts if text.get_rotation() == 90]
    figure.draw_without_rendering()
    assert label.get_text().count("\n") > 0
    beside, legend = label.get_window_extent(), figure.legends[0].get_window_extent()
    assert beside.height <= max(axes.bbox.y1 for axes in figure.axes) - min(axes.bbox.y0 for axes in figure.axes)
    assert beside.y1 < legend.y0


def test_bars_of_panels_share_their_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    experiment = paneled(panels="objective", cases=("*-1", "*-single", "*total-2"))
    experiment = experiment.model_copy(
        update={"cases": {f"ring-{name}": case for name, case in experiment.cases.items()}}
    )
    assert experiment.chart is not None
    names = [name for name in experiment.cases if experiment.chart.draws(name)]
    assert bar_panels(experiment, names) == [
        ("concurrent", {"ring-1": "ring-concurrent-1", "ring-2-single": "ring-concurrent-2-single"}),
        ("total", {"ring-1": "ring-total-1", "ring-2": "ring-total-2", "ring-2-single": "ring-total-2-single"}),
    ]
    for base, alike in ((2, True), (10, False)):
        records = [record(case, float(base**i)) for i, case in enumerate(experiment.cases)]
        write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
        left, right = figures[-1].axes
        # One scale, but where the bars of one would not be seen on it.
        assert (left.get_xlim() == right.get_xlim()) == alike
    assert [len(axes.patches) for axes in (left, right)] == [2, 3]
    assert [text.get_text() for text in left.get_yticklabels()] == ["ring-1", "ring-2-single", "ring-2"]


def spread_out(**columns: float) -> list[Record]:
    """Records of three cases, of two draws each, with these columns for all, in the second draw 2 more."""
    found = []
    for case in "abc":
        draws = [
            Draw(
                case,
                i,
                "sha256:0",
                {"seed": i},
                RecordedAnswer(
                    Headline.exact("mean_fct_us", "us", "mean completion time", 5.0, "us"),
                    "exact",
                    {name: value + 2 * i for name, value in columns.items()},
                    {},
                ),
            )
            for i in range(2)
        ]
        found.append(Record(case, tuple(draws)))
    return found


def distribution(kind: str, *claims: ValueClaim, **chart: Any) -> Experiment:
    keys = {"topology": "ring:n=4", "traffic": "permutation", "flow_size": "1MB"}
    cases = {name: SimulateCase.model_validate(keys) for name in "abc"}
    claimed = Claims(source="A paper", claims=claims) if claims else None
    shown = Chart(kind=kind, **chart)
    return Experiment(name="t", title="T", question="simulate", cases=cases, chart=shown, claimed=claimed)


def drawn(monkeypatch: pytest.MonkeyPatch, experiment: Experiment, records: list[Record]) -> tuple[Figure, str]:
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    rows, claims = compare(experiment, records), compare_claims(experiment, records)
    write_chart(experiment, rows, claims, "chart.png")
    return figures[0], chart.caption(experiment, rows, claims)


@pytest.mark.parametrize("starts", [("min", "p50", "p99", "max"), ("p50", "p99")])
def test_a_cdf_goes_through_the_percentiles_that_were_stored(
    monkeypatch: pytest.MonkeyPatch, starts: tuple[str, ...]
) -> None:
    """At the means over draws; with few of them nothing is said of what is between."""
    values = {"min": 1.0, "p50": 3.0, "p99": 7.0, "max": 9.0}
    shares = {"min": 0.0, "p50": 0.5, "p99": 0.99, "max": 1.0}
    claim = ValueClaim(case="b", column="p99_rate_gbps", value=6, statement="s")
    figure, said = drawn(
        monkeypatch,
        distribution("cdf:of=rate_gbps", claim),
        spread_out(**{f"{start}_rate_gbps": values[start] for start in starts}),
    )
    one, two, mark, three = figure.axes[0].get_lines()
    for line in (one, two, three):
        assert list(line.get_xdata()) == [values[start] + 1 for start in starts]
        assert list(line.get_ydata()) == [shares[start] for start in starts]
        assert (line.get_linestyle() == "None") == (len(starts) < 4)
    assert (mark.get_xdata()[0], mark.get_ydata()[0], mark.get_color()) == (6, 0.99, two.get_color())
    assert said.endswith("50 %, 99 %. Means over 2 draws. Hollow marks: published (A paper).") == (len(starts) < 4)


def test_a_box_has_whiskers_and_a_panel_for_each_quantity(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"min": 1.0, "p25": 2.0, "p50": 3.0, "p75": 5.0, "max": 9.0, "mean": 4.0}
    claims = (
        ValueClaim(case="c", column="mean_rate_gbps", value=8, statement="s"),
        ValueClaim(case="c", column="min_rate_gbps", value=1, statement="s"),
    )
    figure, said = drawn(
        monkeypatch,
        distribution("box:of=rate_gbps+source_gbps", *claims, words={"rate_gbps": "of flows", "b": "second"}),
        spread_out(**{f"{start}_{of}_gbps": value for of in ("rate", "source") for start, value in columns.items()}),
    )
    left, right = figure.axes
    assert [left.get_title(), right.get_title()] == ["of flows", "source\n(Gb/s)"]
    assert [text.get_text() for text in left.get_yticklabels()] == ["a", "second", "c"]
    for axes in (left, right):
        assert [(box.get_x(), box.get_width()) for box in axes.patches] == [(3.0, 3.0)] * 3
        whisker, median, mean = axes.get_lines()[:3]
        assert (list(whisker.get_xdata()), median.get_xdata()[0], mean.get_xdata()[0]) == ([2.0, 10.0], 4.0, 5.0)
    assert (len(left.get_lines()), len(right.get_lines())) == (11, 9)
    assert [(mark.get_xdata()[0], mark.get_marker()) for mark in left.get_lines()[-2:]] == [(8, "D"), (1, "<")]
    assert "Whiskers: least to greatest; boxes: 25 % to 75 %; upright: median; dots: mean." in said


def test_panels_of_several_keys() -> None:
    experiment = paneled(panels=["objective", "planes"])
    assert [label for label, _ in bar_panels(experiment, list(experiment.cases))] == [
        *("concurrent, 1 plane", "concurrent, 2 planes", "total, 1 plane", "total, 2 planes")
    ]


def test_a_scale_of_powers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(chart, "write_figure", lambda figure, _: figures.append(figure))
    experiment = paneled(x="planes", lines=("objective",), scale="log")
    records = [record(case, 10.0**i) for i, case in enumerate(experiment.cases)]
    write_chart(experiment, compare(experiment, records), [], tmp_path / "chart.png")
    assert figures[-1].axes[0].get_yscale() == "log"
    assert figures[-1].axes[0].get_ylim()[0] > 0


def test_without_a_chart_there_are_no_lines() -> None:
    assert chart_panels(EXPERIMENT)[1] == []
    assert saturation_sentences(EXPERIMENT, compare(EXPERIMENT, RECORDS)) == []


def test_the_first_saturated_case_of_each_line() -> None:
    rows = compare(CURVES, [record(case, value) for case, value in MEASURED.items()])
    # Along the axis: here ideal routing comes first, so it is what saturates two planes first.
    assert saturation_sentences(CURVES, rows) == [
        "1 plane: saturated from 1-ideal on",
        "2 planes: saturated from 2-ideal on",
    ]
    part = CURVES.model_copy(update={"cases": {name: case for name, case in CURVES.cases.items() if name != "2-ideal"}})
    assert saturation_sentences(part, rows)[1] == "2 planes: not saturated by any case"
    better = compare(
        part, [record(case, value) for case, value in (MEASURED | {"2-8": 18.0}).items() if case in part.cases]
    )
    assert saturation_sentences(part, better)[1] == "2 planes: saturated from 2-8 on"


def is_png(data: bytes) -> bool:
    width, height = struct.unpack(">II", data[16:24])
    return data[:8] == b"\x89PNG\r\n\x1a\n" and width > height > 200


@pytest.mark.parametrize("shown", [0, 1])
@pytest.mark.parametrize("kind", ["bars", "bars of draws", "lines"])
def test_the_chart_is_a_png_and_the_same_every_time(tmp_path: Path, shown: int, kind: str) -> None:
    experiment, records = {
        "bars": (EXPERIMENT, RECORDS),
        "bars of draws": (EXPERIMENT, [record("a", 1.0, 2.0), record("b", 2.0, 5.0)]),
        "lines": (CURVES, [record(case, value, value) for case, value in MEASURED.items()]),
    }[kind]
    rows, claims = compare(experiment, records), compare_claims(experiment, records)[:shown]
    first, second = tmp_path / "first.png", tmp_path / "second.png"
    write_chart(experiment, rows, claims, first)
    write_chart(experiment, rows, claims, second)
    data = first.read_bytes()
    assert data == second.read_bytes()
    assert is_png(data)
    assert b"tEXt" not in data.replace(b"\x00", b"") or b"Software" not in data


def test_published_points_and_circles_change_the_picture(tmp_path: Path) -> None:
    records = [record(case, value) for case, value in MEASURED.items()]
    rows, claims = compare(CURVES, records), compare_claims(CURVES, records)
    assert CURVES.chart
    plain = CURVES.model_copy(update={"chart": CURVES.chart.model_copy(update={"saturated_percent": None})})
    pictures = []
    for experiment, shown in ((plain, []), (plain, claims), (CURVES, [])):
        write_chart(experiment, rows, shown, tmp_path / "chart.png")
        pictures.append((tmp_path / "chart.png").read_bytes())
    assert len(set(pictures)) == 3


def test_a_part_of_an_experiment_can_be_drawn(tmp_path: Path) -> None:
    records = [record("1-ideal", 10.0), record("2-8", 18.0)]
    part = CURVES.reduced(cases=["2-8"])
    write_chart(part, compare(part, records), compare_claims(part, records), tmp_path / "chart.png")
    assert is_png((tmp_path / "chart.png").read_bytes())
