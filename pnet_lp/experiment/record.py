"""What is known of a case: its draws, and their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pnet_lp.model import Interval


@dataclass(frozen=True)
class Draw:
    """A case solved for one seed.

    Attributes:
        case: the name of the case.
        index: which draw of the case, from 0.
        fingerprint: SHA-256 over everything that determines the result.
        settings: the draw as it ran, its seed and defaults included.
        result: the JSON document of the throughput, without its timings.
        seconds: wall time of each part.
    """

    case: str
    index: int
    fingerprint: str
    settings: dict[str, Any]
    result: dict[str, Any]
    seconds: dict[str, float]

    @property
    def interval(self) -> Interval:
        """The proved interval for K of this draw, in Gb/s per unit demand."""
        return Interval(float(self.result["lower_bound_gbps"]), float(self.result["upper_bound_gbps"]))


@dataclass(frozen=True)
class Record:
    """One case's answer.

    Attributes:
        case: its name.
        draws: one for each seed, in order; at least one.
    """

    case: str
    draws: tuple[Draw, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the draws."""
        return tuple(draw.settings["seed"] for draw in self.draws)

    @property
    def values(self) -> tuple[float, ...]:
        """What each draw attains, in Gb/s per unit demand."""
        return tuple(draw.interval.lower for draw in self.draws)

    @property
    def interval(self) -> Interval:
        """The proved interval for the mean of K over the draws: the means of both ends."""
        return Interval(fmean(self.values), fmean(draw.interval.upper for draw in self.draws))

    @property
    def standard_error_gbps(self) -> float | None:
        """Standard error of the mean over seeds; None for a single draw, which says nothing about others."""
        return _standard_error([value - self.interval.lower for value in self.values])

    @property
    def status(self) -> str:
        """``certified`` if every draw is, else ``bounds``."""
        found = {draw.result["status"] for draw in self.draws}
        return "certified" if found == {"certified"} else "bounds"


@dataclass(frozen=True)
class Ratio:
    """Throughput of one case relative to another.

    Attributes:
        percent: the mean over draws in per cent of the other mean.
        error: its standard error in percentage points; None where a case has a single draw.
    """

    percent: float
    error: float | None


def ratio(record: Record, base: Record) -> Ratio | None:
    """Return the ratio of two cases' means, or None where the one below carries nothing.

    The error is that of the delta method.  Draws of equal seeds share traffic and topology, so they are compared draw
    by draw, and what moves both alike is no error of the ratio; other draws count as independent.
    """
    above, below = record.interval.lower, base.interval.lower
    if below == 0:
        return None
    quotient = above / below
    error: float | None
    if record.seeds == base.seeds:
        paired = zip(record.values, base.values, strict=True)
        residual = _standard_error([a - quotient * b for a, b in paired])
        error = None if residual is None else residual / below
    else:
        parts = [record.standard_error_gbps, base.standard_error_gbps]
        known = [part for part in parts if part is not None]
        error = math.hypot(known[0], quotient * known[1]) / below if len(known) == len(parts) else None
    return Ratio(100 * quotient, None if error is None else 100 * error)


def _standard_error(deviations: Sequence[float]) -> float | None:
    """Return the standard error of a mean from the deviations from it, or None if there is only one."""
    n = len(deviations)
    if n < 2:
        return None
    return math.sqrt(math.fsum(d * d for d in deviations) / (n - 1) / n)
