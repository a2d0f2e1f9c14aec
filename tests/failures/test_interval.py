"""Intervals against closed forms and tables."""

import pytest

from pnet_lp.failures import mean_interval, share_interval


def test_mean_interval() -> None:
    # Student's t for 4 degrees of freedom and 95 %: 2.776; standard deviation sqrt(2.5).
    low, high = mean_interval([1, 2, 3, 4, 5]) or (0, 0)
    assert (low, high) == pytest.approx((3 - 2.7764 * 0.70711, 3 + 2.7764 * 0.70711), abs=1e-4)
    assert mean_interval([1.0]) is None
    assert mean_interval([]) is None


def test_share_interval() -> None:
    # Wilson for 1 of 10: a textbook example; and the two ends, where it is one-sided.
    assert share_interval(1, 10) == pytest.approx((0.01788, 0.40415), abs=1e-5)
    assert share_interval(0, 20)[0] == 0
    assert share_interval(20, 20)[1] == pytest.approx(1)
    assert share_interval(20, 20)[0] == pytest.approx(20 / (20 + 1.959964**2))
