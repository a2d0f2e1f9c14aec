"""What the max-min objectives report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pnet_lp.model.arrays import FloatArray
from pnet_lp.model.result import FairLevel


def fairness_gap(levels: Sequence[FairLevel]) -> float:
    """Return the largest gap of all levels."""
    return max((level.gap for level in levels), default=0.0)


def fairness_figures(rate: FloatArray, levels: Sequence[FairLevel]) -> dict[str, Any]:
    """Return the document's first keys: the sum of the rates, and the levels, lowest first.

    Levels that their bounds do not tell apart are shown as one: the demands that are stuck together need not all be
    found by one program.

    Args:
        rate: float64 ``[J]``, Gb/s, what each demand gets.
        levels: the levels.
    """
    shown: list[dict[str, Any]] = []
    end = -math.inf
    for level in levels:
        upper = level.upper if level.upper < math.inf else None
        if shown and level.rate <= end:
            shown[-1]["demands"] += len(level.demands)
            shown[-1]["rate_gbps"] = min(shown[-1]["rate_gbps"], level.rate)
            shown[-1]["upper_bound_gbps"] = None if upper is None else max(upper, end)
        else:
            shown.append({"rate_gbps": level.rate, "upper_bound_gbps": upper, "demands": len(level.demands)})
        end = max(end, level.upper)
    return {"total_gbps": float(rate.sum()), "relative_gap": fairness_gap(levels), "levels": shown}
