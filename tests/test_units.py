"""Numbers as they are printed."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from pnet_lp.units import format_bounds, format_gap


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
