"""Confidence intervals over trials."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

CONFIDENCE = 0.95
"""Of every interval that is reported."""


def mean_interval(values: Sequence[float], *, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Return the Student-t interval of the mean of ``values``, or None for fewer than two.

    It takes the trials as independent and their mean as normal, which it approaches with the number of trials.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to load

    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    deviation = float(np.std(values, ddof=1))
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * deviation / math.sqrt(n)
    return mean - half, mean + half


def share_interval(hits: int, trials: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the Wilson interval of a probability of which ``hits`` of ``trials`` independent trials give evidence.

    Unlike the normal one it stays within [0, 1] and does not shrink to a point where all trials agree (E. B. Wilson,
    Journal of the American Statistical Association 22, 1927).
    """
    from scipy.special import ndtri  # noqa: PLC0415 - slow to load

    z = float(ndtri((1 + confidence) / 2))
    share, weight = hits / trials, z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    return max(0.0, centre - half), min(1.0, centre + half)
