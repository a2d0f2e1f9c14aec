"""What is claimed of an experiment: which verdict measured values get, and faults of the file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pnet_lp.errors import SpecError
from pnet_lp.experiment import Claims, Measured, load_experiment
from pnet_lp.experiment.claims import Verdict

SPEC = "title: Trial\ncommon: {topology: 'ring:n=4'}\ncases: {one: {}, two: {planes: 2}, three: {planes: 3}}\n"
CLAIMS = (
    "source: a paper\nclaims:\n  - {case: two, relative_to: one, percent: 200, tolerance_percent: 1, statement: s}\n"
)


@dataclass
class Values:
    known: dict[str, float]

    def mean(self, case: str, relative_to: str | None, _: str | None) -> Measured | None:
        return Measured(case, self.known[case], None, f"% of {relative_to}") if case in self.known else None

    def percentile(self, cases: str, percentile: float, _: str | None) -> Measured | None:
        assert cases == "*"
        return Measured("*", percentile, None, "") if self.known else None


def verdict(words: dict[str, Any], *values: float) -> Verdict | None:
    """Return the verdict on a claim where cases a, b and c, or a in per cent of others, have these values."""
    claim = Claims.model_validate({"source": "a paper", "claims": [{"statement": "s", **words}]}).claims[0]
    found = claim.judge(Values(dict(zip("abc", values, strict=False))), "paper")
    return found and found.verdict


@pytest.mark.parametrize(
    ("words", "agreeing", "trend", "others"),
    [
        # Far off it is no trend either: a ratio of half as much again, or less than two thirds.
        ({"percent": 200}, [198, 202], [134, 203, 300], [100, 90, 133, 301]),
        ({"percent": 200, "tolerance_percent": 8}, [184, 216], [183, 217], [100.5]),
        ({"percent": 70, "tolerance_percent": 10}, [63, 77], [80, 47], [99.5, 130, 46]),
        # What should be the same cannot be right by halves.
        ({"percent": 100}, [99, 101], [], [98, 150]),
        ({"percent": 140, "range": (130, 150)}, [130, 150], [129, 151], [99]),
        ({"kind": "bound", "at_most": 90}, [0, 90], [], [91]),
        ({"kind": "bound", "at_least": 90}, [90, 900], [], [89]),
        ({"kind": "bound", "at_least": 90, "at_most": 95}, [90, 95], [], [89, 96]),
    ],
)
def test_ratios(words: dict[str, Any], agreeing: list[float], trend: list[float], others: list[float]) -> None:
    expected = {"agrees": agreeing, "trend only": trend, "differs": others}
    for outcome, values in expected.items():
        for value in values:
            assert verdict({"case": "a", "relative_to": "b", **words}, value) == outcome, value


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ((1.5, 11), "agrees"),
        ((1.6, 11), "differs"),
        ((0.5, 3), "agrees"),
        ((2, 1), "differs"),
        ((1, 1), "agrees"),
        ((2, 0.5), "differs"),
    ],
)
def test_excesses(values: tuple[float, ...], outcome: Verdict) -> None:
    """Half is a twentieth of ten, both beyond one."""
    words = {"kind": "excess", "case": "a", "relative_to": "b", "over": 1, "at_most": 5}
    assert verdict(words, *values) == outcome
    assert verdict(words, values[0]) is None


def test_percentiles() -> None:
    words = {"kind": "percentile", "cases": "*", "percentile": 90}
    assert verdict({**words, "at_most": 90}, 1) == "agrees"
    assert verdict({**words, "at_most": 89}, 1) == "differs"
    assert verdict({**words, "at_most": 89}) is None


def test_values() -> None:
    assert verdict({"case": "a", "value": 2.5, "tolerance_percent": 2}, 2.55) == "agrees"
    # Nothing says on which side of what a value should lie.
    assert verdict({"case": "a", "value": 2.5, "tolerance_percent": 2}, 2.56) == "differs"
    assert verdict({"case": "a", "value": -1}, -1.005) == "agrees"


@pytest.mark.parametrize(
    ("words", "values", "outcome"),
    [
        ({}, (3, 2, 1), "agrees"),
        ({}, (3, 2, 2), "agrees"),
        ({"margin_percent": 10}, (3, 2, 1.9), "trend only"),
        ({}, (3, 1, 2), "trend only"),
        ({}, (1, 2, 3), "differs"),
        ({"cases": ["a", "b"]}, (1, 2), "differs"),
    ],
)
def test_orderings(words: dict[str, Any], values: tuple[float, ...], outcome: Verdict) -> None:
    assert verdict({"kind": "ordering", "cases": ["a", "b", "c"], **words}, *values) == outcome


@pytest.mark.parametrize(
    ("direction", "values", "outcome"),
    [
        ("rises", (10, 11, 12), "agrees"),
        ("rises", (10, 12, 11.9), "trend only"),
        ("rises", (10, 10.5, 11), "trend only"),
        ("rises", (10, 11, 10), "differs"),
        ("falls", (10, 9, 8), "agrees"),
        ("falls", (10, 11, 12), "differs"),
        ("stays", (10, 12, 11), "agrees"),
        ("stays", (10, 12.1, 11), "differs"),
        ("stays", (0, 12.1, 11), "differs"),
        ("rises", (0, 12.1, 11), "differs"),
    ],
)
def test_trends(direction: str, values: tuple[float, ...], outcome: Verdict) -> None:
    words = {"kind": "trend", "cases": ["a", "b", "c"], "direction": direction, "by_percent": 20}
    assert verdict(words, *values) == outcome


@pytest.mark.parametrize(
    ("values", "reason"), [((10, 9.5), "a not 10 % above b: b has more"), ((10, 9), "in this order")]
)
def test_a_margin_and_a_cause_are_said(values: tuple[float, ...], reason: str) -> None:
    given = {"kind": "ordering", "cases": ["a", "b"], "margin_percent": 10, "cause": "b has more"}
    claim = Claims.model_validate({"source": "a paper", "claims": [{"statement": "s", **given}]}).claims[0]
    assert claim.claimed == "a > b, by 10 % each"
    found = claim.judge(Values(dict(zip("ab", values, strict=True))), "paper")
    assert found is not None
    assert found.reason == reason


def test_what_is_not_comparable_or_not_measured() -> None:
    words = {"case": "a", "value": 1, "not_comparable": "of another size"}
    assert verdict(words, 5) == "not comparable"
    assert verdict(words) is None
    assert verdict({"kind": "ordering", "cases": ["a", "b"]}, 1) is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("case: two", "case: too", "claims.0: no case is called 'too' (did you mean 'two'?); allowed: one, two, three"),
        ("relative_to: one", "relative_to: 1", "claims.0: relative_to: input should be a valid string, found 1"),
        ("case: two", "kind: valeu", "claims.0: no kind of claim is called 'valeu' (did you mean 'value'?); allowed: "),
        (
            "percent: 200",
            "percents: 200",
            "claims.0: unknown parameter 'percents' (did you mean 'percent'?); allowed: ",
        ),
        ("percent: 200, ", "", "claims.0: percent must be given"),
        (
            "tolerance_percent: 1",
            "range: [9, 3]",
            "claims.0: range must be [least, greatest] around 200, found [9.0, 3.0]",
        ),
        (
            "tolerance_percent: 1",
            "tolerance_percent: 1, range: [100, 300]",
            "claims.0: tolerance_percent has no meaning beside a range",
        ),
        ("relative_to: one, ", "", "claims.0: percent has no meaning without relative_to"),
        ("percent: 200", "value: 2", "claims.0: value has no meaning beside relative_to"),
        (
            "relative_to: one, percent: 200",
            "value: 2, column: solved_bye",
            "claims.0.column: no column is called 'solved_bye' (did you mean 'solved_by'?); allowed: solved_by",
        ),
        (
            "tolerance_percent: 1",
            "tolerance_percent: 100",
            "claims.0: tolerance_percent: input should be less than 100, found 100",
        ),
        (
            "{case: two, relative_to: one, percent: 200, tolerance_percent: 1, statement: s}",
            "s",
            "claims.0: not a mapping",
        ),
        (
            "case: two, relative_to: one, percent: 200, tolerance_percent: 1",
            "kind: bound, case: two, at_least: 2, at_most: 1",
            "claims.0: at_least=2 is above at_most=1",
        ),
        (
            "case: two, relative_to: one, percent: 200, tolerance_percent: 1",
            "kind: bound, case: two",
            "claims.0: at_least or at_most must be given",
        ),
        (
            "case: two, relative_to: one, percent: 200, tolerance_percent: 1",
            "kind: ordering, cases: [two, for]",
            "claims.0: no case is called 'for'",
        ),
        (
            "case: two, relative_to: one, percent: 200, tolerance_percent: 1",
            "kind: percentile, cases: 't?', percentile: 50, at_most: 1",
            "claims.0: no case is called 't?'",
        ),
    ],
)
def test_faults(tmp_path: Path, old: str, new: str, message: str) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC)
    assert old in CLAIMS
    (tmp_path / "claims.yaml").write_text(CLAIMS.replace(old, new))
    with pytest.raises(SpecError) as caught:
        load_experiment(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}/claims.yaml: {message}")
    assert "\n" not in str(caught.value)
