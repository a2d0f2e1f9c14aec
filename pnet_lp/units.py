"""Units used in names: ``_gbps`` (10^9 bit/s), ``_bytes``, ``_ps`` (10^-12 s), ``_usd``, ``_watts``."""

from __future__ import annotations

import math

DEFAULT_LINK_GBPS = 100.0
"""Speed of a link in Gb/s where neither a file nor the user gives one."""


def format_bytes(count: float) -> str:
    """Return ``count`` bytes with a binary unit, e.g. ``"1.5 GiB"``."""
    if count < 1024:
        return f"{count:.0f} B"
    power = min(int(math.log2(count) // 10), 5)
    return f"{count / (1 << (10 * power)):.1f} {('KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power - 1]}"


def format_gbps(value: float) -> str:
    """Return a rate in Gb/s with nine significant digits, without trailing zeros."""
    return f"{value:.9g}"
