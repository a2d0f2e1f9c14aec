"""Numbers as they are printed."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.units import format_bounds, format_gap, format_most, format_short
from pnet_lp.wording import fill


@given(st.floats(0, 1e300))
def test_printed_bounds_are_no_better_than_those_proved(value: float) -> None:
    least, most = format_bounds(value, value).removeprefix("at least ").split(", at most ")
    assert Fraction(least) <= Fraction(value) <= Fraction(most)
    assert Fraction(most) - Fraction(least) <= Fraction(value) / 10**8


def test_numbers_of_nine_digits_are_printed_as_they_are() -> None:
    assert format_bounds(0.125, 1e9) == "at least 0.125, at most 1e+09"
    assert format_bounds(1 / 9, 1 / 9) == "at least 0.111111111, at most 0.111111112"
    assert format_bounds(0.0, float("inf")) == "at least 0, at most inf"


def test_gaps_that_rounding_leaves() -> None:
    assert [format_gap(gap) for gap in (0.0, 2e-16, 1e-12, 1.234e-5)] == ["0", "below 1e-12", "1e-12", "1.2e-05"]


@pytest.mark.parametrize(
    ("value", "text"), [(1590.30918, "1590"), (0.0993852076, "0.09939"), (20.0, "20"), (123456.0, "123500"), (0.0, "0")]
)
def test_short_numbers(value: float, text: str) -> None:
    assert format_short(value) == text
    assert fill("{value:short}", {"value": value}) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(100 / 21, "4.76191"), (6.25, "6.25"), (6.250000000000001, "6.25"), (400.00001, "400.001"), (1e15, "1e+15")],
)
def test_upper_bounds_are_never_shown_smaller(value: float, text: str) -> None:
    assert format_most(value) == text
    assert float(text) >= value * (1 - 1e-12)
