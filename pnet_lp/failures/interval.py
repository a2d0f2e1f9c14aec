"""Confidence intervals over trials."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

CONFIDENCE = 0.95
"""Of every interval that is reported."""

_QUANTILE = 1.959963984540054
"""Of the normal distribution at (1 + CONFIDENCE) / 2; the inverse is SciPy's, which takes 0.1 s to load."""


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the Student-t interval of the mean of ``values``, or None for fewer than two.

    It takes the trials as independent and their mean as normal, which it approaches with the number of trials.
    """
    n = len(values)
    if n < 2:
        return None
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to load

    mean = math.fsum(values) / n
    deviation = float(np.std(values, ddof=1))
    half = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * deviation / math.sqrt(n)
    return mean - half, mean + half


def share_interval(hits: int, trials: int) -> tuple[float, float]:
    """Return the Wilson interval of a probability of which ``hits`` of ``trials`` independent trials give evidence.

    Unlike the normal one it stays within [0, 1] and does not shrink to a point where all trials agree (E. B. Wilson,
    Journal of the American Statistical Association 22, 1927).
    """
    z = _QUANTILE
    share, weight = hits / trials, z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    return max(0.0, centre - half), min(1.0, centre + half)
