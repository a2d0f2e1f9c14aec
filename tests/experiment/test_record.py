"""Means over draws, their standard errors, and ratios of two cases."""

import math
from dataclasses import replace
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.experiment import Draw, Record, RecordedAnswer, Spread, ratio
from pnet_lp.questions.base import Headline

ERROR: Spread = "standard-error"
POSITIVE = st.floats(0.01, 1000)


def record(values: list[float], *, first_seed: int = 0, gap: float = 0.0) -> Record:
    return Record(
        "case",
        tuple(
            Draw(
                "case",
                i,
                "sha256:0",
                {"seed": first_seed + i},
                RecordedAnswer(
                    Headline("throughput_gbps", "gbps", "throughput", value, value, value + gap),
                    "certified",
                    {"half": value / 2},
                    {},
                ),
            )
            for i, value in enumerate(values)
        ),
    )


def test_the_mean_lies_between_the_means_of_both_bounds() -> None:
    found = record([1.0, 2.0, 6.0], gap=0.5)
    assert (found.mean().value, found.mean().lower, found.mean().upper) == (3.0, 3.0, 3.5)
    assert found.spread(ERROR) == pytest.approx(math.sqrt(14 / 2 / 3))
    assert found.seeds == (0, 1, 2)


def test_a_single_draw_has_no_error() -> None:
    found = record([2.0])
    assert found.mean().lower == 2.0
    assert found.spread(ERROR) is None
    relative = ratio(found, record([4.0]), ERROR)
    assert relative is not None
    assert (relative.percent, relative.spread) == (50.0, None)
    other = ratio(found, record([4.0, 5.0]), ERROR)
    assert other is not None
    assert other.spread is None


def test_nothing_is_no_baseline() -> None:
    assert ratio(record([1.0]), record([0.0]), ERROR) is None


def test_one_draw_without_certificate_shows() -> None:
    found = record([1.0, 2.0])
    assert found.status == "certified"
    other = replace(found.draws[1], answer=replace(found.draws[1].answer, status="bounds"))
    assert replace(found, draws=(found.draws[0], other)).status == "bounds"


def test_a_column_in_place_of_the_headline() -> None:
    found, base = record([1.0, 2.0, 6.0]), record([2.0, 2.0, 2.0])
    assert (found.mean("half").column, found.mean("half").value) == ("half", 1.5)
    assert found.spread(ERROR, "half") == pytest.approx(math.sqrt(14 / 2 / 3) / 2)
    assert ratio(found, base, ERROR, "half") == ratio(found, base, ERROR)
    with pytest.raises(KeyError):
        found.mean("other")


def test_nothing_is_compared_with_something_else() -> None:
    base = record([1.0])
    [draw] = base.draws
    cost = replace(draw.answer, headline=Headline.exact("total_usd", "usd", "price", 5))
    assert ratio(Record("b", (replace(draw, answer=cost),)), base, ERROR) is None
    lost = replace(draw.answer, headline=replace(draw.answer.headline, value=math.nan))
    assert ratio(Record("b", (replace(draw, answer=lost),)), base, ERROR) is None


@given(st.lists(POSITIVE, min_size=2, max_size=8), st.floats(0.1, 10))
def test_what_moves_both_cases_equally_is_no_error_of_their_ratio(values: list[float], factor: float) -> None:
    base = record(values)
    paired = ratio(record([factor * value for value in values]), base, ERROR)
    assert paired is not None
    assert paired.percent == pytest.approx(100 * factor)
    assert paired.spread == pytest.approx(0, abs=1e-6 * max(values) / base.mean().lower)


@given(st.lists(POSITIVE, min_size=2, max_size=8), st.lists(POSITIVE, min_size=2, max_size=8))
def test_other_seeds_count_as_independent(above: list[float], below: list[float]) -> None:
    a, b = record(above), record(below, first_seed=100)
    found = ratio(a, b, ERROR)
    assert found is not None
    assert found.spread is not None
    spread = [stdev(x) / math.sqrt(len(x)) / (sum(x) / len(x)) for x in (above, below)]
    assert found.spread == pytest.approx(found.percent * math.hypot(*spread), rel=1e-6, abs=1e-9)


def test_the_standard_deviation_is_of_draws_and_of_their_ratios() -> None:
    found, base = record([1.0, 2.0, 6.0]), record([2.0, 2.0, 2.0])
    assert found.spread("standard-deviation") == pytest.approx(stdev([1, 2, 6]))
    for under in (base, record([2.0] * 3, first_seed=100)):
        relative = ratio(found, under, "standard-deviation")
        assert relative is not None
        assert relative.spread == pytest.approx(stdev([50, 100, 300]))


@given(st.lists(POSITIVE, min_size=1, max_size=8))
def test_the_standard_error_is_that_of_the_textbook(values: list[float]) -> None:
    error = record(values).spread(ERROR)
    if len(values) == 1:
        assert error is None
    else:
        assert error == pytest.approx(stdev(values) / math.sqrt(len(values)), rel=1e-6, abs=1e-9)
