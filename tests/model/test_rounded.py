"""Arithmetic rounded in a known direction, against rational numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pnet_lp.model import rounded

AMOUNTS = st.one_of(
    st.integers(0, 9).map(float),
    st.floats(1e-100, 1),
    st.floats(1e-100, 1e100),
    st.builds(lambda m, e: m * 2.0**e, st.integers(1, 1 << 53), st.integers(-60, 60)),
)


def holds(found: npt.ArrayLike, exact: Fraction, up: bool) -> None:
    """Nothing lies between the exact number and the rounded one, which is on the right side of it."""
    value = float(np.asarray(found))
    beyond = Fraction(float(np.nextafter(value, -np.inf if up else np.inf)))
    if up:
        assert beyond < exact <= Fraction(value)
    else:
        assert Fraction(value) <= exact < beyond


EXACT: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("up", [False, True])
@given(a=AMOUNTS, b=AMOUNTS)
def test_two_numbers(name: str, up: bool, a: float, b: float) -> None:
    assume(name != "div" or b > 0)
    function = getattr(rounded, f"{name}_{'up' if up else 'down'}")
    holds(function(a, b), EXACT[name](Fraction(a), Fraction(b)), up)


@pytest.mark.parametrize("tiny", [5e-324, 1e-300, 1e-160])
def test_products_that_nearly_vanish(tiny: float) -> None:
    assert Fraction(float(rounded.mul_up(tiny, 1e-160))) >= Fraction(tiny) * Fraction(1e-160)
    assert 0 <= Fraction(float(rounded.mul_down(tiny, 1e-160))) <= Fraction(tiny) * Fraction(1e-160)
    assert Fraction(float(rounded.div_up(tiny, 1e160))) >= Fraction(tiny) / Fraction(1e160)
    assert 0 <= Fraction(float(rounded.div_down(tiny, 1e160))) <= Fraction(tiny) / Fraction(1e160)


@given(st.lists(st.tuples(st.integers(0, 3), AMOUNTS), max_size=60))
def test_sums_of_many(pairs: list[tuple[int, float]]) -> None:
    index = np.array([i for i, _ in pairs], dtype=np.int64)
    values = np.array([value for _, value in pairs])
    up, down = rounded.totals_up(index, values, 4), rounded.totals_down(index, values, 4)
    for i in range(4):
        exact = sum((Fraction(value) for at, value in pairs if at == i), Fraction(0))
        # Up to three pieces are added, each rounded in the same direction.
        assert Fraction(up[i]) >= exact >= Fraction(down[i])
        assert float(up[i]) - float(down[i]) <= 8 * np.spacing(float(exact))
        if Fraction(float(exact)) == exact:
            assert up[i] == down[i] == float(exact)


def test_sixty_thousand_equal_numbers() -> None:
    # One after the other they add up to 60000.1 and a rounding error that grows.
    values = np.full(60_001, 1.0 + 2.0**-36)
    assert rounded.sum_up(values) == rounded.sum_down(values) == 60_001 * (1.0 + 2.0**-36)


def test_infinite_speeds_add_up() -> None:
    assert rounded.add_up(np.inf, 1.0) == rounded.add_down(1.0, np.inf) == np.inf


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("up", [False, True])
def test_many_numbers_are_rounded_as_few_are(name: str, up: bool) -> None:
    function = getattr(rounded, f"{name}_{'up' if up else 'down'}")
    count = 2 * rounded._BLOCK + 3
    a, b = np.random.default_rng(5).uniform(1e-3, 1e3, (2, count))
    few = [function(a[at], b[at]) for at in np.array_split(np.arange(count), 7)]
    np.testing.assert_array_equal(function(a, b), np.concatenate(few))
    np.testing.assert_array_equal(function(a, 0.1), function(a, np.full(count, 0.1)))


def test_the_sum_of_all_is_that_of_one_index() -> None:
    values = np.random.default_rng(5).uniform(-1, 1, 1000) * 10.0 ** np.arange(-20, 20, 0.04)
    for total, each in ((rounded.sum_up, rounded.totals_up), (rounded.sum_down, rounded.totals_down)):
        assert total(values) == each(np.zeros(1000, dtype=np.int64), values, 1)[0]
        assert total([]) == 0
