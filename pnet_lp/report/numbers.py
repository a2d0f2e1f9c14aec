"""Measured numbers and their errors, in words."""

from __future__ import annotations

import math

ROUNDING = 1e-12
"""Relative size below which a difference of floating-point numbers is their rounding."""


def format_number(value: float, error: float | None = None) -> str:
    """Return a number to read: with six digits, or as many as its spread has, which stands behind ± if there is one."""
    if math.isnan(value):
        return "none"
    if error is None or not math.isfinite(error):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.6g}"
    if error == 0:
        return f"{value:,.5g} ± 0"
    decimals = max(0, 1 - math.floor(math.log10(error)))
    spread = f"{error:.{decimals}f}" if decimals else f"{float(f'{error:.2g}'):,g}"
    return f"{value:,.{decimals}f} ± {spread}"


def clean(value: float | None, scale: float = 1.0) -> float | None:
    """Return ``value``, or 0 where it is no more than the rounding of numbers of the size of ``scale``."""
    return 0.0 if value is not None and abs(value) <= ROUNDING * abs(scale) else value


def format_percent(percent: float, error: float | None = None) -> str:
    """Return a ratio in per cent to read, and its spread behind ± if there is one."""
    return f"{percent:.1f}" if error is None else f"{percent:.1f} ± {error:.1f}"
