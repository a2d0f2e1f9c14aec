"""Measured numbers as they are printed: as many digits as their spread leaves."""

import math

import pytest

from pnet_lp.report.numbers import format_number


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.322249354, None, "0.322249"),
        (1536.0, None, "1536"),
        (123456.7, None, "123,457"),
        (188.0, 8.0, "188.0 ± 8.0"),
        (86.662, 13.2, "87 ± 13"),
        (1.76921885, 0.0012, "1.7692 ± 0.0012"),
        (173324.0, 2700.0, "173,324 ± 2,700"),
        (40.0, 0.0, "40 ± 0"),
        (math.nan, None, "none"),
    ],
)
def test_digits(value: float, error: float | None, text: str) -> None:
    assert format_number(value, error) == text
