"""Units used in names: ``_gbps`` (10^9 bit/s), ``_bytes``, ``_ps`` (10^-12 s), ``_usd``, ``_watts``."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

DEFAULT_LINK_GBPS = 100.0
"""Speed of a link in Gb/s where neither a file nor the user gives one."""

SMALLEST, LARGEST = 1e-15, 1e15
"""Of capacities and demands, in whatever unit: sums and products of these neither vanish nor overflow."""

AMOUNTS = f"0, or {SMALLEST:g} to {LARGEST:g}"
"""What a capacity or a demand can be, for messages."""

MIB, GIB = 1 << 20, 1 << 30

MOST_DIGITS = 40
"""Of a whole number in a file or an expression; nothing that is counted needs half of them."""


def are_amounts(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return, for each value, whether it is a capacity or a demand: 0, or between the smallest and the largest."""
    array = np.asarray(values, dtype=np.float64)
    return np.asarray((array == 0) | ((array >= SMALLEST) & (array <= LARGEST)))


def format_bytes(count: float) -> str:
    """Return ``count`` bytes with a binary unit, e.g. ``"1.5 GiB"``."""
    if count < 1024:
        return f"{count:.0f} B"
    if count >= 1 << 60:  # what a broken file says may be beyond any float
        return "more than 1023 PiB"
    power = min(int(math.log2(count) // 10), 5)
    return f"{count / (1 << (10 * power)):.1f} {('KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power - 1]}"


def format_gbps(value: float) -> str:
    """Return a rate in Gb/s with nine significant digits, without trailing zeros."""
    return f"{value:.9g}"
