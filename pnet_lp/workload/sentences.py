"""What is said of a workload by whoever reports it or its simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pnet_lp.units import format_gbps, format_short


def drawn_sizes(workload: Mapping[str, Any]) -> str:
    """Return the mean of the distribution that sizes were drawn from, as words to append, if it is known."""
    mean = workload["distribution_mean_bytes"]
    return "" if mean is None else f"; mean of their distribution {mean:,.0f} bytes"


def offered_load(offered: Mapping[str, Any]) -> str:
    """Return at what load flows arrive, and what it is a part of, as words."""
    return (
        f"{offered['load']:g} of {format_gbps(offered['capacity_gbps'])} Gb/s, {offered['capacity']}: "
        f"{float(format_short(offered['flows_per_s'])):,g} flows/s of {offered['mean_bytes']:,.0f} bytes on average"
    )
