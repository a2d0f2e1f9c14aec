"""Measured numbers and their errors, in words."""

from __future__ import annotations

import math

from pnet_lp.units import format_gbps

ROUNDING = 1e-12
"""Relative size below which a difference of floating-point numbers is their rounding."""


def format_number(value: float, error: float | None = None) -> str:
    """Return a number to read, thousands apart where it is large, and its spread behind ± if there is one."""
    if math.isnan(value):
        return "none"
    digits = format_gbps(value) if error is None else f"{value:.5g}"
    return (f"{value:,.0f}" if abs(value) >= 10_000 else digits) + ("" if error is None else f" ± {error:.2g}")


def clean(value: float | None, scale: float = 1.0) -> float | None:
    """Return ``value``, or 0 where it is no more than the rounding of numbers of the size of ``scale``."""
    return 0.0 if value is not None and abs(value) <= ROUNDING * abs(scale) else value


def format_percent(percent: float, error: float | None = None) -> str:
    """Return a ratio in per cent to read, and its spread behind ± if there is one."""
    return f"{percent:.1f}" if error is None else f"{percent:.1f} ± {error:.1f}"
