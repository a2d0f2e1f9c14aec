"""No forgery that is optimised against the checks passes with a false claim; ``adversary.py`` tries many more."""

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from pnet_lp.model.rounded import mul_down
from pnet_lp.verification.second import SecondConcurrent

from ..simplex import maximum
from .adversary import forged
from .cases import CELLS

COUNT, PARTS = 3 * len(CELLS), 3
ENOUGH = 3 * len(CELLS)
"""So many find out a check that leaves a part of 1e-14."""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_optimised_forgery_passes(part: int, tmp_path: Path) -> None:
    found = list(forged(range(part, COUNT, PARTS), tmp_path))
    for outcome in found:
        assert not outcome.lies, (outcome.number, outcome.kind, outcome.cell, outcome.lies)
    passed = Counter(outcome.error is None for outcome in found)
    assert passed[True]
    assert passed[False]


def test_a_volume_that_is_too_small_is_found_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The adversary is strong enough to use what a check leaves it: here a part of 1e-14."""
    volume = SecondConcurrent.volume
    monkeypatch.setattr(
        SecondConcurrent, "volume", lambda second, lengths: float(mul_down(volume(second, lengths), 1 - 1e-14))
    )
    assert any(outcome.lies for outcome in forged(range(ENOUGH), tmp_path))


def test_loads_that_are_too_small_are_found_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fits = SecondConcurrent.fits
    monkeypatch.setattr(SecondConcurrent, "fits", lambda second, loads: fits(second, loads) * (1 + 1e-12))
    assert any(outcome.lies for outcome in forged(range(ENOUGH), tmp_path))


@pytest.mark.parametrize("seed", range(40))
def test_programs_are_solved_exactly(seed: int) -> None:
    """By duality: what fits the rows, and prices that leave nothing to gain, are worth the same."""
    draw = random.Random(seed)
    columns, count = draw.randint(1, 6), draw.randint(1, 6)
    rows = [
        {k: Fraction(draw.choice([1, 2, 3, -1])) for k in range(columns) if draw.random() < 0.6} for _ in range(count)
    ]
    most = [Fraction(draw.choice([0, 1, 2, 5, -1])) for _ in range(count)]
    gain = [Fraction(draw.choice([0, 1, 2, -1])) for _ in range(columns)]
    try:
        found = maximum(gain, rows, most)
    except ValueError:
        return
    if found is None:
        return
    assert min(*found.x, *found.price) >= 0
    for row, bound in zip(rows, most, strict=True):
        assert sum(value * found.x[k] for k, value in row.items()) <= bound
    for k, value in enumerate(gain):
        assert sum(row.get(k, 0) * price for row, price in zip(rows, found.price, strict=True)) >= value
    assert sum(bound * price for bound, price in zip(most, found.price, strict=True)) == found.value
    assert sum(value * x for value, x in zip(gain, found.x, strict=True)) == found.value
